// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

interface IAuthorizedDeposit {
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}

/// @title Channel escrow
/// @notice One-way payment channels: a payer puts money aside for a payee and pays it by vouchers, signed off the chain,
/// that only grow. What was not paid always goes back to the payer.
/// @dev The escrow of `evm/session` in the Payment HTTP authentication scheme (draft-evm-session-00): its core and the
/// deposits by EIP-3009. It has no owner, takes no fee and cannot be changed. Channels are never deleted, since a voucher
/// would be good again for a second one with the same id. A token that takes a fee on transfers is refused.
contract ChannelEscrow is EIP712, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @param authorizedSigner Who signs vouchers; zero for the payer itself.
    /// @param settled What the payee has had of `deposit` so far.
    /// @param closeRequestedAt When the payer asked to have the rest back; zero while it has not.
    struct Channel {
        address payer;
        address payee;
        address token;
        address authorizedSigner;
        uint128 deposit;
        uint128 settled;
        uint64 closeRequestedAt;
        bool finalized;
    }

    error ChannelAlreadyExists();
    error ChannelNotFound();
    error ChannelFinalized();
    error NotPayee();
    error NotPayer();
    error AmountNotIncreasing();
    error AmountExceedsDeposit();
    error InvalidSignature();
    error NonceMismatch();
    error CloseNotReady();
    error ZeroDeposit();
    error DepositOverflow();
    error WrongDeposit();

    event ChannelOpened(
        bytes32 indexed channelId,
        address indexed payer,
        address indexed payee,
        address token,
        address authorizedSigner,
        uint128 deposit
    );
    event ToppedUp(bytes32 indexed channelId, uint128 additionalDeposit, uint128 deposit);
    event Settled(bytes32 indexed channelId, uint128 cumulativeAmount);
    event CloseRequested(bytes32 indexed channelId, uint64 withdrawableAt);
    event ChannelClosed(bytes32 indexed channelId, uint128 settled, uint128 refunded);

    /// @notice How long the payee has to settle once the payer asks for the rest.
    uint64 public constant CLOSE_GRACE_PERIOD = 15 minutes;

    bytes32 internal constant VOUCHER = keccak256("Voucher(bytes32 channelId,uint128 cumulativeAmount)");

    mapping(bytes32 channelId => Channel) public channels;

    constructor() EIP712("EVM Payment Channel", "1") {}

    function computeChannelId(
        address payer,
        address payee,
        address token,
        bytes32 salt,
        address authorizedSigner
    ) public view returns (bytes32) {
        return keccak256(abi.encode(payer, payee, token, salt, authorizedSigner, address(this), block.chainid));
    }

    /// @notice The digest that a voucher signs.
    function getVoucherDigest(bytes32 channelId, uint128 cumulativeAmount) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(VOUCHER, channelId, cumulativeAmount)));
    }

    /// @notice Opens a channel with money that the caller has approved.
    function open(address payee, address token, uint128 deposit, bytes32 salt, address authorizedSigner)
        external
        nonReentrant
        returns (bytes32 channelId)
    {
        channelId = _open(msg.sender, payee, token, deposit, salt, authorizedSigner);
        _pull(token, msg.sender, deposit);
    }

    /// @notice Opens a channel with money that `from` has signed for; anybody may carry the signature here.
    /// @param nonce keccak256(abi.encode(from, payee, token, salt, authorizedSigner)), so that the signature is good for this
    /// channel only.
    function openWithAuthorization(
        address payee,
        address token,
        uint128 deposit,
        bytes32 salt,
        address authorizedSigner,
        address from,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external nonReentrant returns (bytes32 channelId) {
        require(nonce == keccak256(abi.encode(from, payee, token, salt, authorizedSigner)), NonceMismatch());
        channelId = _open(from, payee, token, deposit, salt, authorizedSigner);
        _receive(token, from, deposit, validAfter, validBefore, nonce, signature);
    }

    /// @notice Adds money of the payer, which takes back a request to close.
    function topUp(bytes32 channelId, uint128 additionalDeposit) external nonReentrant {
        Channel storage channel = _live(channelId);
        require(msg.sender == channel.payer, NotPayer());
        _topUp(channelId, channel, additionalDeposit);
        channel.closeRequestedAt = 0;
        _pull(channel.token, msg.sender, additionalDeposit);
    }

    /// @notice Adds money that `from` has signed for. Only a payer's takes back a request to close.
    /// @param nonce keccak256(abi.encode(channelId, additionalDeposit, from, topUpSalt))
    function topUpWithAuthorization(
        bytes32 channelId,
        uint128 additionalDeposit,
        address from,
        bytes32 topUpSalt,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external nonReentrant {
        Channel storage channel = _live(channelId);
        require(
            nonce == keccak256(abi.encode(channelId, additionalDeposit, from, topUpSalt)), NonceMismatch()
        );
        _topUp(channelId, channel, additionalDeposit);
        // Else the payee could hold the payer's money for ever by adding a millionth to it now and then.
        if (from == channel.payer) channel.closeRequestedAt = 0;
        _receive(channel.token, from, additionalDeposit, validAfter, validBefore, nonce, signature);
    }

    /// @notice Pays the payee what a voucher says beyond what it has had.
    function settle(bytes32 channelId, uint128 cumulativeAmount, bytes calldata signature) external nonReentrant {
        Channel storage channel = _live(channelId);
        require(msg.sender == channel.payee, NotPayee());
        uint128 amount = _settle(channelId, channel, cumulativeAmount, signature);
        IERC20(channel.token).safeTransfer(channel.payee, amount);
    }

    /// @notice Pays the payee by the last voucher and the payer the rest. With no more than it has had, the payee gives up
    /// what vouchers there are, and needs no signature.
    function close(bytes32 channelId, uint128 cumulativeAmount, bytes calldata signature) external nonReentrant {
        Channel storage channel = _live(channelId);
        require(msg.sender == channel.payee, NotPayee());
        uint128 amount = cumulativeAmount > channel.settled
            ? _settle(channelId, channel, cumulativeAmount, signature)
            : 0;
        uint128 rest = _finalize(channelId, channel);
        if (amount > 0) IERC20(channel.token).safeTransfer(channel.payee, amount);
        if (rest > 0) IERC20(channel.token).safeTransfer(channel.payer, rest);
    }

    /// @notice Asks for the rest without the payee, who has CLOSE_GRACE_PERIOD to settle. Asking again changes nothing.
    function requestClose(bytes32 channelId) external {
        Channel storage channel = _live(channelId);
        require(msg.sender == channel.payer, NotPayer());
        if (channel.closeRequestedAt > 0) return;
        channel.closeRequestedAt = uint64(block.timestamp);
        emit CloseRequested(channelId, uint64(block.timestamp) + CLOSE_GRACE_PERIOD);
    }

    /// @notice Takes the rest back once the time of the payee is over.
    function withdraw(bytes32 channelId) external nonReentrant {
        Channel storage channel = _live(channelId);
        require(msg.sender == channel.payer, NotPayer());
        uint64 requestedAt = channel.closeRequestedAt;
        require(requestedAt > 0 && block.timestamp >= requestedAt + CLOSE_GRACE_PERIOD, CloseNotReady());
        uint128 rest = _finalize(channelId, channel);
        if (rest > 0) IERC20(channel.token).safeTransfer(channel.payer, rest);
    }

    function _live(bytes32 channelId) internal view returns (Channel storage channel) {
        channel = channels[channelId];
        require(channel.payer != address(0), ChannelNotFound());
        require(!channel.finalized, ChannelFinalized());
    }

    function _open(
        address payer,
        address payee,
        address token,
        uint128 deposit,
        bytes32 salt,
        address authorizedSigner
    ) internal returns (bytes32 channelId) {
        require(deposit > 0, ZeroDeposit());
        channelId = computeChannelId(payer, payee, token, salt, authorizedSigner);
        require(channels[channelId].payer == address(0), ChannelAlreadyExists());
        channels[channelId] = Channel(payer, payee, token, authorizedSigner, deposit, 0, 0, false);
        emit ChannelOpened(channelId, payer, payee, token, authorizedSigner, deposit);
    }

    function _topUp(bytes32 channelId, Channel storage channel, uint128 additionalDeposit) internal {
        require(additionalDeposit > 0, ZeroDeposit());
        require(additionalDeposit <= type(uint128).max - channel.deposit, DepositOverflow());
        channel.deposit += additionalDeposit;
        emit ToppedUp(channelId, additionalDeposit, channel.deposit);
    }

    function _settle(bytes32 channelId, Channel storage channel, uint128 cumulativeAmount, bytes calldata signature)
        internal
        returns (uint128 amount)
    {
        require(cumulativeAmount > channel.settled, AmountNotIncreasing());
        require(cumulativeAmount <= channel.deposit, AmountExceedsDeposit());
        address signer = channel.authorizedSigner == address(0) ? channel.payer : channel.authorizedSigner;
        require(_isSigned(signer, getVoucherDigest(channelId, cumulativeAmount), signature), InvalidSignature());
        amount = cumulativeAmount - channel.settled;
        channel.settled = cumulativeAmount;
        emit Settled(channelId, cumulativeAmount);
    }

    function _finalize(bytes32 channelId, Channel storage channel) internal returns (uint128 rest) {
        channel.finalized = true;
        rest = channel.deposit - channel.settled;
        emit ChannelClosed(channelId, channel.settled, rest);
    }

    /// @dev A key signs as a key also where its account runs code of others (EIP-7702); a contract is asked (ERC-1271).
    function _isSigned(address signer, bytes32 digest, bytes calldata signature) internal view returns (bool) {
        (address recovered, ECDSA.RecoverError problem,) = ECDSA.tryRecoverCalldata(digest, signature);
        if (problem == ECDSA.RecoverError.NoError && recovered == signer) return true;
        if (signer.code.length == 0) return false;
        (bool answered, bytes memory answer) =
            signer.staticcall(abi.encodeCall(IERC1271.isValidSignature, (digest, signature)));
        return answered && answer.length == 32
            && abi.decode(answer, (bytes32)) == bytes32(IERC1271.isValidSignature.selector);
    }

    function _pull(address token, address from, uint128 amount) internal {
        uint256 before = IERC20(token).balanceOf(address(this));
        IERC20(token).safeTransferFrom(from, address(this), amount);
        require(IERC20(token).balanceOf(address(this)) - before == amount, WrongDeposit());
    }

    function _receive(
        address token,
        address from,
        uint128 amount,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) internal {
        uint256 before = IERC20(token).balanceOf(address(this));
        IAuthorizedDeposit(token).receiveWithAuthorization(
            from, address(this), amount, validAfter, validBefore, nonce, signature
        );
        require(IERC20(token).balanceOf(address(this)) - before == amount, WrongDeposit());
    }
}
