// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20, IERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {TestUSDC} from "../TestUSDC.sol";
import {SlipstreamVenue} from "../basket/SlipstreamVenue.sol";
import {TestPriceFeed, TestStock, TestSwapRouter} from "../basket/TestMarket.sol";
import {Test} from "./Test.sol";

/// @notice Whom a token tells of each of its transfers.
interface IHook {
    function onTransfer() external;
}

/// @notice A token with every bad habit: it takes a fee, rebases, calls back, and returns `false` instead of paying.
contract OddToken is TestStock("Odd", "ODD") {
    uint256 public feeBps;
    uint256 public index = 1e18;
    uint256 public growth = 1e18;
    bool public refuses;
    IHook public hook;

    function setFee(uint256 bps) external {
        feeBps = bps;
    }

    /// @notice By how much all balances change with each transfer; 1e18 is not at all.
    function setGrowth(uint256 growth_) external {
        growth = growth_;
    }

    function setRefuses(bool refuses_) external {
        refuses = refuses_;
    }

    function setHook(IHook hook_) external {
        hook = hook_;
    }

    function balanceOf(address account) public view override returns (uint256) {
        return super.balanceOf(account) * index / 1e18;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        return !refuses && super.transfer(to, value);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        return !refuses && super.transferFrom(from, to, value);
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value * 1e18 / index);
        if (from == address(0) || to == address(0)) return;
        if (feeBps != 0) super._update(to, address(0), value * feeBps / 10_000 * 1e18 / index);
        index = index * growth / 1e18;
        if (address(hook) != address(0)) hook.onTransfer();
    }
}

/// @notice Trades again while a trade is under way.
contract Reentrant is IHook {
    SlipstreamVenue immutable venue;
    IERC20 immutable token;
    address immutable other;

    constructor(SlipstreamVenue venue_, IERC20 token_, address other_) {
        (venue, token, other) = (venue_, token_, other_);
        token_.approve(address(venue_), type(uint256).max);
    }

    function onTransfer() external {
        venue.swap(address(token), other, 1, 0, address(this));
    }
}

abstract contract OddMarket is Test {
    address constant alice = address(0xA11CE);
    address constant bob = address(0xB0B);

    TestUSDC usdc;
    OddToken odd;
    TestSwapRouter router;
    SlipstreamVenue venue;

    function setUp() public virtual {
        usdc = new TestUSDC();
        usdc.initialize("USD Coin");
        odd = new OddToken();
        router = new TestSwapRouter(IERC20(address(usdc)));
        router.list(address(odd), new TestPriceFeed(100e8));
        venue = new SlipstreamVenue(router, 10);
        vm.startPrank(alice);
        odd.approve(address(venue), type(uint256).max);
        usdc.approve(address(venue), type(uint256).max);
        vm.stopPrank();
    }

    function _sell(uint256 amount) internal returns (uint256) {
        vm.prank(alice);
        return venue.swap(address(odd), address(usdc), amount, 0, bob);
    }

    /// @dev One unit may be left by the rounding of a balance that rebases.
    function _keepsNothing() internal view {
        atMost(odd.balanceOf(address(venue)), odd.index() == 1e18 ? 0 : 1, "kept");
        equal(usdc.balanceOf(address(venue)), 0, "stablecoins kept");
        equal(odd.allowance(address(venue), address(router)), 0, "allowance");
        equal(usdc.allowance(address(venue), address(router)), 0, "allowance of stablecoins");
    }
}

