// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Account} from "@openzeppelin/contracts/account/Account.sol";
import {Paymaster} from "@openzeppelin/contracts/account/paymaster/Paymaster.sol";
import {ERC4337Utils, IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/account/utils/ERC4337Utils.sol";
import {SignerECDSA} from "@openzeppelin/contracts/utils/cryptography/signers/SignerECDSA.sol";
import {GasSponsor} from "../gas/GasSponsor.sol";
import {Test} from "./Test.sol";

interface IOperationHash {
    function getUserOpHash(PackedUserOperation calldata operation) external view returns (bytes32);
}

/// @notice The smallest account that the EntryPoint accepts; its calls spend gas or fail, as told.
contract TestAccount is Account, SignerECDSA {
    uint256 public calls;

    error Refused();

    constructor(address signer) SignerECDSA(signer) {}

    function entryPoint() public pure override returns (IEntryPoint) {
        return ERC4337Utils.ENTRYPOINT_V08;
    }

    function spendGas(uint256 rounds) external onlyEntryPointOrSelf {
        ++calls;
        for (uint256 i; i < rounds; ++i) assembly { sstore(add(0x1000, i), 1) }
    }

    function fail() external view onlyEntryPointOrSelf {
        revert Refused();
    }
}

/// @notice A sponsor with a deposit at the real EntryPoint, and an account without any ether.
abstract contract SponsoredAccount is Test {
    IEntryPoint constant entryPoint = ERC4337Utils.ENTRYPOINT_V08;
    bytes32 constant REQUEST = keccak256(
        "UserOperationRequest(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,uint256 paymasterVerificationGasLimit,uint256 paymasterPostOpGasLimit,uint48 validAfter,uint48 validUntil)"
    );
    uint256 constant SIGNER = 0x5161;
    uint256 constant CALLER = 0xCA11;
    address constant owner = address(0x0123);
    address payable constant bundler = payable(address(0xB0));

    GasSponsor sponsor;
    TestAccount account;
    uint256 maxFee = 10 gwei;
    uint128 verificationGas = 150_000;
    uint128 callGas = 200_000;
    uint256 preVerificationGas = 60_000;
    uint128 sponsorGas = 80_000;
    uint48 validUntil;

    /// The canonical EntryPoint, created as it is on every chain: its address is proof that it is the real one.
    function setUp() public virtual {
        vm.warp(1_800_000_000);
        string memory artifact =
            vm.readFile("node_modules/@account-abstraction/contracts/artifacts/EntryPoint.json");
        (bool created,) = 0x4e59b44847b379578588920cA78FbF26c0B4956C.call(
            abi.encodePacked(
                bytes32(0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9),
                vm.parseJsonBytes(artifact, ".bytecode")
            )
        );
        require(created && address(entryPoint).code.length > 0, "no EntryPoint");
        sponsor = new GasSponsor(owner, vm.addr(SIGNER));
        account = new TestAccount(vm.addr(CALLER));
        vm.deal(address(this), 100 ether);
        sponsor.deposit{value: 10 ether}();
        validUntil = uint48(block.timestamp + 5 minutes);
    }

    function _operation(bytes memory callData) internal view returns (PackedUserOperation memory operation) {
        operation.sender = address(account);
        operation.nonce = entryPoint.getNonce(address(account), 0);
        operation.callData = callData;
        operation.accountGasLimits = bytes32(uint256(verificationGas) << 128 | callGas);
        operation.preVerificationGas = preVerificationGas;
        operation.gasFees = bytes32(maxFee << 128 | maxFee);
    }

    function _request(PackedUserOperation memory operation, uint256 postOpGas, uint48 validAfter)
        internal
        view
        returns (bytes32)
    {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("GasSponsor"),
                keccak256("1"),
                block.chainid,
                address(sponsor)
            )
        );
        bytes memory first = abi.encode(
            REQUEST,
            operation.sender,
            operation.nonce,
            keccak256(operation.initCode),
            keccak256(operation.callData),
            operation.accountGasLimits
        );
        bytes memory rest = abi.encode(
            operation.preVerificationGas, operation.gasFees, sponsorGas, postOpGas, validAfter, validUntil
        );
        bytes32 content = keccak256(bytes.concat(first, rest));
        return keccak256(abi.encodePacked("\x19\x01", domain, content));
    }

    function _sponsored(PackedUserOperation memory operation, uint256 key, uint48 validAfter)
        internal
        view
        returns (PackedUserOperation memory)
    {
        operation.paymasterAndData = abi.encodePacked(
            sponsor, sponsorGas, uint128(0), validAfter, validUntil, signed(key, _request(operation, 0, validAfter))
        );
        operation.signature = signed(CALLER, IOperationHash(address(entryPoint)).getUserOpHash(operation));
        return operation;
    }

    function _sponsored(bytes memory callData) internal view returns (PackedUserOperation memory) {
        return _sponsored(_operation(callData), SIGNER, 0);
    }

    function _submit(PackedUserOperation memory operation) internal {
        PackedUserOperation[] memory operations = new PackedUserOperation[](1);
        operations[0] = operation;
        vm.prank(bundler, bundler);
        entryPoint.handleOps(operations, bundler);
    }

    function _cap() internal view returns (uint256) {
        return (verificationGas + callGas + preVerificationGas + sponsorGas) * maxFee;
    }
}

