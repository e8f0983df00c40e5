import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { openLedger } from '../mcp/payment/ledger/index.ts'
import { addPayment } from '../mcp/services/tasks/money.ts'
import tasks from '../mcp/services/tasks/service.ts'
import { PublishInput, publishTask } from '../mcp/services/tasks/task-terms.ts'
import { openEmbedded } from '../store/embedded/open.ts'
import type { Store } from '../store/index.ts'
import { signRequest } from '../test/services/tasks/signing.ts'
import { openTestApp } from '../testing.ts'
import { openChild } from './child.ts'
import { newFolder, removeFolders } from './folders.ts'
import { median } from './median.ts'
import type { Bench, Group, Measurement } from './row.ts'

const p95 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN

const measureMs = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const json = 'application/json'

/** A wallet and the key that stands for it, at a server. */
const openPerson = async (url: string) => {
  const wallet = privateKeyToAccount(generatePrivateKey())
  const keyUrl = `${url}/tasks/api/v1/auth/keys`
  const headers = await signRequest(wallet, keyUrl, { method: 'POST', body: '{}', contentType: json })
  const answer = await fetch(keyUrl, { method: 'POST', headers, body: '{}' })
  const { api_key, account_id } = (await answer.json()) as { api_key: string; account_id: string }
  const withKey = { authorization: `Bearer ${api_key}`, 'content-type': json }
  const ask = async (tool: string, input: object = {}): Promise<Record<string, string>> => {
    const body = JSON.stringify(input)
    const response = await fetch(`${url}/tasks/tools/${tool}`, { method: 'POST', headers: withKey, body })
    const output = (await response.json()) as Record<string, string>
    if (!response.ok) throw new Error(`${tool}: ${JSON.stringify(output)}`)
    return output
  }
  return { id: account_id, wallet, withKey, ask }
}

const writes = 400
const rounds = 5

/** Processor time of the server for the same write, signed and with a key, in turn; requests are signed before. */
const measureSigned = async (): Promise<Measurement> => {
  const child = await openChild('octagent')
  try {
    const base = String(child.ready)
    const { wallet, withKey } = await openPerson(base)
    const url = `${base}/tasks/api/v1/workers/register`
    const body = JSON.stringify({ kind: 'human', name: 'Ada', skills: ['photography'] })
    const sign = () => signRequest(wallet, url, { method: 'POST', body, contentType: json, seconds: 290 })
    const measureRound = async (headers: readonly Record<string, string>[]): Promise<number> => {
      const before = await child.ask<number>('cpu')
      for (let at = 0; at < headers.length; at += 8)
        await Promise.all(
          headers.slice(at, at + 8).map(async each => {
            const response = await fetch(url, { method: 'POST', headers: each, body })
            if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
            await response.arrayBuffer()
          }),
        )
      return ((await child.ask<number>('cpu')) - before) / headers.length
    }
    const keyed = Array.from({ length: writes }, () => withKey)
    const took = { signed: [] as number[], keyed: [] as number[] }
    for (let round = 0; round <= rounds; round++) {
      const signed = await Promise.all(Array.from({ length: writes }, sign))
      const [one, other] = [await measureRound(signed), await measureRound(keyed)]
      // The first round warms up.
      if (round === 0) continue
      took.signed.push(one)
      took.keyed.push(other)
    }
    const [signed, plain] = [median(took.signed), median(took.keyed)]
    return {
      value: signed / plain,
      note: `${signed.toFixed(0)} µs of processor time against ${plain.toFixed(0)}`,
    }
  } finally {
    await child.stop()
  }
}

const newTask = {
  title: 'Is the bakery open?',
  instructions: 'Go there, look at the door, and say if it is open today.',
  category: 'physical_presence',
  bounty_usd: '5.00',
  deadline_hours: 24,
  evidence_required: ['text_response'],
}

/** The whole life of a task over REST on the embedded store, each step on the disk before the next. */
const measureLife = async (): Promise<Measurement> => {
  const store = await openEmbedded({ dir: await newFolder() })
  const environment = { OCTAGENT_DEVNET: 'false', OCTAGENT_RATE_LIMIT: '1000000' }
  const unlimited = { ...tasks, tools: tasks.tools.map(({ limits: _, ...tool }) => tool) }
  const app = await openTestApp({ services: [unlimited], ports: { store }, environment })
  try {
    const [publisher, worker] = [await openPerson(app.url), await openPerson(app.url)]
    const account = publisher.id
    const ledger = openLedger(() => new Date())
    await store.transaction(tx => addPayment(tx, ledger, { receipt: 'bench', account, amount: 900_000_000n }))
    await worker.ask('register_worker', { kind: 'human', name: 'Ada' })
    const live = async () => {
      const { task_id } = await publisher.ask('publish_task', newTask)
      await worker.ask('apply_to_task', { task_id })
      await publisher.ask('assign_worker', { task_id, executor_id: worker.id })
      await worker.ask('start_work', { task_id })
      const evidence = [{ type: 'text_response', value: 'It is open.' }]
      const { submission_id } = await worker.ask('submit_work', { task_id, evidence })
      await publisher.ask('approve_submission', { submission_id })
    }
    const took: number[] = []
    for (let n = 0; n < 60; n++) took.push(await measureMs(live))
    const warm = took.slice(10)
    return { value: median(warm), note: `6 durable calls; p95 ${p95(warm).toFixed(0)} ms` }
  } finally {
    await app.close()
  }
}