contract SlipstreamVenueTest is OddMarket {
    function test_what_a_pool_does_not_take_returns_to_the_caller() public {
        usdc.mint(alice, 100_000e6);
        router.setDepth(address(usdc), 99_500e6);
        vm.prank(alice);
        venue.swap(address(usdc), address(odd), 100_000e6, 995e8, bob);
        equal(usdc.balanceOf(alice), 500e6, "returned");
        equal(odd.balanceOf(bob), 995e8, "bought");
        _keepsNothing();
    }

    function test_a_part_that_is_worth_less_than_the_minimum_is_refused() public {
        odd.mint(alice, 10e8);
        router.setDepth(address(odd), 9e8);
        vm.prank(alice);
        vm.expectRevert("Too little received");
        venue.swap(address(odd), address(usdc), 10e8, 901e6, bob);
        equal(odd.balanceOf(alice), 10e8, "left with the caller");
    }

    function test_a_token_that_takes_a_fee_is_refused_by_the_pool_and_stays_with_the_caller() public {
        odd.mint(alice, 10e8);
        odd.setFee(100);
        vm.prank(alice);
        vm.expectRevert(bytes("IIA"));
        venue.swap(address(odd), address(usdc), 10e8, 0, bob);
        equal(odd.balanceOf(alice), 10e8, "left with the caller");
    }

    function test_a_token_that_grows_on_the_way_is_returned_with_its_growth() public {
        odd.mint(alice, 10e8);
        odd.setGrowth(1.1e18);
        router.setDepth(address(odd), 4e8);
        equal(_sell(10e8), 400e6, "sold");
        // 11 arrived, 4 were taken; 7 grew twice more until they were back.
        near(odd.balanceOf(alice), 7e8 * 121 / 100, 1, "returned");
        _keepsNothing();
    }

    function test_a_token_that_refuses_by_an_answer_is_refused() public {
        odd.mint(alice, 10e8);
        odd.setRefuses(true);
        vm.prank(alice);
        vm.expectPartialRevert(SafeERC20.SafeERC20FailedOperation.selector);
        venue.swap(address(odd), address(usdc), 10e8, 0, bob);
    }

    function test_a_token_that_calls_back_cannot_trade_inside_a_trade() public {
        odd.mint(alice, 10e8);
        TestStock other = new TestStock("Other", "OTH");
        Reentrant hook = new Reentrant(venue, other, address(usdc));
        other.mint(address(hook), 1e8);
        router.list(address(other), new TestPriceFeed(1e8));
        hook.onTransfer();
        odd.setHook(hook);
        vm.prank(alice);
        vm.expectRevert(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
        venue.swap(address(odd), address(usdc), 10e8, 0, bob);
    }
}

/// @notice Trades of both kinds while the token and the pools change their habits.
contract OddMarketWalk is OddMarket {
    constructor() {
        OddMarket.setUp();
    }

    function setUp() public override {}

    function swap(bool isPurchase, uint256 amount, uint256 depth) external {
        address tokenIn = isPurchase ? address(usdc) : address(odd);
        amount = bound(amount, 0, 1_000e8);
        router.setDepth(tokenIn, bound(depth, 0, 1_000e8));
        isPurchase ? usdc.mint(alice, amount) : odd.mint(alice, amount);
        address tokenOut = isPurchase ? address(odd) : address(usdc);
        uint256 had = IERC20(tokenIn).balanceOf(alice);
        uint256 index = odd.index();
        vm.prank(alice);
        try venue.swap(tokenIn, tokenOut, amount, 0, bob) {} catch {
            equal(IERC20(tokenIn).balanceOf(alice), had, "a refused trade took something");
            equal(odd.index(), index, "a refused trade left a trace");
        }
    }

    function setFee(uint256 bps) external {
        odd.setFee(bound(bps, 0, 300));
    }

    function setGrowth(uint256 which) external {
        uint256[3] memory growths = [uint256(0.999e18), 1e18, 1.001e18];
        odd.setGrowth(growths[which % 3]);
    }

    function setPaused(bool paused) external {
        odd.setPaused(paused);
    }

    function setBlocked(uint256 which, bool blocked) external {
        address[4] memory accounts = [alice, bob, address(venue), address(router)];
        odd.setBlocked(accounts[which % 4], blocked);
    }

    function setRefuses(bool refuses) external {
        odd.setRefuses(refuses);
    }

    function requireNothingKept() external view {
        _keepsNothing();
    }
}

/// forge-config: stress.invariant.runs = 10000
contract SlipstreamVenueInvariants is Test {
    OddMarketWalk walk;

    function setUp() public {
        walk = new OddMarketWalk();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(walk);
    }

    function invariant_the_venue_keeps_no_token_and_no_allowance() public view {
        walk.requireNothingKept();
    }
}
