// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {TestUSDC} from "../TestUSDC.sol";
import {TaskEscrow} from "../escrow/TaskEscrow.sol";
import {Test} from "./Test.sol";

/// @notice A tenth of each transfer is lost.
contract LeakyCoin is ERC20("Leaky", "LKY") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from != address(0) && to != address(0)) super._update(to, address(0), value / 10);
    }
}

/// @notice Calls back into the escrow while it pays.
contract CrookedCoin is ERC20("Crooked", "CRK") {
    address target;
    bytes call;

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function setCall(address target_, bytes calldata call_) external {
        (target, call) = (target_, call_);
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from == target && target != address(0)) {
            (bool done,) = target.call(call);
            require(!done, "the escrow was entered twice");
        }
        super._update(from, to, value);
    }
}

/// @notice An escrow, a publisher, a worker and a house whose fee is 5 of 105.
abstract contract Task is Test {
    address constant house = address(0x4005E);
    address constant operator = address(0x09E7);
    address constant publisher = address(0xA11CE);
    address constant worker = address(0xB0B);
    uint120 constant TOTAL = 10.5e6;
    uint256 constant FEE = 0.5e6;

    TestUSDC usdc;
    TaskEscrow escrow;

    function _open() internal {
        vm.warp(1_800_000_000);
        usdc = new TestUSDC();
        usdc.initialize("USD Coin");
        escrow = new TaskEscrow();
    }

    function _info(uint256 salt) internal view returns (TaskEscrow.PaymentInfo memory) {
        return TaskEscrow.PaymentInfo(
            operator,
            publisher,
            worker,
            address(usdc),
            TOTAL,
            uint48(block.timestamp + 1 days),
            uint48(block.timestamp + 30 days),
            uint48(block.timestamp + 30 days),
            0,
            477,
            house,
            salt
        );
    }

    function _pay(TaskEscrow.PaymentInfo memory info) internal {
        usdc.mint(escrow.purseOf(info), info.maxAmount);
    }

    function _held(uint256 salt) internal returns (TaskEscrow.PaymentInfo memory info) {
        info = _info(salt);
        _pay(info);
        vm.prank(info.operator);
        escrow.authorize(info);
    }

    function _capture(TaskEscrow.PaymentInfo memory info, uint256 amount, uint256 fee) internal {
        uint256 capturable = _state(info).capturable;
        vm.prank(info.operator);
        escrow.capture(info, amount, fee, capturable);
    }

    function _state(TaskEscrow.PaymentInfo memory info) internal view returns (TaskEscrow.PaymentState memory) {
        return escrow.stateOf(escrow.getHash(info));
    }
}

