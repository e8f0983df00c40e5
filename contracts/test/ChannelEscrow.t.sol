// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ChannelEscrow} from "../channel/ChannelEscrow.sol";
import {TestUSDC} from "../TestUSDC.sol";
import {Test} from "./Test.sol";

/// @notice A smart account that a key owns (ERC-1271); it approves and asks as it is told.
contract TestSmartAccount {
    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        (bytes32 r, bytes32 s, uint8 v) =
            (bytes32(signature[0:32]), bytes32(signature[32:64]), uint8(signature[64]));
        return ecrecover(digest, v, r, s) == owner ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    function run(address to, bytes calldata data) external {
        (bool done,) = to.call(data);
        require(done, "refused");
    }
}

/// @notice An escrow, a payer with money, and a payee.
abstract contract Channels is Test {
    struct Opening {
        address from;
        address to;
        uint128 deposit;
        bytes32 salt;
        bytes32 nonce;
        bytes signature;
    }

    uint256 constant ALICE = 0xA11CE;
    uint256 constant BOB = 0xB0B;
    uint256 constant DELEGATE = 0xDE1E;
    address constant payee = address(0x9A7EE);
    bytes32 constant SALT = "salt";
    bytes32 constant RECEIVE = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );

    TestUSDC usdc;
    ChannelEscrow escrow;
    address alice = vm.addr(ALICE);
    address bob = vm.addr(BOB);

    function setUp() public virtual {
        vm.warp(1_800_000_000);
        usdc = new TestUSDC();
        usdc.initialize("USD Coin");
        escrow = new ChannelEscrow();
        usdc.mint(alice, 1_000e6);
        usdc.mint(bob, 1_000e6);
        vm.prank(alice);
        usdc.approve(address(escrow), type(uint256).max);
    }

    function _open(uint128 deposit, bytes32 salt, address signer) internal returns (bytes32) {
        vm.prank(alice);
        return escrow.open(payee, address(usdc), deposit, salt, signer);
    }

    function _open(uint128 deposit) internal returns (bytes32) {
        return _open(deposit, SALT, address(0));
    }

    function _voucher(uint256 key, bytes32 id, uint128 amount) internal view returns (bytes memory) {
        return signed(key, escrow.getVoucherDigest(id, amount));
    }

    function _authorization(uint256 key, uint256 value, bytes32 nonce) internal view returns (bytes memory) {
        bytes32 content = keccak256(
            abi.encode(RECEIVE, vm.addr(key), address(escrow), value, 0, type(uint256).max, nonce)
        );
        return signed(key, keccak256(abi.encodePacked("\x19\x01", usdc.DOMAIN_SEPARATOR(), content)));
    }

    function _opening(uint256 key, uint128 deposit, bytes32 salt) internal view returns (Opening memory opening) {
        address from = vm.addr(key);
        bytes32 nonce = keccak256(abi.encode(from, payee, address(usdc), salt, address(0)));
        opening = Opening(from, payee, deposit, salt, nonce, _authorization(key, deposit, nonce));
    }

    function _relay(Opening memory opening) internal returns (bytes32) {
        return escrow.openWithAuthorization(
            opening.to,
            address(usdc),
            opening.deposit,
            opening.salt,
            address(0),
            opening.from,
            0,
            type(uint256).max,
            opening.nonce,
            opening.signature
        );
    }

    function _openBySignature(uint256 key, uint128 deposit, bytes32 salt) internal returns (bytes32) {
        return _relay(_opening(key, deposit, salt));
    }

    function _topUpBySignature(uint256 key, bytes32 id, uint128 amount, bytes32 salt) internal {
        bytes32 nonce = keccak256(abi.encode(id, amount, vm.addr(key), salt));
        bytes memory signature = _authorization(key, amount, nonce);
        escrow.topUpWithAuthorization(id, amount, vm.addr(key), salt, 0, type(uint256).max, nonce, signature);
    }

    function _settle(bytes32 id, uint128 amount) internal {
        bytes memory voucher = _voucher(ALICE, id, amount);
        vm.prank(payee);
        escrow.settle(id, amount, voucher);
    }

    function _close(bytes32 id, uint128 amount) internal {
        bytes memory voucher = _voucher(ALICE, id, amount);
        vm.prank(payee);
        escrow.close(id, amount, voucher);
    }

    function _channel(bytes32 id) internal view returns (ChannelEscrow.Channel memory channel) {
        (
            channel.payer,
            channel.payee,
            channel.token,
            channel.authorizedSigner,
            channel.deposit,
            channel.settled,
            channel.closeRequestedAt,
            channel.finalized
        ) = escrow.channels(id);
    }
}

