// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20, IERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IPriceFeed, ISwapVenue} from "../basket/BasketMarket.sol";
import {BasketOracle} from "../basket/BasketOracle.sol";
import {BasketVault} from "../basket/BasketVault.sol";
import {BasketVaultFactory} from "../basket/BasketVaultFactory.sol";
import {TestPriceFeed, TestStock} from "../basket/TestMarket.sol";
import {Basket} from "./Basket.sol";
import {Test} from "./Test.sol";

/// @notice A venue that calls back into the vault, or keeps what it is given.
contract CrookedVenue is ISwapVenue {
    bytes call;

    function setCall(bytes calldata call_) external {
        call = call_;
    }

    function swap(address tokenIn, address, uint256 amountIn, uint256 minOut, address) external returns (uint256) {
        if (call.length > 0) {
            (bool done, bytes memory answer) = msg.sender.call(call);
            if (!done) assembly { revert(add(answer, 32), mload(answer)) }
        }
        IERC20(tokenIn).transferFrom(msg.sender, address(this), amountIn);
        return minOut;
    }
}

/// @notice Six decimals, and a hundredth of each transfer is lost.
contract LossyCoin is ERC20("Lossy", "LOS") {
    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from != address(0) && to != address(0)) super._update(to, address(0), value / 100);
    }
}

