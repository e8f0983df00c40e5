// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {ITokenMessengerV2, ITokenMessengerWithFees} from "./Cctp.sol";

interface ITestUSDC is IERC20 {
    function mint(address to, uint256 amount) external;
    function burn(uint256 amount) external;
}

/// @title Stand-in for MessageTransmitterV2 on a local chain
/// @notice CCTP's wire format, events and words, with one attester whose key a test holds.
/// @dev No constructor and no immutable: a local chain places the runtime code at the canonical address. Whoever comes
/// first initializes it, so it must never be deployed to a public chain.
contract TestMessageTransmitter {
    event MessageSent(bytes message);
    event MessageReceived(
        address indexed caller,
        uint32 sourceDomain,
        bytes32 indexed nonce,
        bytes32 sender,
        uint32 indexed finalityThresholdExecuted,
        bytes messageBody
    );

    uint32 public localDomain;
    address public attester;
    mapping(bytes32 nonce => uint256) public usedNonces;

    function initialize(uint32 localDomain_, address attester_) external {
        require(attester == address(0), "TestCctp: already initialized");
        (localDomain, attester) = (localDomain_, attester_);
    }

    /// @dev The nonce and the executed finality are zero here: the attestation service fills them in.
    function sendMessage(
        uint32 destinationDomain,
        bytes32 recipient,
        bytes32 destinationCaller,
        uint32 minFinalityThreshold,
        bytes calldata messageBody
    ) external {
        require(destinationDomain != localDomain, "Domain is local domain");
        emit MessageSent(
            abi.encodePacked(
                uint32(1),
                localDomain,
                destinationDomain,
                bytes32(0),
                bytes32(uint256(uint160(msg.sender))),
                recipient,
                destinationCaller,
                minFinalityThreshold,
                uint32(0),
                messageBody
            )
        );
    }

    function receiveMessage(bytes calldata message, bytes calldata attestation) external returns (bool) {
        require(ECDSA.recoverCalldata(keccak256(message), attestation) == attester, "Invalid signature: not attester");
        require(uint32(bytes4(message[8:12])) == localDomain, "Invalid destination domain");
        bytes32 caller = bytes32(message[108:140]);
        require(caller == 0 || caller == bytes32(uint256(uint160(msg.sender))), "Invalid caller for message");
        bytes32 nonce = bytes32(message[12:44]);
        require(nonce != 0 && usedNonces[nonce] == 0, "Nonce already used");
        usedNonces[nonce] = 1;
        TestTokenMessenger(address(uint160(uint256(bytes32(message[76:108]))))).mint(
            uint32(bytes4(message[144:148])), message[148:]
        );
        emit MessageReceived(
            msg.sender,
            uint32(bytes4(message[4:8])),
            nonce,
            bytes32(message[44:76]),
            uint32(bytes4(message[144:148])),
            message[148:]
        );
        return true;
    }
}

