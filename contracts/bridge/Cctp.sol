// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice What a lane uses of Circle's TokenMessengerV2.
interface ITokenMessengerV2 {
    function depositForBurn(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold
    ) external;

    /// @dev Refuses empty `hookData`.
    function depositForBurnWithHook(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold,
        bytes calldata hookData
    ) external;
}

/// @notice What a lane uses of Circle's TokenMessengerWithFees: the fee is paid here, by a quote that Circle signed, and
/// the whole amount is minted there.
interface ITokenMessengerWithFees {
    struct Fees {
        bytes signedQuote;
        address refundAddress;
    }

    function depositForBurnWithHookAndFees(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        bytes calldata hookData,
        Fees calldata fees
    ) external payable;
}
