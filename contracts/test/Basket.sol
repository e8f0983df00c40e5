// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {TestUSDC} from "../TestUSDC.sol";
import {IPriceFeed, ISwapVenue} from "../basket/BasketMarket.sol";
import {BasketOracle} from "../basket/BasketOracle.sol";
import {BasketVault} from "../basket/BasketVault.sol";
import {BasketVaultFactory} from "../basket/BasketVaultFactory.sol";
import {SlipstreamVenue} from "../basket/SlipstreamVenue.sol";
import {TestPriceFeed, TestStock, TestSwapRouter} from "../basket/TestMarket.sol";
import {Test} from "./Test.sol";

/// @notice Four stocks with feeds and a market for them, and Alice's vault.
abstract contract Basket is Test {
    address constant alice = address(0xA11CE);
    address constant bob = address(0xB0B);

    TestUSDC usdc;
    TestSwapRouter router;
    TestPriceFeed sequencer;
    TestPriceFeed dollar;
    TestStock[4] stocks;
    TestPriceFeed[4] feeds;
    BasketOracle oracle;
    BasketVaultFactory factory;
    BasketVault vault;
    bool[4] none;

    function setUp() public virtual {
        vm.warp(1_800_000_000);
        usdc = new TestUSDC();
        usdc.initialize("USD Coin");
        router = new TestSwapRouter(IERC20(address(usdc)));
        sequencer = new TestPriceFeed(0);
        sequencer.set(0, block.timestamp - 2 hours);
        dollar = new TestPriceFeed(1e8);
        string[4] memory names = ["NVDA", "META", "AAPL", "GOOGL"];
        int256[4] memory prices = [int256(218.8072e8), 655.1e8, 271.5e8, 299.25e8];
        for (uint256 i; i < 4; ++i) {
            stocks[i] = new TestStock(names[i], names[i]);
            feeds[i] = new TestPriceFeed(prices[i]);
            router.list(address(stocks[i]), feeds[i]);
        }
        oracle = _openOracle(sequencer);
        factory = new BasketVaultFactory(_implementation(new SlipstreamVenue(router, 10)));
        vm.prank(alice);
        vault = BasketVault(factory.createVault());
    }

    function _tokens() internal view returns (IERC20[4] memory tokens) {
        for (uint256 i; i < 4; ++i) tokens[i] = stocks[i];
    }

    function _feeds() internal view returns (IPriceFeed[4] memory list) {
        for (uint256 i; i < 4; ++i) list[i] = feeds[i];
    }

    function _openOracle(IPriceFeed sequencer_) internal returns (BasketOracle) {
        IPriceFeed[] memory list = new IPriceFeed[](4);
        uint256[] memory maxAges = new uint256[](4);
        for (uint256 i; i < 4; ++i) (list[i], maxAges[i]) = (feeds[i], 4 days);
        return new BasketOracle(sequencer_, dollar, 25 hours, list, maxAges);
    }

    function _implementation(ISwapVenue venue) internal returns (BasketVault) {
        return new BasketVault(IERC20(address(usdc)), _tokens(), _feeds(), oracle, venue, 100);
    }

    function _fund(uint256 amount) internal {
        usdc.mint(alice, amount);
        vm.prank(alice);
        usdc.approve(address(vault), amount);
    }

    function _buy(uint256 amount) internal returns (uint256 shares) {
        _fund(amount);
        vm.prank(alice);
        shares = vault.deposit(amount, alice);
    }

    function _exit(uint256 shares) internal returns (uint256) {
        vm.prank(alice);
        return vault.exitToStable(shares, 0, block.timestamp, alice, alice);
    }

    function _exitInKind(uint256 shares, address receiver) internal {
        vm.prank(alice);
        vault.exitInKind(shares, receiver, alice);
    }

    function _setWeights(uint16[4] memory weights) internal {
        vm.prank(alice);
        vault.setWeights(weights);
    }

    function _rebalance(bool[4] memory leaveOut) internal {
        vm.prank(alice);
        vault.rebalance(leaveOut);
    }

    function _someWeights(uint256 a, uint256 b, uint256 c) internal pure returns (uint16[4] memory) {
        a = bound(a, 0, 10_000);
        b = bound(b, 0, 10_000 - a);
        c = bound(c, 0, 10_000 - a - b);
        return [uint16(a), uint16(b), uint16(c), uint16(10_000 - a - b - c)];
    }

    function _value(uint256 i) internal view returns (uint256) {
        return vault.valueOf(feeds[i], vault.holding(stocks[i]));
    }
}
