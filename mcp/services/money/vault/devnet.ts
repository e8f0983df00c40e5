import { randomBytes } from 'node:crypto'
import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  hexToNumber,
  numberToHex,
  toHex,
  zeroAddress,
} from 'viem'
import { basketOracle } from '../../../../contracts/basket-oracle.ts'
import { basketVault } from '../../../../contracts/basket-vault.ts'
import { basketVaultFactory } from '../../../../contracts/basket-vault-factory.ts'
import { slipstreamVenue } from '../../../../contracts/slipstream-venue.ts'
import { testMulticall } from '../../../../contracts/test-multicall.ts'
import { testPriceFeed } from '../../../../contracts/test-price-feed.ts'
import { testStock } from '../../../../contracts/test-stock.ts'
import { testSwapRouter } from '../../../../contracts/test-swap-router.ts'
import { multicall3 } from '../../../lib/evm-abi.ts'
import { dayMs } from '../../../lib/time.ts'
import type { LocalEvm } from '../../../ports/evm/port.ts'
import type { Stock } from '../config.ts'

/** Prices of the stand-ins, in cents: made up. */
const stocks = [
  { symbol: 'NVDA', name: 'NVIDIA', cents: 181_25n },
  { symbol: 'META', name: 'Meta Platforms', cents: 612_40n },
  { symbol: 'AAPL', name: 'Apple', cents: 268_90n },
  { symbol: 'GOOGL', name: 'Alphabet', cents: 287_15n },
] as const

const cent = 10n ** 6n
const dollar = 10n ** 8n
const tickSpacing = 10
const feeBps = 5n
/** The close before a long weekend; a stablecoin is told each day. */
const [stockMaxAge, stablecoinMaxAge] = [4n * 86_400n, 25n * 3_600n]
const slippageBps = 100n

/** Trading days that the feeds tell of. */
const historyDays = 64

/** Made-up closes, oldest first: a walk that ends at the price of today, the same in each run. */
const makeHistory = (index: number, cents: bigint, now: Date) => {
  const days: Date[] = []
  for (let at = now.getTime() - dayMs; days.length < historyDays; at -= dayMs) {
    const day = new Date(at)
    if (![0, 6].includes(day.getUTCDay())) days.unshift(day)
  }
  const swing = 0.006 + 0.003 * index
  return {
    answers: days.map((_, day) => {
      const left = historyDays - day
      const drift = 1 - 0.0008 * left
      const wave =
        swing * Math.sin(left * (1.3 + 0.7 * index)) + swing * Math.sin(left * (0.31 + 0.13 * index))
      return BigInt(Math.round(Number(cents * cent) * (drift + wave)))
    }),
    times: days.map(day => BigInt(Math.floor(day.getTime() / 1000))),
  }
}

/** Contracts that the program has placed on a local chain. */
export type LocalBasket = {
  factory: Address
  stocks: readonly Stock[]
  /** Stand-in for the pools: it can be closed for a stock. */
  router: Address
  /** Feed of the stablecoin's own price. */
  stablecoinFeed: Address
  /** Whoever asks for it anew after this many milliseconds finds prices that were told anew. */
  toldAt: number
}

type Rpc = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Feeds of stocks tell a price now and then also when nothing happens; made up ones, when somebody looks. */
const tellAgainMs = 1_800_000

const openRpc =
  (local: LocalEvm): Rpc =>
  async (method, params) => {
    const { result, error } = await local.ask(method, params)
    if (error) throw new Error(`the local chain refuses ${method}: ${error.message}`)
    return result
  }

const waitForSuccess = async (rpc: Rpc, hash: unknown): Promise<void> => {
  for (let attempt = 0; attempt < 400; attempt++) {
    const receipt = (await rpc('eth_getTransactionReceipt', [hash])) as { status?: unknown } | null
    if (receipt?.status === '0x1') return
    if (receipt) break
    await new Promise(resolve => setTimeout(resolve, 25))
  }
  throw new Error('the local chain refuses to set up the stocks')
}

/** A small tip: what is paid here is what the chain suggests to others, and sponsored gas is priced by it. */
const fees = { maxFeePerGas: numberToHex(20_000_000_000), maxPriorityFeePerGas: numberToHex(1_000_000) }

