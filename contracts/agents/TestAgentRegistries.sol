// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// @title Stand-in for the identity registry of ERC-8004 on a local chain
/// @notice Agents are tokens. It has the calls and events of the real one that this repository uses.
contract TestIdentityRegistry is ERC721("AgentIdentity", "AGENT") {
    uint256 private _count;
    mapping(uint256 agentId => string) private _uris;
    mapping(uint256 agentId => address) private _wallets;

    event Registered(uint256 indexed agentId, string agentURI, address indexed owner);
    event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy);

    function register(string memory agentURI) public returns (uint256 agentId) {
        agentId = _count++;
        _uris[agentId] = agentURI;
        _safeMint(msg.sender, agentId);
        _wallets[agentId] = msg.sender;
        emit Registered(agentId, agentURI, msg.sender);
    }

    function register() external returns (uint256) {
        return register("");
    }

    function setAgentURI(uint256 agentId, string calldata newURI) external {
        require(isAuthorizedOrOwner(msg.sender, agentId), "Not authorized");
        _uris[agentId] = newURI;
        emit URIUpdated(agentId, newURI, msg.sender);
    }

    function tokenURI(uint256 agentId) public view override returns (string memory) {
        _requireOwned(agentId);
        return _uris[agentId];
    }

    function getAgentWallet(uint256 agentId) external view returns (address) {
        _requireOwned(agentId);
        return _wallets[agentId];
    }

    function isAuthorizedOrOwner(address spender, uint256 agentId) public view returns (bool) {
        return _isAuthorized(_requireOwned(agentId), spender, agentId);
    }

    /// @dev A wallet is proven by its owner; a new owner has to prove it again.
    function _update(address to, uint256 agentId, address auth) internal override returns (address from) {
        from = super._update(to, agentId, auth);
        if (from != address(0)) delete _wallets[agentId];
    }
}

/// @title Stand-in for the reputation registry of ERC-8004 on a local chain
/// @notice Anybody but an agent itself may say what it was like; who asks for a summary names whose word counts.
contract TestReputationRegistry {
    struct Feedback {
        int128 value;
        uint8 decimals;
        string tag1;
        string tag2;
        bool revoked;
    }

    TestIdentityRegistry private immutable _identity;
    mapping(uint256 agentId => mapping(address client => Feedback[])) private _feedback;
    mapping(uint256 agentId => address[]) private _clients;

    event NewFeedback(
        uint256 indexed agentId,
        address indexed clientAddress,
        uint64 feedbackIndex,
        int128 value,
        uint8 valueDecimals,
        string indexed indexedTag1,
        string tag1,
        string tag2,
        string endpoint,
        string feedbackURI,
        bytes32 feedbackHash
    );
    event FeedbackRevoked(uint256 indexed agentId, address indexed clientAddress, uint64 indexed feedbackIndex);

    constructor(TestIdentityRegistry identity_) {
        _identity = identity_;
    }

    function getIdentityRegistry() external view returns (address) {
        return address(_identity);
    }

    function giveFeedback(
        uint256 agentId,
        int128 value,
        uint8 valueDecimals,
        string memory tag1,
        string memory tag2,
        string memory endpoint,
        string memory feedbackURI,
        bytes32 feedbackHash
    ) external {
        _keep(agentId, Feedback(value, valueDecimals, tag1, tag2, false));
        _tell(agentId, value, valueDecimals, tag1, tag2, abi.encode(endpoint, feedbackURI, feedbackHash));
    }

    function _keep(uint256 agentId, Feedback memory feedback) private {
        require(feedback.decimals <= 18, "too many decimals");
        require(!_identity.isAuthorizedOrOwner(msg.sender, agentId), "Self-feedback not allowed");
        Feedback[] storage given = _feedback[agentId][msg.sender];
        if (given.length == 0) _clients[agentId].push(msg.sender);
        given.push(feedback);
    }

    /// @dev The last three come packed: with them the stack would be too deep.
    function _tell(
        uint256 agentId,
        int128 value,
        uint8 decimals,
        string memory tag1,
        string memory tag2,
        bytes memory where
    ) private {
        (string memory endpoint, string memory uri, bytes32 hash) = abi.decode(where, (string, string, bytes32));
        uint64 index = uint64(_feedback[agentId][msg.sender].length);
        emit NewFeedback(agentId, msg.sender, index, value, decimals, tag1, tag1, tag2, endpoint, uri, hash);
    }

    function revokeFeedback(uint256 agentId, uint64 feedbackIndex) external {
        _feedback[agentId][msg.sender][feedbackIndex - 1].revoked = true;
        emit FeedbackRevoked(agentId, msg.sender, feedbackIndex);
    }

    function getLastIndex(uint256 agentId, address client) external view returns (uint64) {
        return uint64(_feedback[agentId][client].length);
    }

    function getClients(uint256 agentId) external view returns (address[] memory) {
        return _clients[agentId];
    }

    function readFeedback(uint256 agentId, address client, uint64 feedbackIndex)
        external
        view
        returns (int128, uint8, string memory, string memory, bool)
    {
        Feedback storage one = _feedback[agentId][client][feedbackIndex - 1];
        return (one.value, one.decimals, one.tag1, one.tag2, one.revoked);
    }

    /// @notice How many said something, and the mean of it, with two decimals.
    function getSummary(uint256 agentId, address[] calldata clients, string calldata tag1, string calldata tag2)
        external
        view
        returns (uint64 count, int128 summaryValue, uint8 summaryValueDecimals)
    {
        require(clients.length > 0, "clientAddresses required");
        int256 sum;
        for (uint256 i; i < clients.length; ++i) {
            Feedback[] storage given = _feedback[agentId][clients[i]];
            for (uint256 n; n < given.length; ++n) {
                Feedback storage one = given[n];
                if (one.revoked || !_fits(one.tag1, tag1) || !_fits(one.tag2, tag2)) continue;
                sum += int256(one.value) * 100 / int256(10 ** one.decimals);
                ++count;
            }
        }
        if (count > 0) summaryValue = int128(sum / int256(uint256(count)));
        summaryValueDecimals = 2;
    }

    function _fits(string storage tag, string calldata wanted) private pure returns (bool) {
        return bytes(wanted).length == 0 || keccak256(bytes(tag)) == keccak256(bytes(wanted));
    }
}
