import { type Abi, type Address, encodeFunctionData, formatUnits, isAddressEqual, zeroAddress } from 'viem'
import { basketOracle } from '../../../../contracts/basket-oracle.ts'
import { basketVault } from '../../../../contracts/basket-vault.ts'
import { basketVaultFactory } from '../../../../contracts/basket-vault-factory.ts'
import { testStock } from '../../../../contracts/test-stock.ts'
import { ToolError } from '../../../kernel/error.ts'
import type { Revert } from '../../../lib/evm-revert.ts'
import { dayMs } from '../../../lib/time.ts'
import { readAddress } from '../address.ts'
import { type Call, type Simulated, simulateCalls } from '../calldata/simulate.ts'
import { onChain } from '../stablecoin/reader.ts'
import { parseDelegate } from '../stablecoin/token.ts'
import { type Basket, readVaultOwner, vaultAddress, vaultChainId } from './basket.ts'
import { readMarketHours } from './market-hours.ts'
import { formatCash, formatShares, type VaultState, valueVault, vaultQuestions } from './state.ts'

/** How long prepared calls hold. */
const holdMs = 300_000

/** Errors that calls of a vault may end with. */
const errors: Abi = [
  ...[...basketVault.abi, ...basketOracle.abi, ...basketVaultFactory.abi].filter(
    ({ type }) => type === 'error',
  ),
  ...testStock.abi.filter(({ type }) => type === 'error'),
]

export const invalid = (path: string, message: string, detail: string, hint?: string): ToolError =>
  new ToolError('invalid_input', detail, { issues: [{ path, message }], hint })

/** A vault and who calls it. */
export type Prepared = { owner: Address; vault: Address; isOpen: boolean }

/**
 * Reads the account that sends the calls, and its vault. Throws `invalid_input` for an address that nobody can send from: zero, or a
 * contract. An account with delegated code (EIP-7702) is one.
 */
export const readOwner = async (basket: Basket, text: string): Promise<Prepared> => {
  const owner = await readAddress(text, 'owner')
  if (isAddressEqual(owner, zeroAddress))
    throw invalid('owner', 'must not be zero', 'Nobody can send calls from the zero address.')
  const vault = vaultAddress(basket, owner)
  const [code, vaultCode] = await Promise.all(
    [owner, vault].map(address => onChain(basket.reader.getCode({ address }))),
  )
  if (code && !parseDelegate(code))
    throw invalid(
      'owner',
      'is a contract',
      `${owner} is a contract on Base: a vault belongs to the account that sends its calls.`,
      'Name an account with a key of its own; one with delegated code (EIP-7702) is fine.',
    )
  const codeOwner = readVaultOwner(basket.implementation, vaultCode)
  if (vaultCode && (!codeOwner || !isAddressEqual(codeOwner, owner)))
    throw new ToolError(
      'upstream',
      `The node says that something else is at ${vault}, where only a vault can be.`,
      {
        retryAfter: 5,
      },
    )
  return { owner, vault, isOpen: codeOwner !== undefined }
}

/** The vault of `owner`, which must be open. */
export const requireVault = async (basket: Basket, text: string): Promise<Prepared> => {
  const prepared = await readOwner(basket, text)
  if (prepared.isOpen) return prepared
  throw new ToolError('not_found', `${prepared.owner} has no vault yet.`, {
    reason: 'no_vault',
    issues: [{ path: 'owner', message: 'has no vault' }],
    params: { vault: prepared.vault },
    next: ['create_vault', 'buy_stocks'],
  })
}

/** The vault at an address. Throws `not_found` where there is none of this factory. */
export const readVault = async (
  basket: Basket,
  text: string,
): Promise<{ vault: Address; owner: Address }> => {
  const vault = await readAddress(text, 'vault')
  const owner = readVaultOwner(
    basket.implementation,
    await onChain(basket.reader.getCode({ address: vault })),
  )
  if (owner && isAddressEqual(vaultAddress(basket, owner), vault))
    return { vault, owner: await readAddress(owner.toLowerCase(), 'vault') }
  throw new ToolError('not_found', `There is no vault of this factory at ${vault} on Base.`, {
    reason: 'no_vault',
    issues: [{ path: 'vault', message: 'is no vault' }],
  })
}

