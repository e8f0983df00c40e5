// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ISwapVenue} from "./BasketMarket.sol";

/// @notice What is used of Aerodrome Slipstream's SwapRouter.
interface ISlipstreamRouter {
    struct ExactInputSingleParams {
        address tokenIn;
        address tokenOut;
        int24 tickSpacing;
        address recipient;
        uint256 deadline;
        uint256 amountIn;
        uint256 amountOutMinimum;
        uint160 sqrtPriceLimitX96;
    }

    function exactInputSingle(ExactInputSingleParams calldata params) external payable returns (uint256 amountOut);
}

/// @title Slipstream venue
/// @notice Trades in Aerodrome's concentrated pools of one tick spacing. It has no owner, no state and keeps nothing.
contract SlipstreamVenue is ISwapVenue {
    using SafeERC20 for IERC20;

    ISlipstreamRouter public immutable router;
    int24 public immutable tickSpacing;

    constructor(ISlipstreamRouter router_, int24 tickSpacing_) {
        router = router_;
        tickSpacing = tickSpacing_;
    }

    /// @inheritdoc ISwapVenue
    function swap(address tokenIn, address tokenOut, uint256 amountIn, uint256 minOut, address recipient)
        external
        returns (uint256)
    {
        IERC20(tokenIn).safeTransferFrom(msg.sender, address(this), amountIn);
        IERC20(tokenIn).forceApprove(address(router), amountIn);
        return router.exactInputSingle(
            ISlipstreamRouter.ExactInputSingleParams({
                tokenIn: tokenIn,
                tokenOut: tokenOut,
                tickSpacing: tickSpacing,
                recipient: recipient,
                deadline: block.timestamp,
                amountIn: amountIn,
                amountOutMinimum: minOut,
                sqrtPriceLimitX96: 0
            })
        );
    }
}
