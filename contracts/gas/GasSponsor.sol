// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {PaymasterSigner, EIP712} from "@openzeppelin/contracts/account/paymaster/extensions/PaymasterSigner.sol";
import {ERC4337Utils, IEntryPoint} from "@openzeppelin/contracts/account/utils/ERC4337Utils.sol";
import {SignerECDSA} from "@openzeppelin/contracts/utils/cryptography/signers/SignerECDSA.sol";

/// @title Gas sponsor
/// @notice An ERC-4337 paymaster of EntryPoint v0.8 that pays for the operations its signer has signed, and no others.
/// The signature covers every gas limit and both fees, so the most that an operation can cost is fixed with it.
/// @dev `paymasterData` is `validAfter (6 bytes) ‖ validUntil (6 bytes) ‖ signature`. The context is empty: there is no
/// `postOp`, and its gas limit may be 0.
contract GasSponsor is PaymasterSigner, SignerECDSA, Ownable2Step {
    error CannotRenounce();

    event SignerChanged(address indexed signer);

    constructor(address owner_, address signer_) EIP712("GasSponsor", "1") SignerECDSA(signer_) Ownable(owner_) {
        emit SignerChanged(signer_);
    }

    function entryPoint() public pure override returns (IEntryPoint) {
        return ERC4337Utils.ENTRYPOINT_V08;
    }

    /// @notice Replaces the signer. What the former one signed is worth nothing from here on; the zero address stops
    /// all sponsoring.
    function setSigner(address signer_) external onlyOwner {
        _setSigner(signer_);
        emit SignerChanged(signer_);
    }

    /// @notice Adds to what operations are paid from. Anybody may; only the owner gets it back.
    function deposit() external payable {
        _deposit(msg.value);
    }

    function withdraw(address payable to, uint256 value) external onlyOwner {
        _withdraw(to, value);
    }

    /// @notice A stake is needed only where other bundlers are to carry the operations.
    function addStake(uint32 unstakeDelay) external payable onlyOwner {
        _addStake(msg.value, unstakeDelay);
    }

    function unlockStake() external onlyOwner {
        _unlockStake();
    }

    function withdrawStake(address payable to) external onlyOwner {
        _withdrawStake(to);
    }

    /// @notice Refused: without an owner the deposit could never be withdrawn.
    function renounceOwnership() public pure override {
        revert CannotRenounce();
    }
}
