import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startApp } from '../test/app.ts'
import { payable } from '../test/services/tasks/scenarios.ts'
import { signRequest } from '../test/services/tasks/signing.ts'
import { openChild } from './child.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'

const vouchers = 300
const warm = 50
const listeners = 1000
const events = 7

let starting: ReturnType<typeof startApp> | undefined
const started = () => {
  starting ??= startApp({ TRUST_PROXY: '1' })
  return starting
}

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void

/** What is in use, in bytes, once all that is garbage is gone. */
const usedBytes = (): number => {
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const voucherTick: Bench = {
  name: 'voucher of a metered session, over HTTP with a key',
  unit: 'ms CPU',
  aim: { below: 3 },
  async measure() {
    const app = await started()
    const terms = { rate_usd: '0.001', unit: 'hour', cap_usdc: '0.60' }
    const { publisher, opening, quote, sign } = await payable(app, terms)
    const { session_id } = (await publisher.ask('open_session', opening)) as unknown as { session_id: string }
    const { voucher_typed_data: data } = quote
    const bodies: string[] = []
    for (let unit = 1; unit <= vouchers + warm; unit++) {
      const cumulative_amount = String(unit * 1_050)
      const message = { ...data.message, cumulativeAmount: cumulative_amount }
      bodies.push(JSON.stringify({ cumulative_amount, signature: await sign({ ...data, message }) }))
    }
    const client = await openChild('listeners')
    const url = `${app.url}/tasks/api/v1/streams/session/${session_id}/voucher`
    const headers = { 'content-type': 'application/json', ...publisher.headers }
    // One address may send 600 a minute.
    const post = (some: string[]) => client.ask('post', { url, headers, bodies: some })
    await post(bodies.slice(0, warm))
    const [before, began] = [process.cpuUsage(), performance.now()]
    await post(bodies.slice(warm))
    const { user, system } = process.cpuUsage(before)
    const took = performance.now() - began
    await client.stop()
    return {
      value: (user + system) / 1000 / vouchers,
      note: `${vouchers} vouchers, each ${(took / vouchers).toFixed(1)} ms with its signature checked and durable; 0 transactions`,
    }
  },
}

/** Somebody who asks the marketplace with a signature each time. */
const person = (url: string) => {
  const account = privateKeyToAccount(generatePrivateKey())
  return async (path: string, body: object): Promise<Record<string, unknown>> => {
    const text = JSON.stringify(body)
    const address = `${url}/tasks/api/v1${path}`
    const options = { method: 'POST', body: text, contentType: 'application/json' }
    const headers = await signRequest(account, address, options)
    const response = await fetch(address, { method: 'POST', headers, body: text })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as Record<string, unknown>
  }
}

const measureListeners = async () => {
  const { url } = await started()
  const publisher = person(url)
  const { task_id } = await publisher('/tasks', {
    title: 'Is the bakery open?',
    instructions: 'Go there, look at the door, and say if it is open.',
    category: 'physical_presence',
    bounty_usd: '1.00',
    deadline_hours: 24,
    evidence_required: ['text_response'],
  })
  const child = await openChild('listeners')
  const listen = (count: number) =>
    child.ask('open', {
      url: `${url}/tasks/a2a/v1/stream`,
      body: JSON.stringify({ task_id }),
      headers: { 'content-type': 'application/json' },
      count,
      marker: 'event: application.received',
    })
  // What the first streams load stays, and is of no listener.
  await listen(50)
  await child.ask('close')
  const before = usedBytes()
  await listen(listeners)
  const held = (usedBytes() - before) / listeners
  const times: number[] = []
  for (let nth = 1; nth <= events; nth++) {
    const worker = person(url)
    await worker('/workers/register', { kind: 'human', name: 'Ada' })
    const all = child.ask<number>('all', nth)
    await worker(`/tasks/${task_id}/apply`, {})
    times.push(await all)
  }
  await child.ask('close')
  await child.stop()
  return { held, times }
}

let measured: ReturnType<typeof measureListeners> | undefined
const listening = () => {
  measured ??= measureListeners()
  return measured
}

const reachAll: Bench = {
  name: `an event reaches ${listeners} listeners of a task`,
  unit: 'ms',
  aim: { below: 100 },
  async measure() {
    const { times } = await listening()
    const note = `median of ${events}, from when it happened, before it is durable; slowest ${Math.max(...times)} ms`
    return { value: median(times), note }
  },
}

const memory: Bench = {
  name: 'memory of a listener of a task',
  unit: 'kB',
  aim: { below: 20 },
  async measure() {
    const { held } = await listening()
    return { value: held / 1000, note: `heap and buffers of the server, of ${listeners} listeners` }
  },
}

export const sessions: Group = {
  name: 'sessions',
  benches: [voucherTick, reachAll, memory],
  close: async () => (await starting)?.stop(),
}