contract ChannelEscrowTest is Channels {
    function test_the_voucher_domain_is_that_of_the_draft() public {
        bytes32 id = _open(10e6);
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("EVM Payment Channel"),
                keccak256("1"),
                block.chainid,
                address(escrow)
            )
        );
        bytes32 content =
            keccak256(abi.encode(keccak256("Voucher(bytes32 channelId,uint128 cumulativeAmount)"), id, uint128(7)));
        require(
            escrow.getVoucherDigest(id, 7) == keccak256(abi.encodePacked("\x19\x01", domain, content)), "digest"
        );
        require(
            id
                == keccak256(
                    abi.encode(
                        alice, payee, address(usdc), SALT, address(0), address(escrow), block.chainid
                    )
                ),
            "id"
        );
        vm.chainId(42161);
        require(escrow.getVoucherDigest(id, 7) != keccak256(abi.encodePacked("\x19\x01", domain, content)), "chain");
    }

    function test_opens_settles_and_closes() public {
        bytes32 id = _open(10e6);
        _settle(id, 2e6);
        equal(usdc.balanceOf(payee), 2e6, "payee");
        _close(id, 3e6);
        equal(usdc.balanceOf(payee), 3e6, "payee");
        equal(usdc.balanceOf(alice), 997e6, "payer");
        equal(usdc.balanceOf(address(escrow)), 0, "escrow");
        require(_channel(id).finalized, "finalized");
    }

    function test_a_relayed_opening_is_good_for_its_channel_only() public {
        Opening memory opening = _opening(ALICE, 10e6, SALT);
        opening.to = bob;
        vm.expectRevert(ChannelEscrow.NonceMismatch.selector);
        _relay(opening);
        (opening.to, opening.salt) = (payee, "other");
        vm.expectRevert(ChannelEscrow.NonceMismatch.selector);
        _relay(opening);
        (opening.salt, opening.deposit) = (SALT, 9e6);
        vm.expectRevert();
        _relay(opening);
        opening.deposit = 10e6;
        bytes32 id = _relay(opening);
        require(_channel(id).payer == alice, "payer");
        vm.expectRevert(ChannelEscrow.ChannelAlreadyExists.selector);
        _relay(opening);
    }

    function test_a_closed_channel_is_never_opened_again() public {
        bytes32 id = _open(10e6);
        _close(id, 4e6);
        vm.prank(alice);
        vm.expectRevert(ChannelEscrow.ChannelAlreadyExists.selector);
        escrow.open(payee, address(usdc), 10e6, SALT, address(0));
        bytes memory voucher = _voucher(ALICE, id, 5e6);
        vm.startPrank(payee);
        vm.expectRevert(ChannelEscrow.ChannelFinalized.selector);
        escrow.settle(id, 5e6, voucher);
        vm.expectRevert(ChannelEscrow.ChannelFinalized.selector);
        escrow.close(id, 5e6, voucher);
        vm.stopPrank();
        vm.startPrank(alice);
        vm.expectRevert(ChannelEscrow.ChannelFinalized.selector);
        escrow.requestClose(id);
        vm.expectRevert(ChannelEscrow.ChannelFinalized.selector);
        escrow.withdraw(id);
        vm.expectRevert(ChannelEscrow.ChannelFinalized.selector);
        escrow.topUp(id, 1);
        vm.stopPrank();
    }

    function test_only_the_payee_settles_and_closes_and_only_the_payer_asks_back() public {
        bytes32 id = _open(10e6);
        bytes memory voucher = _voucher(ALICE, id, 1e6);
        vm.startPrank(bob);
        vm.expectRevert(ChannelEscrow.NotPayee.selector);
        escrow.settle(id, 1e6, voucher);
        vm.expectRevert(ChannelEscrow.NotPayee.selector);
        escrow.close(id, 1e6, voucher);
        vm.expectRevert(ChannelEscrow.NotPayer.selector);
        escrow.requestClose(id);
        vm.expectRevert(ChannelEscrow.NotPayer.selector);
        escrow.withdraw(id);
        vm.expectRevert(ChannelEscrow.NotPayer.selector);
        escrow.topUp(id, 1);
        vm.stopPrank();
    }

    function test_what_is_no_voucher_of_the_payer_is_refused() public {
        bytes32 id = _open(10e6);
        bytes32 other = _open(10e6, "other", address(0));
        bytes memory good = _voucher(ALICE, id, 1e6);
        bytes memory strange = _voucher(BOB, id, 1e6);
        bytes memory foreign = _voucher(ALICE, other, 1e6);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(ALICE, escrow.getVoucherDigest(id, 1e6));
        uint256 order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
        bytes memory high = abi.encodePacked(r, bytes32(order - uint256(s)), v == 27 ? uint8(28) : uint8(27));
        vm.startPrank(payee);
        vm.expectRevert(ChannelEscrow.InvalidSignature.selector);
        escrow.settle(id, 1e6, strange);
        vm.expectRevert(ChannelEscrow.InvalidSignature.selector);
        escrow.settle(id, 1e6, foreign);
        vm.expectRevert(ChannelEscrow.InvalidSignature.selector);
        escrow.settle(id, 1e6, high);
        vm.expectRevert(ChannelEscrow.InvalidSignature.selector);
        escrow.settle(id, 2e6, good);
        vm.expectRevert(ChannelEscrow.InvalidSignature.selector);
        escrow.settle(id, 1e6, "");
        escrow.settle(id, 1e6, good);
        vm.expectRevert(ChannelEscrow.AmountNotIncreasing.selector);
        escrow.settle(id, 1e6, good);
        vm.stopPrank();
        bytes memory more = _voucher(ALICE, id, 11e6);
        vm.startPrank(payee);
        vm.expectRevert(ChannelEscrow.AmountExceedsDeposit.selector);
        escrow.settle(id, 11e6, more);
        vm.expectRevert(ChannelEscrow.AmountExceedsDeposit.selector);
        escrow.close(id, 11e6, more);
        vm.stopPrank();
    }

    function test_vouchers_of_another_chain_are_worthless() public {
        bytes32 id = _open(10e6);
        vm.chainId(10);
        bytes memory voucher = _voucher(ALICE, id, 1e6);
        vm.chainId(31337);
        vm.prank(payee);
        vm.expectRevert(ChannelEscrow.InvalidSignature.selector);
        escrow.settle(id, 1e6, voucher);
    }

    function test_a_delegate_signs_in_the_place_of_the_payer() public {
        bytes32 id = _open(10e6, SALT, vm.addr(DELEGATE));
        bytes memory own = _voucher(ALICE, id, 1e6);
        bytes memory delegated = _voucher(DELEGATE, id, 1e6);
        vm.startPrank(payee);
        vm.expectRevert(ChannelEscrow.InvalidSignature.selector);
        escrow.settle(id, 1e6, own);
        escrow.settle(id, 1e6, delegated);
        vm.stopPrank();
    }

    function test_a_smart_account_opens_pays_and_gets_its_rest_back() public {
        TestSmartAccount account = new TestSmartAccount(bob);
        usdc.mint(address(account), 10e6);
        account.run(address(usdc), abi.encodeCall(usdc.approve, (address(escrow), 10e6)));
        account.run(
            address(escrow), abi.encodeCall(escrow.open, (payee, address(usdc), 10e6, SALT, address(0)))
        );
        bytes32 id = escrow.computeChannelId(address(account), payee, address(usdc), SALT, address(0));
        bytes memory good = _voucher(BOB, id, 4e6);
        bytes memory strange = _voucher(ALICE, id, 4e6);
        vm.startPrank(payee);
        vm.expectRevert(ChannelEscrow.InvalidSignature.selector);
        escrow.close(id, 4e6, strange);
        escrow.close(id, 4e6, good);
        vm.stopPrank();
        equal(usdc.balanceOf(address(account)), 6e6, "rest");
    }

    function test_a_signer_whose_code_answers_nonsense_signs_nothing() public {
        bytes32 id = _open(10e6, SALT, address(usdc));
        bytes memory voucher = _voucher(ALICE, id, 1e6);
        vm.prank(payee);
        vm.expectRevert(ChannelEscrow.InvalidSignature.selector);
        escrow.settle(id, 1e6, voucher);
    }

    function test_a_key_signs_also_where_its_account_runs_code_of_others() public {
        bytes32 id = _open(10e6);
        vm.etch(alice, hex"ef0100000000000000000000000000000000000000beef");
        _settle(id, 1e6);
        equal(usdc.balanceOf(payee), 1e6, "payee");
    }

    function test_the_payer_leaves_without_the_payee_after_its_time() public {
        bytes32 id = _open(10e6);
        vm.startPrank(alice);
        vm.expectRevert(ChannelEscrow.CloseNotReady.selector);
        escrow.withdraw(id);
        escrow.requestClose(id);
        vm.warp(block.timestamp + 15 minutes - 1);
        escrow.requestClose(id);
        vm.expectRevert(ChannelEscrow.CloseNotReady.selector);
        escrow.withdraw(id);
        vm.stopPrank();
        _settle(id, 4e6);
        vm.warp(block.timestamp + 1);
        vm.prank(alice);
        escrow.withdraw(id);
        equal(usdc.balanceOf(alice), 996e6, "payer");
        equal(usdc.balanceOf(payee), 4e6, "payee");
    }

    function test_money_of_the_payer_takes_back_its_request_and_that_of_others_does_not() public {
        bytes32 id = _open(10e6);
        vm.prank(alice);
        escrow.requestClose(id);
        _topUpBySignature(BOB, id, 1, "dust");
        require(_channel(id).closeRequestedAt > 0, "a stranger took the request back");
        _topUpBySignature(ALICE, id, 1e6, "more");
        equal(_channel(id).closeRequestedAt, 0, "request");
        vm.startPrank(alice);
        escrow.requestClose(id);
        escrow.topUp(id, 2e6);
        vm.expectRevert(ChannelEscrow.CloseNotReady.selector);
        escrow.withdraw(id);
        vm.stopPrank();
        equal(_channel(id).deposit, 13e6 + 1, "deposit");
    }

    function test_a_top_up_is_good_for_its_channel_once() public {
        bytes32 id = _open(10e6);
        bytes32 other = _open(10e6, "other", address(0));
        bytes32 nonce = keccak256(abi.encode(id, uint128(1e6), bob, SALT));
        bytes memory signature = _authorization(BOB, 1e6, nonce);
        vm.expectRevert(ChannelEscrow.NonceMismatch.selector);
        escrow.topUpWithAuthorization(other, 1e6, bob, SALT, 0, type(uint256).max, nonce, signature);
        escrow.topUpWithAuthorization(id, 1e6, bob, SALT, 0, type(uint256).max, nonce, signature);
        vm.expectRevert();
        escrow.topUpWithAuthorization(id, 1e6, bob, SALT, 0, type(uint256).max, nonce, signature);
        equal(_channel(id).deposit, 11e6, "deposit");
    }

    function test_nothing_and_too_much_are_refused() public {
        vm.startPrank(alice);
        vm.expectRevert(ChannelEscrow.ZeroDeposit.selector);
        escrow.open(payee, address(usdc), 0, SALT, address(0));
        bytes32 id = escrow.open(payee, address(usdc), 1, SALT, address(0));
        vm.expectRevert(ChannelEscrow.ZeroDeposit.selector);
        escrow.topUp(id, 0);
        vm.expectRevert(ChannelEscrow.DepositOverflow.selector);
        escrow.topUp(id, type(uint128).max);
        vm.expectRevert(ChannelEscrow.ChannelNotFound.selector);
        escrow.topUp("none", 1);
        vm.stopPrank();
    }

    function test_a_token_that_gives_less_than_it_says_is_refused() public {
        vm.mockCall(
            address(usdc), abi.encodeCall(usdc.transferFrom, (alice, address(escrow), 10e6)), abi.encode(true)
        );
        vm.prank(alice);
        vm.expectRevert(ChannelEscrow.WrongDeposit.selector);
        escrow.open(payee, address(usdc), 10e6, SALT, address(0));
    }

    function test_the_payee_gives_up_vouchers_without_a_signature() public {
        bytes32 id = _open(10e6);
        _settle(id, 2e6);
        vm.prank(payee);
        escrow.close(id, 0, "");
        equal(usdc.balanceOf(payee), 2e6, "payee");
        equal(usdc.balanceOf(alice), 998e6, "payer");
    }

    function test_any_amounts_add_up(uint128 deposit, uint128 first, uint128 last, uint128 added) public {
        deposit = uint128(bound(deposit, 1, 500e6));
        added = uint128(bound(added, 1, 400e6));
        first = uint128(bound(first, 1, deposit));
        last = uint128(bound(last, 0, deposit + added));
        bytes32 id = _open(deposit);
        _settle(id, first);
        _topUpBySignature(BOB, id, added, "more");
        _close(id, last);
        uint128 paid = last > first ? last : first;
        equal(usdc.balanceOf(payee), paid, "payee");
        equal(usdc.balanceOf(alice), 1_000e6 - deposit + (deposit + added - paid), "payer");
        equal(usdc.balanceOf(address(escrow)), 0, "escrow");
    }

    function test_no_other_signature_pays(uint128 amount, bytes32 r, bytes32 s, uint8 v) public {
        bytes32 id = _open(10e6);
        amount = uint128(bound(amount, 1, 10e6));
        vm.prank(payee);
        vm.expectRevert(ChannelEscrow.InvalidSignature.selector);
        escrow.settle(id, amount, abi.encodePacked(r, s, v));
    }
}