contract GasSponsorTest is SponsoredAccount {
    function _expectFailure(string memory reason) internal {
        vm.expectRevert(abi.encodeWithSignature("FailedOp(uint256,string)", 0, reason));
    }

    // ---- what it pays for

    function test_an_account_without_gas_runs_the_operation_that_was_signed() public {
        require(address(account).balance == 0);
        _submit(_sponsored(abi.encodeCall(TestAccount.spendGas, (1))));
        equal(account.calls(), 1, "calls");
        require(bundler.balance > 0, "the bundler got nothing");
        equal(entryPoint.balanceOf(address(sponsor)), 10 ether - bundler.balance, "deposit");
    }

    function testFuzz_an_operation_never_costs_more_than_the_signed_cap(
        uint256 rounds,
        uint256 call_,
        uint256 verification,
        uint256 fee
    ) public {
        callGas = uint128(bound(call_, 10_000, 3_000_000));
        verificationGas = uint128(bound(verification, 100_000, 1_000_000));
        maxFee = bound(fee, 1, 1_000 gwei);
        _submit(_sponsored(abi.encodeCall(TestAccount.spendGas, (bound(rounds, 0, 100)))));
        atMost(10 ether - entryPoint.balanceOf(address(sponsor)), _cap(), "cost");
    }

    function test_an_inner_call_that_fails_is_paid_for_within_the_cap() public {
        _submit(_sponsored(abi.encodeCall(TestAccount.fail, ())));
        require(bundler.balance > 0);
        atMost(bundler.balance, _cap(), "cost");
    }

    // ---- what it does not pay for

    function test_the_same_operation_is_paid_once() public {
        PackedUserOperation memory operation = _sponsored(abi.encodeCall(TestAccount.spendGas, (1)));
        _submit(operation);
        _expectFailure("AA25 invalid account nonce");
        _submit(operation);
    }

    function test_a_signature_lasts_until_its_end() public {
        PackedUserOperation memory operation = _sponsored(abi.encodeCall(TestAccount.spendGas, (1)));
        vm.warp(validUntil + 1);
        _expectFailure("AA32 paymaster expired or not due");
        _submit(operation);
    }

    function test_a_signature_does_not_hold_before_its_beginning() public {
        uint48 later = uint48(block.timestamp + 60);
        PackedUserOperation memory operation =
            _sponsored(_operation(abi.encodeCall(TestAccount.spendGas, (1))), SIGNER, later);
        _expectFailure("AA32 paymaster expired or not due");
        _submit(operation);
    }

    function testFuzz_a_stranger_cannot_sign(uint256 key) public {
        key = bound(key, 1, type(uint128).max);
        vm.assume(key != SIGNER);
        PackedUserOperation memory operation =
            _sponsored(_operation(abi.encodeCall(TestAccount.spendGas, (1))), key, 0);
        _expectFailure("AA34 signature error");
        _submit(operation);
    }

    /// Each of the eleven signed fields, and the chain.
    function test_any_altered_field_is_refused() public {
        PackedUserOperation memory operation;
        for (uint256 field; field < 12; ++field) {
            operation = _sponsored(abi.encodeCall(TestAccount.spendGas, (1)));
            bytes memory data = operation.paymasterAndData;
            if (field == 0) operation.sender = address(0xBAD);
            if (field == 1) operation.nonce ^= 1 << 64;
            if (field == 2) operation.initCode = hex"7702";
            if (field == 3) operation.callData = abi.encodeCall(TestAccount.spendGas, (2));
            if (field == 4) operation.accountGasLimits = bytes32(uint256(operation.accountGasLimits) + 1);
            if (field == 5) operation.preVerificationGas += 1;
            if (field == 6) operation.gasFees = bytes32(uint256(operation.gasFees) + 1);
            if (field == 7) data[35] ^= 0x01;
            if (field == 8) data[51] ^= 0x01;
            if (field == 9) data[57] ^= 0x01;
            if (field == 10) data[63] ^= 0x01;
            if (field == 11) vm.chainId(block.chainid + 1);
            require(!_accepts(operation), string.concat("accepted with altered field ", decimal(field)));
        }
        vm.chainId(31_337);
        require(_accepts(_sponsored(abi.encodeCall(TestAccount.spendGas, (1)))), "refused unaltered");
    }

    function test_the_signature_of_another_sponsor_is_refused() public {
        PackedUserOperation memory operation = _sponsored(abi.encodeCall(TestAccount.spendGas, (1)));
        sponsor = new GasSponsor(owner, vm.addr(SIGNER));
        require(!_accepts(operation));
    }

    function testFuzz_no_data_of_any_length_is_accepted_without_the_signature(bytes calldata data) public {
        PackedUserOperation memory operation = _operation("");
        operation.paymasterAndData = abi.encodePacked(sponsor, sponsorGas, uint128(0), data);
        require(!_accepts(operation));
    }

    function _accepts(PackedUserOperation memory operation) internal returns (bool) {
        vm.prank(address(entryPoint));
        (bytes memory context, uint256 validation) =
            sponsor.validatePaymasterUserOp(operation, bytes32(0), type(uint256).max);
        require(context.length == 0, "a context needs postOp");
        (address aggregator,,,) = ERC4337Utils.parseValidationData(validation);
        return aggregator == address(0);
    }

    // ---- who may do what

    function test_only_the_entry_point_asks() public {
        PackedUserOperation memory operation = _sponsored("");
        vm.expectRevert(abi.encodeWithSelector(Paymaster.PaymasterUnauthorized.selector, address(this)));
        sponsor.validatePaymasterUserOp(operation, bytes32(0), 0);
    }

    function test_what_a_former_signer_signed_is_worth_nothing() public {
        PackedUserOperation memory operation = _sponsored(abi.encodeCall(TestAccount.spendGas, (1)));
        vm.prank(owner);
        sponsor.setSigner(address(0xBEEF));
        _expectFailure("AA34 signature error");
        _submit(operation);
    }

    function test_the_zero_signer_stops_all_sponsoring() public {
        vm.prank(owner);
        sponsor.setSigner(address(0));
        PackedUserOperation memory operation = _operation("");
        operation.paymasterAndData = abi.encodePacked(
            sponsor, sponsorGas, uint128(0), uint48(0), validUntil, bytes32(uint256(1)), bytes32(uint256(1)), uint8(0)
        );
        require(!_accepts(operation), "a signature that recovers nobody");
        require(!_accepts(_sponsored("")), "the former signer");
    }

    function test_anybody_may_deposit_and_only_the_owner_withdraws() public {
        address payable thief = payable(address(0xBAD));
        vm.deal(thief, 1 ether);
        vm.startPrank(thief);
        sponsor.deposit{value: 1 ether}();
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, thief));
        sponsor.withdraw(thief, 1);
        vm.stopPrank();
        vm.prank(owner);
        sponsor.withdraw(payable(owner), 11 ether);
        equal(owner.balance, 11 ether, "withdrawn");
    }

    function test_only_the_owner_sets_the_signer_and_the_stake() public {
        bytes memory refusal = abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, address(this));
        vm.expectRevert(refusal);
        sponsor.setSigner(address(this));
        vm.expectRevert(refusal);
        sponsor.addStake{value: 1}(1);
        vm.expectRevert(refusal);
        sponsor.unlockStake();
        vm.expectRevert(refusal);
        sponsor.withdrawStake(payable(address(this)));
    }

    function test_the_stake_comes_back_after_its_delay() public {
        vm.deal(owner, 1 ether);
        vm.startPrank(owner);
        sponsor.addStake{value: 1 ether}(1 days);
        sponsor.unlockStake();
        vm.expectRevert();
        sponsor.withdrawStake(payable(owner));
        vm.warp(block.timestamp + 1 days);
        sponsor.withdrawStake(payable(owner));
        equal(owner.balance, 1 ether, "stake");
    }

    function test_ownership_moves_in_two_steps_and_is_never_given_up() public {
        address next = address(0x0456);
        vm.startPrank(owner);
        sponsor.transferOwnership(next);
        require(sponsor.owner() == owner);
        vm.expectRevert(GasSponsor.CannotRenounce.selector);
        sponsor.renounceOwnership();
        vm.stopPrank();
        vm.prank(next);
        sponsor.acceptOwnership();
        require(sponsor.owner() == next);
    }

    function test_ether_sent_by_mistake_comes_back() public {
        (bool taken,) = address(sponsor).call{value: 1}("");
        require(!taken);
    }
}

