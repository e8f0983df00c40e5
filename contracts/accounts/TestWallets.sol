// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Stand-in for a smart account on a local chain
/// @notice Its owner's key signs for it (ERC-1271). Told to, it answers as accounts do that are broken or mean harm.
contract TestWallet {
    enum Mood {
        Honest,
        Reverts,
        SaysTrue,
        SaysLittle,
        Loops,
        AgreesToAll
    }

    address public immutable owner;
    Mood public mood;

    constructor(address owner_) {
        owner = owner_;
    }

    function setMood(Mood mood_) external {
        mood = mood_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (mood == Mood.Reverts) revert("no");
        if (mood == Mood.Loops) while (gasleft() > 0) {}
        if (mood == Mood.AgreesToAll) return 0x1626ba7e;
        if (mood == Mood.SaysTrue) {
            assembly {
                mstore(0, 1)
                return(0, 32)
            }
        }
        if (mood == Mood.SaysLittle) {
            assembly {
                mstore(0, shl(224, 0x1626ba7e))
                return(0, 4)
            }
        }
        if (signature.length != 65) return 0xffffffff;
        address signer = ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
        return signer != address(0) && signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// @notice Makes wallets at addresses that are known before (CREATE2).
contract TestWalletFactory {
    function walletOf(address owner) public view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(TestWallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), bytes32(0), code)))));
    }

    function create(address owner) external returns (address wallet) {
        wallet = walletOf(owner);
        if (wallet.code.length == 0) new TestWallet{salt: 0}(owner);
    }
}
