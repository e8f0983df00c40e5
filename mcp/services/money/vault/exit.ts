import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  formatUnits,
  isAddressEqual,
  parseUnits,
  zeroAddress,
} from 'viem'
import { basketVault } from '../../../../contracts/basket-vault.ts'
import { ToolError } from '../../../kernel/error.ts'
import { readAddress } from '../address.ts'
import type { Call } from '../calldata/simulate.ts'
import { isBlocked } from '../stablecoin/token.ts'
import type { Basket } from './basket.ts'
import {
  type DryRun,
  deadlineOf,
  dryRunVault,
  invalid,
  readOwner,
  readVault,
  requireVault,
  toAfter,
  toAnswer,
} from './prepare.ts'
import { formatCash, formatShares, type Holding, type VaultState, valueVault } from './state.ts'

const { abi } = basketVault

export type Exit = {
  owner: string
  to: 'stablecoin' | 'in_kind' | 'set_aside'
  shares?: string | undefined
  fraction_bps?: number | undefined
  receiver?: string | undefined
  slippage_bps?: number | undefined
  vault?: string | undefined
  set_aside_for?: string | undefined
}

/** A sale below this part of what the oracle says is warned of, in parts of ten thousand. */
const poorSaleBps = 300n

const defaultSlippageBps = 50

type Amount = { symbol: string; token: Address; amount: string }

/** Lists differences, of each stock and of USDC where `cash` says how much. */
const toAmounts = (
  { stablecoin }: Basket,
  { holdings }: VaultState,
  amountOf: (holding: Holding, index: number) => bigint,
  cash = 0n,
): Amount[] => [
  ...(cash > 0n ? [{ symbol: 'USDC', token: stablecoin, amount: formatCash(cash) }] : []),
  ...holdings.flatMap((holding, index) => {
    const amount = amountOf(holding, index)
    const { symbol, token, decimals } = holding
    return amount > 0n ? [{ symbol, token, amount: formatUnits(amount, decimals) }] : []
  }),
]

const arrivedTokens = (basket: Basket, { stateBefore, stateAfter }: DryRun, cash = 0n): Amount[] =>
  toAmounts(
    basket,
    stateAfter,
    ({ outside = 0n }, index) => outside - (stateBefore.holdings[index]?.outside ?? 0n),
    cash,
  )

/** Tokens waiting in the vault for its claimant. */
export const waitingTokens = (basket: Basket, state: VaultState): Amount[] =>
  toAmounts(basket, state, ({ deferred = 0n }) => deferred, state.deferredCash)

const cashArrived = ({ stateBefore, stateAfter }: DryRun): bigint =>
  (stateAfter.receiverCash ?? 0n) - (stateBefore.receiverCash ?? 0n)

/** Reads who gets it. Contracts that would swallow it are refused. */
const readReceiver = async (
  basket: Basket,
  text: string | undefined,
  { owner, vault }: { owner: Address; vault: Address },
): Promise<Address> => {
  if (text === undefined) return owner
  const receiver = await readAddress(text, 'receiver')
  const swallows = [
    zeroAddress,
    vault,
    basket.factory,
    basket.implementation,
    basket.stablecoin,
    basket.venue,
    ...basket.stocks.map(({ token }) => token),
  ]
  if (swallows.some(address => isAddressEqual(address, receiver)))
    throw invalid('receiver', 'can never send it on', `What is sent to ${receiver} would be lost.`)
  return receiver
}

const readShares = (
  { shares, fraction_bps: fractionBps }: Exit,
  { shares: available, supply }: VaultState,
  vault: Address,
): bigint => {
  if (available === 0n)
    throw new ToolError('conflict', `The owner holds no shares of ${vault}.`, {
      reason: 'no_shares',
      issues: [
        { path: 'owner', message: supply === 0n ? 'has an empty vault' : 'holds no shares of this vault' },
      ],
      next: ['vault_status'],
    })
  if (fractionBps !== undefined) return (available * BigInt(fractionBps)) / 10_000n
  const wanted = parseUnits(shares ?? '0', 18)
  if (wanted <= available) return wanted
  throw new ToolError(
    'conflict',
    `The owner holds ${formatShares(available)} shares, and ${shares} are to be redeemed.`,
    {
      reason: 'insufficient_shares',
      issues: [
        { path: 'shares', message: `is more than the ${formatShares(available)} that the owner holds` },
      ],
      params: { shares: formatShares(available) },
    },
  )
}

