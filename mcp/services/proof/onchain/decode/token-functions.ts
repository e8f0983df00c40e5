import { isSame, lower } from '../scene.ts'
import { type KnownFunction, knownFunction, knownPlain } from './functions.ts'
import { permit2 } from './known-addresses.ts'

const maxUint160 = 2n ** 159n

/** ERC-20, ERC-721, ERC-1155, ERC-2612, ERC-3009, ERC-4626, wrapped coins and Permit2. */
export const tokenFunctions: readonly KnownFunction[] = [
  knownFunction(
    'transfer',
    'address to, uint256 amount',
    ([to, amount], { to: token, from, path }, { pay }) => pay({ token, from, to, amount, path }),
  ),
  knownFunction(
    'transferFrom',
    'address from, address to, uint256 amount',
    ([from, to, amount], { to: token, path }, { pay }) => pay({ token, from: lower(from), to, amount, path }),
  ),
  knownFunction(
    'safeTransferFrom',
    'address from, address to, uint256 id',
    ([from, to], { to: token, path }, { pay }) =>
      pay({ token, from: lower(from), to, amount: 1n, isNft: true, path }),
  ),
  knownFunction(
    'safeTransferFrom',
    'address from, address to, uint256 id, bytes data',
    ([from, to], { to: token, path }, { pay }) =>
      pay({ token, from: lower(from), to, amount: 1n, isNft: true, path }),
  ),
  knownFunction(
    'safeTransferFrom',
    'address from, address to, uint256 id, uint256 amount, bytes data',
    ([from, to, , amount], { to: token, path }, { pay }) =>
      pay({ token, from: lower(from), to, amount, isNft: true, path }),
  ),
  knownFunction(
    'safeBatchTransferFrom',
    'address from, address to, uint256[] ids, uint256[] amounts, bytes data',
    ([from, to, ids], { to: token, path }, { pay }) =>
      pay({ token, from: lower(from), to, amount: BigInt(ids.length), isNft: true, path }),
  ),
  knownFunction(
    'approve',
    'address spender, uint256 amount',
    ([spender, amount], { to: token, path }, { grant }) =>
      grant({ kind: 'token', via: 'approve', token, spender, amount, expires: undefined, path }),
  ),
  knownFunction(
    'increaseAllowance',
    'address spender, uint256 added',
    ([spender, amount], { to: token, path }, { grant }) =>
      grant({ kind: 'token', via: 'increaseAllowance', token, spender, amount, expires: undefined, path }),
  ),
  knownFunction(
    'decreaseAllowance',
    'address spender, uint256 subtracted',
    ([spender], { path }, { mention }) => {
      mention(spender, 'spender', path)
    },
  ),
  knownFunction(
    'setApprovalForAll',
    'address operator, bool approved',
    ([operator, isApproved], { to: token, path }, { grant }) =>
      grant({
        kind: 'collection',
        via: 'setApprovalForAll',
        token,
        spender: operator,
        amount: isApproved ? 1n : 0n,
        unlimitedFrom: 1n,
        expires: undefined,
        path,
      }),
  ),
  knownFunction(
    'permit',
    'address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s',
    ([, spender, amount, deadline], { to: token, path }, { grant }) =>
      grant({ kind: 'token', via: 'permit', token, spender, amount, expires: deadline, path }),
  ),
  knownFunction(
    'permit',
    'address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s',
    ([, spender, , expires, isAllowed], { to: token, path }, { grant }) =>
      grant({
        kind: 'token',
        via: 'permit',
        token,
        spender,
        amount: isAllowed ? 2n ** 256n - 1n : 0n,
        expires: expires === 0n ? undefined : expires,
        path,
      }),
  ),
  knownFunction(
    'approve',
    'address token, address spender, uint160 amount, uint48 expiration',
    ([token, spender, amount, expiration], { path }, { grant }) =>
      grant({
        kind: 'token',
        via: 'Permit2.approve',
        token: lower(token),
        spender,
        amount,
        unlimitedFrom: maxUint160 < 2n ** 128n ? maxUint160 : 2n ** 128n,
        expires: BigInt(expiration),
        path,
      }),
  ),
  knownFunction(
    'transferFrom',
    'address from, address to, uint160 amount, address token',
    ([from, to, amount, token], { path }, { pay }) =>
      pay({ token: lower(token), from: lower(from), to, amount, path }),
  ),
  knownFunction('lockdown', '(address token, address spender)[] approvals', () => undefined),
  knownFunction('invalidateNonces', 'address token, address spender, uint48 nonce', () => undefined),
  knownFunction(
    'transferWithAuthorization',
    'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s',
    ([from, to, amount], { to: token, path }, { pay }) => pay({ token, from: lower(from), to, amount, path }),
  ),
  knownPlain('deposit', ({ value, path, to }, { scene }) => {
    if (value === 0n) scene.problems.push(`deposit() at ${path} sends no coins to ${to}.`)
  }),
  knownFunction('withdraw', 'uint256 amount', () => undefined),
  knownFunction('deposit', 'uint256 assets, address receiver', ([, receiver], call, { trade }) =>
    trade({ router: call.to, recipient: lower(receiver), path: call.path }),
  ),
  knownFunction('mint', 'uint256 shares, address receiver', ([, receiver], call, { trade }) =>
    trade({ router: call.to, recipient: lower(receiver), path: call.path }),
  ),
  knownFunction(
    'withdraw',
    'uint256 assets, address receiver, address owner',
    ([, receiver], call, { trade }) =>
      trade({ router: call.to, recipient: lower(receiver), path: call.path }),
  ),
  knownFunction(
    'redeem',
    'uint256 shares, address receiver, address owner',
    ([, receiver], call, { trade }) =>
      trade({ router: call.to, recipient: lower(receiver), path: call.path }),
  ),
  knownFunction(
    'supply',
    'address asset, uint256 amount, address onBehalfOf, uint16 referralCode',
    ([asset, amountIn, receiver], call, { trade }) =>
      trade({
        router: call.to,
        tokenIn: lower(asset),
        amountIn,
        recipient: lower(receiver),
        path: call.path,
      }),
  ),
  knownFunction(
    'withdraw',
    'address asset, uint256 amount, address to',
    ([asset, , receiver], call, { trade }) =>
      trade({ router: call.to, tokenOut: lower(asset), recipient: lower(receiver), path: call.path }),
  ),
  knownFunction(
    'repay',
    'address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf',
    () => undefined,
  ),
  knownFunction('delegate', 'address delegatee', ([delegatee], { path }, { mention }) => {
    mention(delegatee, 'delegatee of votes', path)
  }),
  knownFunction('burn', 'uint256 amount', ([amount], { to: token, from, path }, { pay }) =>
    pay({ token, from, to: '0x0000000000000000000000000000000000000000', amount, path }),
  ),
  knownFunction(
    'permitTransferFrom',
    '((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes signature',
    ([permit, details, owner], { path, to }, { pay, scene }) => {
      if (!isSame(to, permit2)) scene.problems.push(`permitTransferFrom at ${path} is not Permit2's.`)
      pay({
        token: lower(permit.permitted.token),
        from: lower(owner),
        to: details.to,
        amount: details.requestedAmount,
        path,
      })
    },
  ),
]
