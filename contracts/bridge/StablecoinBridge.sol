// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {BlockHeader} from "@openzeppelin/contracts/utils/BlockHeader.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Purses} from "../escrow/Purse.sol";
import {ITokenMessengerV2, ITokenMessengerWithFees} from "./Cctp.sol";
import {Delivery} from "./Delivery.sol";

interface IAuthorizedTransfer {
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}

/// @title Stablecoin bridge, one lane
/// @notice Takes one signed payment (EIP-3009) and burns it towards the payer's own address on another chain (CCTP V2),
/// in the same transaction.
/// @dev One contract for each destination, and the payer is always the recipient. What is paid is an address made from the
/// terms (`purseOf`), so the payer's signature says where the money goes, how much arrives at least, and who earns by it. A
/// relayer can choose none of it.
contract StablecoinBridge is Ownable2Step, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @dev As the payer signed it, with `purseOf(terms)` as `to`.
    struct Payment {
        address from;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
        bytes signature;
    }

    /// @notice What the payer agrees to by paying `purseOf(terms)`.
    /// @param minAmount What reaches the payer at least.
    /// @param referrer Who gets `referral`, out of the margin; zero for nobody.
    struct Terms {
        uint256 minAmount;
        address referrer;
        uint256 referral;
    }

    /// @param amount What reaches the payer at least, and no less than `terms.minAmount`; exactly that with a `signedQuote`,
    /// or where `maxFee` is 0.
    /// @param maxFee The most that Circle may take on top: from what it mints, or at once with a `signedQuote`.
    /// @param minFinality 1000 is fast, 2000 is final.
    /// @param hookData Empty, or a request to Circle's forwarder to mint for us.
    /// @param signedQuote Empty, or Circle's quote for fees that are paid at once.
    struct Route {
        Terms terms;
        uint256 amount;
        uint256 maxFee;
        uint32 minFinality;
        bytes hookData;
        bytes signedQuote;
    }

    /// @param amount What of a purse may be recovered, from `time` on.
    struct Recovery {
        uint192 amount;
        uint64 time;
    }

    error NotRelayer();
    error AlreadyBridged(bytes32 key);
    error NotDelivered();
    error AmountTooSmall(uint256 amount, uint256 minimum);
    error TooEarly(uint256 time);
    error AmountNotCovered(uint256 value, uint256 amount, uint256 maxFee);
    error CostTooHigh(uint256 cost, uint256 limit);
    error ReferralTooHigh(uint256 referral, uint256 limit);
    error QuotesNotTaken();
    error WrongBurn(uint256 spent);
    error CannotRenounce();

    event RelayerSet(address indexed relayer, bool allowed);
    /// @param key keccak256(abi.encode(from, nonce)): each authorization is bridged once.
    /// @param maxFee The most that is missing from `amount + maxFee` when it is minted; 0 with a signed quote.
    event Bridged(
        bytes32 indexed key, address indexed from, uint256 amount, uint256 maxFee, uint256 margin, address referrer
    );
    event Collected(address indexed to, uint256 amount);
    event ReferralPaid(address indexed referrer, uint256 amount);
    /// @param key As in `Bridged`: what is returned is never bridged.
    event Returned(bytes32 indexed key, address indexed from, uint256 amount);
    event RecoveryAnnounced(address indexed purse, uint256 amount, uint256 time);
    event Recovered(address indexed from, address indexed to, uint256 amount);

    uint256 internal constant BPS = 10_000;
    /// @notice A referrer gets at most half of the margin.
    uint256 public constant MAX_REFERRAL_BPS = 5_000;
    /// @notice No lane may cost more than this share of the amount, besides its floor.
    uint256 public constant MAX_COST_BPS = 1_000;

    /// @notice From this long after its block on, anybody may return a payment that was carried past the lane.
    uint256 public constant RETURN_AFTER = 10 minutes;
    /// @notice Longer than any proof holds: what the owner may recover then, nobody could have proved to be theirs.
    uint256 public constant RECOVERY_DELAY = 2 days;

    IERC20 public immutable stablecoin;
    ITokenMessengerV2 public immutable messenger;
    /// @notice Zero where Circle takes no fees at once.
    ITokenMessengerWithFees public immutable messengerWithFees;
    /// @notice Circle's number of the destination chain.
    uint32 public immutable domain;
    uint256 public immutable costBps;
    uint256 public immutable costFloor;

    mapping(address relayer => bool) public relayers;
    mapping(bytes32 key => bool) public bridged;
    /// @notice Earned and still held here.
    uint256 public fees;
    /// @notice Earned by a referrer and still held here.
    mapping(address referrer => uint256) public referrals;
    uint256 public totalReferrals;
    mapping(address purse => Recovery) public recoveries;

    constructor(
        address owner_,
        IERC20 stablecoin_,
        ITokenMessengerV2 messenger_,
        ITokenMessengerWithFees messengerWithFees_,
        uint32 domain_,
        uint256 costBps_,
        uint256 costFloor_
    ) Ownable(owner_) {
        require(costBps_ <= MAX_COST_BPS, CostTooHigh(costBps_, MAX_COST_BPS));
        stablecoin = stablecoin_;
        messenger = messenger_;
        messengerWithFees = messengerWithFees_;
        domain = domain_;
        costBps = costBps_;
        costFloor = costFloor_;
    }

    modifier onlyRelayer() {
        require(relayers[msg.sender], NotRelayer());
        _;
    }

    /// @notice The most that bridging `amount` may cost the payer, Circle's fees and the margin together.
    function maxCost(uint256 amount) public view returns (uint256) {
        return amount * costBps / BPS + costFloor;
    }

    /// @notice Where a payment with these terms is made. What arrives there is bridged by them, or goes back to its payer.
    function purseOf(Terms calldata terms) public view returns (address) {
        return Purses.addressOf(keccak256(abi.encode(terms)), stablecoin);
    }

    /// @notice Held here without being earned: gifts.
    function unclaimed() public view returns (uint256) {
        return stablecoin.balanceOf(address(this)) - fees - totalReferrals;
    }

    /// @notice Collects the payment and burns it, or does neither.
    function bridge(Payment calldata payment, Route calldata route) external onlyRelayer nonReentrant {
        bytes32 key = _useOnce(payment.from, payment.nonce);
        address purse = _openPurse(route.terms);
        uint256 before = stablecoin.balanceOf(purse);
        IAuthorizedTransfer(address(stablecoin)).transferWithAuthorization(
            payment.from,
            purse,
            payment.value,
            payment.validAfter,
            payment.validBefore,
            payment.nonce,
            payment.signature
        );
        require(stablecoin.balanceOf(purse) - before == payment.value, NotDelivered());
        _burn(key, payment.from, payment.value, purse, route);
    }

    /// @notice Burns a payment that a stranger carried to the token before `bridge` did. The proof shows that its money
    /// arrived in its purse: the nonce alone does not, for it reads the same when the payer has cancelled.
    function finish(
        address from,
        bytes32 nonce,
        uint256 value,
        Route calldata route,
        Delivery.Proof calldata proof
    ) external onlyRelayer nonReentrant {
        (bytes32 key, address purse) = _prove(from, nonce, value, route.terms, proof);
        _burn(key, from, value, purse, route);
        _limitRecovery(purse);
    }

    /// @notice Returns such a payment to its payer, by the same proof. A relayer may do so at once, and anybody after
    /// `RETURN_AFTER`: no payment that can be proved needs our help to come back.
    function giveBack(
        address from,
        bytes32 nonce,
        uint256 value,
        Terms calldata terms,
        Delivery.Proof calldata proof
    ) external nonReentrant {
        uint256 time = BlockHeader.getTimestamp(proof.header) + RETURN_AFTER;
        require(relayers[msg.sender] || block.timestamp >= time, TooEarly(time));
        (bytes32 key, address purse) = _prove(from, nonce, value, terms, proof);
        stablecoin.safeTransferFrom(purse, from, value);
        emit Returned(key, from, value);
        _limitRecovery(purse);
    }

    /// @notice Without a relayer the lane is off.
    function setRelayer(address relayer, bool allowed) external onlyOwner {
        relayers[relayer] = allowed;
        emit RelayerSet(relayer, allowed);
    }

    function collect(address to, uint256 amount) external onlyOwner {
        fees -= amount;
        stablecoin.safeTransfer(to, amount);
        emit Collected(to, amount);
    }

    /// @notice Sends a referrer what it has earned. Anybody may call.
    function payReferral(address referrer) external nonReentrant {
        uint256 amount = referrals[referrer];
        referrals[referrer] = 0;
        totalReferrals -= amount;
        stablecoin.safeTransfer(referrer, amount);
        emit ReferralPaid(referrer, amount);
    }

    /// @notice Sends on gifts to the lane itself. Nothing that a payer signed for ever lies here.
    function recover(address to, uint256 amount) external onlyOwner nonReentrant {
        require(amount <= unclaimed(), NotDelivered());
        stablecoin.safeTransfer(to, amount);
        emit Recovered(address(this), to, amount);
    }

    /// @notice Announces that what lies in a purse now will be recovered: payments whose block nobody can prove any more, and
    /// plain transfers. Until then whoever has a proof takes theirs out.
    function announceRecovery(Terms calldata terms) external onlyOwner {
        address purse = purseOf(terms);
        uint192 amount = uint192(stablecoin.balanceOf(purse));
        uint64 time = uint64(block.timestamp + RECOVERY_DELAY);
        recoveries[purse] = Recovery(amount, time);
        emit RecoveryAnnounced(purse, amount, time);
    }

    /// @notice Sends what was announced to whom it belongs, which the owner is trusted to know.
    function recoverFrom(Terms calldata terms, address to, uint256 amount) external onlyOwner nonReentrant {
        address purse = _openPurse(terms);
        Recovery storage recovery = recoveries[purse];
        require(block.timestamp >= recovery.time, TooEarly(recovery.time));
        require(amount <= recovery.amount, NotDelivered());
        recovery.amount -= uint192(amount);
        stablecoin.safeTransferFrom(purse, to, amount);
        emit Recovered(purse, to, amount);
    }

    /// @notice Refused: without an owner the fees could never be collected, nor a lost relayer be replaced.
    function renounceOwnership() public pure override {
        revert CannotRenounce();
    }

    function _useOnce(address from, bytes32 nonce) private returns (bytes32 key) {
        key = keccak256(abi.encode(from, nonce));
        require(!bridged[key], AlreadyBridged(key));
        bridged[key] = true;
    }

    function _openPurse(Terms calldata terms) private returns (address) {
        return Purses.open(keccak256(abi.encode(terms)), stablecoin);
    }

    function _prove(
        address from,
        bytes32 nonce,
        uint256 value,
        Terms calldata terms,
        Delivery.Proof calldata proof
    ) private returns (bytes32 key, address purse) {
        key = _useOnce(from, nonce);
        purse = _openPurse(terms);
        require(Delivery.isProved(proof, address(stablecoin), from, nonce, purse, value), NotDelivered());
    }

    /// @dev What was proved and has left the purse is no more to be recovered: otherwise an announcement whose money came
    /// back would be good for the next payer's.
    function _limitRecovery(address purse) private {
        Recovery storage recovery = recoveries[purse];
        if (recovery.amount == 0) return;
        uint256 left = stablecoin.balanceOf(purse);
        if (recovery.amount > left) recovery.amount = uint192(left);
    }

    /// @dev Takes the payment from its purse first: what is burned, earned and left is its own.
    function _burn(bytes32 key, address from, uint256 value, address purse, Route calldata route) private {
        uint256 before = stablecoin.balanceOf(address(this)) + value;
        stablecoin.safeTransferFrom(purse, address(this), value);
        require(stablecoin.balanceOf(address(this)) == before, NotDelivered());
        require(route.amount >= route.terms.minAmount, AmountTooSmall(route.amount, route.terms.minAmount));
        uint256 budget = route.amount + route.maxFee;
        require(value >= budget, AmountNotCovered(value, route.amount, route.maxFee));
        uint256 limit = maxCost(route.amount);
        require(value - route.amount <= limit, CostTooHigh(value - route.amount, limit));

        bool isQuoted = route.signedQuote.length != 0;
        if (isQuoted) _burnWithFees(from, budget, route);
        else _burnWithMaxFee(from, budget, route);
        uint256 spent = before - stablecoin.balanceOf(address(this));
        require(isQuoted ? spent >= route.amount && spent <= budget : spent == budget, WrongBurn(spent));

        uint256 margin = value - spent;
        _earn(margin, route.terms.referrer, route.terms.referral);
        emit Bridged(key, from, route.amount, isQuoted ? 0 : route.maxFee, margin, route.terms.referrer);
    }

    function _burnWithMaxFee(address from, uint256 amount, Route calldata route) private {
        stablecoin.forceApprove(address(messenger), amount);
        bytes32 recipient = bytes32(uint256(uint160(from)));
        if (route.hookData.length == 0) {
            messenger.depositForBurn(
                amount, domain, recipient, address(stablecoin), bytes32(0), route.maxFee, route.minFinality
            );
        } else {
            messenger.depositForBurnWithHook(
                amount,
                domain,
                recipient,
                address(stablecoin),
                bytes32(0),
                route.maxFee,
                route.minFinality,
                route.hookData
            );
        }
    }

    function _burnWithFees(address from, uint256 budget, Route calldata route) private {
        require(address(messengerWithFees) != address(0), QuotesNotTaken());
        stablecoin.forceApprove(address(messengerWithFees), budget);
        messengerWithFees.depositForBurnWithHookAndFees(
            route.amount,
            domain,
            bytes32(uint256(uint160(from))),
            address(stablecoin),
            bytes32(0),
            route.hookData,
            ITokenMessengerWithFees.Fees(route.signedQuote, address(this))
        );
        stablecoin.forceApprove(address(messengerWithFees), 0);
    }

    function _earn(uint256 margin, address referrer, uint256 referral) private {
        uint256 limit = referrer == address(0) ? 0 : margin * MAX_REFERRAL_BPS / BPS;
        require(referral <= limit, ReferralTooHigh(referral, limit));
        fees += margin - referral;
        if (referral == 0) return;
        referrals[referrer] += referral;
        totalReferrals += referral;
    }
}
