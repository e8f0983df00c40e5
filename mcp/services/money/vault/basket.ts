import {
  type Address,
  concatHex,
  getContractAddress,
  type Hex,
  isAddressEqual,
  type PublicClient,
  padHex,
} from 'viem'
import { basketOracle } from '../../../../contracts/basket-oracle.ts'
import { basketVault } from '../../../../contracts/basket-vault.ts'
import { basketVaultFactory } from '../../../../contracts/basket-vault-factory.ts'
import { slipstreamVenue } from '../../../../contracts/slipstream-venue.ts'
import { ToolError } from '../../../kernel/error.ts'
import { isCodeOf } from '../../../lib/contract.ts'
import { stablecoinOn } from '../../../lib/stablecoins.ts'
import type { Cache } from '../../../ports/cache/port.ts'
import type { Evm } from '../../../ports/evm/port.ts'
import { askTogether, view } from '../calldata/views.ts'
import type { Stock } from '../config.ts'
import { onChain, openReader } from '../stablecoin/reader.ts'
import { openLocalBasket } from './devnet.ts'

/** The chain of the vaults: Base. */
export const vaultChainId = 8453

export type VaultDeps = {
  evm: Evm
  cache: Cache
  signal: AbortSignal
  now: () => Date
  stocks: readonly Stock[]
  vaultFactory?: Address | undefined
  vaultVenue?: Address | undefined
}

/** Facts that the contracts of the vaults state; they never change. */
export type BasketFacts = {
  factory: Address
  implementation: Address
  stablecoin: Address
  stocks: readonly Stock[]
  oracle: Address
  venue: Address
  /** How far a trade of a vault may fall short of the oracle's price. */
  slippageBps: number
  /** Seconds after which the oracle takes a price no more, by the feed in lower case. */
  maxAges: Readonly<Record<string, number>>
  stablecoinFeed: Address
  /** Stocks, prices and pools are made up: the chain is a local one. */
  simulated: boolean
}

/** The basket, and how its chain is read. */
export type Basket = BasketFacts & { reader: PublicClient; now: Date }

const off = (reason: string, hint?: string) =>
  new ToolError('unavailable', `Vaults are off here: ${reason}`, { reason: 'vaults_off', hint })

const keepSeconds = 600

type Wanted = { factory: Address; stocks: readonly Stock[]; stablecoin: Address; venue: Address | undefined }

const checkConstituents = (
  stocks: readonly Stock[],
  tokens: readonly Address[],
  feeds: readonly Address[],
): void => {
  for (const [index, { symbol, token, feed }] of stocks.entries()) {
    const [ownToken, ownFeed] = [tokens[index], feeds[index]]
    if (!ownToken || !isAddressEqual(ownToken, token))
      throw off(`stock ${index + 1} of its vaults is ${ownToken}, and MONEY_STOCKS has ${token} (${symbol}).`)
    if (!ownFeed || !isAddressEqual(ownFeed, feed))
      throw off(`the feed of ${symbol} is ${ownFeed} in its vaults, and ${feed} in MONEY_STOCKS.`)
  }
}

/** Reads how old the oracle lets the price of each feed be. */
const readMaxAges = async (
  reader: PublicClient,
  oracle: Address,
  feeds: readonly Address[],
  now: Date,
): Promise<Record<string, number>> => {
  const views = feeds.map(feed => view(oracle, basketOracle.abi, 'maxAge', [feed]))
  const ages = await askTogether(reader, views, now)
  return Object.fromEntries(
    feeds.map((feed, index) => {
      const age = ages[index]
      if (!age) throw off(`the oracle at ${oracle} has no age for the feed ${feed}.`)
      return [feed.toLowerCase(), Number(age)]
    }),
  )
}

