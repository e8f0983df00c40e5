// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {TestUSDC} from "../TestUSDC.sol";
import {ITokenMessengerV2, ITokenMessengerWithFees} from "../bridge/Cctp.sol";
import {Delivery} from "../bridge/Delivery.sol";
import {StablecoinBridge} from "../bridge/StablecoinBridge.sol";
import {Lane} from "./Lane.sol";
import {Test, Vm} from "./Test.sol";

/// @notice How a lane must not finish: a used nonce, a signature and enough money, as if they were a delivery.
contract CredulousBridge {
    TestUSDC immutable usdc;
    ITokenMessengerV2 immutable messenger;

    constructor(TestUSDC usdc_, ITokenMessengerV2 messenger_) {
        (usdc, messenger) = (usdc_, messenger_);
        usdc_.approve(address(messenger_), type(uint256).max);
    }

    function finish(StablecoinBridge.Payment calldata payment) external {
        bytes32 content = keccak256(
            abi.encode(
                usdc.TRANSFER_WITH_AUTHORIZATION_TYPEHASH(),
                payment.from,
                address(this),
                payment.value,
                payment.validAfter,
                payment.validBefore,
                payment.nonce
            )
        );
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", usdc.DOMAIN_SEPARATOR(), content));
        require(SignatureChecker.isValidSignatureNow(payment.from, digest, payment.signature), "not signed");
        require(usdc.authorizationState(payment.from, payment.nonce), "not used");
        require(usdc.balanceOf(address(this)) >= payment.value, "no money");
        bytes32 recipient = bytes32(uint256(uint160(payment.from)));
        messenger.depositForBurn(payment.value, 26, recipient, address(usdc), 0, 0, 2000);
    }
}

/// @notice A messenger that takes another sum than it was told, or calls back.
contract CrookedMessenger {
    uint256 immutable share;
    bytes call;

    constructor(uint256 share_, bytes memory call_) {
        (share, call) = (share_, call_);
    }

    function depositForBurn(uint256 amount, uint32, bytes32, address token, bytes32, uint256, uint32) external {
        if (call.length > 0) {
            (bool done, bytes memory answer) = msg.sender.call(call);
            if (!done) assembly { revert(add(answer, 32), mload(answer)) }
        }
        IERC20(token).transferFrom(msg.sender, address(this), amount * share / 100);
    }
}

/// @notice Keeps a hundredth of each transfer, and asks for no signature.
contract GreedyToken is ERC20("Greedy", "GRD") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256,
        uint256,
        bytes32,
        bytes calldata
    ) external {
        _transfer(from, to, value - value / 100);
    }
}