/// @title Stand-in for TokenMessengerV2 on a local chain
/// @notice Burns and mints the local chain's test token. It stands at the same address on both chains, as the real one.
contract TestTokenMessenger is ITokenMessengerV2 {
    event DepositForBurn(
        address indexed burnToken,
        uint256 amount,
        address indexed depositor,
        bytes32 mintRecipient,
        uint32 destinationDomain,
        bytes32 destinationTokenMessenger,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 indexed minFinalityThreshold,
        bytes hookData
    );
    event MintAndWithdraw(
        address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected
    );

    TestMessageTransmitter public localMessageTransmitter;
    ITestUSDC public token;
    address public constant feeRecipient = address(0xFEE);

    function initialize(TestMessageTransmitter transmitter, ITestUSDC token_) external {
        require(address(token) == address(0), "TestCctp: already initialized");
        (localMessageTransmitter, token) = (transmitter, token_);
    }

    function depositForBurn(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold
    ) external {
        _burn(
            amount, destinationDomain, mintRecipient, burnToken, destinationCaller, maxFee, minFinalityThreshold, ""
        );
    }

    function depositForBurnWithHook(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold,
        bytes calldata hookData
    ) external {
        require(hookData.length > 0, "Hook data is empty");
        _burn(
            amount,
            destinationDomain,
            mintRecipient,
            burnToken,
            destinationCaller,
            maxFee,
            minFinalityThreshold,
            hookData
        );
    }

    function _burn(
        uint256 amount,
        uint32 domain,
        bytes32 recipient,
        address burnToken,
        bytes32 caller,
        uint256 maxFee,
        uint32 finality,
        bytes memory hookData
    ) private {
        require(amount > 0, "Amount must be nonzero");
        require(recipient != 0, "Mint recipient must be nonzero");
        require(maxFee < amount, "Max fee must be less than amount");
        require(burnToken == address(token), "Burn token not supported");
        token.transferFrom(msg.sender, address(this), amount);
        token.burn(amount);
        bytes memory head = abi.encodePacked(
            uint32(1), bytes32(uint256(uint160(burnToken))), recipient, amount, bytes32(uint256(uint160(msg.sender)))
        );
        localMessageTransmitter.sendMessage(
            domain,
            bytes32(uint256(uint160(address(this)))),
            caller,
            finality,
            abi.encodePacked(head, maxFee, uint256(0), uint256(0), hookData)
        );
        emit DepositForBurn(
            burnToken,
            amount,
            msg.sender,
            recipient,
            domain,
            bytes32(uint256(uint160(address(this)))),
            caller,
            maxFee,
            finality,
            hookData
        );
    }

    /// @notice For the transmitter alone, with what the attester has filled in.
    function mint(uint32 finalityExecuted, bytes calldata body) external {
        require(msg.sender == address(localMessageTransmitter), "Invalid message transmitter");
        address recipient = address(uint160(uint256(bytes32(body[36:68]))));
        uint256 amount = uint256(bytes32(body[68:100]));
        uint256 fee = uint256(bytes32(body[164:196]));
        if (finalityExecuted < 2000) {
            uint256 expiration = uint256(bytes32(body[196:228]));
            require(expiration == 0 || expiration > block.number, "Message expired and must be re-signed");
        }
        require(fee == 0 || fee < amount, "Fee equals or exceeds amount");
        require(fee <= uint256(bytes32(body[132:164])), "Fee exceeds max fee");
        token.mint(recipient, amount - fee);
        if (fee > 0) token.mint(feeRecipient, fee);
        emit MintAndWithdraw(recipient, amount - fee, address(token), fee);
    }
}

/// @title Stand-in for TokenMessengerWithFees on a local chain
/// @notice A quote is `abi.encode(uint256 fee, uint256 deadline, bytes signature)` over
/// `keccak256(abi.encode(fee, deadline))` (EIP-191), by the attester. Circle's own form is not public.
contract TestTokenMessengerWithFees is ITokenMessengerWithFees {
    TestTokenMessenger public messenger;

    function initialize(TestTokenMessenger messenger_) external {
        require(address(messenger) == address(0), "TestCctp: already initialized");
        messenger = messenger_;
    }

    function depositForBurnWithHookAndFees(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        bytes calldata hookData,
        Fees calldata fees
    ) external payable {
        (uint256 fee, uint256 deadline, bytes memory signature) =
            abi.decode(fees.signedQuote, (uint256, uint256, bytes));
        bytes32 digest = MessageHashUtils.toEthSignedMessageHash(keccak256(abi.encode(fee, deadline)));
        require(
            ECDSA.recover(digest, signature) == messenger.localMessageTransmitter().attester(), "Invalid quote"
        );
        require(block.timestamp <= deadline, "Quote expired");
        IERC20(burnToken).transferFrom(msg.sender, messenger.feeRecipient(), fee);
        IERC20(burnToken).transferFrom(msg.sender, address(this), amount);
        IERC20(burnToken).approve(address(messenger), amount);
        messenger.depositForBurnWithHook(
            amount, destinationDomain, mintRecipient, burnToken, destinationCaller, 0, 1000, hookData
        );
    }
}