/// @notice Deposits, withdrawals, operations of several signers and replays in any order; `put`, `taken` and the bundler's coins are its books.
contract SponsorWalk is SponsoredAccount {
    uint256 public put;
    uint256 public taken;
    uint256 public mostSpent;
    uint256 key = SIGNER;
    PackedUserOperation last;

    constructor() {
        SponsoredAccount.setUp();
        put = 10 ether;
    }

    function setUp() public override {}

    function books() external view returns (uint256 deposit, uint256 spent, uint256 atHand) {
        return (entryPoint.balanceOf(address(sponsor)), bundler.balance, address(sponsor).balance);
    }

    function add(uint256 amount) external {
        amount = bound(amount, 0, 1 ether);
        vm.deal(address(this), amount);
        sponsor.deposit{value: amount}();
        put += amount;
    }

    function take(uint256 amount, bool isOwner) external {
        amount = bound(amount, 0, entryPoint.balanceOf(address(sponsor)));
        vm.prank(isOwner ? owner : bundler);
        try sponsor.withdraw(payable(owner), amount) {
            require(isOwner, "a stranger withdrew");
            taken += amount;
        } catch {
            require(!isOwner, "the owner could not withdraw");
        }
    }

    function changeSigner(bool isOwner) external {
        vm.prank(isOwner ? owner : bundler);
        try sponsor.setSigner(vm.addr(key + 1)) {
            require(isOwner, "a stranger became the signer");
            ++key;
        } catch {
            require(!isOwner, "the owner could not change the signer");
        }
    }

    /// One operation, signed by the signer, a former one or a stranger; what is refused costs nothing.
    function operate(uint256 rounds, uint256 fee, uint256 whose, bool fails) external {
        maxFee = bound(fee, 1, 100 gwei);
        uint256 by = whose % 3 == 0 ? key : whose % 3 == 1 ? key - 1 : key + 7;
        bytes memory callData = fails
            ? abi.encodeCall(TestAccount.fail, ())
            : abi.encodeCall(TestAccount.spendGas, (bound(rounds, 0, 20)));
        last = _sponsored(_operation(callData), by, 0);
        bool isCovered = entryPoint.balanceOf(address(sponsor)) >= _cap();
        if (_try(last)) {
            require(by == key, "a stranger's word was paid for");
            mostSpent += _cap();
        } else {
            require(by != key || !isCovered, "the signer's word was refused");
        }
    }

    function replay() external {
        if (last.sender == address(0)) return;
        require(last.nonce == entryPoint.getNonce(address(account), 0) || !_try(last), "paid twice");
    }

    function _try(PackedUserOperation memory operation) private returns (bool) {
        PackedUserOperation[] memory operations = new PackedUserOperation[](1);
        operations[0] = operation;
        vm.prank(bundler, bundler);
        try entryPoint.handleOps(operations, bundler) {
            return true;
        } catch {
            return false;
        }
    }
}

/// forge-config: stress.invariant.runs = 10000
contract GasSponsorInvariants is Test {
    SponsorWalk walk;

    function setUp() public {
        walk = new SponsorWalk();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(walk);
    }

    function invariant_what_was_deposited_was_withdrawn_spent_as_signed_or_is_there() public view {
        (uint256 deposit, uint256 spent, uint256 atHand) = walk.books();
        equal(walk.put(), walk.taken() + spent + deposit, "deposit");
        atMost(spent, walk.mostSpent(), "spent");
        equal(atHand, 0, "kept");
    }
}

/// forge-config: default.isolate = true
contract GasSponsorGasUse is SponsoredAccount {
    function test_gas_of_a_sponsored_operation() public {
        PackedUserOperation memory operation = _sponsored(abi.encodeCall(TestAccount.spendGas, (1)));
        _submit(operation);
        vm.snapshotGasLastCall("GasSponsor", "handleOps, one operation of one call");
    }

    function test_gas_of_a_deposit() public {
        sponsor.deposit{value: 1 ether}();
        vm.snapshotGasLastCall("GasSponsor", "deposit");
    }
}