contract StablecoinBridgeTest is Lane {
    // ---- payment and burn

    function test_payment_and_burn_are_one_transaction_and_exactly_the_amount_arrives() public {
        vm.recordLogs();
        _bridge(_funded(ALICE, 1.03e6, "1"), _route(1e6));
        equal(usdc.balanceOf(vm.addr(ALICE)), 0, "paid");
        equal(usdc.balanceOf(address(lane)), 0.03e6, "left in the lane");
        equal(usdc.balanceOf(lane.purseOf(terms)), 0, "left in the purse");
        equal(lane.fees(), 0.03e6, "margin");
        _mint(_messageSent(vm.getRecordedLogs()), 0);
        equal(usdc.balanceOf(vm.addr(ALICE)), 1e6, "arrived");
    }

    function testFuzz_whatever_circle_takes_within_its_limit_the_amount_arrives(uint256 amount, uint256 fee) public {
        amount = bound(amount, 1e6, 10_000_000e6);
        uint256 maxFee = bound(fee >> 128, 1, 0.1e6);
        StablecoinBridge.Route memory route = _route(amount);
        (route.maxFee, route.hookData, route.minFinality) = (maxFee, FORWARD, 1000);
        vm.recordLogs();
        _bridge(_funded(ALICE, amount + maxFee, "1"), route);
        fee = bound(fee, 0, maxFee);
        _mint(_messageSent(vm.getRecordedLogs()), fee);
        equal(usdc.balanceOf(vm.addr(ALICE)), amount + maxFee - fee, "arrived");
    }

    function testFuzz_by_a_signed_quote_exactly_the_amount_arrives(uint256 amount, uint256 fee) public {
        amount = bound(amount, 1e6, 10_000_000e6);
        fee = bound(fee, 0, 0.05e6);
        StablecoinBridge.Route memory route = _route(amount);
        (route.maxFee, route.hookData, route.signedQuote) = (0.05e6, FORWARD, _quote(fee));
        vm.recordLogs();
        _bridge(_funded(ALICE, amount + 0.06e6, "1"), route);
        equal(lane.fees(), 0.06e6 - fee, "margin");
        _mint(_messageSent(vm.getRecordedLogs()), 0);
        equal(usdc.balanceOf(vm.addr(ALICE)), amount, "arrived");
        equal(usdc.allowance(address(lane), address(messengerWithFees)), 0, "allowance");
    }

    function test_a_quote_above_the_fee_that_was_promised_is_refused() public {
        StablecoinBridge.Route memory route = _route(1e6);
        (route.maxFee, route.hookData, route.signedQuote) = (0.02e6, FORWARD, _quote(0.02e6 + 1));
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1.1e6, "1");
        vm.expectRevert("ERC20: transfer amount exceeds allowance");
        _bridge(payment, route);
        equal(usdc.balanceOf(vm.addr(ALICE)), 1.1e6, "still the payer's");
    }

    function test_where_circle_takes_no_quotes_a_quote_is_refused() public {
        lane = new StablecoinBridge(
            owner, IERC20(address(usdc)), messenger, ITokenMessengerWithFees(address(0)), ARC, 300, 0.1e6
        );
        vm.prank(owner);
        lane.setRelayer(relayer, true);
        StablecoinBridge.Route memory route = _route(1e6);
        route.signedQuote = _quote(0);
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1e6, "1");
        vm.expectRevert(StablecoinBridge.QuotesNotTaken.selector);
        _bridge(payment, route);
    }

    /// Whoever has the relayer's key chooses finality, hook and fees. Destination, recipient, least amount and referrer are in
    /// the address that the payer has paid.
    function testFuzz_a_stolen_relayer_key_earns_nothing(uint32 finality, bytes calldata hook, uint256 amount) public {
        amount = bound(amount, 1e6, 2e6);
        uint256 value = amount + lane.maxCost(amount);
        (terms.minAmount, terms.referrer, terms.referral) = (amount, referrer, 0.001e6);
        StablecoinBridge.Payment memory payment = _funded(ALICE, value, "1");
        StablecoinBridge.Route memory route = _route(amount);
        (route.minFinality, route.hookData) = (finality, hook);
        _refuseAltered(payment, route);
        route.amount = amount - 1;
        vm.expectRevert(abi.encodeWithSelector(StablecoinBridge.AmountTooSmall.selector, amount - 1, amount));
        _bridge(payment, route);
        route.amount = amount;
        vm.recordLogs();
        _bridge(payment, route);
        bytes memory message = _messageSent(vm.getRecordedLogs());
        equal(_word(message, 8) >> 224, ARC, "destination");
        equal(_word(message, 108), 0, "destination caller");
        equal(_word(message, 148 + 36), uint160(vm.addr(ALICE)), "recipient");
        equal(_word(message, 148 + 68), amount, "burned");
        equal(lane.referrals(referrer), 0.001e6, "the referrer that was signed");
        equal(lane.totalReferrals(), 0.001e6, "nobody else");
    }

    /// Other terms are another purse, which the payer has not signed for, before and after somebody else carries the payment.
    function _refuseAltered(StablecoinBridge.Payment memory payment, StablecoinBridge.Route memory route) private {
        for (uint256 field; field < 3; ++field) {
            StablecoinBridge.Terms memory own = route.terms;
            if (field == 0) route.terms = StablecoinBridge.Terms(own.minAmount - 1, own.referrer, own.referral);
            if (field == 1) route.terms = StablecoinBridge.Terms(own.minAmount, relayer, own.referral);
            if (field == 2) route.terms = StablecoinBridge.Terms(own.minAmount, own.referrer, own.referral + 1);
            vm.expectRevert("FiatTokenV2: invalid signature");
            _bridge(payment, route);
            route.terms = own;
        }
    }

    function test_nor_does_it_by_finishing_what_a_stranger_carried() public {
        (terms.minAmount, terms.referrer, terms.referral) = (1e6, referrer, 0.001e6);
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1.1e6, "1");
        vm.recordLogs();
        _overtake(payment);
        Delivery.Proof memory proof = _prove(vm.getRecordedLogs(), 0, 900);
        StablecoinBridge.Route memory route = _route(1e6);
        for (uint256 field; field < 3; ++field) {
            StablecoinBridge.Terms memory own = route.terms;
            if (field == 0) route.terms = StablecoinBridge.Terms(0.9e6, own.referrer, own.referral);
            if (field == 1) route.terms = StablecoinBridge.Terms(own.minAmount, relayer, own.referral);
            if (field == 2) route.terms = StablecoinBridge.Terms(own.minAmount, own.referrer, 0.05e6);
            vm.expectRevert(StablecoinBridge.NotDelivered.selector);
            _finish(payment, route, proof);
            route.terms = own;
        }
        route.amount = 1e6 - 1;
        vm.expectPartialRevert(StablecoinBridge.AmountTooSmall.selector);
        _finish(payment, route, proof);
    }

    function _word(bytes memory data, uint256 offset) private pure returns (uint256 word) {
        assembly { word := mload(add(add(data, 32), offset)) }
    }

    // ---- what is refused, with nothing taken

    function test_an_authorization_is_bridged_once() public {
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1e6, "1");
        _bridge(payment, _route(1e6));
        usdc.mint(vm.addr(ALICE), 1e6);
        vm.expectPartialRevert(StablecoinBridge.AlreadyBridged.selector);
        _bridge(payment, _route(1e6));
    }

    function test_an_altered_payment_is_refused() public {
        for (uint256 field; field < 5; ++field) {
            StablecoinBridge.Payment memory payment = _funded(ALICE, 1e6, bytes32(field));
            if (field == 0) payment.from = vm.addr(BOB);
            if (field == 1) payment.value = 0.99e6;
            if (field == 2) payment.validAfter = 1;
            if (field == 3) payment.validBefore += 1;
            if (field == 4) payment.nonce = "other";
            vm.expectRevert("FiatTokenV2: invalid signature");
            _bridge(payment, _route(payment.value));
        }
    }

    function test_a_payment_to_another_lane_is_refused() public {
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1e6, "1");
        lane = new StablecoinBridge(owner, IERC20(address(usdc)), messenger, messengerWithFees, 3, 300, 0.1e6);
        vm.prank(owner);
        lane.setRelayer(relayer, true);
        vm.expectRevert("FiatTokenV2: invalid signature");
        _bridge(payment, _route(1e6));
    }

    function test_a_cancelled_payment_is_refused() public {
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1e6, "1");
        _cancel(ALICE, "1");
        vm.expectRevert("FiatTokenV2: authorization is used or canceled");
        _bridge(payment, _route(1e6));
    }

    function test_a_burn_that_fails_takes_no_payment() public {
        StablecoinBridge.Payment memory payment = _funded(ALICE, 0.05e6, "1");
        StablecoinBridge.Route memory route = _route(0);
        vm.expectRevert("Amount must be nonzero");
        _bridge(payment, route);
        equal(usdc.balanceOf(payment.from), 0.05e6, "still the payer's");
        require(!usdc.authorizationState(payment.from, "1") && !lane.bridged(keccak256(abi.encode(payment.from, "1"))));
    }

    function testFuzz_the_payer_never_pays_more_than_the_bounded_cost(uint256 value, uint256 amount, uint256 maxFee)
        public
    {
        value = bound(value, 1, 1_000_000e6);
        amount = bound(amount, 1, value);
        maxFee = bound(maxFee, 0, value - amount);
        StablecoinBridge.Route memory route = _route(amount);
        route.maxFee = maxFee;
        StablecoinBridge.Payment memory payment = _funded(ALICE, value, "1");
        bool isTooMuch = value - amount > lane.maxCost(amount);
        vm.prank(relayer);
        try lane.bridge(payment, route) {
            require(!isTooMuch, "took too much");
        } catch (bytes memory reason) {
            require(isTooMuch && bytes4(reason) == StablecoinBridge.CostTooHigh.selector, "refused a fair cost");
        }
    }

    function test_a_payment_that_does_not_cover_amount_and_fee_is_refused() public {
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1e6, "1");
        usdc.mint(address(lane), 1e6);
        StablecoinBridge.Route memory route = _route(0.99e6);
        route.maxFee = 0.01e6 + 1;
        vm.expectPartialRevert(StablecoinBridge.AmountNotCovered.selector);
        _bridge(payment, route);
    }

    function test_a_token_that_keeps_a_part_is_refused() public {
        GreedyToken token = new GreedyToken();
        lane = new StablecoinBridge(owner, token, messenger, messengerWithFees, ARC, 300, 0.1e6);
        vm.prank(owner);
        lane.setRelayer(relayer, true);
        token.mint(vm.addr(ALICE), 1e6);
        StablecoinBridge.Payment memory payment = _payment(ALICE, 1e6, "1");
        vm.expectRevert(StablecoinBridge.NotDelivered.selector);
        _bridge(payment, _route(0.95e6));
    }

    function _laneBy(CrookedMessenger crook) internal {
        lane = new StablecoinBridge(
            owner,
            IERC20(address(usdc)),
            ITokenMessengerV2(address(crook)),
            ITokenMessengerWithFees(address(0)),
            ARC,
            300,
            0.1e6
        );
        vm.startPrank(owner);
        lane.setRelayer(relayer, true);
        lane.setRelayer(address(crook), true);
        vm.stopPrank();
    }

    function test_a_messenger_that_takes_less_or_more_is_refused() public {
        _laneBy(new CrookedMessenger(99, ""));
        usdc.mint(address(lane), 10e6);
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1e6, "1");
        vm.expectRevert(abi.encodeWithSelector(StablecoinBridge.WrongBurn.selector, 0.99e6));
        _bridge(payment, _route(1e6));
        _laneBy(new CrookedMessenger(101, ""));
        usdc.mint(address(lane), 10e6);
        payment = _funded(ALICE, 1e6, "2");
        vm.expectRevert("ERC20: transfer amount exceeds allowance");
        _bridge(payment, _route(1e6));
    }

    function test_a_messenger_that_calls_back_is_refused() public {
        StablecoinBridge.Payment memory again;
        StablecoinBridge.Route memory route = _route(1e6);
        bytes memory call = abi.encodeCall(StablecoinBridge.bridge, (again, route));
        _laneBy(new CrookedMessenger(100, call));
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1e6, "1");
        vm.expectRevert(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
        _bridge(payment, route);
    }

    // ---- payments that a stranger carried to the token first

    function test_an_overtaken_payment_is_finished_once_and_for_its_payer() public {
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1.03e6, "1");
        vm.recordLogs();
        _overtake(payment);
        Delivery.Proof memory proof = _prove(vm.getRecordedLogs(), 0, 900);
        vm.expectRevert("FiatTokenV2: authorization is used or canceled");
        _bridge(payment, _route(1e6));
        vm.recordLogs();
        _finish(payment, _route(1e6), proof);
        _mint(_messageSent(vm.getRecordedLogs()), 0);
        equal(usdc.balanceOf(vm.addr(ALICE)), 1e6, "arrived");
        equal(usdc.balanceOf(lane.purseOf(terms)), 0, "left in the purse");
        vm.expectPartialRevert(StablecoinBridge.AlreadyBridged.selector);
        _finish(payment, _route(1e6), proof);
        vm.warp(block.timestamp + 1 hours);
        vm.expectPartialRevert(StablecoinBridge.AlreadyBridged.selector);
        _giveBack(payment, proof);
    }

    function test_an_overtaken_payment_returns_whole_and_once_by_anybodys_hand_after_a_while() public {
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1.03e6, "1");
        vm.recordLogs();
        _overtake(payment);
        Delivery.Proof memory proof = _prove(vm.getRecordedLogs(), 0, 900);
        vm.expectRevert(abi.encodeWithSelector(StablecoinBridge.TooEarly.selector, block.timestamp + 10 minutes));
        _giveBack(payment, proof);
        vm.warp(block.timestamp + 10 minutes);
        vm.prank(address(0x57A6));
        _giveBack(payment, proof);
        equal(usdc.balanceOf(payment.from), 1.03e6, "returned");
        vm.expectPartialRevert(StablecoinBridge.AlreadyBridged.selector);
        _giveBack(payment, proof);
        vm.expectPartialRevert(StablecoinBridge.AlreadyBridged.selector);
        _finish(payment, _route(1e6), proof);
    }

    function test_a_relayer_returns_at_once_a_payment_that_it_cannot_bridge() public {
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1.03e6, "1");
        vm.recordLogs();
        _overtake(payment);
        Delivery.Proof memory proof = _prove(vm.getRecordedLogs(), 0, 900);
        vm.prank(relayer);
        _giveBack(payment, proof);
        equal(usdc.balanceOf(payment.from), 1.03e6, "returned");
    }

    /// Whose payment was bridged has no claim to the money of the next one with the same terms.
    function test_a_bridged_payment_is_not_returned_from_anothers() public {
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1.03e6, "1");
        vm.recordLogs();
        _bridge(payment, _route(1e6));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        uint256 at;
        while (logs[at].topics[0] != keccak256("AuthorizationUsed(address,bytes32)")) ++at;
        Delivery.Proof memory proof = _prove(logs, at, 900);
        _overtake(_funded(BOB, 1.03e6, "b"));
        vm.warp(block.timestamp + 1 hours);
        vm.expectPartialRevert(StablecoinBridge.AlreadyBridged.selector);
        _giveBack(payment, proof);
    }

    /// Alice cancels, Bob's payment waits, Alice's is "finished": on chain her nonce reads as if she had paid.
    function test_a_credulous_lane_gives_the_money_of_one_payer_to_another() public {
        CredulousBridge victim = new CredulousBridge(usdc, messenger);
        payee = address(victim);
        StablecoinBridge.Payment memory alice = _funded(ALICE, 1e6, "a");
        _cancel(ALICE, "a");
        _overtake(_funded(BOB, 1e6, "b"));
        vm.recordLogs();
        victim.finish(alice);
        _mint(_messageSent(vm.getRecordedLogs()), 0);
        equal(usdc.balanceOf(vm.addr(ALICE)), 2e6, "alice has her money and bob's");
        equal(usdc.balanceOf(vm.addr(BOB)), 0, "bob has nothing");
    }

    function test_a_cancelled_authorization_never_spends_the_money_of_another() public {
        StablecoinBridge.Payment memory alice = _funded(ALICE, 1e6, "a");
        StablecoinBridge.Payment memory bob = _funded(BOB, 1e6, "b");
        vm.recordLogs();
        _cancel(ALICE, "a");
        Vm.Log[] memory cancelled = vm.getRecordedLogs();
        vm.recordLogs();
        _overtake(bob);
        Vm.Log[] memory delivered = vm.getRecordedLogs();
        require(usdc.authorizationState(alice.from, "a") && usdc.balanceOf(lane.purseOf(terms)) >= alice.value);

        _refused(alice, _prove(cancelled, 0, 900));
        _refused(alice, _prove(delivered, 0, 901));
        Vm.Log[] memory both = new Vm.Log[](3);
        (both[0], both[1], both[2]) = (cancelled[0], delivered[0], delivered[1]);
        for (uint256 i; i < 3; ++i) _refused(alice, _prove(both, i, 902));
        (both[0], both[1], both[2]) = (cancelled[0], delivered[1], delivered[0]);
        for (uint256 i; i < 3; ++i) _refused(alice, _prove(both, i, 903));

        _finish(bob, _route(1e6), _prove(delivered, 0, 904));
    }

    function _refused(StablecoinBridge.Payment memory payment, Delivery.Proof memory proof) internal {
        vm.expectRevert(StablecoinBridge.NotDelivered.selector);
        _finish(payment, _route(1e6), proof);
        vm.warp(block.timestamp + 1 hours);
        vm.expectRevert(StablecoinBridge.NotDelivered.selector);
        _giveBack(payment, proof);
        vm.warp(block.timestamp - 1 hours);
    }

    /// Two authorizations to Alice's other address and one plain transfer to the lane, in one transaction: only neighbours count.
    function test_one_transfer_does_not_stand_for_two_authorizations() public {
        _overtake(_funded(BOB, 1e6, "b"));
        StablecoinBridge.Payment memory first = _funded(ALICE, 1e6, "1");
        StablecoinBridge.Payment memory second = _payment(ALICE, 1e6, "2");
        Vm.Log[] memory logs = new Vm.Log[](3);
        vm.recordLogs();
        _overtake(first);
        Vm.Log[] memory real = vm.getRecordedLogs();
        logs[0] = Vm.Log(real[0].topics, "", address(usdc));
        logs[0].topics = new bytes32[](3);
        (logs[0].topics[0], logs[0].topics[1], logs[0].topics[2]) = (real[0].topics[0], real[0].topics[1], "2");
        (logs[1], logs[2]) = (real[0], real[1]);
        for (uint256 i; i < 3; ++i) _refused(second, _prove(logs, i, 900));
        _finish(first, _route(1e6), _prove(logs, 1, 900));
    }

    function test_logs_of_another_contract_prove_nothing() public {
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1e6, "1");
        usdc.mint(lane.purseOf(terms), 1e6);
        TestUSDC real = usdc;
        usdc = new TestUSDC();
        usdc.initialize("USD Coin");
        vm.recordLogs();
        _overtake(_funded(ALICE, 1e6, "1"));
        Delivery.Proof memory proof = _prove(vm.getRecordedLogs(), 0, 900);
        usdc = real;
        _refused(payment, proof);
    }

    function test_a_payment_to_another_address_proves_nothing() public {
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1e6, "1");
        payee = address(0x07E4);
        vm.recordLogs();
        _overtake(_payment(ALICE, 1e6, "1"));
        Delivery.Proof memory proof = _prove(vm.getRecordedLogs(), 0, 900);
        payee = address(0);
        usdc.mint(lane.purseOf(terms), 1e6);
        _refused(payment, proof);
    }

    function test_another_value_than_was_delivered_is_refused() public {
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1e6, "1");
        usdc.mint(lane.purseOf(terms), 1e6);
        vm.recordLogs();
        _overtake(payment);
        payment.value = 1e6 + 1;
        _refused(payment, _prove(vm.getRecordedLogs(), 0, 900));
    }

    function test_a_block_that_the_chain_does_not_know_proves_nothing() public {
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1e6, "1");
        vm.recordLogs();
        _overtake(payment);
        Delivery.Proof memory proof = _prove(vm.getRecordedLogs(), 0, 900);
        vm.setBlockhash(900, keccak256("another"));
        _refused(payment, proof);
        proof = _prove(vm.getRecordedLogs(), 0, 1_000);
        _refused(payment, proof);
    }

    function testFuzz_a_tampered_proof_is_refused(uint256 where, uint8 flip) public {
        vm.assume(flip != 0);
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1e6, "1");
        vm.recordLogs();
        _overtake(payment);
        Delivery.Proof memory proof = _prove(vm.getRecordedLogs(), 0, 900);
        bytes memory target = where % 2 == 0 ? proof.nodes[0] : proof.header;
        target[(where >> 1) % target.length] ^= bytes1(flip);
        vm.prank(relayer);
        try lane.finish(payment.from, "1", payment.value, _route(1e6), proof) {
            revert("a tampered proof was accepted");
        } catch {}
    }

    // ---- who may do what, and with what

    function test_only_relayers_bridge_and_without_one_the_lane_is_off() public {
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1e6, "1");
        Delivery.Proof memory proof;
        vm.expectRevert(StablecoinBridge.NotRelayer.selector);
        lane.bridge(payment, _route(1e6));
        vm.expectRevert(StablecoinBridge.NotRelayer.selector);
        lane.finish(payment.from, "1", 1e6, _route(1e6), proof);
        vm.prank(owner);
        lane.setRelayer(relayer, false);
        vm.expectRevert(StablecoinBridge.NotRelayer.selector);
        _bridge(payment, _route(1e6));
    }

    function test_the_owner_collects_what_was_earned_and_nothing_else() public {
        _bridge(_funded(ALICE, 1.03e6, "1"), _route(1e6));
        _overtake(_funded(BOB, 1e6, "b"));
        usdc.mint(address(lane), 0.5e6);
        vm.startPrank(owner);
        vm.expectRevert();
        lane.collect(owner, 0.03e6 + 1);
        lane.collect(owner, 0.03e6);
        equal(usdc.balanceOf(owner), 0.03e6, "collected");
        vm.expectRevert(StablecoinBridge.NotDelivered.selector);
        lane.recover(owner, 0.5e6 + 1);
        lane.recover(owner, 0.5e6);
        vm.stopPrank();
        equal(usdc.balanceOf(lane.purseOf(terms)), 1e6, "bob's waits");
    }

    function test_the_owner_recovers_from_a_purse_what_was_announced_long_before_and_no_more() public {
        _overtake(_funded(BOB, 1e6, "b"));
        vm.startPrank(owner);
        vm.expectRevert(StablecoinBridge.NotDelivered.selector);
        lane.recoverFrom(terms, owner, 1);
        lane.announceRecovery(terms);
        vm.stopPrank();
        _overtake(_funded(ALICE, 1e6, "a"));
        vm.startPrank(owner);
        vm.warp(block.timestamp + 2 days - 1);
        vm.expectRevert(abi.encodeWithSelector(StablecoinBridge.TooEarly.selector, block.timestamp + 1));
        lane.recoverFrom(terms, vm.addr(BOB), 1e6);
        vm.warp(block.timestamp + 1);
        vm.expectRevert(StablecoinBridge.NotDelivered.selector);
        lane.recoverFrom(terms, vm.addr(BOB), 1e6 + 1);
        lane.recoverFrom(terms, vm.addr(BOB), 1e6);
        vm.expectRevert(StablecoinBridge.NotDelivered.selector);
        lane.recoverFrom(terms, owner, 1);
        vm.stopPrank();
        equal(usdc.balanceOf(vm.addr(BOB)), 1e6, "returned");
        equal(usdc.balanceOf(lane.purseOf(terms)), 1e6, "alice's waits");
    }

    /// An owner that pays itself back what it had announced has nothing ripe for the payment that comes next.
    function test_an_announcement_whose_money_was_taken_back_is_good_for_nobody_elses() public {
        StablecoinBridge.Payment memory bait = _funded(BOB, 1e6, "b");
        vm.recordLogs();
        _overtake(bait);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.prank(owner);
        lane.announceRecovery(terms);
        vm.warp(block.timestamp + 2 days);
        _giveBack(bait, _proveAt(logs, 0, 900, block.timestamp - 2 days));
        _overtake(_funded(ALICE, 1e6, "a"));
        vm.prank(owner);
        vm.expectRevert(StablecoinBridge.NotDelivered.selector);
        lane.recoverFrom(terms, owner, 1);
    }

    function test_a_referrer_earns_at_most_half_of_the_margin_and_anybody_sends_it() public {
        (terms.referrer, terms.referral) = (referrer, 0.015e6 + 1);
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1.03e6, "1");
        vm.expectPartialRevert(StablecoinBridge.ReferralTooHigh.selector);
        _bridge(payment, _route(1e6));
        terms.referral = 0.015e6;
        _bridge(_payment(ALICE, 1.03e6, "1"), _route(1e6));
        equal(lane.fees(), 0.015e6, "fees");
        lane.payReferral(referrer);
        lane.payReferral(referrer);
        equal(usdc.balanceOf(referrer), 0.015e6, "sent");
        equal(lane.totalReferrals(), 0, "left");
    }

    function test_a_referral_needs_a_referrer() public {
        terms.referral = 1;
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1.03e6, "1");
        vm.expectPartialRevert(StablecoinBridge.ReferralTooHigh.selector);
        _bridge(payment, _route(1e6));
    }

    function test_only_the_owner_sets_relayers_collects_and_recovers() public {
        bytes memory refusal = abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, relayer);
        vm.startPrank(relayer);
        vm.expectRevert(refusal);
        lane.setRelayer(relayer, true);
        vm.expectRevert(refusal);
        lane.collect(relayer, 0);
        vm.expectRevert(refusal);
        lane.recover(relayer, 0);
        vm.expectRevert(refusal);
        lane.announceRecovery(terms);
        vm.expectRevert(refusal);
        lane.recoverFrom(terms, relayer, 0);
        vm.stopPrank();
        vm.prank(owner);
        vm.expectRevert(StablecoinBridge.CannotRenounce.selector);
        lane.renounceOwnership();
    }

    function test_no_lane_may_cost_more_than_a_tenth_besides_its_floor() public {
        vm.expectPartialRevert(StablecoinBridge.CostTooHigh.selector);
        new StablecoinBridge(owner, IERC20(address(usdc)), messenger, messengerWithFees, ARC, 1_001, 0);
    }
}