contract TaskEscrowTest is Task {
    function setUp() public {
        _open();
    }

    // ---- where the money goes

    function test_a_payment_is_held_and_then_captured_with_its_fee() public {
        TaskEscrow.PaymentInfo memory info = _held(1);
        equal(usdc.balanceOf(address(escrow)), TOTAL, "held");
        equal(usdc.balanceOf(escrow.purseOf(info)), 0, "purse");
        _capture(info, TOTAL, FEE);
        equal(usdc.balanceOf(worker), TOTAL - FEE, "worker");
        equal(usdc.balanceOf(house), FEE, "house");
        require(_state(info).closed);
    }

    function test_parts_are_captured_one_by_one_and_the_rest_goes_back() public {
        TaskEscrow.PaymentInfo memory info = _held(1);
        _capture(info, 2.1e6, 0.1e6);
        _capture(info, 1.05e6, 0.05e6);
        vm.prank(operator);
        escrow.void(info);
        equal(usdc.balanceOf(worker), 3e6, "worker");
        equal(usdc.balanceOf(house), 0.15e6, "house");
        equal(usdc.balanceOf(publisher), TOTAL - 3.15e6, "publisher");
        equal(usdc.balanceOf(address(escrow)), 0, "left");
    }

    function test_a_payment_that_was_not_taken_goes_back_from_its_purse() public {
        TaskEscrow.PaymentInfo memory info = _info(1);
        _pay(info);
        vm.prank(operator);
        escrow.void(info);
        equal(usdc.balanceOf(publisher), TOTAL, "publisher");
        bytes memory refusal = abi.encodeWithSelector(TaskEscrow.Closed.selector, escrow.getHash(info));
        vm.prank(operator);
        vm.expectRevert(refusal);
        escrow.authorize(info);
    }

    function test_what_comes_twice_goes_back() public {
        TaskEscrow.PaymentInfo memory info = _held(1);
        _pay(info);
        escrow.returnExcess(info);
        equal(usdc.balanceOf(publisher), TOTAL, "excess");
        equal(usdc.balanceOf(address(escrow)), TOTAL, "held");
        _capture(info, TOTAL, FEE);
        usdc.mint(escrow.purseOf(info), 7);
        escrow.returnExcess(info);
        equal(usdc.balanceOf(publisher), TOTAL + 7, "excess after the end");
    }

    function test_more_than_is_due_leaves_the_rest_in_the_purse() public {
        TaskEscrow.PaymentInfo memory info = _info(1);
        _pay(info);
        usdc.mint(escrow.purseOf(info), 3);
        vm.prank(operator);
        escrow.authorize(info);
        equal(usdc.balanceOf(address(escrow)), TOTAL, "held");
        escrow.returnExcess(info);
        equal(usdc.balanceOf(publisher), 3, "excess");
    }

    function test_excess_is_not_returned_before_the_payment_was_taken() public {
        TaskEscrow.PaymentInfo memory info = _info(1);
        _pay(info);
        vm.expectRevert(abi.encodeWithSelector(TaskEscrow.NotCollected.selector, escrow.getHash(info)));
        escrow.returnExcess(info);
    }

    function test_a_refund_comes_out_of_the_operators_own_tokens() public {
        TaskEscrow.PaymentInfo memory info = _held(1);
        _capture(info, TOTAL, FEE);
        usdc.mint(operator, TOTAL);
        vm.startPrank(operator);
        usdc.approve(address(escrow), TOTAL);
        escrow.refund(info, 4e6);
        vm.expectRevert(abi.encodeWithSelector(TaskEscrow.BadAmount.selector, TOTAL - 4e6 + 1));
        escrow.refund(info, TOTAL - 4e6 + 1);
        escrow.refund(info, TOTAL - 4e6);
        vm.stopPrank();
        equal(usdc.balanceOf(publisher), TOTAL, "refunded");
        vm.warp(info.refundExpiry);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(TaskEscrow.TooLate.selector, info.refundExpiry));
        escrow.refund(info, 1);
    }

    // ---- when

    function test_the_payer_gets_back_what_is_left_once_the_time_is_over_by_whoever_carries_it() public {
        TaskEscrow.PaymentInfo memory info = _held(1);
        _capture(info, 2.1e6, 0.1e6);
        vm.warp(info.authorizationExpiry - 1);
        vm.expectRevert(abi.encodeWithSelector(TaskEscrow.TooEarly.selector, info.authorizationExpiry));
        escrow.reclaim(info);
        vm.warp(info.authorizationExpiry);
        vm.prank(address(0x5742));
        escrow.reclaim(info);
        equal(usdc.balanceOf(publisher), TOTAL - 2.1e6, "reclaimed");
    }

    function test_after_its_time_nothing_is_captured() public {
        TaskEscrow.PaymentInfo memory info = _held(1);
        vm.warp(info.authorizationExpiry);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(TaskEscrow.TooLate.selector, info.authorizationExpiry));
        escrow.capture(info, 1, 0, TOTAL);
    }

    function test_a_payment_that_nobody_took_is_reclaimed_after_the_first_expiry() public {
        TaskEscrow.PaymentInfo memory info = _info(1);
        _pay(info);
        vm.expectRevert(abi.encodeWithSelector(TaskEscrow.TooEarly.selector, info.preApprovalExpiry));
        escrow.reclaim(info);
        vm.warp(info.preApprovalExpiry);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(TaskEscrow.TooLate.selector, info.preApprovalExpiry));
        escrow.authorize(info);
        escrow.reclaim(info);
        equal(usdc.balanceOf(publisher), TOTAL, "reclaimed");
    }

    function test_nothing_is_given_back_twice() public {
        TaskEscrow.PaymentInfo memory info = _held(1);
        _held(2);
        vm.warp(info.authorizationExpiry);
        escrow.reclaim(info);
        bytes memory refusal = abi.encodeWithSelector(TaskEscrow.Closed.selector, escrow.getHash(info));
        vm.expectRevert(refusal);
        escrow.reclaim(info);
        vm.prank(operator);
        vm.expectRevert(refusal);
        escrow.void(info);
        equal(usdc.balanceOf(address(escrow)), TOTAL, "the other payment");
    }

    function test_a_payment_is_taken_once() public {
        TaskEscrow.PaymentInfo memory info = _held(1);
        _pay(info);
        bytes memory refusal = abi.encodeWithSelector(TaskEscrow.AlreadyCollected.selector, escrow.getHash(info));
        vm.prank(operator);
        vm.expectRevert(refusal);
        escrow.authorize(info);
    }

    function test_a_capture_that_is_carried_out_twice_is_refused() public {
        TaskEscrow.PaymentInfo memory info = _held(1);
        vm.startPrank(operator);
        escrow.capture(info, 2.1e6, 0.1e6, TOTAL);
        vm.expectRevert(abi.encodeWithSelector(TaskEscrow.Unexpected.selector, TOTAL - 2.1e6));
        escrow.capture(info, 2.1e6, 0.1e6, TOTAL);
        vm.stopPrank();
        equal(usdc.balanceOf(worker), 2e6, "worker");
    }

    // ---- by whom

    function testFuzz_only_the_operator_moves_what_is_held(address stranger) public {
        vm.assume(stranger != operator);
        TaskEscrow.PaymentInfo memory info = _held(1);
        TaskEscrow.PaymentInfo memory next = _info(2);
        bytes memory refusal = abi.encodeWithSelector(TaskEscrow.NotOperator.selector, stranger);
        vm.startPrank(stranger);
        vm.expectRevert(refusal);
        escrow.authorize(next);
        vm.expectRevert(refusal);
        escrow.capture(info, 1, 0, TOTAL);
        vm.expectRevert(refusal);
        escrow.void(info);
        vm.expectRevert(refusal);
        escrow.refund(info, 1);
        vm.stopPrank();
    }

    /// Each of the twelve terms: with any other, it is another payment, at another address.
    function test_terms_that_differ_have_nothing_to_do_with_the_payment() public {
        TaskEscrow.PaymentInfo memory held = _held(1);
        for (uint256 field; field < 12; ++field) {
            TaskEscrow.PaymentInfo memory info = _info(1);
            if (field == 0) info.operator = address(0xBAD);
            if (field == 1) info.payer = address(0xBAD);
            if (field == 2) info.receiver = address(0xBAD);
            if (field == 3) info.token = address(new TestUSDC());
            if (field == 4) info.maxAmount -= 1;
            if (field == 5) info.preApprovalExpiry += 1;
            if (field == 6) info.authorizationExpiry -= 1;
            if (field == 7) info.refundExpiry += 1;
            if (field == 8) info.minFeeBps += 1;
            if (field == 9) info.maxFeeBps += 1;
            if (field == 10) info.feeReceiver = address(0xBAD);
            if (field == 11) info.salt += 1;
            require(escrow.purseOf(info) != escrow.purseOf(held), string.concat("same purse ", decimal(field)));
            bytes memory refusal = abi.encodeWithSelector(TaskEscrow.NotCollected.selector, escrow.getHash(info));
            vm.prank(info.operator);
            vm.expectRevert(refusal);
            escrow.capture(info, 1, 0, TOTAL);
            vm.prank(info.operator);
            vm.expectRevert();
            escrow.authorize(info);
        }
        equal(usdc.balanceOf(address(escrow)), TOTAL, "held");
    }

    function test_a_payment_has_another_address_in_another_escrow_and_on_another_chain() public {
        TaskEscrow.PaymentInfo memory info = _info(1);
        address purse = escrow.purseOf(info);
        require(new TaskEscrow().purseOf(info) != purse, "another escrow");
        vm.chainId(10);
        require(escrow.purseOf(info) != purse, "another chain");
    }

    // ---- how much

    function testFuzz_the_fee_stays_within_its_bounds(uint256 amount, uint256 fee, uint256 minimum, uint256 maximum)
        public
    {
        amount = bound(amount, 1, TOTAL);
        fee = bound(fee, 0, amount);
        TaskEscrow.PaymentInfo memory info = _info(1);
        info.maxFeeBps = uint16(bound(maximum, 0, 10_000));
        info.minFeeBps = uint16(bound(minimum, 0, info.maxFeeBps));
        _pay(info);
        vm.prank(operator);
        escrow.authorize(info);
        bool isAllowed = fee * 10_000 < amount * info.maxFeeBps + 10_000 && (fee + 1) * 10_000 > amount * info.minFeeBps;
        vm.prank(operator);
        if (!isAllowed) vm.expectRevert(abi.encodeWithSelector(TaskEscrow.BadFee.selector, fee));
        escrow.capture(info, amount, fee, TOTAL);
        equal(usdc.balanceOf(house), isAllowed ? fee : 0, "fee");
    }

    function test_the_fees_of_many_parts_stay_within_the_bound_of_the_whole() public {
        TaskEscrow.PaymentInfo memory info = _held(1);
        uint256 fees;
        for (uint256 i; i < 10; ++i) {
            uint256 most = ((i + 1) * 477 + 9_999) / 10_000 - fees;
            vm.prank(operator);
            vm.expectRevert(abi.encodeWithSelector(TaskEscrow.BadFee.selector, 1 + most));
            escrow.capture(info, 1, 1 + most, TOTAL - i);
            if (most > 1) most = 1;
            _capture(info, 1, most);
            fees += most;
        }
        equal(fees, 1, "fees of ten units");
    }

    function testFuzz_no_more_than_is_held_is_captured(uint256 amount) public {
        TaskEscrow.PaymentInfo memory info = _held(1);
        _held(2);
        amount = bound(amount, uint256(TOTAL) + 1, type(uint256).max);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(TaskEscrow.BadAmount.selector, amount));
        escrow.capture(info, amount, 0, TOTAL);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(TaskEscrow.BadAmount.selector, 0));
        escrow.capture(info, 0, 0, TOTAL);
    }

    function testFuzz_too_little_is_not_taken(uint256 amount) public {
        TaskEscrow.PaymentInfo memory info = _info(1);
        amount = bound(amount, 0, TOTAL - 1);
        usdc.mint(escrow.purseOf(info), amount);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(TaskEscrow.TooLittle.selector, amount));
        escrow.authorize(info);
        vm.warp(info.preApprovalExpiry);
        escrow.reclaim(info);
        equal(usdc.balanceOf(publisher), amount, "reclaimed");
    }

    function test_terms_that_make_no_sense_are_refused() public {
        for (uint256 field; field < 8; ++field) {
            TaskEscrow.PaymentInfo memory info = _info(1);
            if (field == 0) info.payer = address(0);
            if (field == 1) info.receiver = address(0);
            if (field == 2) info.feeReceiver = address(0);
            if (field == 3) info.maxAmount = 0;
            if (field == 4) info.preApprovalExpiry = info.authorizationExpiry + 1;
            if (field == 5) info.refundExpiry = info.authorizationExpiry - 1;
            if (field == 6) info.minFeeBps = info.maxFeeBps + 1;
            if (field == 7) info.maxFeeBps = 10_001;
            _pay(info);
            vm.prank(operator);
            vm.expectRevert(TaskEscrow.BadInfo.selector);
            escrow.authorize(info);
        }
    }

    // ---- tokens that misbehave

    function test_a_token_that_keeps_a_part_of_each_transfer_is_refused() public {
        LeakyCoin coin = new LeakyCoin();
        TaskEscrow.PaymentInfo memory info = _info(1);
        info.token = address(coin);
        coin.mint(escrow.purseOf(info), TOTAL);
        vm.prank(operator);
        vm.expectPartialRevert(TaskEscrow.TooLittle.selector);
        escrow.authorize(info);
    }

    function test_a_token_that_calls_back_gets_nothing_twice() public {
        CrookedCoin coin = new CrookedCoin();
        TaskEscrow.PaymentInfo memory info = _info(1);
        info.token = address(coin);
        coin.mint(escrow.purseOf(info), TOTAL);
        vm.prank(operator);
        escrow.authorize(info);
        coin.setCall(address(escrow), abi.encodeCall(TaskEscrow.reclaim, (info)));
        vm.warp(info.authorizationExpiry);
        escrow.reclaim(info);
        equal(coin.balanceOf(publisher), TOTAL, "reclaimed");
    }
}

