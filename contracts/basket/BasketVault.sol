// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ERC20, IERC20, IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IPriceFeed, ISwapVenue} from "./BasketMarket.sol";
import {BasketOracle} from "./BasketOracle.sol";

/// @title Basket vault
/// @notice One caller's own basket of four tokenized stocks, as an ERC-4626 vault over a stablecoin. Its owner alone buys,
/// weighs and rebalances, within the oracle's prices. Whoever holds shares may leave at any time, by no price at all.
/// @dev A clone. The owner is an immutable argument of the clone; all else is an immutable of the implementation. There is
/// no administrator, no fee, no pause and no upgrade.
contract BasketVault is ERC4626, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;
    using Math for uint256;

    uint256 public constant SIZE = 4;

    error NotOwner();
    error NotReceiver();
    error NotSelf();
    error Expired(uint256 deadline);
    error BadConstituent(address token);
    error BadSlippage();
    error BadWeights();
    error PartOfBasket(address token);
    /// @notice Shares exist and nothing is behind them: there is no price for more.
    error Worthless();
    /// @notice Rebalancing has cost this much lately, in millionths, and may cost no more than the limit.
    error LossTooLarge(uint256 lossPpm, uint256 limitPpm);
    error TooLittleReceived(address token, uint256 received, uint256 minimum);

    event WeightsSet(uint16[SIZE] weightsBps);
    event Rebalanced(uint256 managedAssets);
    event ExitedInKind(address indexed owner, address indexed receiver, uint256 shares);
    /// @notice A constituent that could not be sold on the way out was handed over as it is.
    event HandedOver(address indexed token, address indexed receiver, uint256 amount);
    /// @notice A token refused the transfer; the receiver may `claim` it.
    event Deferred(address indexed token, address indexed receiver, uint256 amount);

    uint256 internal constant BPS = 10_000;
    uint256 internal constant MAX_SLIPPAGE_BPS = 500;
    uint256 internal constant PPM = 1_000_000;
    /// @notice In this time a loss by rebalancing is forgotten, little by little.
    uint256 public constant LOSS_WINDOW = 30 days;

    BasketOracle public immutable oracle;
    ISwapVenue public immutable venue;
    /// @notice How far a trade may fall short of the oracle's price.
    uint256 public immutable slippageBps;
    /// @dev price × amount / scale = stablecoins.
    uint256 internal immutable _scale;
    /// @dev A hundredth of a stablecoin: smaller trades are left out, for pools round them to nothing.
    uint256 internal immutable _dust;
    address internal immutable _implementation = address(this);
    IERC20 internal immutable _token0;
    IERC20 internal immutable _token1;
    IERC20 internal immutable _token2;
    IERC20 internal immutable _token3;
    IPriceFeed internal immutable _feed0;
    IPriceFeed internal immutable _feed1;
    IPriceFeed internal immutable _feed2;
    IPriceFeed internal immutable _feed3;

    uint16[SIZE] internal _weightsBps;
    /// @notice Set aside for receivers, and no part of the basket any more.
    mapping(IERC20 token => uint256) public reserved;
    mapping(address receiver => mapping(IERC20 token => uint256)) public deferred;
    uint64 internal _lossPpm;
    uint64 internal _lossAt;

    constructor(
        IERC20 stablecoin,
        IERC20[SIZE] memory tokens,
        IPriceFeed[SIZE] memory feeds,
        BasketOracle oracle_,
        ISwapVenue venue_,
        uint256 slippageBps_
    ) ERC20("", "") ERC4626(stablecoin) {
        require(slippageBps_ != 0 && slippageBps_ <= MAX_SLIPPAGE_BPS, BadSlippage());
        uint8 assetDecimals = IERC20Metadata(address(stablecoin)).decimals();
        uint8 tokenDecimals = IERC20Metadata(address(tokens[0])).decimals();
        for (uint256 i; i < SIZE; ++i) {
            address token = address(tokens[i]);
            bool isGood = IERC20Metadata(token).decimals() == tokenDecimals && feeds[i].decimals() == 8
                && token != address(stablecoin) && oracle_.maxAge(feeds[i]) != 0;
            for (uint256 j; j < i; ++j) isGood = isGood && token != address(tokens[j]);
            require(isGood, BadConstituent(token));
        }
        (_token0, _token1, _token2, _token3) = (tokens[0], tokens[1], tokens[2], tokens[3]);
        (_feed0, _feed1, _feed2, _feed3) = (feeds[0], feeds[1], feeds[2], feeds[3]);
        _scale = 10 ** (uint256(tokenDecimals) + 8 - assetDecimals);
        _dust = 10 ** (uint256(assetDecimals) - 2);
        oracle = oracle_;
        venue = venue_;
        slippageBps = slippageBps_;
    }

    modifier onlyOwner() {
        require(msg.sender == owner(), NotOwner());
        _;
    }

    // ---- what it is

    function name() public pure override(ERC20, IERC20Metadata) returns (string memory) {
        return "Stock Basket";
    }

    function symbol() public pure override(ERC20, IERC20Metadata) returns (string memory) {
        return "BASKET";
    }

    /// @notice Set when the vault was created; nothing changes it. The implementation belongs to nobody.
    function owner() public view returns (address) {
        if (address(this) == _implementation) return address(0);
        return abi.decode(Clones.fetchCloneArgs(address(this)), (address));
    }

    function constituents() public view returns (IERC20[SIZE] memory tokens, IPriceFeed[SIZE] memory feeds) {
        tokens = [_token0, _token1, _token2, _token3];
        feeds = [_feed0, _feed1, _feed2, _feed3];
    }

    /// @notice In hundredths of a percent; equal until the owner sets them.
    function weightsBps() public view returns (uint16[SIZE] memory weights) {
        weights = _weightsBps;
        if (weights[0] | weights[1] | weights[2] | weights[3] == 0) weights = [uint16(2500), 2500, 2500, 2500];
    }

    // ---- what it is worth

    /// @notice What the vault has of a token, without what is set aside.
    function holding(IERC20 token) external view nonReentrantView returns (uint256) {
        return _holding(token);
    }

    function _holding(IERC20 token) private view returns (uint256) {
        return token.balanceOf(address(this)).saturatingSub(reserved[token]);
    }

    /// @notice In stablecoins. Reverts with the oracle's reason where a price is missing.
    function valueOf(IPriceFeed feed, uint256 amount) public view returns (uint256) {
        return amount == 0 ? 0 : amount.mulDiv(oracle.price(feed), _scale);
    }

    /// @notice In stablecoins. Unlike ERC-4626 asks it reverts where a price is missing: a wrong value would be worse.
    /// Reverts while the vault trades, too: a token that calls back would show half a trade.
    function totalAssets() public view override nonReentrantView returns (uint256 total) {
        (IERC20[SIZE] memory tokens, IPriceFeed[SIZE] memory feeds) = constituents();
        total = _holding(IERC20(asset()));
        for (uint256 i; i < SIZE; ++i) total += valueOf(feeds[i], _holding(tokens[i]));
    }

    // One price of a share, in and out: a part of what there is. ERC-4626's virtual shares would own a part of it, too.

    function _convertToShares(uint256 assets, Math.Rounding rounding) internal view override returns (uint256) {
        uint256 supply = totalSupply();
        if (supply == 0) return assets * 10 ** _decimalsOffset();
        uint256 total = totalAssets();
        require(total != 0, Worthless());
        return assets.mulDiv(supply, total, rounding);
    }

    function _convertToAssets(uint256 shares, Math.Rounding rounding) internal view override returns (uint256) {
        uint256 supply = totalSupply();
        if (supply == 0) return shares.mulDiv(1, 10 ** _decimalsOffset(), rounding);
        return shares.mulDiv(totalAssets(), supply, rounding);
    }

    /// @notice What rebalancing has cost lately, in millionths of the value, and how much it may: enough for one that trades
    /// everything at the worst price.
    function rebalanceLoss() public view returns (uint256 lossPpm, uint256 limitPpm) {
        limitPpm = 2 * slippageBps * (PPM / BPS);
        lossPpm = uint256(_lossPpm).saturatingSub(limitPpm.mulDiv(block.timestamp - _lossAt, LOSS_WINDOW));
    }

    /// @notice Anybody may pay for a deposit; only the owner gets shares for one.
    function maxDeposit(address receiver) public view override returns (uint256) {
        return receiver == owner() ? type(uint256).max : 0;
    }

    function maxMint(address receiver) public view override returns (uint256) {
        return maxDeposit(receiver);
    }

    // Trades may cost up to `slippageBps`. Previews count with all of it, so that what they promise is what happens.

    function previewDeposit(uint256 assets) public view override returns (uint256) {
        return super.previewDeposit(assets.mulDiv(BPS - slippageBps, BPS));
    }

    function previewMint(uint256 shares) public view override returns (uint256) {
        return super.previewMint(shares).mulDiv(BPS, BPS - slippageBps, Math.Rounding.Ceil);
    }

    function previewWithdraw(uint256 assets) public view override returns (uint256) {
        return super.previewWithdraw(assets.mulDiv(BPS, BPS - slippageBps, Math.Rounding.Ceil));
    }

    function previewRedeem(uint256 shares) public view override returns (uint256) {
        return super.previewRedeem(shares).mulDiv(BPS - slippageBps, BPS);
    }

    // ---- in

    /// @dev Buys by the weights. Reverts as a whole when any trade is worse than the oracle's price allows.
    function _deposit(address caller, address receiver, uint256 assets, uint256 shares)
        internal
        override
        nonReentrant
    {
        IERC20 stablecoin = IERC20(asset());
        uint256 before = stablecoin.balanceOf(address(this));
        super._deposit(caller, receiver, assets, shares);
        uint256 received = stablecoin.balanceOf(address(this)) - before;
        require(received == assets, TooLittleReceived(address(stablecoin), received, assets));
        (IERC20[SIZE] memory tokens, IPriceFeed[SIZE] memory feeds) = constituents();
        uint16[SIZE] memory weights = weightsBps();
        for (uint256 i; i < SIZE; ++i) _buy(tokens[i], feeds[i], assets.mulDiv(weights[i], BPS));
    }

    // ---- out, by the oracle's prices (ERC-4626)

    /// @notice Pays all that the sale brings, and at least `previewRedeem(shares)`.
    function redeem(uint256 shares, address receiver, address owner_) public override returns (uint256) {
        uint256 limit = maxRedeem(owner_);
        require(shares <= limit, ERC4626ExceededMaxRedeem(owner_, shares, limit));
        return _redeem(shares, previewRedeem(shares), receiver, owner_);
    }

    function _redeem(uint256 shares, uint256 minAssets, address receiver, address owner_)
        private
        nonReentrant
        returns (uint256 proceeds)
    {
        proceeds = _sellAll(owner_, shares);
        _payProceeds(proceeds, minAssets, shares, receiver, owner_);
    }

    /// @dev Pays exactly `assets`; what the sale brings beyond stays in the vault.
    function _withdraw(address, address receiver, address owner_, uint256 assets, uint256 shares)
        internal
        override
        nonReentrant
    {
        uint256 proceeds = _sellAll(owner_, shares);
        require(proceeds >= assets, TooLittleReceived(asset(), proceeds, assets));
        _payProceeds(assets, assets, shares, receiver, owner_);
    }

    function _sellAll(address owner_, uint256 shares) private returns (uint256 proceeds) {
        (IERC20[SIZE] memory tokens, uint256[SIZE] memory amounts, uint256 cash) = _leave(owner_, shares);
        proceeds = cash;
        for (uint256 i; i < SIZE; ++i) proceeds += _swap(tokens[i], IERC20(asset()), amounts[i], 0);
    }

    // ---- out, by no price

    /// @notice Sells this part of every constituent and pays what it brings, at least `minAssets`, until `deadline`. What
    /// cannot be sold (a pool or token that refuses, or takes a part only) is handed over in kind, or set aside.
    function exitToStable(
        uint256 shares,
        uint256 minAssets,
        uint256 deadline,
        address receiver,
        address owner_
    ) external nonReentrant returns (uint256 proceeds) {
        require(block.timestamp <= deadline, Expired(deadline));
        (IERC20[SIZE] memory tokens, uint256[SIZE] memory amounts, uint256 cash) = _leave(owner_, shares);
        proceeds = cash;
        for (uint256 i; i < SIZE; ++i) {
            if (amounts[i] == 0) continue;
            uint256 unsold = _holding(tokens[i]);
            try this.sell(tokens[i], amounts[i]) returns (uint256 received) {
                proceeds += received;
                unsold = amounts[i].saturatingSub(unsold.saturatingSub(_holding(tokens[i])));
            } catch {
                unsold = amounts[i];
            }
            if (unsold == 0) continue;
            emit HandedOver(address(tokens[i]), receiver, unsold);
            _payOrDefer(tokens[i], receiver, unsold);
        }
        _payProceeds(proceeds, minAssets, shares, receiver, owner_);
    }

    /// @notice Pays this part of every token as it is. A token that refuses the transfer is set aside for `claim`.
    function exitInKind(uint256 shares, address receiver, address owner_) external nonReentrant {
        (IERC20[SIZE] memory tokens, uint256[SIZE] memory amounts, uint256 cash) = _leave(owner_, shares);
        _payOrDefer(IERC20(asset()), receiver, cash);
        for (uint256 i; i < SIZE; ++i) _payOrDefer(tokens[i], receiver, amounts[i]);
        emit ExitedInKind(owner_, receiver, shares);
    }

    /// @notice Pays what was set aside. Anybody may send it to its receiver; the receiver may send it elsewhere.
    /// @dev Where an issuer has seized a part, all whose tokens wait lose in proportion.
    function claim(IERC20 token, address receiver, address to) external nonReentrant {
        require(to == receiver || msg.sender == receiver, NotReceiver());
        uint256 amount = deferred[receiver][token];
        uint256 total = reserved[token];
        deferred[receiver][token] = 0;
        reserved[token] = total - amount;
        uint256 balance = token.balanceOf(address(this));
        token.safeTransfer(to, balance < total ? amount.mulDiv(balance, total) : amount);
    }

    /// @dev A call of its own, so that a sale that fails takes nothing else with it.
    function sell(IERC20 token, uint256 amount) external returns (uint256) {
        require(msg.sender == address(this), NotSelf());
        return _swap(token, IERC20(asset()), amount, 0);
    }

    // ---- the owner's

    function setWeights(uint16[SIZE] calldata weights) external onlyOwner {
        uint256 sum;
        for (uint256 i; i < SIZE; ++i) sum += weights[i];
        require(sum == BPS, BadWeights());
        _weightsBps = weights;
        emit WeightsSet(weights);
    }

    /// @notice Sells what is above its weight and buys what is below, within the oracle's prices. What is left out (a
    /// stock that is paused, a feed that is dead) stays as it is, and the others keep their proportions.
    function rebalance(bool[SIZE] calldata leaveOut) external onlyOwner nonReentrant {
        (IERC20[SIZE] memory tokens, IPriceFeed[SIZE] memory feeds) = constituents();
        uint16[SIZE] memory weights = weightsBps();
        uint256[SIZE] memory values;
        uint256 managed = _holding(IERC20(asset()));
        uint256 weightSum;
        for (uint256 i; i < SIZE; ++i) {
            if (leaveOut[i]) continue;
            weightSum += weights[i];
            values[i] = valueOf(feeds[i], _holding(tokens[i]));
            managed += values[i];
        }
        require(weightSum != 0, BadWeights());

        uint256[SIZE] memory missing;
        uint256 missingSum;
        for (uint256 i; i < SIZE; ++i) {
            if (leaveOut[i]) continue;
            uint256 target = managed.mulDiv(weights[i], weightSum);
            if (values[i] <= target) {
                missing[i] = target - values[i];
                missingSum += missing[i];
            } else if (values[i] - target >= _dust) {
                uint256 amount = _holding(tokens[i]).mulDiv(values[i] - target, values[i]);
                uint256 minOut = valueOf(feeds[i], amount).mulDiv(BPS - slippageBps, BPS);
                _swap(tokens[i], IERC20(asset()), amount, minOut);
            }
        }
        // What the sales cost is missing from all purchases alike.
        uint256 cash = _holding(IERC20(asset()));
        for (uint256 i; i < SIZE; ++i) {
            _buy(tokens[i], feeds[i], cash < missingSum ? missing[i].mulDiv(cash, missingSum) : missing[i]);
        }
        _countLoss(managed, leaveOut);
        emit Rebalanced(managed);
    }

    /// @dev Each trade keeps to its own bound; this bounds them together, or an owner could turn the weights to and fro until
    /// nothing is left for who else holds shares.
    function _countLoss(uint256 managed, bool[SIZE] calldata leaveOut) private {
        (IERC20[SIZE] memory tokens, IPriceFeed[SIZE] memory feeds) = constituents();
        uint256 remaining = _holding(IERC20(asset()));
        for (uint256 i; i < SIZE; ++i) if (!leaveOut[i]) remaining += valueOf(feeds[i], _holding(tokens[i]));
        if (remaining >= managed) return;
        (uint256 lossPpm, uint256 limitPpm) = rebalanceLoss();
        lossPpm += PPM.mulDiv(managed - remaining, managed, Math.Rounding.Ceil);
        require(lossPpm <= limitPpm, LossTooLarge(lossPpm, limitPpm));
        (_lossPpm, _lossAt) = (uint64(lossPpm), uint64(block.timestamp));
    }

    /// @notice Sends on what is no part of the basket, such as a token that an issuer has distributed.
    function sweep(IERC20 token, address to) external onlyOwner nonReentrant {
        (IERC20[SIZE] memory tokens,) = constituents();
        bool isPart = address(token) == asset();
        for (uint256 i; i < SIZE; ++i) isPart = isPart || address(token) == address(tokens[i]);
        require(!isPart, PartOfBasket(address(token)));
        token.safeTransfer(to, token.balanceOf(address(this)));
    }

    // ---- inside

    /// @dev Shares have twelve more decimals than the stablecoin.
    function _decimalsOffset() internal pure override returns (uint8) {
        return 12;
    }

    /// @dev Burns the shares and returns the part of everything that they stood for, rounded down.
    function _leave(address owner_, uint256 shares)
        private
        returns (IERC20[SIZE] memory tokens, uint256[SIZE] memory amounts, uint256 cash)
    {
        uint256 supply = totalSupply();
        if (msg.sender != owner_) _spendAllowance(owner_, msg.sender, shares);
        _burn(owner_, shares);
        if (shares == 0) return (tokens, amounts, cash);
        (tokens,) = constituents();
        cash = _holding(IERC20(asset())).mulDiv(shares, supply);
        for (uint256 i; i < SIZE; ++i) amounts[i] = _holding(tokens[i]).mulDiv(shares, supply);
    }

    function _buy(IERC20 token, IPriceFeed feed, uint256 spend) private {
        if (spend < _dust) return;
        uint256 fair = spend.mulDiv(_scale, oracle.price(feed));
        _swap(IERC20(asset()), token, spend, fair.mulDiv(BPS - slippageBps, BPS));
    }

    /// @dev What counts is the balance that arrived, not the number that the venue returns.
    function _swap(IERC20 from, IERC20 to, uint256 amount, uint256 minOut) private returns (uint256 received) {
        if (amount == 0) return 0;
        uint256 before = to.balanceOf(address(this));
        from.forceApprove(address(venue), amount);
        venue.swap(address(from), address(to), amount, minOut, address(this));
        received = to.balanceOf(address(this)) - before;
        require(received >= minOut, TooLittleReceived(address(to), received, minOut));
        if (from.allowance(address(this), address(venue)) != 0) from.forceApprove(address(venue), 0);
    }

    function _payProceeds(uint256 assets, uint256 minAssets, uint256 shares, address receiver, address owner_)
        private
    {
        require(assets >= minAssets, TooLittleReceived(asset(), assets, minAssets));
        if (assets > 0) IERC20(asset()).safeTransfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, owner_, assets, shares);
    }

    function _payOrDefer(IERC20 token, address receiver, uint256 amount) private {
        if (amount == 0 || token.trySafeTransfer(receiver, amount)) return;
        reserved[token] += amount;
        deferred[receiver][token] += amount;
        emit Deferred(address(token), receiver, amount);
    }
}
