// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IPriceFeed} from "./BasketMarket.sol";

/// @title Basket oracle
/// @notice What a constituent costs in the stablecoin, with eight decimals, or an error: never an old price or a guess.
/// @dev Each feed has an age of its own: a stablecoin's is told day and night, and a stock's holds the last close while its
/// exchange is closed, so that a price within its age can be Friday's.
contract BasketOracle {
    using Math for uint256;

    error SequencerDown();
    error StalePrice(address feed, uint256 updatedAt);
    error BadPrice(address feed, int256 answer);
    error BadFeed(address feed);

    /// @notice How long prices are distrusted after the sequencer of the chain came back.
    uint256 public constant GRACE = 1 hours;

    /// @notice Chainlink's uptime feed of an L2; zero on a chain without a sequencer.
    IPriceFeed public immutable sequencer;
    /// @notice The stablecoin in US dollars.
    IPriceFeed public immutable stablecoinFeed;
    /// @notice Seconds after which a price of this feed is taken no more; zero for a feed that is none of this oracle's.
    mapping(IPriceFeed feed => uint256) public maxAge;

    /// @param maxAges Of each of `feeds`, in their order.
    constructor(
        IPriceFeed sequencer_,
        IPriceFeed stablecoinFeed_,
        uint256 stablecoinMaxAge,
        IPriceFeed[] memory feeds,
        uint256[] memory maxAges
    ) {
        sequencer = sequencer_;
        stablecoinFeed = stablecoinFeed_;
        _list(stablecoinFeed_, stablecoinMaxAge);
        for (uint256 i; i < feeds.length; ++i) _list(feeds[i], maxAges[i]);
    }

    /// @notice The price behind `feed` (US dollars, eight decimals) in stablecoins.
    function price(IPriceFeed feed) external view returns (uint256) {
        if (address(sequencer) != address(0)) {
            (, int256 status, uint256 since,,) = sequencer.latestRoundData();
            require(status == 0 && since != 0 && block.timestamp > since + GRACE, SequencerDown());
        }
        return _dollars(feed).mulDiv(1e8, _dollars(stablecoinFeed));
    }

    function _list(IPriceFeed feed, uint256 age) private {
        require(age != 0 && maxAge[feed] == 0 && feed.decimals() == 8, BadFeed(address(feed)));
        maxAge[feed] = age;
    }

    function _dollars(IPriceFeed feed) private view returns (uint256) {
        uint256 age = maxAge[feed];
        require(age != 0, BadFeed(address(feed)));
        (, int256 answer,, uint256 updatedAt,) = feed.latestRoundData();
        require(answer > 0, BadPrice(address(feed), answer));
        require(
            updatedAt <= block.timestamp && block.timestamp - updatedAt <= age, StalePrice(address(feed), updatedAt)
        );
        return uint256(answer);
    }
}