/// @notice A walk over payments of four publishers: each is made, taken, captured in parts, given back and reclaimed, in any
/// order and at any time.
contract EscrowWalk is Task {
    TaskEscrow.PaymentInfo[] infos;
    mapping(uint256 => uint256) public paidIn;
    mapping(uint256 => uint256) public received;
    mapping(uint256 => uint256) public fees;
    mapping(uint256 => uint256) public returned;

    constructor() {
        _open();
    }

    function count() external view returns (uint256) {
        return infos.length;
    }

    function at(uint256 n) external view returns (TaskEscrow.PaymentInfo memory) {
        return infos[n];
    }

    function taskEscrow() external view returns (TaskEscrow) {
        return escrow;
    }

    function token() external view returns (TestUSDC) {
        return usdc;
    }

    function publish(uint256 who, uint256 amount) external {
        TaskEscrow.PaymentInfo memory info = _info(infos.length);
        info.payer = address(uint160(0x1000 + who % 4));
        info.receiver = address(uint160(0x2000 + infos.length));
        info.maxAmount = uint120(bound(amount, 1, 1_000e6));
        infos.push(info);
    }

    function pay(uint256 n, uint256 extra) external {
        if (infos.length == 0) return;
        n %= infos.length;
        uint256 value = infos[n].maxAmount + extra % 3;
        usdc.mint(escrow.purseOf(infos[n]), value);
        paidIn[n] += value;
    }

    function authorize(uint256 n) external {
        if (infos.length == 0) return;
        n %= infos.length;
        vm.prank(operator);
        try escrow.authorize(infos[n]) {} catch {}
    }

    function capture(uint256 n, uint256 amount, uint256 fee) external {
        if (infos.length == 0) return;
        n %= infos.length;
        uint256 capturable = _state(infos[n]).capturable;
        amount = bound(amount, 0, capturable);
        fee = amount == 0 ? 0 : fee % (amount / 15 + 1);
        vm.prank(operator);
        try escrow.capture(infos[n], amount, fee, capturable) {
            received[n] += amount - fee;
            fees[n] += fee;
        } catch {}
    }

    function void(uint256 n) external {
        if (infos.length == 0) return;
        n %= infos.length;
        _returning(n);
        vm.prank(operator);
        try escrow.void(infos[n]) {} catch {}
        _returned(n);
    }

    function reclaim(uint256 n) external {
        if (infos.length == 0) return;
        n %= infos.length;
        _returning(n);
        try escrow.reclaim(infos[n]) {} catch {}
        _returned(n);
    }

    function returnExcess(uint256 n) external {
        if (infos.length == 0) return;
        n %= infos.length;
        _returning(n);
        try escrow.returnExcess(infos[n]) {} catch {}
        _returned(n);
    }

    function wait(uint256 time) external {
        vm.warp(block.timestamp + time % 3 days);
    }

    uint256 private before;

    function _returning(uint256 n) private {
        before = usdc.balanceOf(infos[n].payer);
    }

    function _returned(uint256 n) private {
        returned[n] += usdc.balanceOf(infos[n].payer) - before;
    }
}

