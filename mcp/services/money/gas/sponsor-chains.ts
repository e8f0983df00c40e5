import type { Address, LocalAccount, PublicClient } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import { port } from '../../../kernel/port.ts'
import type { Secret } from '../../../kernel/setting.ts'
import type { Chain, Chains, Wallet } from '../../../ports/chain/port.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import { isPermittedOwner, ownerSettings } from '../owners.ts'
import { type GasNetwork, gasNetworks } from './networks.ts'
import type { CoinPrice } from './price.ts'
import { gasSettings } from './settings.ts'

type Key = `0x${string}`

/** A chain on which gas can be sponsored now. */
export type SponsorChain = {
  network: GasNetwork
  chain: Chain
  reader: PublicClient
  sponsor: Address
  /** Signs what the sponsor pays for. */
  signer: LocalAccount
  /** Submits operations, and is paid back by the sponsor. */
  wallet: Wallet
  /** Dollars for a coin. Throws `unavailable` where nobody says it, or not lately. */
  coinPrice(): Promise<CoinPrice>
}

/** The chains on which gas is sponsored. */
export type SponsorChains = {
  /** They are on this machine, and start with their first use. */
  local: boolean
  /** Throws `unavailable` with what is missing. */
  open(network: GasNetwork): Promise<SponsorChain>
}

type Options = {
  chains: Chains
  clock: Clock
  sponsor: Address | ''
  signer: Secret<Key | ''>
  submitter: Secret<Key | ''>
  feeds: Readonly<Record<string, Address>>
  maxAgeSeconds: number
  /** Who may own the sponsor; anybody where nobody is named. */
  owners: readonly Address[]
}

/** Milliseconds for which a chain that is off is not asked again. */
const restMs = 10_000
/** Milliseconds for which a price of a feed serves. */
const priceMs = 5_000

const off = (detail: string): ToolError => new ToolError('unavailable', detail, { reason: 'gas_off' })

export const feedAbi = [
  {
    type: 'function',
    name: 'latestRoundData',
    stateMutability: 'view',
    inputs: [],
    outputs: ['uint80', 'int256', 'uint256', 'uint256', 'uint80'].map(type => ({ name: '', type })),
  },
  {
    type: 'function',
    name: 'decimals',
    stateMutability: 'view',
    inputs: [],
    outputs: [{ name: '', type: 'uint8' }],
  },
  {
    type: 'function',
    name: 'description',
    stateMutability: 'view',
    inputs: [],
    outputs: [{ name: '', type: 'string' }],
  },
] as const

/** The price that a feed says. Throws `unavailable` where it is none, or too old: nothing is sold by a guess. */
export const openPriceFeed = (
  reader: PublicClient,
  { title, coin }: { title: string; coin: string },
  address: Address,
  { clock, maxAgeSeconds }: Pick<Options, 'clock' | 'maxAgeSeconds'>,
  renew?: () => Promise<void>,
) => {
  let last: { at: number; price: CoinPrice } | undefined
  const read = async (): Promise<CoinPrice & { updatedAt: number }> => {
    const feed = { address, abi: feedAbi } as const
    const [round, decimals] = await Promise.all([
      reader.readContract({ ...feed, functionName: 'latestRoundData' }),
      reader.readContract({ ...feed, functionName: 'decimals' }),
    ])
    const [, answer = 0n, , updatedAt = 0n] = round as unknown as bigint[]
    return { answer, decimals: Number(decimals), updatedAt: Number(updatedAt) }
  }
  const isStale = (updatedAt: number) => clock.now().getTime() / 1_000 - updatedAt > maxAgeSeconds
  const noPrice = (what: string) =>
    new ToolError('unavailable', `Nothing can be sold on ${title} now: the price of ${coin} ${what}.`, {
      reason: 'coin_price_unknown',
      retryAfter: 60,
      hint: 'Nothing was charged. Try again in a minute.',
    })
  return async (): Promise<CoinPrice> => {
    if (last && performance.now() - last.at < priceMs) return last.price
    const ask = () =>
      read().catch(() => {
        throw noPrice('cannot be read')
      })
    const first = await ask()
    if (renew && isStale(first.updatedAt)) await renew()
    const { answer, decimals, updatedAt } = renew && isStale(first.updatedAt) ? await ask() : first
    if (answer <= 0n || decimals > 18) throw noPrice('makes no sense')
    if (isStale(updatedAt)) throw noPrice('is too old')
    last = { at: performance.now(), price: { answer, decimals } }
    return last.price
  }
}