/** Sends transactions of an account that nobody has the key of, one after the other. */
const openSender = async (rpc: Rpc) => {
  const from = toHex(randomBytes(20))
  await rpc('anvil_setBalance', [from, numberToHex(10n ** 21n)])
  await rpc('anvil_impersonateAccount', [from])
  let nonce = 0
  const hashes: unknown[] = []
  const send = async (transaction: { to?: Address; data: Hex }) => {
    const terms = { from, gas: numberToHex(8_000_000), nonce: numberToHex(nonce++), ...fees, ...transaction }
    hashes.push(await rpc('eth_sendTransaction', [terms]))
  }
  return {
    send,
    async deploy(contract: { abi: Abi; bytecode: Hex }, args: readonly unknown[]): Promise<Address> {
      const address = getContractAddress({ from, nonce: BigInt(nonce) })
      await send({ data: encodeDeployData({ ...contract, args }) })
      return address
    },
    async call(to: Address, abi: Abi, functionName: string, args: readonly unknown[]) {
      await send({ to, data: encodeFunctionData({ abi, functionName, args }) })
    },
    /** Waits until all are mined; throws where one failed. */
    async mined() {
      for (const hash of hashes.splice(0)) await waitForSuccess(rpc, hash)
    },
  }
}

/** Tells the made-up prices of now, at the time of the chain. */
const tellPrices = async (
  rpc: Rpc,
  { stocks: listed, stablecoinFeed }: Pick<LocalBasket, 'stocks' | 'stablecoinFeed'>,
): Promise<void> => {
  const { call, mined } = await openSender(rpc)
  await rpc('evm_mine', [])
  const head = (await rpc('eth_getBlockByNumber', ['latest', false])) as { timestamp: Hex }
  const time = BigInt(hexToNumber(head.timestamp))
  const set = (feed: Address, answer: bigint) => call(feed, testPriceFeed.abi, 'set', [answer, time])
  await set(stablecoinFeed, dollar)
  for (const [index, { feed }] of listed.entries()) await set(feed, (stocks[index]?.cents ?? 1n) * cent)
  await mined()
}

/** Deploys the basket with stand-ins for stocks, feeds and pools. Whoever asks may do with them what they want. */
const deploy = async (rpc: Rpc, stablecoin: Address): Promise<LocalBasket> => {
  const { deploy, call, mined } = await openSender(rpc)
  const stablecoinFeed = await deploy(testPriceFeed, [dollar])
  const router = await deploy(testSwapRouter, [stablecoin])
  const listed: Stock[] = []
  await rpc('anvil_setCode', [multicall3, testMulticall.deployedBytecode])
  for (const { symbol, name, cents } of stocks) {
    const token = await deploy(testStock, [name, symbol])
    const feed = await deploy(testPriceFeed, [cents * cent])
    const { answers, times } = makeHistory(listed.length, cents, new Date())
    await call(feed, testPriceFeed.abi, 'setAll', [answers, times])
    await call(router, testSwapRouter.abi, 'list', [token, feed])
    listed.push({ symbol, token, feed, decimals: 8 })
  }
  await call(router, testSwapRouter.abi, 'setFee', [feeBps])
  const venue = await deploy(slipstreamVenue, [router, tickSpacing])
  const [tokens, feeds] = [listed.map(({ token }) => token), listed.map(({ feed }) => feed)]
  const ages = feeds.map(() => stockMaxAge)
  const oracle = await deploy(basketOracle, [zeroAddress, stablecoinFeed, stablecoinMaxAge, feeds, ages])
  const implementation = await deploy(basketVault, [stablecoin, tokens, feeds, oracle, venue, slippageBps])
  const factory = await deploy(basketVaultFactory, [implementation])
  await mined()
  await tellPrices(rpc, { stocks: listed, stablecoinFeed })
  return { factory, stocks: listed, router, stablecoinFeed, toldAt: performance.now() }
}

type Deployed = { generation: string; basket: Promise<LocalBasket> }

const deployments = new WeakMap<LocalEvm, Deployed>()

/**
 * The basket of a local chain, deployed there at the first use in each of its runs. Its stocks, prices and pools are made up, and
 * answers say so.
 */
export const openLocalBasket = async (local: LocalEvm, stablecoin: Address): Promise<LocalBasket> => {
  const generation = await local.generation()
  const rpc = openRpc(local)
  const there = deployments.get(local)
  const remember = (basket: Promise<LocalBasket>) => {
    deployments.set(local, { generation, basket })
    basket.catch(() => deployments.delete(local))
    return basket
  }
  if (there?.generation !== generation) return remember(deploy(rpc, stablecoin))
  const basket = await there.basket
  if (performance.now() - basket.toldAt < tellAgainMs || deployments.get(local) !== there) return there.basket
  return remember(tellPrices(rpc, basket).then(() => ({ ...basket, toldAt: performance.now() })))
}
