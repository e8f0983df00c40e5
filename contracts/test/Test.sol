// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice What these tests use of forge's cheat codes.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function addr(uint256 key) external pure returns (address);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function prank(address caller) external;
    function prank(address caller, address origin) external;
    function startPrank(address caller) external;
    function stopPrank() external;
    function warp(uint256 timestamp) external;
    function roll(uint256 number) external;
    function chainId(uint256 id) external;
    function deal(address account, uint256 balance) external;
    function store(address account, bytes32 slot, bytes32 value) external;
    function etch(address account, bytes calldata code) external;
    function setBlockhash(uint256 number, bytes32 hash) external;
    function assume(bool condition) external pure;
    function expectRevert() external;
    function expectRevert(bytes4 selector) external;
    function expectRevert(bytes calldata data) external;
    function expectPartialRevert(bytes4 selector) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function readFile(string calldata path) external view returns (string memory);
    function parseJsonBytes(string calldata json, string calldata key) external pure returns (bytes memory);
    function mockCall(address callee, bytes calldata data, bytes calldata answer) external;
    function mockCallRevert(address callee, bytes calldata data, bytes calldata revertData) external;
    function snapshotGasLastCall(string calldata group, string calldata name) external returns (uint256);
}

/// @notice A failed `require` fails the test, with its words.
abstract contract Test {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function bound(uint256 value, uint256 min, uint256 max) internal pure returns (uint256) {
        return min == 0 && max == type(uint256).max ? value : min + value % (max - min + 1);
    }

    function signed(uint256 key, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function equal(uint256 actual, uint256 expected, string memory what) internal pure {
        require(actual == expected, string.concat(what, ": ", decimal(actual), ", expected ", decimal(expected)));
    }

    function atMost(uint256 actual, uint256 limit, string memory what) internal pure {
        require(actual <= limit, string.concat(what, ": ", decimal(actual), ", at most ", decimal(limit)));
    }

    /// @dev Within `bps` of what is expected, or one unit.
    function near(uint256 actual, uint256 expected, uint256 bps, string memory what) internal pure {
        uint256 difference = actual > expected ? actual - expected : expected - actual;
        require(
            difference * 10_000 <= expected * bps + 10_000,
            string.concat(what, ": ", decimal(actual), ", expected about ", decimal(expected))
        );
    }

    function decimal(uint256 value) internal pure returns (string memory) {
        if (value < 10) return string(abi.encodePacked(bytes1(uint8(48 + value))));
        return string.concat(decimal(value / 10), string(abi.encodePacked(bytes1(uint8(48 + value % 10)))));
    }
}
