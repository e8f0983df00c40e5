// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice What is used of a Chainlink feed.
interface IPriceFeed {
    function decimals() external view returns (uint8);
    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound);
}

/// @notice Where a vault trades. A venue keeps nothing between calls.
interface ISwapVenue {
    /// @notice Takes `amountIn` of `tokenIn`, which the caller has approved, sends at least `minOut` of `tokenOut` to
    /// `recipient`, and returns to the caller what the market did not take.
    function swap(address tokenIn, address tokenOut, uint256 amountIn, uint256 minOut, address recipient)
        external
        returns (uint256 amountOut);
}
