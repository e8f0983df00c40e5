// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice A smart account: its owner signs for it (ERC-1271), anybody may have it make calls. As code of an ordinary
/// account (EIP-7702) it has no owner in its storage and answers for the account's own key.
contract Account {
    address public owner;

    constructor(address theOwner) {
        owner = theOwner;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        address signer = ecrecover(
            digest, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64])
        );
        bool isOurs = signer != address(0) && (signer == owner || signer == address(this));
        return isOurs ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    function execute(address to, bytes calldata data) external {
        (bool ok, bytes memory reason) = to.call(data);
        require(ok, string(reason));
    }
}

/// @notice Carries operations of several smart accounts in one transaction, as the entry point of ERC-4337 does.
contract EntryPoint {
    struct Operation {
        address account;
        address to;
        bytes data;
    }

    function handleOps(Operation[] calldata operations) external {
        for (uint256 i = 0; i < operations.length; i++) {
            Account(operations[i].account).execute(operations[i].to, operations[i].data);
        }
    }
}

/// @notice Sends on whatever it is given, in order.
contract Forwarder {
    struct Call {
        address to;
        bytes data;
    }

    function forward(Call[] calldata calls) external {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool ok, bytes memory reason) = calls[i].to.call(calls[i].data);
            require(ok, string(reason));
        }
    }
}

/// @notice A token worth nothing that says of payments what the real one says.
contract FakeToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    function pretend(address from, address to, uint256 value, bytes32 nonce) external {
        emit AuthorizationUsed(from, nonce);
        emit Transfer(from, to, value);
    }
}

/// @notice Deploys an account to an address that is known before (CREATE2).
contract Factory {
    function deploy(address owner) external returns (address) {
        return address(new Account{salt: bytes32(0)}(owner));
    }
}

/// @notice What checks of payments use of Multicall3.
contract Multicall {
    struct Call {
        address target;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function tryAggregate(bool, Call[] calldata calls) external returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (results[i].success, results[i].returnData) = calls[i].target.call(calls[i].callData);
        }
    }
}