/// @notice What holds after every step of every walk.
/// forge-config: stress.invariant.runs = 3400
contract TaskEscrowInvariants is Test {
    EscrowWalk walk;

    function setUp() public {
        walk = new EscrowWalk();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(walk);
    }

    function invariant_each_payment_is_received_kept_as_fee_returned_or_still_there() public view {
        TaskEscrow escrow = walk.taskEscrow();
        for (uint256 n; n < walk.count(); ++n) {
            TaskEscrow.PaymentInfo memory info = walk.at(n);
            TaskEscrow.PaymentState memory state = escrow.stateOf(escrow.getHash(info));
            uint256 there = state.capturable + walk.token().balanceOf(escrow.purseOf(info));
            equal(walk.received(n) + walk.fees(n) + walk.returned(n) + there, walk.paidIn(n), "payment");
            equal(state.captured, walk.received(n) + walk.fees(n), "captured");
            equal(state.fees, walk.fees(n), "fees");
            equal(walk.token().balanceOf(info.receiver), walk.received(n), "receiver");
            atMost(state.fees * 10_000, uint256(state.captured) * info.maxFeeBps + 9_999, "fee");
        }
    }

    function invariant_the_escrow_holds_what_can_be_captured_and_no_more() public view {
        TaskEscrow escrow = walk.taskEscrow();
        uint256 capturable;
        for (uint256 n; n < walk.count(); ++n) capturable += escrow.stateOf(escrow.getHash(walk.at(n))).capturable;
        equal(walk.token().balanceOf(address(escrow)), capturable, "held");
    }

    function invariant_each_payer_can_leave_once_the_time_is_over() public {
        TaskEscrow escrow = walk.taskEscrow();
        vm.warp(block.timestamp + 400 days);
        for (uint256 n; n < walk.count(); ++n) {
            TaskEscrow.PaymentInfo memory info = walk.at(n);
            if (!escrow.stateOf(escrow.getHash(info)).closed) escrow.reclaim(info);
            escrow.returnExcess(info);
            equal(walk.token().balanceOf(escrow.purseOf(info)), 0, "purse");
        }
        equal(walk.token().balanceOf(address(escrow)), 0, "left");
    }
}

/// forge-config: default.isolate = true
contract TaskEscrowGasUse is Task {
    function setUp() public {
        _open();
    }

    function test_gas_of_a_task_that_is_approved() public {
        _capture(_held(0), TOTAL, FEE);
        TaskEscrow.PaymentInfo memory info = _info(1);
        _pay(info);
        vm.prank(operator);
        escrow.authorize(info);
        vm.snapshotGasLastCall("TaskEscrow", "authorize");
        _capture(info, 2.1e6, 0.1e6);
        vm.snapshotGasLastCall("TaskEscrow", "capture, a part");
        _capture(info, TOTAL - 2.1e6, FEE - 0.1e6);
        vm.snapshotGasLastCall("TaskEscrow", "capture, the rest");
    }

    function test_gas_of_a_task_that_is_cancelled() public {
        TaskEscrow.PaymentInfo memory info = _held(1);
        vm.prank(operator);
        escrow.void(info);
        vm.snapshotGasLastCall("TaskEscrow", "void");
        info = _held(2);
        vm.warp(info.authorizationExpiry);
        escrow.reclaim(info);
        vm.snapshotGasLastCall("TaskEscrow", "reclaim");
    }
}
