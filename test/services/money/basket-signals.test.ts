import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type Abi, createWalletClient, custom, encodeFunctionData, type Hex, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { basketOracle } from '../../../contracts/basket-oracle.ts'
import { basketVault } from '../../../contracts/basket-vault.ts'
import { basketVaultFactory } from '../../../contracts/basket-vault-factory.ts'
import { slipstreamVenue } from '../../../contracts/slipstream-venue.ts'
import { testPriceFeed } from '../../../contracts/test-price-feed.ts'
import type { OwnNeed } from '../../../mcp/kernel/need.ts'
import { multicall3 } from '../../../mcp/lib/evm-abi.ts'
import { x402 } from '../../../mcp/payment/dialects/x402/x402.ts'
import { openGate } from '../../../mcp/payment/gate/open.ts'
import { openCache } from '../../../mcp/ports/cache/cache.ts'
import { openEvm } from '../../../mcp/ports/evm/evm.ts'
import type { Store } from '../../../mcp/ports/store/port.ts'
import { moneySettings } from '../../../mcp/services/money/config.ts'
import { compile } from '../../payment/compile.ts'
import { anvilClient, makePayer, onAnvil, openTestDevnet } from '../../payment/evm-chain.ts'
import { openChain, openFakeMethod, pay } from '../../payment/fake-method.ts'
import { type Requirements, rates } from '../../payment/x402.ts'
import { openTestWorld } from '../../world.ts'
import { askIn, refusalOf } from './run.ts'

const source = fileURLToPath(new URL('./Feeds.sol', import.meta.url))
const symbols = ['NVDA', 'META', 'AAPL', 'GOOGL']
const day = 86_400

/** A Friday, after the close. */
const today = Date.UTC(2026, 10, 20, 22) / 1000

/** Trading days, oldest first, the last one today. */
const tradingDays = (count: number): number[] => {
  const days: number[] = []
  for (let at = today; days.length < count; at -= day)
    if (![0, 6].includes(new Date(at * 1000).getUTCDay())) days.unshift(at)
  return days
}

/** A price that swings by a share of itself each day, the stocks apart from each other. */
const priceOn = (stock: number, index: number): bigint => {
  const swing = 0.01 * (stock + 1) * Math.sin(index * (1.3 + stock * 0.7))
  return BigInt(Math.round(100 * (stock + 1) * (1 + swing) * 1e8))
}