/// @notice Somebody who does whatever may be done, in any order, with three channels.
contract ChannelWalk is Channels {
    struct Account {
        uint128 deposited;
        uint128 refunded;
        uint128 paid;
    }

    bytes32[] public ids;
    mapping(bytes32 id => Account) public accounts;
    uint256 salts;

    constructor() {
        setUp();
        usdc.mint(alice, 1_000_000e6);
    }

    /// Not a step of the walk.
    function setUp() public override {
        if (address(escrow) == address(0)) super.setUp();
    }

    function count() external view returns (uint256) {
        return ids.length;
    }

    function theEscrow() external view returns (ChannelEscrow) {
        return escrow;
    }

    function token() external view returns (TestUSDC) {
        return usdc;
    }

    function open(uint128 deposit, bool bySignature) external {
        if (ids.length == 3) return;
        deposit = uint128(bound(deposit, 1, 1_000e6));
        bytes32 salt = bytes32(++salts);
        bytes32 id =
            bySignature ? _openBySignature(ALICE, deposit, salt) : _open(deposit, salt, address(0));
        ids.push(id);
        accounts[id].deposited = deposit;
    }

    function topUp(uint256 which, uint128 amount) external {
        if (ids.length == 0) return;
        bytes32 id = ids[which % ids.length];
        if (_channel(id).finalized) return;
        amount = uint128(bound(amount, 1, 100e6));
        _topUpBySignature(ALICE, id, amount, bytes32(++salts));
        accounts[id].deposited += amount;
    }

    function settle(uint256 which, uint128 amount) external {
        if (ids.length == 0) return;
        bytes32 id = ids[which % ids.length];
        ChannelEscrow.Channel memory channel = _channel(id);
        if (channel.finalized || channel.settled == channel.deposit) return;
        amount = uint128(bound(amount, channel.settled + 1, channel.deposit));
        uint256 before = usdc.balanceOf(payee);
        _settle(id, amount);
        accounts[id].paid += uint128(usdc.balanceOf(payee) - before);
    }

    function close(uint256 which, uint128 amount) external {
        if (ids.length == 0) return;
        bytes32 id = ids[which % ids.length];
        ChannelEscrow.Channel memory channel = _channel(id);
        if (channel.finalized) return;
        amount = uint128(bound(amount, 0, channel.deposit));
        (uint256 ofPayee, uint256 ofPayer) = (usdc.balanceOf(payee), usdc.balanceOf(alice));
        _close(id, amount);
        accounts[id].paid += uint128(usdc.balanceOf(payee) - ofPayee);
        accounts[id].refunded += uint128(usdc.balanceOf(alice) - ofPayer);
    }

    function withdraw(uint256 which, uint256 wait) external {
        if (ids.length == 0) return;
        bytes32 id = ids[which % ids.length];
        if (_channel(id).finalized) return;
        uint256 before = usdc.balanceOf(alice);
        vm.prank(alice);
        escrow.requestClose(id);
        vm.warp(block.timestamp + bound(wait, 0, 30 minutes));
        bool isDue = block.timestamp >= _channel(id).closeRequestedAt + 15 minutes;
        vm.prank(alice);
        try escrow.withdraw(id) {
            require(isDue, "left too early");
            accounts[id].refunded += uint128(usdc.balanceOf(alice) - before);
        } catch {
            require(!isDue, "could not leave");
        }
    }
}