contract BasketVaultTest is Basket {
    // ---- whose it is

    function test_a_vault_is_at_the_address_known_before_and_belongs_to_its_caller() public {
        address expected = factory.vaultOf(bob);
        require(expected.code.length == 0);
        vm.prank(bob);
        require(factory.createVault() == expected && BasketVault(expected).owner() == bob);
        bytes memory clone = abi.encodePacked(
            hex"363d3d373d3d3d363d73",
            factory.implementation(),
            hex"5af43d82803e903d91602b57fd5bf3",
            abi.encode(bob)
        );
        require(keccak256(expected.code) == keccak256(clone), "another code than the documents say");
    }

    function test_a_caller_has_one_vault() public {
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(BasketVaultFactory.VaultExists.selector, address(vault)));
        factory.createVault();
    }

    function test_the_implementation_belongs_to_nobody() public {
        BasketVault implementation = factory.implementation();
        require(implementation.owner() == address(0));
        vm.expectRevert(BasketVault.NotOwner.selector);
        implementation.setWeights([uint16(10_000), 0, 0, 0]);
        vm.expectPartialRevert(ERC4626.ERC4626ExceededMaxDeposit.selector);
        implementation.deposit(1e6, address(this));
    }

    function test_a_stranger_moves_nothing() public {
        uint256 shares = _buy(100e6);
        vm.startPrank(bob);
        vm.expectRevert(BasketVault.NotOwner.selector);
        vault.rebalance(none);
        vm.expectRevert(BasketVault.NotOwner.selector);
        vault.setWeights([uint16(10_000), 0, 0, 0]);
        vm.expectRevert(BasketVault.NotOwner.selector);
        vault.sweep(IERC20(address(1)), bob);
        vm.expectRevert(BasketVault.NotSelf.selector);
        vault.sell(stocks[0], 1);
        vm.expectPartialRevert(bytes4(keccak256("ERC20InsufficientAllowance(address,uint256,uint256)")));
        vault.exitInKind(shares, bob, alice);
        vm.expectPartialRevert(bytes4(keccak256("ERC20InsufficientAllowance(address,uint256,uint256)")));
        vault.exitToStable(shares, 0, block.timestamp, bob, alice);
        vm.expectPartialRevert(bytes4(keccak256("ERC20InsufficientAllowance(address,uint256,uint256)")));
        vault.redeem(shares, bob, alice);
        vm.expectPartialRevert(ERC4626.ERC4626ExceededMaxDeposit.selector);
        vault.deposit(1e6, bob);
        vm.stopPrank();
    }

    function test_constituents_are_checked_when_the_vault_is_made() public {
        IERC20[4] memory tokens = _tokens();
        ISwapVenue venue = vault.venue();
        IERC20 coin = new LossyCoin();
        tokens[3] = tokens[0];
        vm.expectPartialRevert(BasketVault.BadConstituent.selector);
        new BasketVault(IERC20(address(usdc)), tokens, _feeds(), oracle, venue, 100);
        tokens[3] = coin;
        vm.expectPartialRevert(BasketVault.BadConstituent.selector);
        new BasketVault(IERC20(address(usdc)), tokens, _feeds(), oracle, venue, 100);
        IPriceFeed[4] memory unknown = _feeds();
        unknown[3] = new TestPriceFeed(1e8);
        vm.expectPartialRevert(BasketVault.BadConstituent.selector);
        new BasketVault(IERC20(address(usdc)), _tokens(), unknown, oracle, venue, 100);
        vm.expectRevert(BasketVault.BadSlippage.selector);
        new BasketVault(IERC20(address(usdc)), _tokens(), _feeds(), oracle, venue, 0);
        vm.expectRevert(BasketVault.BadSlippage.selector);
        new BasketVault(IERC20(address(usdc)), _tokens(), _feeds(), oracle, venue, 501);
    }

    // ---- in

    function test_one_dollar_buys_all_four() public {
        require(_buy(1e6) > 0);
        near(vault.totalAssets(), 1e6, 5, "value");
        for (uint256 i; i < 4; ++i) near(_value(i), 0.25e6, 5, "part");
    }

    function testFuzz_a_preview_is_a_promise(uint256 amount, uint256 fee) public {
        amount = bound(amount, 1e6, 1_000_000e6);
        router.setFee(bound(fee, 0, 99));
        uint256 promised = vault.previewDeposit(amount);
        uint256 shares = _buy(amount);
        equal(shares, promised, "shares");
        promised = vault.previewRedeem(shares / 2);
        vm.prank(alice);
        require(vault.redeem(shares / 2, alice, alice) >= promised, "redeem");
        uint256 wanted = vault.maxWithdraw(alice) / 2;
        uint256 cost = vault.previewWithdraw(wanted);
        uint256 before = usdc.balanceOf(alice);
        vm.prank(alice);
        equal(vault.withdraw(wanted, alice, alice), cost, "withdraw");
        equal(usdc.balanceOf(alice) - before, wanted, "withdrawn");
        uint256 minted = shares / 4;
        uint256 price = vault.previewMint(minted);
        _fund(price);
        vm.prank(alice);
        equal(vault.mint(minted, alice), price, "mint");
    }

    function testFuzz_a_round_trip_loses_the_fees_and_never_gains(uint256 amount, uint256 fee) public {
        amount = bound(amount, 1e6, 1_000_000e6);
        fee = bound(fee, 0, 90);
        router.setFee(fee);
        uint256 proceeds = _exit(_buy(amount));
        atMost(proceeds, amount, "free money");
        near(proceeds, amount * (10_000 - fee) / 10_000 * (10_000 - fee) / 10_000, 2, "round trip");
        equal(vault.totalSupply(), 0, "supply");
    }

    function testFuzz_a_second_purchase_takes_nothing_from_the_shares_before(uint256 first, uint256 second, uint256 move)
        public
    {
        uint256 shares = _buy(bound(first, 1e6, 1_000_000e6));
        feeds[1].set(int256(bound(move, 10e8, 5_000e8)), block.timestamp);
        uint256 before = vault.previewRedeem(shares);
        _buy(bound(second, 1e6, 1_000_000e6));
        require(vault.previewRedeem(shares) + 1 >= before, "diluted");
    }

    function test_a_fill_below_the_price_is_refused() public {
        router.setFee(101);
        _fund(10e6);
        vm.prank(alice);
        vm.expectRevert("Too little received");
        vault.deposit(10e6, alice);
    }

    function test_a_venue_that_lies_about_its_fill_is_refused() public {
        vault = _openBy(new CrookedVenue());
        _fund(10e6);
        vm.prank(alice);
        vm.expectPartialRevert(BasketVault.TooLittleReceived.selector);
        vault.deposit(10e6, alice);
    }

    function test_a_stablecoin_that_loses_a_part_on_the_way_is_refused() public {
        LossyCoin coin = new LossyCoin();
        BasketVaultFactory other =
            new BasketVaultFactory(new BasketVault(coin, _tokens(), _feeds(), oracle, vault.venue(), 100));
        coin.mint(alice, 10e6);
        vm.startPrank(alice);
        vault = BasketVault(other.createVault());
        coin.approve(address(vault), 10e6);
        vm.expectRevert(
            abi.encodeWithSelector(BasketVault.TooLittleReceived.selector, address(coin), 9.9e6, 10e6)
        );
        vault.deposit(10e6, alice);
        vm.stopPrank();
    }

    function test_anybody_may_pay_for_a_deposit_and_the_owner_gets_the_shares() public {
        usdc.mint(bob, 10e6);
        vm.startPrank(bob);
        usdc.approve(address(vault), 10e6);
        uint256 shares = vault.deposit(10e6, alice);
        vm.stopPrank();
        equal(vault.balanceOf(alice), shares, "shares");
    }

    /// A gift before the first deposit neither steals it nor rounds it away: the depositor leaves with both.
    function testFuzz_a_gift_before_the_first_deposit_steals_nothing(uint256 gift, uint256 stockGift) public {
        gift = bound(gift, 1, 1_000_000e6);
        usdc.mint(address(vault), gift);
        stocks[0].mint(address(vault), bound(stockGift, 0, 1_000e8));
        uint256 proceeds = _exit(_buy(1e6));
        require(proceeds + 100 >= 1e6 + gift, "the gift or the deposit stayed behind");
    }

    /// Whatever the owner does with the supply and with gifts, a purchase takes nothing from who else holds shares.
    function testFuzz_the_owner_cannot_cut_a_share_holder(uint256 kept, uint256 part, uint256 gift, uint256 amount) public {
        uint256 shares = _buy(100_000e6);
        kept = bound(kept, 2, 10 ** bound(kept, 1, 18));
        _exitInKind(shares - kept, alice);
        uint256 bobs = bound(part, 1, kept - 1);
        vm.prank(alice);
        vault.transfer(bob, bobs);
        usdc.mint(address(vault), bound(gift, 1e6, 100_000e6));
        uint256 before = vault.totalAssets() * bobs / kept;
        amount = bound(amount, 1e6, 1_000_000e6);
        _buy(amount);
        // Each of four purchases may round one unit of a stock away.
        require(vault.totalAssets() * bobs / vault.totalSupply() + 40 >= before, "cut");
        equal(vault.convertToAssets(bobs), vault.totalAssets() * bobs / vault.totalSupply(), "two prices");
    }

    function test_shares_with_nothing_behind_them_have_no_price() public {
        uint256 shares = _buy(100e6);
        for (uint256 i; i < 4; ++i) stocks[i].seize(address(vault), vault.holding(stocks[i]));
        _fund(10e6);
        vm.prank(alice);
        vm.expectRevert(BasketVault.Worthless.selector);
        vault.deposit(10e6, alice);
        _exitInKind(shares, alice);
        equal(vault.totalSupply(), 0, "supply");
        require(_buy(10e6) > 0);
    }

    // ---- prices

    function _refusedPurchase(bytes4 reason) internal {
        _fund(10e6);
        vm.prank(alice);
        vm.expectPartialRevert(reason);
        vault.deposit(10e6, alice);
    }

    function test_an_old_price_stops_purchases() public {
        _buy(10e6);
        vm.warp(block.timestamp + 4 days);
        dollar.set(1e8, block.timestamp);
        _buy(10e6);
        vm.warp(block.timestamp + 1);
        _refusedPurchase(BasketOracle.StalePrice.selector);
    }

    /// A stock's price may be Friday's; what a dollar is worth may not.
    function test_a_price_of_the_stablecoin_that_is_old_stops_purchases_long_before() public {
        vm.warp(block.timestamp + 25 hours);
        _buy(10e6);
        vm.warp(block.timestamp + 1);
        _refusedPurchase(BasketOracle.StalePrice.selector);
        dollar.set(1e8, block.timestamp);
        _buy(10e6);
    }

    function test_a_feed_without_an_age_has_no_price() public {
        TestPriceFeed unknown = new TestPriceFeed(1e8);
        vm.expectRevert(abi.encodeWithSelector(BasketOracle.BadFeed.selector, address(unknown)));
        oracle.price(unknown);
        IPriceFeed[] memory list = new IPriceFeed[](1);
        list[0] = unknown;
        vm.expectPartialRevert(BasketOracle.BadFeed.selector);
        new BasketOracle(sequencer, dollar, 25 hours, list, new uint256[](1));
        list[0] = dollar;
        uint256[] memory maxAges = new uint256[](1);
        maxAges[0] = 4 days;
        vm.expectPartialRevert(BasketOracle.BadFeed.selector);
        new BasketOracle(sequencer, dollar, 25 hours, list, maxAges);
    }

    function test_a_price_from_the_future_stops_purchases() public {
        feeds[2].set(1e8, block.timestamp + 1);
        _refusedPurchase(BasketOracle.StalePrice.selector);
    }

    function test_a_price_that_is_none_stops_purchases() public {
        feeds[2].set(0, block.timestamp);
        _refusedPurchase(BasketOracle.BadPrice.selector);
        feeds[2].set(-1, block.timestamp);
        _refusedPurchase(BasketOracle.BadPrice.selector);
    }

    function test_a_sequencer_that_is_down_or_was_until_now_stops_purchases() public {
        sequencer.set(1, block.timestamp - 2 hours);
        _refusedPurchase(BasketOracle.SequencerDown.selector);
        sequencer.set(0, block.timestamp - 1 hours);
        _refusedPurchase(BasketOracle.SequencerDown.selector);
        sequencer.set(0, 0);
        _refusedPurchase(BasketOracle.SequencerDown.selector);
        sequencer.set(0, block.timestamp - 1 hours - 1);
        _buy(10e6);
    }

    function test_a_chain_without_a_sequencer_needs_no_uptime_feed() public {
        oracle = _openOracle(IPriceFeed(address(0)));
        equal(oracle.price(feeds[1]), 655.1e8, "price");
    }

    /// When the stablecoin falls, a purchase expects less stock for it: not the price of a dollar.
    function test_prices_are_in_stablecoins_and_not_in_dollars() public {
        dollar.set(0.9e8, block.timestamp);
        equal(oracle.price(feeds[1]), uint256(655.1e8) * 1e8 / 0.9e8, "price");
        dollar.set(0, block.timestamp);
        _refusedPurchase(BasketOracle.BadPrice.selector);
    }

    // ---- weights

    function test_weights_sum_to_ten_thousand() public {
        uint16[4] memory weights = [uint16(2500), 2500, 2500, 2499];
        vm.prank(alice);
        vm.expectRevert(BasketVault.BadWeights.selector);
        vault.setWeights(weights);
        weights = [uint16(65_535), 10_000, 0, 0];
        vm.prank(alice);
        vm.expectRevert(BasketVault.BadWeights.selector);
        vault.setWeights(weights);
    }

    function testFuzz_rebalance_reaches_the_weights_and_costs_only_the_fee(
        uint256 a,
        uint256 b,
        uint256 c,
        uint256 move,
        uint256 fee
    ) public {
        _buy(1_000e6);
        uint16[4] memory weights = _someWeights(a, b, c);
        feeds[0].set(int256(bound(move, 50e8, 900e8)), block.timestamp);
        fee = bound(fee, 0, 50);
        router.setFee(fee);
        uint256 before = vault.totalAssets();
        _setWeights(weights);
        _rebalance(none);
        near(vault.totalAssets(), before, 2 * fee + 2, "value lost");
        for (uint256 i; i < 4; ++i) {
            uint256 expected = before * weights[i] / 10_000;
            // A trade below a hundredth of a dollar is left out.
            near(_value(i) + 0.02e6, expected + 0.02e6, 2 * fee + 30, "weight");
        }
    }

    function test_a_paused_stock_and_a_dead_feed_are_left_out_of_a_rebalance() public {
        _buy(1_000e6);
        stocks[0].setPaused(true);
        feeds[1].set(0, block.timestamp);
        uint256[2] memory untouched = [vault.holding(stocks[0]), vault.holding(stocks[1])];
        _setWeights([uint16(1000), 1000, 6000, 2000]);
        vm.prank(alice);
        vm.expectPartialRevert(BasketOracle.BadPrice.selector);
        vault.rebalance(none);
        _rebalance([true, true, false, false]);
        equal(vault.holding(stocks[0]), untouched[0], "paused");
        equal(vault.holding(stocks[1]), untouched[1], "dead feed");
        near(_value(2), 375e6, 5, "three quarters of the rest");
        near(_value(3), 125e6, 5, "a quarter of the rest");
    }

    function test_a_rebalance_that_leaves_out_all_weights_is_refused() public {
        _setWeights([uint16(10_000), 0, 0, 0]);
        vm.prank(alice);
        vm.expectRevert(BasketVault.BadWeights.selector);
        vault.rebalance([true, false, false, false]);
    }

    /// A market that takes all the slippage there is, and an owner who turns the weights to and fro.
    function test_rebalancing_again_and_again_costs_no_more_than_the_limit() public {
        router.setFee(99);
        _buy(10_000e6);
        uint256 before = vault.totalAssets();
        bool refused;
        for (uint256 i; i < 4; ++i) {
            _setWeights(i % 2 == 0 ? [uint16(10_000), 0, 0, 0] : [uint16(0), 10_000, 0, 0]);
            vm.prank(alice);
            try vault.rebalance(none) {} catch (bytes memory reason) {
                require(bytes4(reason) == BasketVault.LossTooLarge.selector, "another reason");
                refused = true;
            }
        }
        require(refused, "no limit");
        near(vault.totalAssets(), before, 200, "value");
        (uint256 loss,) = vault.rebalanceLoss();
        vm.warp(block.timestamp + 15 days);
        (uint256 later, uint256 limit) = vault.rebalanceLoss();
        equal(limit, 20_000, "limit");
        equal(later, loss - 10_000, "forgotten");
        vm.warp(block.timestamp + 15 days);
        (later,) = vault.rebalanceLoss();
        equal(later, 0, "all forgotten");
    }

    // ---- out

    function testFuzz_in_kind_is_in_proportion_and_rounds_down(uint256 part) public {
        uint256 shares = _buy(5_000e6);
        part = bound(part, 1, shares);
        uint256[4] memory held;
        for (uint256 i; i < 4; ++i) held[i] = vault.holding(stocks[i]);
        _exitInKind(part, bob);
        for (uint256 i; i < 4; ++i) equal(stocks[i].balanceOf(bob), _mulDiv(held[i], part, shares), "part");
    }

    function _mulDiv(uint256 a, uint256 b, uint256 c) private pure returns (uint256) {
        return a * b / c;
    }

    function test_no_exit_asks_the_oracle() public {
        uint256 shares = _buy(1_000e6);
        for (uint256 i; i < 4; ++i) vm.mockCallRevert(address(feeds[i]), "", "dead");
        vm.mockCallRevert(address(sequencer), "", "dead");
        vm.mockCallRevert(address(dollar), "", "dead");
        vm.mockCallRevert(address(oracle), "", "dead");
        vm.expectRevert();
        vault.totalAssets();
        _exitInKind(shares / 2, alice);
        for (uint256 i; i < 4; ++i) require(stocks[i].balanceOf(alice) > 0);
        // The local market trades by the feeds; the real one does not.
        for (uint256 i; i < 4; ++i) {
            vm.mockCall(address(feeds[i]), abi.encodeWithSignature("answer()"), abi.encode(int256(200e8)));
        }
        require(_exit(vault.balanceOf(alice)) > 0);
        equal(vault.totalSupply(), 0, "supply");
    }

    function test_the_exit_in_kind_needs_no_venue() public {
        uint256 shares = _buy(1_000e6);
        vm.mockCallRevert(address(vault.venue()), "", "dead");
        _exitInKind(shares, alice);
        for (uint256 i; i < 4; ++i) equal(vault.holding(stocks[i]), 0, "left");
    }

    function test_what_cannot_be_sold_is_handed_over() public {
        uint256 shares = _buy(1_000e6);
        router.setClosed(address(stocks[1]), true);
        uint256 held = vault.holding(stocks[1]);
        near(_exit(shares), 750e6, 5, "proceeds");
        equal(stocks[1].balanceOf(alice), held, "handed over");
        equal(stocks[1].allowance(address(vault), address(vault.venue())), 0, "allowance");
    }

    function test_what_a_pool_does_not_take_is_handed_over() public {
        uint256 shares = _buy(1_000e6) / 2;
        uint256 held = vault.holding(stocks[1]);
        router.setDepth(address(stocks[1]), held / 8);
        near(_exit(shares), 375e6 + 250e6 / 8, 5, "proceeds");
        equal(stocks[1].balanceOf(alice), held / 2 - held / 8, "handed over");
        near(vault.holding(stocks[1]), held / 2, 1, "the others' part");
    }

    function test_a_purchase_beyond_what_a_pool_takes_is_refused() public {
        router.setDepth(address(usdc), 100e6);
        _fund(1_000e6);
        vm.prank(alice);
        vm.expectRevert("Too little received");
        vault.deposit(1_000e6, alice);
    }

    function test_a_paused_stock_does_not_hold_back_the_others() public {
        uint256 shares = _buy(1_000e6);
        stocks[0].setPaused(true);
        uint256 held = vault.holding(stocks[0]);
        near(_exit(shares / 2), 375e6, 5, "proceeds");
        _exitInKind(vault.balanceOf(alice), alice);
        equal(stocks[0].balanceOf(alice), 0, "paused");
        for (uint256 i = 1; i < 4; ++i) require(stocks[i].balanceOf(alice) > 0);
        stocks[0].setPaused(false);
        vm.prank(bob);
        vault.claim(stocks[0], alice, alice);
        equal(stocks[0].balanceOf(alice), held, "claimed");
    }

    function test_a_blocked_receiver_claims_to_another_address_and_nobody_else_does() public {
        uint256 shares = _buy(1_000e6);
        stocks[2].setBlocked(bob, true);
        _exitInKind(shares / 2, bob);
        near(vault.totalAssets(), 500e6, 5, "what is set aside still counted");
        uint256 amount = vault.deferred(bob, stocks[2]);
        vm.prank(alice);
        vm.expectRevert(BasketVault.NotReceiver.selector);
        vault.claim(stocks[2], bob, alice);
        vm.prank(bob);
        vault.claim(stocks[2], bob, address(0xC0DE));
        equal(stocks[2].balanceOf(address(0xC0DE)), amount, "claimed");
        vm.prank(bob);
        vault.claim(stocks[2], bob, address(0xC0DE));
        equal(stocks[2].balanceOf(address(0xC0DE)), amount, "claimed twice");
    }

    function test_a_seizure_is_shared_by_all_whose_tokens_wait() public {
        uint256 shares = _buy(1_000e6);
        stocks[0].setPaused(true);
        _exitInKind(shares / 2, alice);
        _exitInKind(vault.balanceOf(alice), bob);
        uint256 half = vault.deferred(bob, stocks[0]);
        stocks[0].setPaused(false);
        stocks[0].seize(address(vault), stocks[0].balanceOf(address(vault)) / 2);
        vault.claim(stocks[0], alice, alice);
        vault.claim(stocks[0], bob, bob);
        near(stocks[0].balanceOf(alice), half / 2, 1, "alice");
        near(stocks[0].balanceOf(bob), half / 2, 1, "bob");
    }

    function test_seized_stock_lowers_the_value_and_stops_nothing() public {
        uint256 shares = _buy(1_000e6);
        stocks[3].seize(address(vault), vault.holding(stocks[3]));
        near(vault.totalAssets(), 750e6, 5, "value");
        near(_exit(shares), 750e6, 5, "proceeds");
    }

    function test_an_exit_keeps_to_its_floor_and_its_deadline() public {
        uint256 shares = _buy(1_000e6);
        vm.startPrank(alice);
        vm.expectPartialRevert(BasketVault.TooLittleReceived.selector);
        vault.exitToStable(shares, 1_001e6, block.timestamp, alice, alice);
        vm.expectPartialRevert(BasketVault.Expired.selector);
        vault.exitToStable(shares, 0, block.timestamp - 1, alice, alice);
        vm.stopPrank();
        equal(vault.balanceOf(alice), shares, "shares");
    }

    function test_who_was_given_shares_leaves_with_their_part() public {
        uint256 shares = _buy(1_000e6);
        vm.prank(alice);
        vault.transfer(bob, shares / 4);
        vm.prank(bob);
        near(vault.exitToStable(shares / 4, 0, block.timestamp, bob, bob), 250e6, 5, "part");
    }

    function test_nobody_calls_back_into_the_vault() public {
        uint256 shares = _buy(100e6);
        CrookedVenue crook = new CrookedVenue();
        bytes[4] memory calls = [
            abi.encodeCall(BasketVault.exitInKind, (1, bob, alice)),
            abi.encodeCall(BasketVault.claim, (stocks[0], alice, alice)),
            abi.encodeCall(ERC4626.redeem, (0, bob, bob)),
            abi.encodeCall(ERC4626.deposit, (0, alice))
        ];
        vm.etch(address(vault.venue()), address(crook).code);
        for (uint256 i; i < 4; ++i) {
            CrookedVenue(address(vault.venue())).setCall(calls[i]);
            vm.prank(alice);
            vm.expectRevert(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
            vault.redeem(shares, alice, alice);
        }
    }

    /// A venue or a token that calls somebody during a trade shows nobody a price that is half of one.
    function test_no_price_is_shown_during_a_trade() public {
        uint256 shares = _buy(100e6);
        CrookedVenue crook = new CrookedVenue();
        bytes[6] memory views = [
            abi.encodeCall(ERC4626.totalAssets, ()),
            abi.encodeCall(ERC4626.convertToAssets, (1e18)),
            abi.encodeCall(ERC4626.convertToShares, (1e6)),
            abi.encodeCall(ERC4626.previewRedeem, (1e18)),
            abi.encodeCall(ERC4626.maxWithdraw, (alice)),
            abi.encodeCall(BasketVault.holding, (stocks[0]))
        ];
        vm.etch(address(vault.venue()), address(crook).code);
        for (uint256 i; i < 6; ++i) {
            CrookedVenue(address(vault.venue())).setCall(views[i]);
            vm.prank(alice);
            vm.expectRevert(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
            vault.redeem(shares / 2, alice, alice);
        }
    }

    function test_the_owner_sweeps_what_is_no_part_of_the_basket() public {
        TestStock dividend = new TestStock("Spin-off", "SPIN");
        dividend.mint(address(vault), 5e8);
        vm.startPrank(alice);
        vault.sweep(dividend, alice);
        equal(dividend.balanceOf(alice), 5e8, "swept");
        for (uint256 i; i < 4; ++i) {
            vm.expectPartialRevert(BasketVault.PartOfBasket.selector);
            vault.sweep(stocks[i], alice);
        }
        vm.expectPartialRevert(BasketVault.PartOfBasket.selector);
        vault.sweep(IERC20(address(usdc)), alice);
        vm.stopPrank();
    }

    function _openBy(ISwapVenue venue) internal returns (BasketVault) {
        BasketVaultFactory other = new BasketVaultFactory(_implementation(venue));
        vm.prank(alice);
        return BasketVault(other.createVault());
    }
}

/// @notice Purchases, exits, moves, pauses, blocks and claims in any order.
contract BasketWalk is Basket {
    constructor() {
        Basket.setUp();
    }

    function setUp() public override {}

    function basketVault() external view returns (BasketVault) {
        return vault;
    }

    function stock(uint256 i) external view returns (TestStock) {
        return stocks[i];
    }

    function holders() external pure returns (address[2] memory) {
        return [alice, bob];
    }

    function _isPaused() private view returns (bool paused) {
        for (uint256 i; i < 4; ++i) paused = paused || stocks[i].paused();
    }

    function buy(uint256 amount) external {
        if (_isPaused()) return;
        _buy(bound(amount, 1e6, 10_000e6));
    }

    function exitToStable(uint256 part) external {
        uint256 shares = bound(part, 0, vault.balanceOf(alice));
        _exit(shares);
    }

    function exitInKind(uint256 part, bool toBob) external {
        _exitInKind(bound(part, 0, vault.balanceOf(alice)), toBob ? bob : alice);
    }

    function rebalance(uint256 a, uint256 b, uint256 c) external {
        if (_isPaused()) return;
        _setWeights(_someWeights(a, b, c));
        vm.prank(alice);
        try vault.rebalance(none) {} catch (bytes memory reason) {
            // The crumbs that trades round away in a vault of some cents.
            require(bytes4(reason) == BasketVault.LossTooLarge.selector, "another reason");
        }
    }

    function movePrice(uint256 which, uint256 price) external {
        feeds[which % 4].set(int256(bound(price, 20e8, 2_000e8)), block.timestamp);
    }

    function pause(uint256 which, bool paused) external {
        stocks[which % 4].setPaused(paused);
    }

    function blockBob(uint256 which, bool blocked) external {
        stocks[which % 4].setBlocked(bob, blocked);
    }

    function claim(uint256 which, bool forBob) external {
        TestStock token = stocks[which % 4];
        if (token.paused() || token.blocked(bob)) return;
        address receiver = forBob ? bob : alice;
        vault.claim(token, receiver, receiver);
    }

    function give(uint256 which, uint256 amount) external {
        stocks[which % 4].mint(address(vault), bound(amount, 1, 1e8));
    }
}

/// forge-config: stress.invariant.runs = 3400
contract BasketVaultInvariants is Test {
    BasketWalk walk;

    function setUp() public {
        walk = new BasketWalk();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(walk);
    }

    function invariant_what_is_set_aside_is_there_and_is_owed_to_somebody() public view {
        for (uint256 i; i < 4; ++i) {
            TestStock token = walk.stock(i);
            uint256 owed;
            for (uint256 j; j < 2; ++j) owed += walk.basketVault().deferred(walk.holders()[j], token);
            equal(walk.basketVault().reserved(token), owed, "reserved");
            atMost(owed, token.balanceOf(address(walk.basketVault())), "set aside");
        }
    }

    function invariant_the_venue_keeps_no_allowance_and_no_token() public view {
        address venue = address(walk.basketVault().venue());
        for (uint256 i; i < 4; ++i) {
            equal(walk.stock(i).allowance(address(walk.basketVault()), venue), 0, "allowance");
            equal(walk.stock(i).balanceOf(venue), 0, "kept");
        }
    }

    function invariant_whoever_holds_shares_can_leave_in_kind() public {
        BasketVault vault = walk.basketVault();
        address[2] memory holders = walk.holders();
        for (uint256 i; i < 2; ++i) {
            uint256 shares = vault.balanceOf(holders[i]);
            vm.prank(holders[i]);
            vault.exitInKind(shares, holders[i], holders[i]);
        }
        equal(vault.totalSupply(), 0, "supply");
    }
}

/// forge-config: default.isolate = true
contract BasketVaultGasUse is Basket {
    function test_gas_of_a_vault_through_its_life() public {
        vm.prank(bob);
        factory.createVault();
        vm.snapshotGasLastCall("BasketVault", "createVault");
        _fund(3_000e6);
        vm.prank(alice);
        uint256 shares = vault.deposit(1_000e6, alice);
        vm.snapshotGasLastCall("BasketVault", "deposit, the first");
        vm.prank(alice);
        vault.deposit(1_000e6, alice);
        vm.snapshotGasLastCall("BasketVault", "deposit");
        _setWeights([uint16(4000), 3000, 2000, 1000]);
        vm.snapshotGasLastCall("BasketVault", "setWeights");
        _rebalance(none);
        vm.snapshotGasLastCall("BasketVault", "rebalance");
        _exit(shares / 2);
        vm.snapshotGasLastCall("BasketVault", "exitToStable");
        vm.prank(alice);
        vault.redeem(shares / 4, alice, alice);
        vm.snapshotGasLastCall("BasketVault", "redeem");
        _exitInKind(shares / 4, alice);
        vm.snapshotGasLastCall("BasketVault", "exitInKind");
    }
}