/** Reads what is on the chain and holds it against the settings. Throws `unavailable` with the reason why vaults are off. */
const readFacts = async (
  reader: PublicClient,
  { factory, stocks, stablecoin, venue: wantedVenue }: Wanted,
  now: Date,
): Promise<Omit<BasketFacts, 'simulated'>> => {
  const [implementation] = await askTogether(
    reader,
    [view(factory, basketVaultFactory.abi, 'implementation', [])],
    now,
  )
  if (!implementation) throw off(`there is no factory of vaults at ${factory} on Base (MONEY_VAULT_FACTORY).`)
  const { abi } = basketVault
  const [asset, constituents, oracle, venue, slippageBps] = await askTogether(
    reader,
    [
      view(implementation, abi, 'asset', []),
      view(implementation, abi, 'constituents', []),
      view(implementation, abi, 'oracle', []),
      view(implementation, abi, 'venue', []),
      view(implementation, abi, 'slippageBps', []),
    ],
    now,
  )
  if (!asset || !constituents || !oracle || !venue || slippageBps === undefined)
    throw off(`the factory at ${factory} opens something that is no vault of these.`)
  if (!isAddressEqual(asset, stablecoin)) throw off(`its vaults take ${asset}, which is not USDC.`)
  checkConstituents(stocks, ...constituents)
  if (wantedVenue && !isAddressEqual(wantedVenue, venue))
    throw off(`its vaults trade through ${venue}, and MONEY_VAULT_VENUE is ${wantedVenue}.`)
  const [stablecoinFeed, ...decimals] = await askTogether(
    reader,
    [
      view(oracle, basketOracle.abi, 'stablecoinFeed', []),
      ...stocks.map(({ token }) => view(token, abi, 'decimals', [])),
    ] as const,
    now,
  )
  if (!stablecoinFeed) throw off(`there is no oracle at ${oracle}.`)
  const maxAges = await readMaxAges(reader, oracle, [stablecoinFeed, ...stocks.map(({ feed }) => feed)], now)
  for (const [index, { symbol, token, decimals: wanted }] of stocks.entries())
    if (decimals[index] !== wanted)
      throw off(
        decimals[index] === undefined
          ? `there is no token at ${token} (${symbol}).`
          : `${symbol} has ${decimals[index]} decimals, and ${wanted} in MONEY_STOCKS.`,
      )
  const contracts = [
    ['BasketVaultFactory', factory, basketVaultFactory],
    ['BasketVault', implementation, basketVault],
    ['BasketOracle', oracle, basketOracle],
    ['SlipstreamVenue', venue, slipstreamVenue],
  ] as const
  for (const [name, address, contract] of contracts)
    if (!isCodeOf(contract, await onChain(reader.getCode({ address }))))
      throw off(`what stands at ${address} is no ${name} of this version (MONEY_VAULT_FACTORY).`)
  return {
    factory,
    implementation,
    stablecoin,
    stocks,
    oracle,
    venue,
    slippageBps: Number(slippageBps),
    maxAges,
    stablecoinFeed,
  }
}

/** The basket of this installation. Throws `unavailable` with the reason where vaults are off, `upstream` without a node. */
export const openBasket = async (deps: VaultDeps): Promise<Basket> => {
  const { evm, cache, signal, vaultFactory, vaultVenue } = deps
  const stablecoin = stablecoinOn(vaultChainId)?.address
  if (!stablecoin) throw off('USDC of Base is not known.')
  const local = evm.local?.('base')
  const ownBasket = local && !vaultFactory ? await openLocalBasket(local, stablecoin) : undefined
  const factory = ownBasket?.factory ?? vaultFactory
  if (!factory)
    throw off('MONEY_VAULT_FACTORY is not set.', 'The operator names the factory of vaults on Base.')
  const run = local ? await local.generation() : 'base'
  const wanted = { factory, stablecoin, stocks: ownBasket?.stocks ?? deps.stocks, venue: vaultVenue }
  const { value } = await cache.take(
    `money.vaults:${run}:${factory}:${vaultVenue}`,
    async signal => ({
      value: await readFacts(openReader(evm, 'base', signal), wanted, deps.now()),
      seconds: keepSeconds,
    }),
    { signal },
  )
  const simulated = local !== undefined
  return { ...value, simulated, reader: openReader(evm, 'base', signal), now: deps.now() }
}

/** Describes the vaults for `/v1/guide`. */
export const describeVaults = async (deps: VaultDeps) => {
  try {
    const { factory, oracle, venue, stocks, slippageBps, simulated } = await openBasket(deps)
    const symbols = stocks.map(({ symbol }) => symbol)
    return {
      state: 'on' as const,
      chainId: vaultChainId,
      factory,
      oracle,
      venue,
      symbols,
      slippageBps,
      simulated,
    }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return { state: 'off' as const, reason: error.message }
  }
}

/** The code of an owner's vault (OpenZeppelin's clone with immutable arguments), whether it is there or not. */
const vaultCode = (implementation: Address, owner: Address): Hex =>
  concatHex([
    '0x363d3d373d3d3d363d73',
    implementation,
    '0x5af43d82803e903d91602b57fd5bf3',
    padHex(owner, { size: 32 }),
  ])

/**
 * Where the vault of an owner is or will be. It is computed here and not asked for: what a node says of it could be the address of
 * somebody else, who would be given an allowance.
 */
export const vaultAddress = ({ factory, implementation }: BasketFacts, owner: Address): Address => {
  const code = vaultCode(implementation, owner)
  const length = (code.length - 2) / 2
  const creation = concatHex(['0x61', `0x${length.toString(16).padStart(4, '0')}`, '0x3d81600a3d39f3', code])
  const salt = padHex(owner, { size: 32 })
  return getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode: creation })
}

/** The owner whose vault has this code; undefined for code that is no vault of the implementation. */
export const readVaultOwner = (implementation: Address, code: Hex | undefined): Address | undefined => {
  const owner: Address = `0x${(code ?? '').slice(-40)}`
  return code && code.toLowerCase() === vaultCode(implementation, owner).toLowerCase() ? owner : undefined
}
