// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {BasketVault} from "./BasketVault.sol";

/// @title Basket vault factory
/// @notice Opens one vault for each caller, at an address that is known before.
contract BasketVaultFactory {
    error VaultExists(address vault);

    event VaultCreated(address indexed owner, address vault);

    BasketVault public immutable implementation;

    constructor(BasketVault implementation_) {
        implementation = implementation_;
    }

    function createVault() external returns (address vault) {
        vault = vaultOf(msg.sender);
        require(vault.code.length == 0, VaultExists(vault));
        Clones.cloneDeterministicWithImmutableArgs(
            address(implementation), abi.encode(msg.sender), _salt(msg.sender)
        );
        emit VaultCreated(msg.sender, vault);
    }

    /// @notice The address of the owner's vault, whether it is open or not.
    function vaultOf(address owner) public view returns (address) {
        return Clones.predictDeterministicAddressWithImmutableArgs(
            address(implementation), abi.encode(owner), _salt(owner)
        );
    }

    function _salt(address owner) private pure returns (bytes32) {
        return bytes32(uint256(uint160(owner)));
    }
}
