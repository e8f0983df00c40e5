import { z } from 'zod'
import { collection } from '../../../kernel/collection.ts'
import { asList, asRecord, parseRecord } from '../../../lib/json.ts'
import type { Sockets } from '../../../ports/sockets/port.ts'
import type { Store } from '../../../ports/store/port.ts'
import { decidingTick, parsePrice, type SourcedTick, type Tick, type TwapSource } from './twap-source.ts'
import { type Asset, assets, windowSeconds } from './window.ts'

/** How far back ticks are kept in memory. */
const keptMs = 20 * 60_000

/** A tick from further ahead than clocks differ is not believed. */
const maxAheadMs = 10_000

/** The newest ticks of each asset, in order of their stamps, whatever the order in which they come. */
const openTicks = (now: () => number) => {
  const all = new Map<string, Tick[]>()
  return {
    /** False for a tick that was there, or is not believed. */
    add(asset: string, tick: Tick): boolean {
      if (tick.at > now() + maxAheadMs || tick.at < now() - keptMs) return false
      const ticks = all.get(asset) ?? []
      all.set(asset, ticks)
      let index = ticks.length
      while (index > 0 && (ticks[index - 1]?.at ?? 0) > tick.at) index--
      // The first word counts: a source that corrects itself later does not move what was sold.
      if (ticks[index - 1]?.at === tick.at) return false
      ticks.splice(index, 0, tick)
      while ((ticks[0]?.at ?? now()) < now() - keptMs) ticks.shift()
      return true
    },
    of: (asset: string): readonly Tick[] => all.get(asset) ?? [],
  }
}

type Row = { id: string; start: number } & SourcedTick

const averagesIn = collection<Row>({
  name: 'money.averages',
  indexes: [{ name: 'start', fields: ['start'] }],
  bounded: 'One for each asset and window of two days.',
})

/** Seconds that averages are remembered: a day more than anybody needs for a window that still runs. */
const keptSeconds = 2 * 86_400

const rowId = (asset: Asset, start: number): string => `${asset}:${start}`

/** Keeps what decided each window in the store: a restart, or another replica, knows what one of them has heard. */
const openMemory = (store: Store, now: () => number) => {
  const averages = () => averagesIn(store)
  return {
    async find(asset: Asset, start: number): Promise<SourcedTick | undefined> {
      const row = await averages().get(rowId(asset, start))
      return row && { at: row.at, price: row.price, source: row.source }
    },
    /** Remembers what decided a window, and forgets what is old. The first word counts. */
    async keep(asset: Asset, start: number, { at, price, source }: SourcedTick): Promise<void> {
      const isNew = await averages().insert({ id: rowId(asset, start), start, at, price, source })
      if (!isNew) return
      const where = { start: { lt: now() / 1000 - keptSeconds } }
      const { rows } = await averages().find({ index: 'start', where, limit: 100 })
      for (const { id } of rows) await averages().delete(id)
    },
  }
}

type Options = {
  sockets: Sockets
  store: Store
  /** Unix milliseconds. */
  now: () => number
  url: string
  credentials: { apiKey: string; secret: string; passphrase: string }
}

const channel = 'price.crypto.twap'
const lookbackSeconds = 60
const source = 'polybolt price.crypto.twap'

/** Nothing for this long, and the connection is dead: reports come each second. */
const silenceMs = 30_000

const toAsset = (symbol: unknown): Asset | undefined => assets.find(asset => `${asset}usd` === symbol)

const Report = z.object({
  symbol: z.string(),
  window_seconds: z.literal(lookbackSeconds),
  data: z.array(z.unknown()).max(2_000).optional(),
})

const toTick = (value: unknown): Tick | undefined => {
  const { timestamp, full_accuracy_value, value: rounded } = asRecord(value)
  const price = parsePrice(full_accuracy_value) ?? parsePrice(rounded)
  return typeof timestamp === 'number' && Number.isSafeInteger(timestamp) && price !== undefined
    ? { at: timestamp, price }
    : undefined
}

/** The reports in a message: one, or those of the last two minutes after a subscription. */
const readReports = (message: Record<string, unknown>): { asset: Asset; ticks: Tick[] } | undefined => {
  if (message.channel !== channel) return undefined
  const report = Report.safeParse(message.payload)
  const asset = report.success ? toAsset(report.data.symbol) : undefined
  if (!report.success || !asset) return undefined
  const values = report.data.data ? asList(report.data.data) : [message.payload]
  return { asset, ticks: values.flatMap(value => toTick(value) ?? []) }
}

/** The times at which a window starts, of those that a tick may decide. */
const startBefore = ({ at }: Tick): number => {
  const seconds = Math.min(...Object.values(windowSeconds))
  return Math.floor(at / 1000 / seconds) * seconds
}

/**
 * Averages from the socket of the market itself. What it sends of the past after each opening closes the gap that an interruption of
 * less than two minutes made; what decided a window is remembered in the store.
 */
export const openPolybolt = ({ sockets, store, now, url, credentials }: Options): TwapSource => {
  const ticks = openTicks(now)
  const memory = openMemory(store, now)
  const remembered = new Set<string>()

  const remember = (asset: Asset, start: number) => {
    const key = `${asset}:${start}`
    const tick = remembered.has(key) ? undefined : decidingTick(ticks.of(asset), start)
    if (!tick) return
    remembered.add(key)
    if (remembered.size > 1_000) remembered.delete(remembered.values().next().value ?? '')
    // A store that is away costs what a restart would need, and nothing now.
    memory.keep(asset, start, { ...tick, source }).catch(() => remembered.delete(key))
  }

  const take = (asset: Asset, all: readonly Tick[]) => {
    const starts = new Set<number>()
    for (const tick of all) if (ticks.add(asset, tick)) starts.add(startBefore(tick))
    for (const start of starts) remember(asset, start)
  }

  const socket = sockets.keep(url, {
    silenceMs,
    onOpen: send => send(JSON.stringify({ op: 'auth', rid: 'auth', auth: credentials })),
    onMessage(text, send) {
      const message = parseRecord(text)
      if (!message) return
      if (message.op === 'authed') {
        const subscriptions = assets.map(asset => ({
          channel,
          filter: { symbol: `${asset}usd`, window_seconds: lookbackSeconds },
        }))
        send(JSON.stringify({ op: 'subscribe', rid: 'subscribe', subscriptions }))
        return
      }
      const reports = readReports(message)
      if (reports) take(reports.asset, reports.ticks)
    },
  })

  return {
    async averageAt({ asset, start }): Promise<SourcedTick | undefined> {
      const tick = decidingTick(ticks.of(asset), start)
      return tick ? { ...tick, source } : memory.find(asset, start)
    },
    latest(asset) {
      const tick = ticks.of(asset).at(-1)
      return tick && { ...tick, source }
    },
    close: socket.close,
  }
}