const perTransaction = 250
const dayMs = 86_400_000
const city = { lat: 48.137, lng: 11.575 }

/** Tasks of 200 publishers over 30 days, all within some 8 km of one place. */
const fill = async (store: Store, count: number): Promise<void> => {
  const start = Date.now() - 30 * dayMs
  for (let from = 0; from < count; from += perTransaction)
    await store.transaction(async tx => {
      for (let n = from; n < Math.min(from + perTransaction, count); n++) {
        const input = PublishInput.parse({
          ...newTask,
          deadline_hours: 720,
          location_lat: city.lat + Math.sin(n * 12.9898) * 0.07,
          location_lng: city.lng + Math.cos(n * 78.233) * 0.1,
        })
        const publisher = `eip155:8453:0x${String(n % 200).padStart(40, '0')}`
        const now = new Date(start + (n / count) * 30 * dayMs)
        await publishTask(tx, input, { publisher, feeBps: 500, now })
      }
    })
}

const openMarket = async (count: number) => {
  const store = await openEmbedded({ dir: await newFolder() })
  const filledMs = await measureMs(() => fill(store, count))
  const environment = { OCTAGENT_DEVNET: 'false', OCTAGENT_RATE_LIMIT: '1000000' }
  const unlimited = { ...tasks, tools: tasks.tools.map(({ limits: _, ...tool }) => tool) }
  const app = await openTestApp({ services: [unlimited], ports: { store }, environment })
  return { app, filledMs, person: await openPerson(app.url) }
}

type Market = Awaited<ReturnType<typeof openMarket>>

let markets: Promise<{ large: Market; small: Market }> | undefined

const openMarkets = () => {
  markets ??= (async () => ({ small: await openMarket(1000), large: await openMarket(100_000) }))()
  return markets
}

const measureNear = async (): Promise<Measurement> => {
  const { large, small } = await openMarkets()
  const took = { large: [] as number[], small: [] as number[] }
  const readPage = async ({ app }: Market, n: number) => {
    const [lat, lng] = [city.lat + Math.sin(n) * 0.03, city.lng + Math.cos(n) * 0.03]
    const query = `near_lat=${lat}&near_lng=${lng}&limit=20`
    const response = await fetch(`${app.url}/tasks/api/v1/tasks/available?${query}`)
    const { tasks: page } = (await response.json()) as { tasks: unknown[] }
    if (page.length !== 20) throw new Error(`a page of ${page.length} tasks`)
  }
  for (let n = 0; n < 230; n++)
    for (const [name, market] of [['large', large] as const, ['small', small] as const]) {
      const ms = await measureMs(() => readPage(market, n))
      if (n >= 30) took[name].push(ms)
    }
  const [many, few] = [p95(took.large), p95(took.small)]
  const note = `p95 ${many.toFixed(2)} ms, at 1k ${few.toFixed(2)} ms; filled in ${(large.filledMs / 1000).toFixed(0)} s`
  return { value: many / few, note }
}

const measureAnalytics = async (): Promise<Measurement> => {
  const { large } = await openMarkets()
  const took: number[] = []
  const readNear = async () => {
    const answer = await large.person.ask('task_analytics', { scope: 'all', days: 31 })
    const { published } = answer.tasks as unknown as { published: number }
    if (published !== 100_000) throw new Error(`${published} tasks were counted`)
  }
  for (let n = 0; n < 60; n++) took.push(await measureMs(readNear))
  const warm = took.slice(10)
  return { value: median(warm), note: `p95 ${p95(warm).toFixed(1)} ms; 30 days in 16 parts each` }
}

const benches: readonly Bench[] = [
  {
    name: 'tasks: REST write that is signed (EOA)',
    unit: 'x',
    against: 'the same with a key',
    aim: { below: 1.3 },
    measure: measureSigned,
  },
  { name: 'tasks: life of a task, publish to paid, durable', unit: 'ms', measure: measureLife },
  {
    name: 'tasks: first page near a place, 100k open',
    unit: 'x',
    against: 'p95 at 1k',
    aim: { below: 2 },
    measure: measureNear,
  },
  {
    name: 'tasks: analytics over 100k tasks',
    unit: 'ms',
    aim: { below: 50 },
    measure: measureAnalytics,
  },
]

/** The marketplace as it is served. */
export const marketplace: Group = {
  name: 'marketplace',
  benches,
  async close() {
    const open = await markets?.catch(() => undefined)
    await open?.large.app.close()
    await open?.small.app.close()
    await removeFolders()
  },
}
