// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";

/// @notice Where one payment arrives. It does nothing but let the contract that made it take what is there.
contract Purse {
    constructor(IERC20 token) {
        SafeERC20.forceApprove(token, msg.sender, type(uint256).max);
    }
}

/// @notice Purses by the hash of what their payers agree to: who pays that address has signed these terms.
library Purses {
    function addressOf(bytes32 terms, IERC20 token) internal view returns (address) {
        return Create2.computeAddress(terms, keccak256(_code(token)));
    }

    /// @dev Money may come to a purse before there is code at its address.
    function open(bytes32 terms, IERC20 token) internal returns (address purse) {
        bytes memory code = _code(token);
        purse = Create2.computeAddress(terms, keccak256(code));
        if (purse.code.length == 0) Create2.deploy(0, terms, code);
    }

    function _code(IERC20 token) private pure returns (bytes memory) {
        return abi.encodePacked(type(Purse).creationCode, abi.encode(token));
    }
}