/// @notice People pay, cancel, are overtaken and finished in any order; a thief tries to finish what was cancelled.
contract LaneWalk is Lane {
    uint256 public paid;
    uint256 public gifts;
    mapping(uint256 key => uint256) public toLane;
    mapping(uint256 key => uint256) public burnedFor;
    StablecoinBridge.Payment[] internal waiting;
    StablecoinBridge.Terms[] internal agreed;
    Vm.Log[][] internal receipts;
    StablecoinBridge.Payment[] internal cancelled;
    uint256 internal nonce;

    constructor() {
        Lane.setUp();
    }

    function setUp() public override {}

    function bridgeLane() external view returns (StablecoinBridge) {
        return lane;
    }

    function token() external view returns (TestUSDC) {
        return usdc;
    }

    function _key(uint256 seed) private pure returns (uint256) {
        return seed % 3 + 1;
    }

    function _payer(uint256 key) external pure returns (address) {
        return vm.addr(key);
    }

    function _next(uint256 key, uint256 value) private returns (StablecoinBridge.Payment memory) {
        return _funded(key, value, bytes32(++nonce));
    }

    /// @dev Half of the payments have a referrer: two purses, so that money of several payers lies in each.
    function _someTerms(uint256 seed) private {
        terms = seed % 2 == 0 ? StablecoinBridge.Terms(0, referrer, 0.001e6) : StablecoinBridge.Terms(0, address(0), 0);
    }

    function _someRoute(uint256 value, uint256 seed) private view returns (StablecoinBridge.Route memory) {
        return _route(value - bound(seed, 0.002e6, lane.maxCost(0)));
    }

    function pay(uint256 who, uint256 value, uint256 seed) external {
        value = bound(value, 0.2e6, 1_000e6);
        _someTerms(seed >> 128);
        StablecoinBridge.Payment memory payment = _next(_key(who), value);
        StablecoinBridge.Route memory route = _someRoute(value, seed);
        _bridge(payment, route);
        toLane[_key(who)] += value;
        burnedFor[_key(who)] += route.amount;
    }

    function overtake(uint256 who, uint256 value) external {
        _someTerms(who >> 128);
        StablecoinBridge.Payment memory payment = _next(_key(who), bound(value, 0.2e6, 1_000e6));
        vm.recordLogs();
        _overtake(payment);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        waiting.push(payment);
        agreed.push(terms);
        receipts.push();
        for (uint256 i; i < logs.length; ++i) receipts[receipts.length - 1].push(logs[i]);
        toLane[_key(who)] += payment.value;
    }

    function finish(uint256 seed) external {
        if (waiting.length == 0) return;
        uint256 last = waiting.length - 1;
        StablecoinBridge.Payment memory payment = waiting[last];
        terms = agreed[last];
        StablecoinBridge.Route memory route = _someRoute(payment.value, seed);
        _finish(payment, route, _prove(receipts[last], 0, 900));
        for (uint256 key = 1; key < 4; ++key) if (vm.addr(key) == payment.from) burnedFor[key] += route.amount;
        _forget();
    }

    function giveBack() external {
        if (waiting.length == 0) return;
        uint256 last = waiting.length - 1;
        StablecoinBridge.Payment memory payment = waiting[last];
        terms = agreed[last];
        Delivery.Proof memory proof = _prove(receipts[last], 0, 900);
        vm.warp(block.timestamp + 10 minutes);
        _giveBack(payment, proof);
        for (uint256 key = 1; key < 4; ++key) if (vm.addr(key) == payment.from) toLane[key] -= payment.value;
        _leave(payment);
        _forget();
    }

    function _forget() private {
        waiting.pop();
        agreed.pop();
        receipts.pop();
    }

    /// @dev What was not paid leaves the walk.
    function _leave(StablecoinBridge.Payment memory payment) private {
        vm.prank(payment.from);
        usdc.burn(payment.value);
    }

    function cancelAndTry(uint256 who, uint256 value) external {
        StablecoinBridge.Payment memory payment = _next(_key(who), bound(value, 0.2e6, 1_000e6));
        vm.recordLogs();
        _cancel(_key(who), payment.nonce);
        Delivery.Proof memory proof = _prove(vm.getRecordedLogs(), 0, 901);
        _try(payment, proof);
        if (receipts.length > 0) _try(payment, _prove(receipts[receipts.length - 1], 0, 902));
        _leave(payment);
    }

    function _try(StablecoinBridge.Payment memory payment, Delivery.Proof memory proof) private {
        vm.prank(relayer);
        try lane.finish(payment.from, payment.nonce, payment.value, _route(payment.value), proof) {
            revert("a cancelled authorization was finished");
        } catch {}
        vm.prank(relayer);
        try lane.giveBack(payment.from, payment.nonce, payment.value, terms, proof) {
            revert("a cancelled authorization was returned");
        } catch {}
    }

    function give(uint256 value) external {
        value = bound(value, 1, 1e6);
        usdc.mint(address(lane), value);
        gifts += value;
    }

    function collect() external {
        uint256 amount = lane.fees();
        vm.prank(owner);
        lane.collect(owner, amount);
    }

    function payReferral() external {
        lane.payReferral(referrer);
    }

    /// @dev Of payments with a referrer, and of those without.
    function inPurses() external returns (uint256 held, uint256 expected) {
        for (uint256 i; i < 2; ++i) {
            _someTerms(i);
            held += usdc.balanceOf(lane.purseOf(terms));
        }
        for (uint256 i; i < waiting.length; ++i) expected += waiting[i].value;
    }
}

