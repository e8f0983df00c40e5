// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Purses} from "./Purse.sol";

/// @title Escrow for tasks: authorize, then capture or give back
/// @notice Holds a payment until its operator captures it for the receiver or gives it back to the payer; after a time that
/// was fixed with the payment, the payer gets back what is left without anybody's help. Nobody can send it elsewhere: there
/// is no owner, no upgrade and no pause.
/// @dev The operations and `PaymentInfo` are those of AuthCaptureEscrow (base/commerce-payments). What is different: the
/// payer agrees to the terms by paying `purseOf(info)`, an address that is made from their hash. Any transfer to it will do,
/// so a payment needs no contract call, and nobody can take one past the escrow.
contract TaskEscrow is ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    struct PaymentInfo {
        /// Who may authorize, capture, void and refund it.
        address operator;
        /// Who gets back what is not captured.
        address payer;
        /// Who gets what is captured.
        address receiver;
        address token;
        /// What is held, fee included.
        uint120 maxAmount;
        /// From then on a payment that was not authorized goes back.
        uint48 preApprovalExpiry;
        /// From then on nothing is captured, and what is left goes back.
        uint48 authorizationExpiry;
        /// Until then the operator may refund what was captured.
        uint48 refundExpiry;
        /// Bounds of the fee, in hundredths of a percent of all that was captured so far.
        uint16 minFeeBps;
        uint16 maxFeeBps;
        /// Who gets the fee.
        address feeReceiver;
        /// Tells payments with the same terms apart.
        uint256 salt;
    }

    struct PaymentState {
        /// The payment came and is held.
        bool collected;
        /// Nothing more is captured.
        bool closed;
        /// What can still be captured.
        uint120 capturable;
        /// What was captured, fees included.
        uint120 captured;
        /// What of it were fees.
        uint120 fees;
        /// What of it was given back afterwards.
        uint120 refunded;
    }

    bytes32 public constant PAYMENT_INFO_TYPEHASH = keccak256(
        "PaymentInfo(address operator,address payer,address receiver,address token,uint120 maxAmount,uint48 preApprovalExpiry,uint48 authorizationExpiry,uint48 refundExpiry,uint16 minFeeBps,uint16 maxFeeBps,address feeReceiver,uint256 salt)"
    );

    uint256 private constant WHOLE = 10_000;

    mapping(bytes32 hash => PaymentState) private _payments;

    event PaymentAuthorized(bytes32 indexed hash, PaymentInfo info);
    event PaymentCaptured(bytes32 indexed hash, uint256 amount, uint256 fee);
    event PaymentVoided(bytes32 indexed hash, uint256 amount);
    event PaymentReclaimed(bytes32 indexed hash, uint256 amount);
    event PaymentRefunded(bytes32 indexed hash, uint256 amount);
    event ExcessReturned(bytes32 indexed hash, uint256 amount);

    error NotOperator(address caller);
    error BadInfo();
    error AlreadyCollected(bytes32 hash);
    error NotCollected(bytes32 hash);
    error Closed(bytes32 hash);
    error TooLate(uint48 expiry);
    error TooEarly(uint48 expiry);
    error TooLittle(uint256 balance);
    error BadAmount(uint256 amount);
    error BadFee(uint256 fee);
    error Unexpected(uint256 capturable);

    modifier onlyOperator(PaymentInfo calldata info) {
        if (msg.sender != info.operator) revert NotOperator(msg.sender);
        _;
    }

    // ---- what anybody may ask

    /// @notice The name of a payment: its terms, on this chain and in this contract.
    function getHash(PaymentInfo calldata info) public view returns (bytes32) {
        return keccak256(
            abi.encode(block.chainid, address(this), keccak256(abi.encode(PAYMENT_INFO_TYPEHASH, info)))
        );
    }

    /// @notice Where a payment with these terms is made. What arrives there can go to its receiver, its fee receiver and its
    /// payer, and to nobody else.
    function purseOf(PaymentInfo calldata info) public view returns (address) {
        return Purses.addressOf(getHash(info), IERC20(info.token));
    }

    function stateOf(bytes32 hash) external view returns (PaymentState memory) {
        return _payments[hash];
    }

    // ---- the operator

    /// @notice Takes a payment that came into custody: it can be captured from here on.
    function authorize(PaymentInfo calldata info) external nonReentrant onlyOperator(info) {
        bytes32 hash = getHash(info);
        PaymentState storage state = _payments[hash];
        if (state.closed) revert Closed(hash);
        if (state.collected) revert AlreadyCollected(hash);
        if (block.timestamp >= info.preApprovalExpiry) revert TooLate(info.preApprovalExpiry);
        bool isPayable = info.payer != address(0) && info.receiver != address(0) && info.feeReceiver != address(0);
        bool isOrdered =
            info.preApprovalExpiry <= info.authorizationExpiry && info.authorizationExpiry <= info.refundExpiry;
        bool isBounded = info.minFeeBps <= info.maxFeeBps && info.maxFeeBps <= WHOLE && info.maxAmount > 0;
        if (!isPayable || !isOrdered || !isBounded) revert BadInfo();
        IERC20 token = IERC20(info.token);
        address purse = Purses.open(hash, token);
        uint256 there = token.balanceOf(purse);
        if (there < info.maxAmount) revert TooLittle(there);
        (state.collected, state.capturable) = (true, info.maxAmount);
        uint256 before = token.balanceOf(address(this));
        token.safeTransferFrom(purse, address(this), info.maxAmount);
        uint256 received = token.balanceOf(address(this)) - before;
        if (received != info.maxAmount) revert TooLittle(received);
        emit PaymentAuthorized(hash, info);
    }

    /// @notice Pays the receiver a part of what is held, or all of it, and the fee with it.
    /// @param amount What is captured, fee included.
    /// @param capturable What is held now, as the operator knows it: a capture that is carried out twice is refused.
    function capture(PaymentInfo calldata info, uint256 amount, uint256 fee, uint256 capturable)
        external
        nonReentrant
        onlyOperator(info)
    {
        bytes32 hash = getHash(info);
        PaymentState storage state = _payments[hash];
        if (!state.collected) revert NotCollected(hash);
        if (state.closed) revert Closed(hash);
        if (block.timestamp >= info.authorizationExpiry) revert TooLate(info.authorizationExpiry);
        if (state.capturable != capturable) revert Unexpected(state.capturable);
        if (amount == 0 || amount > capturable) revert BadAmount(amount);
        if (fee > amount) revert BadFee(fee);
        uint256 captured = state.captured + amount;
        uint256 fees = state.fees + fee;
        // Rounded towards what is allowed: fees are whole units, and the bounds may fall between two of them.
        uint256 most = (captured * info.maxFeeBps + WHOLE - 1) / WHOLE;
        if (fees > most || fees < captured * info.minFeeBps / WHOLE) revert BadFee(fee);
        state.capturable = uint120(capturable - amount);
        state.captured = uint120(captured);
        state.fees = uint120(fees);
        if (capturable == amount) state.closed = true;
        IERC20 token = IERC20(info.token);
        if (fee > 0) token.safeTransfer(info.feeReceiver, fee);
        if (amount > fee) token.safeTransfer(info.receiver, amount - fee);
        emit PaymentCaptured(hash, amount, fee);
    }

    /// @notice Gives the payer all that is left, also before it was authorized.
    function void(PaymentInfo calldata info) external nonReentrant onlyOperator(info) {
        bytes32 hash = getHash(info);
        emit PaymentVoided(hash, _giveBack(info, hash));
    }

    /// @notice Gives the payer back what was captured, out of the operator's own tokens.
    function refund(PaymentInfo calldata info, uint256 amount) external nonReentrant onlyOperator(info) {
        bytes32 hash = getHash(info);
        PaymentState storage state = _payments[hash];
        if (block.timestamp >= info.refundExpiry) revert TooLate(info.refundExpiry);
        if (amount == 0 || amount > state.captured - state.refunded) revert BadAmount(amount);
        state.refunded += uint120(amount);
        IERC20(info.token).safeTransferFrom(msg.sender, info.payer, amount);
        emit PaymentRefunded(hash, amount);
    }

    // ---- the payer, and whoever carries it for the payer

    /// @notice Gives the payer all that is left once its time is over. Anybody may carry it to the chain.
    function reclaim(PaymentInfo calldata info) external nonReentrant {
        bytes32 hash = getHash(info);
        uint48 expiry = _payments[hash].collected ? info.authorizationExpiry : info.preApprovalExpiry;
        if (block.timestamp < expiry) revert TooEarly(expiry);
        emit PaymentReclaimed(hash, _giveBack(info, hash));
    }

    /// @notice Gives the payer what came to a purse beyond the payment. Anybody may carry it to the chain.
    function returnExcess(PaymentInfo calldata info) external nonReentrant {
        bytes32 hash = getHash(info);
        PaymentState storage state = _payments[hash];
        if (!state.collected && !state.closed) revert NotCollected(hash);
        emit ExcessReturned(hash, _emptyPurse(info, hash));
    }

    // ---- inside

    function _giveBack(PaymentInfo calldata info, bytes32 hash) private returns (uint256 amount) {
        PaymentState storage state = _payments[hash];
        if (state.closed) revert Closed(hash);
        state.closed = true;
        amount = state.capturable;
        state.capturable = 0;
        if (amount > 0) IERC20(info.token).safeTransfer(info.payer, amount);
        if (!state.collected) amount = _emptyPurse(info, hash);
    }

    function _emptyPurse(PaymentInfo calldata info, bytes32 hash) private returns (uint256 amount) {
        IERC20 token = IERC20(info.token);
        address purse = Purses.open(hash, token);
        amount = token.balanceOf(purse);
        if (amount > 0) token.safeTransferFrom(purse, info.payer, amount);
    }
}
