import { encodeFunctionData, erc20Abi, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { testUsdc } from '../../contracts/test-usdc.ts'
import { openCache } from '../../mcp/ports/cache/cache.ts'
import { findAnvil } from '../../mcp/ports/devnet/binary.ts'
import { openDevnet } from '../../mcp/ports/devnet/devnet.ts'
import { openEvm } from '../../mcp/ports/evm/evm.ts'
import { simulateCalls } from '../../mcp/services/money/calldata/simulate.ts'
import { computeSignals } from '../../mcp/services/money/signals/signals.ts'
import { openReader } from '../../mcp/services/money/stablecoin/reader.ts'
import { openBasket } from '../../mcp/services/money/vault/basket.ts'
import { preparePurchase } from '../../mcp/services/money/vault/purchase.ts'
import { pay } from '../../test/payment/fake-method.ts'
import type { Requirements } from '../../test/payment/x402.ts'
import { listing, start, startMarket } from '../../test/services/money/market.ts'
import { contest } from '../contestant.ts'

/** Milliseconds of processor time for one round of so many. */
const measureCpuMs = async (rounds: number, work: () => unknown): Promise<number> => {
  const before = process.cpuUsage()
  for (let nth = 0; nth < rounds; nth++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / rounds
}

const measureMs = async (work: () => Promise<unknown>): Promise<number> => {
  const from = performance.now()
  await work()
  return performance.now() - from
}

const basketOf = (closes: number) =>
  ['NVDA', 'META', 'AAPL', 'GOOGL'].map((symbol, stock) => ({
    symbol,
    prices: Array.from(
      { length: closes },
      (_, day) => 100 * (stock + 1) * (1 + 0.02 * Math.sin(day * (1.3 + stock))),
    ),
  }))

const openVaults = async (dir: string) => {
  const devnet = openDevnet({ dir, binary: await findAnvil(process.env.ANVIL || undefined) })
  const evm = openEvm({
    rpc: { eth: [], base: [], arbitrum: [], optimism: [], polygon: [] },
    local: name => (name === 'base' ? () => devnet.network('base') : undefined),
  })
  const { signal } = new AbortController()
  const clock = { now: () => new Date() }
  const basket = await openBasket({ evm, cache: openCache({ clock }), signal, now: clock.now, stocks: [] })
  const owner = privateKeyToAddress(generatePrivateKey())
  const key = generatePrivateKey()
  const local = evm.local?.('base')
  await local?.ask('anvil_setBalance', [privateKeyToAddress(key), toHex(10n ** 18n)])
  const minter = await devnet.chain('base').wallet(key)
  const mint = { abi: testUsdc.abi, functionName: 'mint', args: [owner, 10n ** 9n] } as const
  const hash = await minter.send({ to: basket.stablecoin, data: encodeFunctionData(mint) })
  await basket.reader.waitForTransactionReceipt({ hash, pollingInterval: 25 })
  const purchase = () => preparePurchase(basket, { owner, amount: '100' })
  const { calls } = await purchase()
  const reader = openReader(evm, 'base', signal)
  const list = calls.map(({ to, data, gas }) => ({
    to: to as `0x${string}`,
    data: data as `0x${string}`,
    gas: BigInt(gas),
  }))
  return {
    purchase,
    simulate: () => simulateCalls(reader, { account: owner, calls: list, abi: erc20Abi, now: new Date() }),
    bare: () =>
      reader.simulateBlocks({
        blocks: [
          {
            blockOverrides: { time: BigInt(Math.floor(Date.now() / 1000) + 5) },
            calls: list.map(call => ({ account: owner, ...call })),
          },
        ],
      }),
    close: devnet.close,
  }
}

let vaults: ReturnType<typeof openVaults> | undefined
let market: ReturnType<typeof openMarket> | undefined

const payer = '0x00000000000000000000000000000000000000bb'
const live = { asset: 'btc', window: '5m' }

/** A market on loopback whose socket reports a price each second. */
const openMarket = async () => {
  const opened = await startMarket()
  const slug = `btc-updown-5m-${start}`
  opened.listed.set(slug, listing(slug))
  opened.midpoints.set('111', '0.435').set('222', '0.565')
  for (let at = start - 60; at <= start + 12; at++)
    opened.server.report('btcusd', at * 1000, `${83_000 + at - start}.1139894528`)
  opened.at(start + 13)
  const source = opened.openSource()
  opened.use(source)
  while (source.latest('btc')?.at !== (start + 12) * 1000) await new Promise(done => setTimeout(done, 20))
  opened.chain.balances.set(payer, 10n ** 12n)
  const quote = (): Promise<Requirements> =>
    opened.ask('price_to_beat', live).then(
      () => Promise.reject(new Error('it was answered without payment')),
      error => error.parts.structured.accepts[0],
    )
  return {
    quote,
    async buy(offer: Requirements) {
      const evidence = { headers: {}, meta: { 'x402/payment': pay(opened.chain, payer, offer) } }
      return opened.ask('price_to_beat', live, { evidence })
    },
    stop: opened.stop,
  }
}

contest(
  undefined,
  {
    /** Processor time of the signals of four stocks with so many closes. */
    signals: async ({ closes, rounds }: { closes: number; rounds: number }) => {
      const basket = basketOf(closes)
      return measureCpuMs(rounds, () => computeSignals(basket))
    },
    /** Time of one dry run of the calls of a purchase, of viem's own, and of the whole answer, on a chain in that folder. */
    simulation: async ({ dir }: { dir: string }) => {
      vaults ??= openVaults(dir)
      const { simulate, bare, purchase } = await vaults
      return {
        ours: await measureMs(simulate),
        bare: await measureMs(bare),
        answer: await measureMs(purchase),
      }
    },
    /** Processor time of one paid price, quote and payment included; the market's servers run in this process too. */
    priceToBeat: async ({ rounds }: { rounds: number }) => {
      market ??= openMarket()
      const { quote, buy } = await market
      const offer = await quote()
      return { unpaid: await measureCpuMs(rounds, quote), paid: await measureCpuMs(rounds, () => buy(offer)) }
    },
  },
  async () => {
    await (await vaults)?.close()
    await (await market)?.stop()
  },
)
