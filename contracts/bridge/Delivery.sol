// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BlockHeader} from "@openzeppelin/contracts/utils/BlockHeader.sol";
import {Memory} from "@openzeppelin/contracts/utils/Memory.sol";
import {RLP} from "@openzeppelin/contracts/utils/RLP.sol";
import {TrieProof} from "@openzeppelin/contracts/utils/cryptography/TrieProof.sol";

/// @title Proof that an EIP-3009 authorization was used, and to whom its money went
/// @notice On chain a used and a cancelled authorization look the same: `authorizationState` is true for both. Their
/// logs differ, and a receipt can be proved against the hash of its block.
library Delivery {
    using RLP for *;
    using Memory for *;

    /// @param header The block's header, RLP. Its hash must be one of the last 8191 (EIP-2935), or 256 where the chain
    /// has no history.
    /// @param key The transaction's index in the block, RLP: its key in the trie of receipts.
    /// @param nodes The nodes of that trie from the root to the receipt.
    /// @param log Where `AuthorizationUsed` stands among the receipt's logs.
    struct Proof {
        bytes header;
        bytes key;
        bytes[] nodes;
        uint256 log;
    }

    bytes32 internal constant AUTHORIZATION_USED = keccak256("AuthorizationUsed(address,bytes32)");
    bytes32 internal constant TRANSFER = keccak256("Transfer(address,address,uint256)");

    /// @dev USDC writes AuthorizationUsed and, as its next log, the Transfer that it authorized. Only neighbours count:
    /// otherwise one Transfer could stand for several authorizations of the same transaction.
    function isProved(Proof memory proof, address token, address from, bytes32 nonce, address to, uint256 value)
        internal
        view
        returns (bool)
    {
        if (!BlockHeader.verifyBlockHeader(proof.header)) return false;
        bytes memory receipt =
            TrieProof.traverse(BlockHeader.getReceiptsRoot(proof.header), proof.key, proof.nodes);
        Memory.Slice[] memory logs = _list(receipt)[3].readList();
        if (proof.log + 1 >= logs.length) return false;
        return _isLog(logs[proof.log], token, AUTHORIZATION_USED, bytes32(uint256(uint160(from))), nonce, "")
            && _isLog(
                logs[proof.log + 1],
                token,
                TRANSFER,
                bytes32(uint256(uint160(from))),
                bytes32(uint256(uint160(to))),
                abi.encode(value)
            );
    }

    /// @dev A typed receipt (EIP-2718) has its type before the list.
    function _list(bytes memory receipt) private pure returns (Memory.Slice[] memory) {
        return uint8(receipt[0]) < 0xc0 ? receipt.asSlice().slice(1).readList() : receipt.decodeList();
    }

    function _isLog(
        Memory.Slice log,
        address emitter,
        bytes32 signature,
        bytes32 one,
        bytes32 two,
        bytes memory content
    ) private pure returns (bool) {
        Memory.Slice[] memory fields = log.readList();
        Memory.Slice[] memory topics = fields[1].readList();
        return fields[0].readAddress() == emitter && topics.length == 3 && topics[0].readBytes32() == signature
            && topics[1].readBytes32() == one && topics[2].readBytes32() == two
            && keccak256(fields[2].readBytes()) == keccak256(content);
    }
}
