// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
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
/// @dev It holds nothing between calls and cannot be entered twice, so whatever it has at the end of a call is the caller's.
contract SlipstreamVenue is ISwapVenue, ReentrancyGuardTransient {
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
        nonReentrant
        returns (uint256 amountOut)
    {
        IERC20 token = IERC20(tokenIn);
        token.safeTransferFrom(msg.sender, address(this), amountIn);
        // Less than was sent where a token takes a fee or rounds.
        uint256 arrived = Math.min(amountIn, token.balanceOf(address(this)));
        token.forceApprove(address(router), arrived);
        amountOut = router.exactInputSingle(
            ISlipstreamRouter.ExactInputSingleParams({
                tokenIn: tokenIn,
                tokenOut: tokenOut,
                tickSpacing: tickSpacing,
                recipient: recipient,
                deadline: block.timestamp,
                amountIn: arrived,
                amountOutMinimum: minOut,
                sqrtPriceLimitX96: 0
            })
        );
        // A pool that runs out of liquidity takes only a part.
        if (token.allowance(address(this), address(router)) != 0) token.forceApprove(address(router), 0);
        uint256 rest = token.balanceOf(address(this));
        if (rest != 0) token.safeTransfer(msg.sender, rest);
    }
}