/** The keys of an installation: configured, or of its own for local chains. */
const readKeys = async ({ chains, signer, submitter }: Options): Promise<{ signer: Key; submitter: Key }> => {
  if (chains.local)
    return {
      signer: await chains.localKey('gas signer'),
      submitter: await chains.localKey('gas submitter'),
    }
  const [signerKey, submitterKey] = [signer.reveal(), submitter.reveal()]
  if (signerKey === '') throw off('Gas is not sponsored here: MONEY_GAS_SIGNER_KEY is not set.')
  if (submitterKey === '') throw off('Gas is not sponsored here: MONEY_GAS_SUBMITTER_KEY is not set.')
  if (signerKey.toLowerCase() === submitterKey.toLowerCase())
    throw off('Gas is not sponsored here: signer and submitter have the same key.')
  return { signer: signerKey, submitter: submitterKey }
}

/** Refuses a chain where something that is needed is not there. */
const requireContracts = async (
  reader: PublicClient,
  { title, feed: words }: GasNetwork,
  {
    sponsor,
    feed,
    signer,
    local,
    owners,
  }: { sponsor: Address; feed: Address; signer: Address; local: boolean; owners: readonly Address[] },
) => {
  const { gasSponsor } = await import('../../../../contracts/gas-sponsor.ts')
  const { isCodeOf } = await import('../../../lib/contract.ts')
  const { entryPoint, simpleAccount } = await import('./operation.ts')
  const places = [
    ['EntryPoint v0.8', entryPoint],
    ['Simple7702Account', simpleAccount],
    ['GasSponsor', sponsor],
    ['price feed', feed],
  ] as const
  const codes = await Promise.all(places.map(([, address]) => reader.getCode({ address })))
  for (const [index, [name, address]] of places.entries())
    if (codes[index] === undefined) throw off(`Gas is not sponsored on ${title}: no ${name} at ${address}.`)
  if (!isCodeOf(gasSponsor, codes[2]))
    throw off(
      `Gas is not sponsored on ${title}: what stands at ${sponsor} is no GasSponsor of this version (MONEY_GAS_SPONSOR).`,
    )
  const contract = { address: sponsor, abi: gasSponsor.abi } as const
  const [owner, paysFor, paysAt] = await Promise.all([
    reader.readContract({ ...contract, functionName: 'owner' }),
    reader.readContract({ ...contract, functionName: 'signer' }),
    reader.readContract({ ...contract, functionName: 'entryPoint' }),
  ])
  if (!local && !isPermittedOwner(owners, owner))
    throw off(
      `Gas is not sponsored on ${title}: the sponsor belongs to ${owner}, who is not among the owners that are named (MONEY_CONTRACT_OWNERS).`,
    )
  if (paysFor !== signer)
    throw off(`Gas is not sponsored on ${title}: the sponsor pays for what ${paysFor} signs, not ${signer}.`)
  if (paysAt !== entryPoint)
    throw off(`Gas is not sponsored on ${title}: the sponsor has another EntryPoint.`)
  if (local) return
  const description = await reader
    .readContract({ address: feed, abi: feedAbi, functionName: 'description' })
    .catch(() => '')
  if (!words.test(description)) throw off(`Gas is not sponsored on ${title}: ${feed} is no feed of its coin.`)
}

