// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {RLP} from "@openzeppelin/contracts/utils/RLP.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {TestUSDC} from "../TestUSDC.sol";
import {ITokenMessengerV2, ITokenMessengerWithFees} from "../bridge/Cctp.sol";
import {Delivery} from "../bridge/Delivery.sol";
import {StablecoinBridge} from "../bridge/StablecoinBridge.sol";
import {
    ITestUSDC,
    TestMessageTransmitter,
    TestTokenMessenger,
    TestTokenMessengerWithFees
} from "../bridge/TestCctp.sol";
import {Test, Vm} from "./Test.sol";

/// @notice A lane from Base (domain 6) to Arc (26), people who pay on it, and proofs of what happened on the chain.
abstract contract Lane is Test {
    uint32 constant BASE = 6;
    uint32 constant ARC = 26;
    uint256 constant ATTESTER = 0xA77E;
    uint256 constant ALICE = 0xA11CE;
    uint256 constant BOB = 0xB0B;
    bytes constant FORWARD = abi.encode(bytes32("cctp-forward"));
    address constant owner = address(0x0123);
    address constant relayer = address(0x4E1A);
    address constant referrer = address(0x4EF);

    TestUSDC usdc;
    TestMessageTransmitter transmitter;
    TestTokenMessenger messenger;
    TestTokenMessengerWithFees messengerWithFees;
    StablecoinBridge lane;
    /// What payers agree to.
    StablecoinBridge.Terms terms;
    /// Whom they pay: the purse of these terms, unless a test says otherwise.
    address payee;

    function setUp() public virtual {
        vm.warp(1_800_000_000);
        vm.roll(1_000);
        usdc = new TestUSDC();
        usdc.initialize("USD Coin");
        transmitter = new TestMessageTransmitter();
        transmitter.initialize(BASE, vm.addr(ATTESTER));
        messenger = new TestTokenMessenger();
        messenger.initialize(transmitter, ITestUSDC(address(usdc)));
        messengerWithFees = new TestTokenMessengerWithFees();
        messengerWithFees.initialize(messenger);
        lane = new StablecoinBridge(
            owner,
            IERC20(address(usdc)),
            ITokenMessengerV2(messenger),
            ITokenMessengerWithFees(messengerWithFees),
            ARC,
            300,
            0.1e6
        );
        vm.prank(owner);
        lane.setRelayer(relayer, true);
    }

    // ---- payments

    function _payee() internal view returns (address) {
        return payee == address(0) ? lane.purseOf(terms) : payee;
    }

    function _payment(uint256 key, uint256 value, bytes32 nonce)
        internal
        view
        returns (StablecoinBridge.Payment memory payment)
    {
        payment = StablecoinBridge.Payment(vm.addr(key), value, 0, block.timestamp + 1 hours, nonce, "");
        bytes32 content = keccak256(
            abi.encode(
                usdc.TRANSFER_WITH_AUTHORIZATION_TYPEHASH(),
                payment.from,
                _payee(),
                value,
                payment.validAfter,
                payment.validBefore,
                nonce
            )
        );
        payment.signature =
            signed(key, keccak256(abi.encodePacked("\x19\x01", usdc.DOMAIN_SEPARATOR(), content)));
    }

    function _funded(uint256 key, uint256 value, bytes32 nonce)
        internal
        returns (StablecoinBridge.Payment memory)
    {
        usdc.mint(vm.addr(key), value);
        return _payment(key, value, nonce);
    }

    /// @dev To Arc in the final mode, minted by whoever carries the attestation: nothing is taken on the way.
    function _route(uint256 amount) internal view returns (StablecoinBridge.Route memory) {
        return StablecoinBridge.Route(terms, amount, 0, 2000, "", "");
    }

    function _bridge(StablecoinBridge.Payment memory payment, StablecoinBridge.Route memory route) internal {
        vm.prank(relayer);
        lane.bridge(payment, route);
    }

    /// @dev What a stranger can do with any authorization that it sees: carry it to the token itself.
    function _overtake(StablecoinBridge.Payment memory payment) internal {
        usdc.transferWithAuthorization(
            payment.from,
            _payee(),
            payment.value,
            payment.validAfter,
            payment.validBefore,
            payment.nonce,
            payment.signature
        );
    }

    function _cancel(uint256 key, bytes32 nonce) internal {
        bytes32 content = keccak256(abi.encode(usdc.CANCEL_AUTHORIZATION_TYPEHASH(), vm.addr(key), nonce));
        usdc.cancelAuthorization(
            vm.addr(key), nonce, signed(key, keccak256(abi.encodePacked("\x19\x01", usdc.DOMAIN_SEPARATOR(), content)))
        );
    }

    function _quote(uint256 fee) internal view returns (bytes memory) {
        bytes32 digest = MessageHashUtils.toEthSignedMessageHash(keccak256(abi.encode(fee, block.timestamp)));
        return abi.encode(fee, block.timestamp, signed(ATTESTER, digest));
    }

    // ---- the other chain

    function _messageSent(Vm.Log[] memory logs) internal view returns (bytes memory message) {
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter == address(transmitter) && logs[i].topics[0] == keccak256("MessageSent(bytes)")) {
                message = abi.decode(logs[i].data, (bytes));
            }
        }
        require(message.length > 0, "no message");
    }

    /// @dev Attests with this fee and mints. The two chains are one here: the transmitter becomes that of Arc for a moment.
    function _mint(bytes memory message, uint256 fee) internal {
        bytes32 nonce = keccak256(message);
        for (uint256 i; i < 32; ++i) {
            message[12 + i] = nonce[i];
            message[148 + 164 + i] = bytes32(fee)[i];
        }
        message[147] = message[143];
        message[146] = message[142];
        _become(ARC);
        transmitter.receiveMessage(message, signed(ATTESTER, keccak256(message)));
        _become(BASE);
    }

    function _become(uint32 domain) private {
        vm.store(address(transmitter), 0, bytes32(uint256(uint160(vm.addr(ATTESTER))) << 32 | domain));
    }

    // ---- proofs

    function _log(Vm.Log memory log) private pure returns (bytes memory) {
        bytes[] memory topics = new bytes[](log.topics.length);
        for (uint256 i; i < topics.length; ++i) topics[i] = RLP.encode(log.topics[i]);
        bytes[] memory fields = new bytes[](3);
        (fields[0], fields[1], fields[2]) = (RLP.encode(log.emitter), RLP.encode(topics), RLP.encode(log.data));
        return RLP.encode(fields);
    }

    /// @dev A block of one transaction with these logs; the chain then knows its hash.
    function _prove(Vm.Log[] memory logs, uint256 index, uint256 number)
        internal
        returns (Delivery.Proof memory)
    {
        return _proveAt(logs, index, number, block.timestamp);
    }

    function _proveAt(Vm.Log[] memory logs, uint256 index, uint256 number, uint256 time)
        internal
        returns (Delivery.Proof memory proof)
    {
        bytes[] memory encoded = new bytes[](logs.length);
        for (uint256 i; i < logs.length; ++i) encoded[i] = _log(logs[i]);
        bytes[] memory fields = new bytes[](4);
        fields[0] = RLP.encode(true);
        fields[1] = RLP.encode(uint256(100_000));
        fields[2] = RLP.encode(new bytes(256));
        fields[3] = RLP.encode(encoded);
        bytes[] memory leaf = new bytes[](2);
        leaf[0] = RLP.encode(abi.encodePacked(hex"2080"));
        leaf[1] = RLP.encode(abi.encodePacked(uint8(2), RLP.encode(fields)));
        proof.nodes = new bytes[](1);
        proof.nodes[0] = RLP.encode(leaf);
        proof.key = hex"80";
        proof.log = index;
        bytes[] memory header = new bytes[](16);
        for (uint256 i; i < 16; ++i) header[i] = RLP.encode(bytes32(i));
        header[5] = RLP.encode(keccak256(proof.nodes[0]));
        header[8] = RLP.encode(number);
        header[11] = RLP.encode(time);
        proof.header = RLP.encode(header);
        vm.setBlockhash(number, keccak256(proof.header));
    }

    function _giveBack(StablecoinBridge.Payment memory payment, Delivery.Proof memory proof) internal {
        lane.giveBack(payment.from, payment.nonce, payment.value, terms, proof);
    }

    function _finish(
        StablecoinBridge.Payment memory payment,
        StablecoinBridge.Route memory route,
        Delivery.Proof memory proof
    ) internal {
        vm.prank(relayer);
        lane.finish(payment.from, payment.nonce, payment.value, route, proof);
    }
}