onAnvil('signals of the basket', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let tools: Awaited<ReturnType<typeof open>>

  const open = async () => {
    net = await openTestDevnet()
    const chain = net.devnet.chain('base')
    const [reader, anvil, contract] = await Promise.all([chain.reader(), anvilClient(chain), compile(source)])
    const { rpc } = await net.devnet.network('base')
    const { account, send } = await makePayer(chain, 0n)
    const wallet = createWalletClient({ account, transport: custom(reader) })
    const deploy = async (name: string): Promise<Hex> => {
      const hash = await wallet.deployContract({ ...contract(name), chain: null })
      const { contractAddress } = await reader.waitForTransactionReceipt({ hash })
      if (!contractAddress) throw new Error(`${name} was not deployed`)
      return contractAddress
    }
    const code = await reader.getCode({ address: await deploy('Multicall3') })
    await anvil.setCode({ address: multicall3, bytecode: code ?? '0x' })
    const call = async (to: Hex, name: string, functionName: string, args: readonly unknown[]) => {
      const data = encodeFunctionData({ abi: contract(name).abi, functionName, args })
      await reader.waitForTransactionReceipt({ hash: await send(data, to) })
    }
    /** A feed of so many trading days; two rounds a day, the second one the close, and one each Saturday that repeats. */
    const openFeed = async (stock: number, days: number): Promise<Hex> => {
      const feed = await deploy('Feed')
      const rounds = tradingDays(days).flatMap((at, index) => {
        const close = priceOn(stock, index)
        const isFriday = new Date(at * 1000).getUTCDay() === 5 && at !== today
        return [
          { at: at - 7_200, answer: close + 5n },
          { at, answer: close },
          ...(isFriday ? [{ at: at + day, answer: close + 9n }] : []),
        ]
      })
      for (let from = 0; from < rounds.length; from += 60) {
        const part = rounds.slice(from, from + 60)
        await call(feed, 'Feed', 'add', [part.map(({ answer }) => answer), part.map(({ at }) => BigInt(at))])
      }
      return feed
    }
    const openBasket = async (days: readonly number[]) =>
      Promise.all(
        symbols.map(async (symbol, stock) => ({ symbol, decimals: 8, stock, days: days[stock] ?? 0 })),
      ).then(async list => {
        const basket = []
        // One wallet, one nonce after the other.
        for (const { symbol, decimals, stock, days } of list)
          basket.push({ symbol, decimals, token: await deploy('Stock'), feed: await openFeed(stock, days) })
        return basket
      })

    const evm = openEvm({
      rpc: { eth: [], base: [{ reveal: () => rpc }], arbitrum: [], optimism: [], polygon: [] },
    })
    const startWith = async (stocks: unknown, now = today + 3_600, factory?: Hex) => {
      const clock = { now: () => new Date(now * 1000) }
      const fake = openChain('eip155:8453')
      fake.now = () => now * 1000
      const own = new Map<OwnNeed, unknown>([
        [moneySettings.stocks, stocks],
        [moneySettings.vaultFactory, factory],
      ])
      const test = await openTestWorld({ ports: { clock, evm, cache: openCache({ clock }) }, own })
      const store = test.ports.store as Store
      const methods = [openFakeMethod(fake, 'base')]
      const gate = openGate({ methods, dialects: [x402], rates, store, clock, hmacKey: randomBytes(32) })
      const ask = askIn({ ...test, gate })
      const buy = async (input: object) => {
        const payer = '0x00000000000000000000000000000000000000bb'
        fake.balances.set(payer, 1_000_000n)
        const refusal = await refusalOf(ask('basket_signals', input))
        expect(refusal).toMatchObject({ code: 'payment_required' })
        const { structured } = (refusal as unknown as { parts: { structured: { accepts: Requirements[] } } })
          .parts
        const [offer] = structured.accepts
        if (!offer) throw new Error('no offer')
        return ask('basket_signals', input, {
          evidence: { headers: {}, meta: { 'x402/payment': pay(fake, payer, offer) } },
        })
      }
      return {
        ask: (input: object) => ask('basket_signals', input),
        buy,
        used: fake.transfers,
        stop: test.stop,
      }
    }
    const basket = await openBasket([70, 70, 70, 65])
    const place = async (contract: { abi: Abi; bytecode: Hex }, args: readonly unknown[]): Promise<Hex> => {
      const hash = await wallet.deployContract({ ...contract, args, chain: null })
      const { contractAddress } = await reader.waitForTransactionReceipt({ hash })
      if (!contractAddress) throw new Error('nothing was deployed')
      return contractAddress
    }
    /** Real vaults over these stocks and feeds. */
    const openFactory = async () => {
      const [tokens, feeds] = [basket.map(({ token }) => token), basket.map(({ feed }) => feed)]
      const dollar = await place(testPriceFeed, [10n ** 8n])
      const ages = feeds.map(() => 345_600n)
      const oracle = await place(basketOracle, [zeroAddress, dollar, 345_600n, feeds, ages])
      const usdc = chain.network.token.address
      const venue = await place(slipstreamVenue, [tokens[0], 100])
      const implementation = await place(basketVault, [usdc, tokens, feeds, oracle, venue, 100n])
      const factory = await place(basketVaultFactory, [implementation])
      const openVault = async (): Promise<Hex> => {
        const { abi } = basketVaultFactory
        const owner = await makePayer(chain, 0n)
        const data = encodeFunctionData({ abi, functionName: 'createVault' })
        await reader.waitForTransactionReceipt({ hash: await owner.send(data, factory) })
        const args = [owner.address] as const
        return reader.readContract({ address: factory, abi, functionName: 'vaultOf', args })
      }
      return { factory, openVault }
    }
    return { openBasket, openFactory, startWith, basket, call }
  }

  beforeAll(async () => {
    tools = await open()
  })
  afterAll(() => net.close())

  test('returns, volatility, index, strength, correlation and weights are those of the closes', async () => {
    const money = await tools.startWith(tools.basket)
    const answer = await money.buy({})
    const { stocks, weightsBps, correlation } = answer as {
      stocks: {
        symbol: string
        price: number
        returns: object
        volatility: Record<string, number>
        rsi14: number
      }[]
      weightsBps: number[]
      correlation: number[][]
    }
    expect(answer).toMatchObject({ days: 61, last_day: '2026-11-20', vault: null })
    expect(stocks.map(({ symbol }) => symbol)).toEqual(symbols)
    const last = 69
    const exact = (index: number) => Number(priceOn(0, index)) / 1e8
    expect(stocks[0]).toMatchObject({
      price: Number(exact(last).toFixed(6)),
      returns: {
        '1d': Number((exact(last) / exact(last - 1) - 1).toFixed(6)),
        '20d': Number((exact(last) / exact(last - 20) - 1).toFixed(6)),
        '60d': Number((exact(last) / exact(last - 60) - 1).toFixed(6)),
      },
    })
    expect(weightsBps.reduce((sum, weight) => sum + weight, 0)).toBe(10_000)
    // The first stock swings least, the last one most.
    expect(weightsBps).toEqual([...weightsBps].sort((a, b) => b - a))
    expect(correlation.map((row, index) => row[index])).toEqual([1, 1, 1, 1])
    expect(money.used.size).toBe(1)
    await money.stop()
  })

  test('a vault is compared with the weights', async () => {
    const { factory, openVault } = await tools.openFactory()
    const money = await tools.startWith(tools.basket, today + 3_600, factory)
    const vault = await openVault()
    const [first] = tools.basket
    if (!first) throw new Error('no basket')
    await tools.call(first.token, 'Stock', 'mint', [vault, 10n ** 8n])
    const alone = await money.buy({ vault })
    expect(alone.vault).toMatchObject({ current_bps: [10_000, 0, 0, 0], rebalance_advised: true })
    const { drift_bps: driftBps } = alone.vault as { drift_bps: number[] }
    expect(driftBps.reduce((sum, part) => sum + part, 0)).toBe(0)
    expect(await refusalOf(money.ask({ vault: '0x00000000000000000000000000000000000000bb' }))).toMatchObject(
      {
        code: 'not_found',
      },
    )
    await money.stop()
  })

  test('a vault is not believed where vaults are off, and nothing is charged', async () => {
    const money = await tools.startWith(tools.basket)
    expect(await refusalOf(money.ask({ vault: '0x00000000000000000000000000000000000000bb' }))).toMatchObject(
      { code: 'unavailable', extra: { reason: 'vaults_off' } },
    )
    expect(money.used.size).toBe(0)
    await money.stop()
  })

  test('an empty vault has nothing to drift', async () => {
    const { factory, openVault } = await tools.openFactory()
    const money = await tools.startWith(tools.basket, today + 3_600, factory)
    expect((await money.buy({ vault: await openVault() })).vault).toMatchObject({
      current_bps: [0, 0, 0, 0],
      max_drift_bps: 0,
      rebalance_advised: false,
    })
    await money.stop()
  })

  test('too little history is said, and neither quoted nor charged', async () => {
    const money = await tools.startWith(await tools.openBasket([30, 30, 20, 30]))
    expect(await refusalOf(money.ask({}))).toMatchObject({
      code: 'unavailable',
      extra: { reason: 'too_little_history', params: { days: 20, needed: 21 } },
    })
    expect(money.used.size).toBe(0)
    await money.stop()
  })

  test('twenty-one days are enough, and longer spans are null then', async () => {
    const money = await tools.startWith(await tools.openBasket([21, 40, 40, 40]))
    expect(await money.buy({})).toMatchObject({
      days: 21,
      stocks: [{ returns: { '60d': null }, volatility: { '60d': null } }, {}, {}, {}],
    })
    await money.stop()
  })

  test('feeds that died are not sold', async () => {
    const money = await tools.startWith(tools.basket, today + 6 * day)
    expect(await refusalOf(money.ask({}))).toMatchObject({
      code: 'unavailable',
      extra: { reason: 'stale_prices' },
    })
    await money.stop()
  })

  test('an address that is no feed is told of', async () => {
    const [first, ...others] = tools.basket
    const money = await tools.startWith([{ ...first, feed: first?.token }, ...others])
    expect(await refusalOf(money.ask({}))).toMatchObject({ code: 'upstream' })
    await money.stop()
  })
})
