// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Call sequence
/// @notice Makes calls one after the other and says what each gave. It is never deployed: a simulation puts its code at the
/// caller's own address, so that each call comes from there, on nodes that cannot simulate several calls themselves.
contract CallSequence {
    struct Call {
        address to;
        bytes data;
        uint256 value;
        uint256 gas;
    }

    struct Result {
        bool success;
        uint256 gasUsed;
        bytes data;
    }

    function run(Call[] calldata calls) external returns (uint256 blockNumber, Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            Call calldata one = calls[i];
            uint256 before = gasleft();
            (bool success, bytes memory data) = one.to.call{value: one.value, gas: one.gas}(one.data);
            results[i] = Result(success, before - gasleft(), data);
        }
        return (block.number, results);
    }
}
