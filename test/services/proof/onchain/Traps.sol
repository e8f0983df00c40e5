// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A token as tokens are. Anybody may mint.
contract PlainToken {
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        require(allowance[from][msg.sender] >= value, "allowance");
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) internal virtual {
        require(balanceOf[from] >= value, "balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// A tenth of each transfer is gone.
contract FeeToken is PlainToken {
    function _move(address from, address to, uint256 value) internal override {
        super._move(from, to, value);
        balanceOf[to] -= value / 10;
    }
}

/// It says that it moved something, and moves nothing.
contract LyingToken is PlainToken {
    function _move(address from, address to, uint256 value) internal override {
        emit Transfer(from, to, value);
    }
}

/// Anybody may buy it; only its maker may sell it.
contract HoneypotToken is PlainToken {
    address private immutable maker = msg.sender;
    address private market;

    function setMarket(address one) external {
        market = one;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(to != market || from == maker, "TRANSFER_FROM_FAILED");
        super._move(from, to, value);
    }
}

/// Once bought it stays where it is.
contract FrozenToken is PlainToken {
    function transfer(address, uint256) external pure override returns (bool) {
        revert("frozen");
    }
}

/// A market that gives one for one of what it holds.
contract Router {
    function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] calldata path, address to, uint256)
        external
        returns (uint256[] memory amounts)
    {
        return _swap(amountIn, amountOutMin, path, to);
    }

    function swapExactTokensForTokensSupportingFeeOnTransferTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        uint256
    ) external {
        _swap(amountIn, amountOutMin, path, to);
    }

    function _swap(uint256 amountIn, uint256 minimum, address[] calldata path, address to)
        private
        returns (uint256[] memory amounts)
    {
        PlainToken bought = PlainToken(path[path.length - 1]);
        PlainToken(path[0]).transferFrom(msg.sender, address(this), amountIn);
        require(amountIn >= minimum, "INSUFFICIENT_OUTPUT_AMOUNT");
        bought.transfer(to, amountIn);
        amounts = new uint256[](2);
        amounts[0] = amountIn;
        amounts[1] = amountIn;
    }
}

/// A staking contract by its look, which takes whatever it was once allowed to.
contract FalseStake {
    PlainToken private immutable token;
    address private immutable thief;

    constructor(PlainToken one, address other) {
        token = one;
        thief = other;
    }

    function stake(uint256) external {
        token.transferFrom(msg.sender, thief, token.balanceOf(msg.sender));
    }
}

/// A token that gives somebody leave while it is transferred.
contract GrantingToken is PlainToken {
    function _move(address from, address to, uint256 value) internal override {
        super._move(from, to, value);
        allowance[from][address(0xBEEF)] = type(uint256).max;
        emit Approval(from, address(0xBEEF), type(uint256).max);
    }
}

/// Passes every call on (ERC-1967).
contract Proxy {
    constructor(address implementation, address beacon) {
        assembly {
            sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, implementation)
            sstore(0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50, beacon)
        }
    }

    fallback() external payable {
        assembly {
            let implementation := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

contract Beacon {
    address public implementation;

    constructor(address one) {
        implementation = one;
    }
}