export const createCall = ({ factory }: Basket): Call => ({
  to: factory,
  data: encodeFunctionData({ abi: basketVaultFactory.abi, functionName: 'createVault' }),
})

export const weightsCall = (vault: Address, weights: readonly number[]): Call => {
  const [a = 0, b = 0, c = 0, d = 0] = weights
  const data = encodeFunctionData({ abi: basketVault.abi, functionName: 'setWeights', args: [[a, b, c, d]] })
  return { to: vault, data }
}

const symbolAt = ({ stocks, stablecoin, stablecoinFeed }: Basket, address: string | undefined): string => {
  const lower = address?.toLowerCase()
  const stock = stocks.find(({ token, feed }) => [token, feed].some(one => one.toLowerCase() === lower))
  if (stock) return stock.symbol
  return lower === stablecoin.toLowerCase() || lower === stablecoinFeed.toLowerCase()
    ? 'USDC'
    : String(address)
}

const toDate = (seconds: string | undefined): string => {
  const ms = Number(seconds) * 1000
  return ms > 0 && ms < 8.64e15 ? new Date(ms).toISOString() : 'unknown times'
}

/** Says why the contracts of the vaults refuse, where they say it in errors of their own. */
const explain = (basket: Basket, { name, args, text }: Revert): ToolError | undefined => {
  const hours = (basket.maxAges[args.feed?.toLowerCase() ?? ''] ?? 0) / 3_600
  const prices = { next: ['discover_index'], hint: 'redeem works without prices.' }
  if (name === 'StalePrice')
    return new ToolError(
      'unavailable',
      `The price of ${symbolAt(basket, args.feed)} is of ${toDate(args.updatedAt)}; the vault takes none older than ${hours} hours.`,
      { reason: 'stale_price', ...prices },
    )
  if (name === 'BadPrice')
    return new ToolError('unavailable', `The feed of ${symbolAt(basket, args.feed)} tells no price.`, {
      reason: 'no_price',
      ...prices,
    })
  if (name === 'SequencerDown')
    return new ToolError(
      'unavailable',
      'The sequencer of Base is down, or came back less than an hour ago.',
      {
        reason: 'sequencer_down',
        ...prices,
      },
    )
  if (name === 'LossTooLarge')
    return new ToolError(
      'conflict',
      `Rebalancing this vault would have cost ${Number(args.lossPpm) / 1e4}% of it within 30 days, and may cost ${Number(args.limitPpm) / 1e4}%. Weigh less anew, or wait.`,
      { reason: 'loss_too_large', params: { lossPpm: args.lossPpm, limitPpm: args.limitPpm } },
    )
  if (name === 'Worthless')
    return new ToolError(
      'conflict',
      'The shares of this vault have nothing behind them any more, so that more have no price: redeem them first.',
      { reason: 'worthless', next: ['redeem'] },
    )
  // Slipstream's router says it in words, before the vault looks at what arrived.
  if (name === null && /^too little received$/i.test(text))
    return new ToolError(
      'conflict',
      `A stock trades more than ${basket.slippageBps / 100}% away from its price just now, which the vault does not accept.`,
      { reason: 'too_little_received', next: ['discover_index'] },
    )
  if (name === 'TooLittleReceived')
    return new ToolError(
      'conflict',
      `${symbolAt(basket, args.token)} trades too far from its price just now: ${args.received} would arrive, ${args.minimum} are the least that the vault takes (smallest unit).`,
      {
        reason: 'too_little_received',
        params: { token: args.token, received: args.received, minimum: args.minimum },
      },
    )
  return undefined
}