const checkForm = ({
  to,
  shares,
  fraction_bps: fractionBps,
  set_aside_for: setAsideFor,
  slippage_bps: slippageBps,
}: Exit): void => {
  const count = [shares, fractionBps].filter(value => value !== undefined).length
  if (to === 'set_aside' && count > 0)
    throw invalid(
      shares ? 'shares' : 'fraction_bps',
      'does not go with set_aside',
      'What was set aside is claimed whole.',
    )
  if (to !== 'set_aside' && count !== 1)
    throw invalid(
      count === 0 ? 'shares' : 'fraction_bps',
      count === 0 ? 'is needed, or fraction_bps' : 'does not go with shares',
      'Give either shares or fraction_bps.',
    )
  if (to !== 'set_aside' && setAsideFor !== undefined)
    throw invalid('set_aside_for', 'goes with set_aside only', 'set_aside_for says whose tokens are claimed.')
  if (to !== 'stablecoin' && slippageBps !== undefined)
    throw invalid('slippage_bps', 'goes with stablecoin only', 'Nothing is sold, so there is no slippage.')
}

type Place = { owner: Address; vault: Address; receiver: Address }

const saleCall = (
  basket: Basket,
  { owner, vault, receiver }: Place,
  shares: bigint,
  minAssets: bigint,
): Call => ({
  to: vault,
  data: encodeFunctionData({
    abi,
    functionName: 'exitToStable',
    args: [shares, minAssets, deadlineOf(basket), receiver, owner],
  }),
})

/** A sale fails as a whole only when USDC cannot reach the receiver; then it says which way is left. */
const runSale = async (basket: Basket, { owner, vault, receiver }: Place, call: Call): Promise<DryRun> => {
  try {
    return await dryRunVault(basket, { holder: owner, vault, receiver, calls: [call] })
  } catch (error) {
    if (!(error instanceof ToolError) || error.extra.reason !== 'would_revert') throw error
    const blocked = await isBlocked(basket.reader, basket.stablecoin, receiver)
    throw new ToolError('conflict', blocked ? `The issuer of USDC has blocked ${receiver}.` : error.message, {
      ...error.extra,
      ...(blocked && {
        reason: 'receiver_blocked',
        issues: [{ path: 'receiver', message: 'is blocked by the issuer of USDC' }],
      }),
      hint: 'Name another receiver, or redeem with to: in_kind, which sets aside what cannot be transferred.',
    })
  }
}

/** Proceeds of the sale. A node that says it succeeded and returns no number is no node. */
const readProceeds = ({ results: [data = '0x'] }: DryRun): bigint => {
  try {
    return decodeFunctionResult({ abi, functionName: 'exitToStable', data })
  } catch (error) {
    throw new ToolError('upstream', 'The node says nothing of what the sale brings.', {
      retryAfter: 5,
      cause: error,
    })
  }
}

const prepareSale = async (
  basket: Basket,
  place: Place,
  shares: bigint,
  slippageBps = defaultSlippageBps,
) => {
  // What the sale brings on the newest block is the quote; what is answered was tried with its minimum.
  const quote = await runSale(basket, place, saleCall(basket, place, shares, 0n))
  const proceeds = readProceeds(quote)
  const minimum = (proceeds * BigInt(10_000 - slippageBps)) / 10_000n
  const run = await runSale(basket, place, saleCall(basket, place, shares, minimum))
  const tokens = arrivedTokens(basket, run)
  const waiting = waitingTokens(basket, run.stateAfter)
  const { stateBefore } = run
  const value = valueVault(stateBefore)
  const fair =
    value === undefined || stateBefore.supply === 0n ? undefined : (value * shares) / stateBefore.supply
  const unsold = [...new Set([...tokens, ...waiting].map(({ symbol }) => symbol))]
  const warnings = [
    ...(unsold.length > 0
      ? [`${unsold.join(', ')} cannot be sold just now: it is handed over, or set aside.`]
      : []),
    ...(unsold.length === 0 && fair !== undefined && proceeds * 10_000n < fair * (10_000n - poorSaleBps)
      ? [
          `The sale brings ${formatCash(proceeds)} USDC of the ${formatCash(fair)} that the oracle says it is worth. in_kind keeps the tokens.`,
        ]
      : []),
  ]
  return toAnswer(
    basket,
    place,
    run,
    {
      shares: formatShares(shares),
      receiver: place.receiver,
      usdc: { expected: formatCash(cashArrived(run)), minimum: formatCash(minimum) },
      tokens,
      set_aside: waiting,
      vault: toAfter(run.stateAfter),
    },
    warnings,
  )
}