/** Opens chains at their first use. One that is off is looked at again after a while. */
export const openSponsorChains = (options: Options): SponsorChains => {
  const { chains, feeds, clock } = options
  const open = new Map<string, { reader: PublicClient; opening: Promise<SponsorChain> }>()
  const resting = new Map<string, { until: number; reason: unknown }>()

  const start = async (network: GasNetwork, chain: Chain, reader: PublicClient): Promise<SponsorChain> => {
    const { privateKeyToAccount } = await import('viem/accounts')
    const keys = await readKeys(options)
    const signer = privateKeyToAccount(keys.signer)
    const wallet = await chain.wallet(keys.submitter)
    const local = chains.local ? await import('./devnet.ts') : undefined
    const places = await local?.setUpGasChain(reader, { signer: signer.address, submitter: wallet.address })
    const sponsor = places?.sponsor ?? options.sponsor
    const feed = places?.feed ?? feeds[network.name]
    if (sponsor === '' || feed === undefined)
      throw off('Gas is not sponsored here: MONEY_GAS_SPONSOR is not set.')
    await requireContracts(reader, network, {
      sponsor,
      feed,
      signer: signer.address,
      local: chains.local,
      owners: options.owners,
    })
    const renew = local && (() => local.renewFeed(reader, feed, clock.now()))
    const coinPrice = openPriceFeed(reader, network, feed, options, renew)
    return { network, chain, reader, sponsor, signer, wallet, coinPrice }
  }

  return {
    local: chains.local,
    async open(network) {
      const { name, title } = network
      const rest = resting.get(name)
      if (rest && performance.now() < rest.until) throw rest.reason
      try {
        const chain = chains.open(name)
        // A local chain that has started again is another one, with nothing on it.
        const reader = await chain.reader()
        const before = open.get(name)
        if (before?.reader === reader) return await before.opening
        const opening = start(network, chain, reader)
        open.set(name, { reader, opening })
        return await opening
      } catch (error) {
        open.delete(name)
        const reason =
          error instanceof ToolError
            ? error
            : new ToolError('unavailable', `${title} does not answer just now.`, {
                retryAfter: 10,
                cause: new Error(error instanceof Error ? error.name : 'unknown failure'),
              })
        resting.set(name, { until: performance.now() + restMs, reason })
        throw reason
      }
    },
  }
}

const { gasSponsor, gasSigner, gasSubmitter, gasFeedBase, gasFeedPolygon, gasFeedAge } = gasSettings

/** Chains of sponsored gas, by the settings. */
export const sponsorChains = port({
  name: 'sponsorChains',
  needs: [
    'chains',
    'clock',
    ownerSettings.contractOwners,
    gasSponsor,
    gasSigner,
    gasSubmitter,
    gasFeedBase,
    gasFeedPolygon,
    gasFeedAge,
  ],
}).open(
  ({
    chains,
    clock,
    contractOwners,
    gasSponsor,
    gasSigner,
    gasSubmitter,
    gasFeedBase,
    gasFeedPolygon,
    gasFeedAge,
  }) =>
    openSponsorChains({
      owners: contractOwners,
      chains,
      clock,
      sponsor: gasSponsor,
      signer: gasSigner,
      submitter: gasSubmitter,
      feeds: { base: gasFeedBase, polygon: gasFeedPolygon },
      maxAgeSeconds: gasFeedAge,
    }),
)

/** Describes the sponsoring of gas for the guide: which chains are on, and why others are not. */
export const describeGas = async (chains: SponsorChains | undefined) => {
  if (!chains) return { state: 'off' as const, reason: 'Gas is not sponsored here.', chains: [] }
  const facts = await Promise.all(
    gasNetworks.map(async network => {
      const { chainId, title } = network
      try {
        if (chains.local) {
          // A look at the guide starts no chain.
          const { requireArtifacts } = await import('./devnet.ts')
          requireArtifacts()
          return { chainId, title, state: 'on' as const, sponsor: null }
        }
        const { sponsor } = await chains.open(network)
        return { chainId, title, state: 'on' as const, sponsor }
      } catch (error) {
        return { chainId, title, state: 'off' as const, reason: error instanceof Error ? error.message : '' }
      }
    }),
  )
  const isOn = facts.some(({ state }) => state === 'on')
  const reason = facts.find(({ state }) => state === 'off')?.reason
  return isOn
    ? { state: 'on' as const, chains: facts }
    : { state: 'off' as const, reason: reason ?? '', chains: facts }
}
