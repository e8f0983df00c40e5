// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice Stands before a token and adds what the issuer of USDC may do: a block list and a pause. It has no storage of its own,
/// so that the storage is the token's.
contract Blocking {
    address constant TOKEN = address(uint160(0xc014e));

    function isBlacklisted(address account) external pure returns (bool) {
        return account == address(uint160(0xb10cced));
    }

    function paused() external pure returns (bool) {
        return false;
    }

    fallback() external {
        // transfer(address,uint256)
        if (msg.sig == 0xa9059cbb && abi.decode(msg.data[4:36], (address)) == address(uint160(0xb10cced))) {
            revert("Blacklistable: account is blacklisted");
        }
        (bool ok, bytes memory answer) = TOKEN.delegatecall(msg.data);
        if (!ok) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
        assembly {
            return(add(answer, 32), mload(answer))
        }
    }
}