/// forge-config: stress.invariant.runs = 10000
contract ChannelEscrowInvariants is Test {
    ChannelWalk walk;

    function setUp() public {
        walk = new ChannelWalk();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(walk);
    }

    function invariant_what_was_deposited_was_paid_returned_or_is_there() public view {
        uint256 held;
        for (uint256 i; i < walk.count(); ++i) {
            bytes32 id = walk.ids(i);
            (uint128 deposited, uint128 refunded, uint128 paid) = walk.accounts(id);
            (,,,, uint128 deposit, uint128 settled,, bool finalized) = walk.theEscrow().channels(id);
            equal(deposit, deposited, "deposit");
            equal(settled, paid, "settled");
            if (finalized) equal(deposited, uint256(paid) + refunded, "paid and returned");
            else held += deposit - settled;
        }
        equal(walk.token().balanceOf(address(walk.theEscrow())), held, "held");
    }
}

/// forge-config: default.isolate = true
contract ChannelEscrowGasUse is Channels {
    function test_gas_of_a_channel() public {
        bytes32 id = _open(10e6);
        vm.snapshotGasLastCall("ChannelEscrow", "open");
        _openBySignature(ALICE, 10e6, "relayed");
        vm.snapshotGasLastCall("ChannelEscrow", "open, by a signature");
        _topUpBySignature(ALICE, id, 1e6, "more");
        vm.snapshotGasLastCall("ChannelEscrow", "top up, by a signature");
        _settle(id, 1e6);
        vm.snapshotGasLastCall("ChannelEscrow", "settle, first payment of a payee");
        _close(id, 3e6);
        vm.snapshotGasLastCall("ChannelEscrow", "close");
    }
}