type Run = {
  holder: Address
  vault: Address
  receiver?: Address
  /** For whom tokens are set aside; default: the receiver. */
  claimant?: Address
  calls: readonly Call[]
}

export type DryRun = Simulated & { stateBefore: VaultState; stateAfter: VaultState }

/** Runs calls on a vault without sending them. Throws with the reason for what fails. */
export const dryRunVault = async (
  basket: Basket,
  { holder, vault, receiver = holder, claimant, calls }: Run,
): Promise<DryRun> => {
  const { questions, read } = vaultQuestions(basket, { vault, holder, receiver, claimant })
  const simulated = await simulateCalls(basket.reader, {
    account: holder,
    calls,
    before: questions,
    questions,
    abi: errors,
    now: basket.now,
    refuse: revert => explain(basket, revert),
  })
  return { ...simulated, stateBefore: read(simulated.before), stateAfter: read(simulated.answers) }
}

/** Contents of a vault after the calls, as answers say it. */
export const toAfter = (state: VaultState) => {
  const value = valueVault(state)
  return {
    shares: formatShares(state.shares),
    cash: formatCash(state.cash ?? 0n),
    holdings: state.holdings.map(({ symbol, token, amount = 0n, decimals }) => ({
      symbol,
      token,
      amount: formatUnits(amount, decimals),
    })),
    weightsBps: [...state.weightsBps],
    value: value === undefined ? null : formatCash(value),
  }
}

/** Parts of ten thousand that `lost` is of `base`, rounded up; never below zero. */
export const toCostBps = (lost: bigint, base: bigint): number =>
  base <= 0n || lost <= 0n ? 0 : Number((lost * 10_000n + base - 1n) / base)

const hours = (ms: number): string => {
  const count = Math.round(ms / 3_600_000)
  return count < 48 ? `${count} hours` : `${Math.round(count / 24)} days`
}

const toMarket = ({ now }: Basket, { holdings }: Pick<VaultState, 'holdings'>) => {
  const { open, since } = readMarketHours(now)
  const times = holdings.flatMap(({ updatedAt }) => updatedAt ?? [])
  const oldest = times.length > 0 ? new Date(Math.min(...times) * 1000) : undefined
  return { open, since: since.toISOString(), oldest_price_at: oldest?.toISOString() ?? null }
}

/** Warnings that prices may be of a session that is over: feeds hold the last close at nights and weekends. */
export const priceWarnings = (basket: Basket, state: Pick<VaultState, 'holdings'>): string[] => {
  const { open, since, oldest_price_at: oldestPriceAt } = toMarket(basket, state)
  const age = oldestPriceAt === null ? undefined : basket.now.getTime() - new Date(oldestPriceAt).getTime()
  const missing = state.holdings.filter(({ price }) => price === undefined).map(({ symbol }) => symbol)
  return [
    ...(open
      ? []
      : [
          `The exchange is closed since ${since}. Prices may be frozen at the last close; pools may trade away from it until it opens.`,
        ]),
    ...(open && age !== undefined && age > dayMs ? [`The oldest price is ${hours(age)} old.`] : []),
    ...(missing.length > 0 ? [`There is no usable price of ${missing.join(', ')}.`] : []),
  ]
}

/** The answer of a tool that prepared calls. */
export const toAnswer = <expect>(
  basket: Basket,
  { owner, vault }: { owner: Address; vault: Address },
  { calls, simulation, stateBefore }: DryRun,
  expect: expect,
  warnings: readonly string[] = [],
) => ({
  chainId: vaultChainId,
  calls,
  expect,
  simulation,
  expires_at: new Date(basket.now.getTime() + holdMs).toISOString(),
  owner,
  vault,
  market: toMarket(basket, stateBefore),
  warnings: [...warnings, ...priceWarnings(basket, stateBefore)],
  simulated: basket.simulated,
})

/** Until when prepared calls may be mined, in Unix seconds. */
export const deadlineOf = ({ now }: Basket): bigint => BigInt(Math.floor((now.getTime() + holdMs) / 1000))
