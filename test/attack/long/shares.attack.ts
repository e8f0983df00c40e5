import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBubblewrap } from '../../ports/sandbox/run.ts'
import { expensive } from '../starvation.ts'
import { startTarget, type Target } from '../target.ts'
import { send } from '../wire.ts'
import { report } from './report.ts'

/** What a machine with other work adds to a call now and then. */
const noiseMs = 300

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())

type Call = { path: string; body: object; key?: string | undefined }

const headersFor = (from: string, bytes: Buffer, key?: string) => ({
  'content-type': 'application/json',
  'content-length': String(bytes.length),
  'x-forwarded-for': from,
  ...(key !== undefined && { 'x-api-key': key }),
})

const post = (from: string, { path, body, key }: Call) => {
  const bytes = Buffer.from(JSON.stringify(body))
  return send(target.url, { method: 'POST', path, headers: headersFor(from, bytes, key), body: bytes })
}

/** A call that its client gives up when `leave` is called. */
const begin = (from: string, { path, body, key }: Call) => {
  const bytes = Buffer.from(JSON.stringify(body))
  const { hostname, port } = new URL(target.url)
  const headers = headersFor(from, bytes, key)
  const sent = request({ hostname, port, method: 'POST', path, headers, agent: false })
  sent.on('error', () => undefined)
  sent.end(bytes)
  sent.on('response', answer => answer.resume())
  return { leave: () => sent.destroy() }
}

const timed = async (work: () => Promise<{ status: number; text: string }>): Promise<number> => {
  const began = performance.now()
  const { status, text } = await work()
  if (status !== 200) throw new Error(`answered ${status}: ${text.slice(0, 300)}`)
  return performance.now() - began
}

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0

const register = async (from: string): Promise<string> =>
  (JSON.parse((await post(from, { path: '/proof/register', body: {} })).text) as { api_key: string }).api_key

const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

test('threads: 60 heavy calls of one network do not hold up a small one', async () => {
  const small: Call = { path: '/data/tools/json-repair?free=1', body: { json: `{a:[${'1,'.repeat(20_000)}` } }
  const heavy = expensive['json-repair, 900 KB'] as Call
  let others = 0
  const ask = () => timed(() => post(`198.51.${100 + (others >> 8)}.${others++ % 256}`, small))
  await ask()
  const alone: number[] = []
  for (let n = 0; n < 9; n++) alone.push(await ask())
  const flood = Array.from({ length: 60 }, (_, n) => begin(`203.0.113.${n % 12}`, heavy))
  // Bodies are read before anybody's turn comes; what is measured is the turns.
  await wait(1500)
  const under: number[] = []
  for (let n = 0; n < 9; n++) under.push(await ask())
  const leavingAt = performance.now()
  for (const { leave } of flood) leave()
  await ask()
  const figures = { alone: median(alone), under: median(under), afterLeaving: performance.now() - leavingAt }
  report('shares', { resource: 'workers', ...figures })
  expect(figures.under).toBeLessThanOrEqual(2 * figures.alone + noiseMs)
})

describe.skipIf(!hasBubblewrap)('sandboxes', () => {
  const run = (code: string, key: string): Call => ({ path: '/proof/execute', body: { code }, key })

  test('free runs that sleep, of one network, do not hold up a print, and end with their clients', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, (_, n) => register(`203.0.113.${n + 1}`)))
    const strangers = await Promise.all(Array.from({ length: 4 }, (_, n) => register(`198.51.${n + 1}.7`)))
    const prints = async (): Promise<number[]> => {
      const times: number[] = []
      for (const [n, key] of strangers.entries())
        times.push(await timed(() => post(`198.51.${n + 1}.7`, run('print(1)', key))))
      return times
    }
    const alone = await prints()
    const flood = keys.map((key, n) => begin(`203.0.113.${n + 1}`, run('import time; time.sleep(50)', key)))
    await wait(1500)
    const under = await prints()
    const leavingAt = performance.now()
    for (const { leave } of flood) leave()
    // A neighbour in the network of those that left gets a place of theirs.
    const neighbour = await register('203.0.113.99')
    await timed(() => post('203.0.113.99', run('print(1)', neighbour)))
    const freedMs = performance.now() - leavingAt
    const figures = { alone: median(alone), under: median(under), freedMs }
    report('shares', { resource: 'sandboxes', ...figures })
    expect(figures.under).toBeLessThanOrEqual(2 * figures.alone + noiseMs)
    expect(figures.freedMs).toBeLessThanOrEqual(1000 + 2 * figures.alone + noiseMs)
  })
})