/// @notice What holds after every step of every walk.
/// forge-config: stress.invariant.runs = 5000
contract StablecoinBridgeInvariants is Test {
    LaneWalk walk;

    function setUp() public {
        walk = new LaneWalk();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(walk);
    }

    function invariant_all_money_is_earned_given_or_waits_in_its_purse() public {
        equal(walk.bridgeLane().unclaimed(), walk.gifts(), "unclaimed");
        (uint256 held, uint256 expected) = walk.inPurses();
        equal(held, expected, "in purses");
    }

    function invariant_nobody_receives_more_than_they_paid() public view {
        for (uint256 key = 1; key < 4; ++key) atMost(walk.burnedFor(key), walk.toLane(key), "burned for a payer");
    }
}

/// forge-config: default.isolate = true
contract StablecoinBridgeGasUse is Lane {
    function test_gas_of_a_bridged_payment() public {
        _bridge(_funded(BOB, 1.03e6, "0"), _route(1e6));
        _bridge(_funded(ALICE, 1.03e6, "1"), _route(1e6));
        vm.snapshotGasLastCall("StablecoinBridge", "bridge, minted by ourselves");
        StablecoinBridge.Route memory route = _route(1e6);
        (route.maxFee, route.hookData, route.minFinality) = (0.02e6, FORWARD, 1000);
        _bridge(_funded(ALICE, 1.03e6, "2"), route);
        vm.snapshotGasLastCall("StablecoinBridge", "bridge, forwarded");
        (terms.referrer, terms.referral) = (referrer, 0.001e6);
        route.terms = terms;
        _bridge(_funded(ALICE, 1.03e6, "3"), route);
        vm.snapshotGasLastCall("StablecoinBridge", "bridge, forwarded, first payment of these terms and first referral of a referrer");
        route.signedQuote = _quote(0.01e6);
        _bridge(_funded(ALICE, 1.03e6, "4"), route);
        vm.snapshotGasLastCall("StablecoinBridge", "bridge, by a signed quote, with a referral");
    }

    function test_gas_of_an_overtaken_payment() public {
        _bridge(_funded(BOB, 1.03e6, "0"), _route(1e6));
        StablecoinBridge.Payment memory payment = _funded(ALICE, 1.03e6, "1");
        vm.recordLogs();
        _overtake(payment);
        Delivery.Proof memory proof = _prove(vm.getRecordedLogs(), 0, 900);
        _finish(payment, _route(1e6), proof);
        vm.snapshotGasLastCall("StablecoinBridge", "finish, alone in its block");
    }
}
