// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20, IERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IPriceFeed} from "./BasketMarket.sol";
import {ISlipstreamRouter} from "./SlipstreamVenue.sol";

interface IMintable {
    function mint(address to, uint256 amount) external;
}

/// @title Stand-in for a tokenized stock (B20) on a local chain
/// @notice Eight decimals; its transfers can be paused, its holders blocked, its tokens seized. Anybody may do all of it.
contract TestStock is ERC20 {
    error TransferPaused();
    error AccountBlocked(address account);

    bool public paused;
    mapping(address account => bool) public blocked;

    constructor(string memory name_, string memory symbol_) ERC20(name_, symbol_) {}

    function decimals() public pure override returns (uint8) {
        return 8;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function setPaused(bool paused_) external {
        paused = paused_;
    }

    function setBlocked(address account, bool blocked_) external {
        blocked[account] = blocked_;
    }

    function seize(address from, uint256 amount) external {
        _burn(from, amount);
    }

    function _update(address from, address to, uint256 value) internal virtual override {
        if (from != address(0) && to != address(0)) {
            require(!paused, TransferPaused());
            require(!blocked[from], AccountBlocked(from));
            require(!blocked[to], AccountBlocked(to));
        }
        super._update(from, to, value);
    }
}

/// @title Stand-in for a Chainlink feed on a local chain
contract TestPriceFeed is IPriceFeed {
    uint8 public constant decimals = 8;

    int256 public answer;
    uint256 public startedAt;
    uint256 public updatedAt;
    uint80 public roundId;
    mapping(uint80 id => Round) private _rounds;

    struct Round {
        int192 answer;
        uint64 time;
    }

    constructor(int256 answer_) {
        set(answer_, block.timestamp);
    }

    function set(int256 answer_, uint256 time) public {
        (answer, startedAt, updatedAt) = (answer_, time, time);
        _rounds[++roundId] = Round(int192(answer_), uint64(time));
    }

    /// @notice Tells several, oldest first, as a feed that has been here for long.
    function setAll(int256[] calldata answers, uint256[] calldata times) external {
        for (uint256 i; i < answers.length; ++i) set(answers[i], times[i]);
    }

    function getRoundData(uint80 id) external view returns (uint80, int256, uint256, uint256, uint80) {
        Round memory round = _rounds[id];
        require(round.time != 0, "No data present");
        return (id, round.answer, round.time, round.time, id);
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (roundId, answer, startedAt, updatedAt, roundId);
    }
}

/// @title Stand-in for Slipstream's SwapRouter on a local chain
/// @notice Trades at the price of a token's feed less a fee, and mints what it sells. As the real pools it takes no more than it has
/// liquidity for, and refuses a token of which less arrives than was sent.
contract TestSwapRouter is ISlipstreamRouter {
    using SafeERC20 for IERC20;

    IERC20 public immutable stablecoin;
    uint256 public feeBps;
    mapping(address token => TestPriceFeed) public feedOf;
    mapping(address token => bool) public closed;
    /// @notice How much of a token one trade takes; zero is all.
    mapping(address token => uint256) public depth;

    constructor(IERC20 stablecoin_) {
        stablecoin = stablecoin_;
    }

    function list(address token, TestPriceFeed feed) external {
        feedOf[token] = feed;
    }

    function setFee(uint256 bps) external {
        feeBps = bps;
    }

    function setClosed(address token, bool closed_) external {
        closed[token] = closed_;
    }

    function setDepth(address token, uint256 amount) external {
        depth[token] = amount;
    }

    function exactInputSingle(ExactInputSingleParams calldata params) external payable returns (uint256 amountOut) {
        require(block.timestamp <= params.deadline, "Transaction too old");
        bool isPurchase = params.tokenIn == address(stablecoin);
        address token = isPurchase ? params.tokenOut : params.tokenIn;
        require(!closed[token], "LOK");
        uint256 amountIn = params.amountIn;
        uint256 limit = depth[params.tokenIn];
        if (limit != 0 && limit < amountIn) amountIn = limit;
        uint256 before = IERC20(params.tokenIn).balanceOf(address(this));
        IERC20(params.tokenIn).safeTransferFrom(msg.sender, address(this), amountIn);
        require(IERC20(params.tokenIn).balanceOf(address(this)) >= before + amountIn, "IIA");
        uint256 price = uint256(feedOf[token].answer());
        amountOut = isPurchase ? amountIn * 1e10 / price : amountIn * price / 1e10;
        amountOut = amountOut * (10_000 - feeBps) / 10_000;
        require(amountOut >= params.amountOutMinimum, "Too little received");
        IMintable(params.tokenOut).mint(params.recipient, amountOut);
    }
}

/// @title Stand-in for Multicall3 on a local chain
/// @notice The part that asks several contracts at once, as the canonical one answers it.
contract TestMulticall {
    struct Call {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate3(Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            (bool success, bytes memory answer) = calls[i].target.call(calls[i].callData);
            require(success || calls[i].allowFailure, "Multicall3: call failed");
            results[i] = Result(success, answer);
        }
    }
}
