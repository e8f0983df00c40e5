// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
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
/// @dev One contract for each destination, and the payer is always the recipient: by the address that it pays, the
/// payer's signature says where the money goes. A relayer can choose neither, and what it may keep is bounded.
contract StablecoinBridge is Ownable2Step, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @dev As the payer signed it, with this contract as `to`.
    struct Payment {
        address from;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
        bytes signature;
    }

    /// @param amount What reaches the payer at least; exactly that with a `signedQuote`, or where `maxFee` is 0.
    /// @param maxFee The most that Circle may take on top: from what it mints, or at once with a `signedQuote`.
    /// @param minFinality 1000 is fast, 2000 is final.
    /// @param hookData Empty, or a request to Circle's forwarder to mint for us.
    /// @param signedQuote Empty, or Circle's quote for fees that are paid at once.
    /// @param referrer Who gets `referral`, out of the margin; zero for nobody.
    struct Route {
        uint256 amount;
        uint256 maxFee;
        uint32 minFinality;
        bytes hookData;
        bytes signedQuote;
        address referrer;
        uint256 referral;
    }

    error NotRelayer();
    error AlreadyBridged(bytes32 key);
    error NotDelivered();
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
    event Recovered(address indexed to, uint256 amount);

    uint256 internal constant BPS = 10_000;
    /// @notice A referrer gets at most half of the margin.
    uint256 public constant MAX_REFERRAL_BPS = 5_000;
    /// @notice No lane may cost more than this share of the amount, besides its floor.
    uint256 public constant MAX_COST_BPS = 1_000;

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

    /// @notice Held here without being earned: payments that somebody else carried to the token, and gifts.
    function unclaimed() public view returns (uint256) {
        return stablecoin.balanceOf(address(this)) - fees - totalReferrals;
    }

    /// @notice Collects the payment and burns it, or does neither.
    function bridge(Payment calldata payment, Route calldata route) external onlyRelayer nonReentrant {
        bytes32 key = _useOnce(payment.from, payment.nonce);
        uint256 before = stablecoin.balanceOf(address(this));
        IAuthorizedTransfer(address(stablecoin)).transferWithAuthorization(
            payment.from,
            address(this),
            payment.value,
            payment.validAfter,
            payment.validBefore,
            payment.nonce,
            payment.signature
        );
        require(stablecoin.balanceOf(address(this)) - before == payment.value, NotDelivered());
        _burn(key, payment.from, payment.value, route);
    }

    /// @notice Burns a payment that a stranger carried to the token before `bridge` did. The proof shows that its money
    /// arrived here: the nonce alone does not, for it reads the same when the payer has cancelled.
    function finish(
        address from,
        bytes32 nonce,
        uint256 value,
        Route calldata route,
        Delivery.Proof calldata proof
    ) external onlyRelayer nonReentrant {
        bytes32 key = _useOnce(from, nonce);
        require(
            value <= unclaimed()
                && Delivery.isProved(proof, address(stablecoin), from, nonce, address(this), value),
            NotDelivered()
        );
        _burn(key, from, value, route);
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

    /// @notice Returns unclaimed money, such as a payment whose proof came too late. Nothing that went through `bridge`
    /// is ever unclaimed.
    function recover(address to, uint256 amount) external onlyOwner nonReentrant {
        require(amount <= unclaimed(), NotDelivered());
        stablecoin.safeTransfer(to, amount);
        emit Recovered(to, amount);
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

    function _burn(bytes32 key, address from, uint256 value, Route calldata route) private {
        uint256 budget = route.amount + route.maxFee;
        require(value >= budget, AmountNotCovered(value, route.amount, route.maxFee));
        uint256 limit = maxCost(route.amount);
        require(value - route.amount <= limit, CostTooHigh(value - route.amount, limit));

        uint256 before = stablecoin.balanceOf(address(this));
        bool isQuoted = route.signedQuote.length != 0;
        if (isQuoted) _burnWithFees(from, budget, route);
        else _burnWithMaxFee(from, budget, route);
        uint256 spent = before - stablecoin.balanceOf(address(this));
        require(isQuoted ? spent >= route.amount && spent <= budget : spent == budget, WrongBurn(spent));

        uint256 margin = value - spent;
        _earn(margin, route.referrer, route.referral);
        emit Bridged(key, from, route.amount, isQuoted ? 0 : route.maxFee, margin, route.referrer);
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