const prepareInKind = async (basket: Basket, place: Place, shares: bigint) => {
  const { owner, vault, receiver } = place
  const data = encodeFunctionData({ abi, functionName: 'exitInKind', args: [shares, receiver, owner] })
  const run = await dryRunVault(basket, { holder: owner, vault, receiver, calls: [{ to: vault, data }] })
  const waiting = waitingTokens(basket, run.stateAfter)
  const warnings =
    waiting.length > 0
      ? [
          `${waiting.map(({ symbol }) => symbol).join(', ')} refuses the transfer and waits in the vault; redeem with to: set_aside claims it later.`,
        ]
      : []
  return toAnswer(
    basket,
    place,
    run,
    {
      shares: formatShares(shares),
      receiver,
      usdc: null,
      tokens: arrivedTokens(basket, run, cashArrived(run)),
      set_aside: waiting,
      vault: toAfter(run.stateAfter),
    },
    warnings,
  )
}

const prepareClaim = async (basket: Basket, place: Place, claimant: Address) => {
  const { owner, vault, receiver } = place
  if (!isAddressEqual(claimant, owner) && !isAddressEqual(claimant, receiver))
    throw invalid(
      'receiver',
      `must be ${claimant}`,
      `Only ${claimant} itself may send elsewhere what waits for it.`,
    )
  const who = { holder: owner, vault, receiver, claimant }
  const { stateBefore: state } = await dryRunVault(basket, { ...who, calls: [] })
  const claimCall = (token: Address): Call => ({
    to: vault,
    data: encodeFunctionData({ abi, functionName: 'claim', args: [token, claimant, receiver] }),
  })
  const waiting = waitingTokens(basket, state)
  if (waiting.length === 0)
    throw new ToolError('conflict', `Nothing is set aside for ${claimant} in ${vault}.`, {
      reason: 'nothing_set_aside',
      issues: [{ path: 'set_aside_for', message: 'has nothing set aside' }],
      next: ['vault_status'],
    })
  const tried = await Promise.allSettled(
    waiting.map(({ token }) => dryRunVault(basket, { ...who, calls: [claimCall(token)] })),
  )
  const calls = waiting.flatMap(({ token }, index) =>
    tried[index]?.status === 'fulfilled' ? [claimCall(token)] : [],
  )
  const refusals = tried.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
  for (const refusal of refusals)
    if (!(refusal instanceof ToolError) || refusal.code !== 'conflict') throw refusal
  if (calls.length === 0) throw refusals[0]
  const run = await dryRunVault(basket, { ...who, calls })
  const still = waitingTokens(basket, run.stateAfter)
  return toAnswer(
    basket,
    place,
    run,
    {
      shares: '0',
      receiver,
      usdc: null,
      tokens: arrivedTokens(basket, run, cashArrived(run)),
      set_aside: still,
      vault: toAfter(run.stateAfter),
    },
    still.length > 0 ? [`${still.map(({ symbol }) => symbol).join(', ')} still refuses the transfer.`] : [],
  )
}

/** The calls by which a holder of shares leaves, or claims what waits. */
export const prepareExit = async (basket: Basket, exit: Exit) => {
  checkForm(exit)
  const other = exit.vault === undefined ? undefined : await readVault(basket, exit.vault)
  const { owner } = await readOwner(basket, exit.owner)
  const vault = other?.vault ?? (await requireVault(basket, exit.owner)).vault
  if (exit.to === 'set_aside') {
    const claimant =
      exit.set_aside_for === undefined ? owner : await readAddress(exit.set_aside_for, 'set_aside_for')
    const receiver = await readReceiver(basket, exit.receiver, { owner: claimant, vault })
    return prepareClaim(basket, { owner, vault, receiver }, claimant)
  }
  const receiver = await readReceiver(basket, exit.receiver, { owner, vault })
  const place = { owner, vault, receiver }
  const { stateBefore } = await dryRunVault(basket, { holder: owner, vault, receiver, calls: [] })
  const shares = readShares(exit, stateBefore, vault)
  if (shares === 0n)
    throw invalid('fraction_bps', 'is less than one share in its smallest unit', 'That part is nothing.')
  return exit.to === 'stablecoin'
    ? prepareSale(basket, place, shares, exit.slippage_bps)
    : prepareInKind(basket, place, shares)
}
