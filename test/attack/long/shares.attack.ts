import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openInvoices } from '../../../mcp/payment/methods/lightning/invoices.ts'
import { openBrowsers } from '../../../mcp/ports/browser/open.ts'
import { openFetch } from '../../../mcp/ports/fetch/fetch.ts'
import { openGuard } from '../../../mcp/ports/fetch/guard.ts'
import { openDevelopmentLightning } from '../../../mcp/ports/lightning/devnet.ts'
import data from '../../../mcp/services/data/service.ts'
import proof from '../../../mcp/services/proof/service.ts'
import { openTestApp, type TestApp } from '../../../testing.ts'
import { startModel, type TestModel } from '../../model-server.ts'
import { hasBrowser } from '../../ports/browser/has-browser.ts'
import { startSite } from '../../ports/browser/site.ts'
import { hasBubblewrap } from '../../ports/sandbox/run.ts'
import { expensive } from '../starvation.ts'
import { startTarget, type Target } from '../target.ts'
import { send } from '../wire.ts'
import { report } from './report.ts'

type Call = { path: string; body: object; key?: string | undefined }

/** Milliseconds of small calls: alone, beside a flood, and from the moment the flood is given up. */
type Times = { alone: number[]; under: number[]; freed: number[] }

type Flood = { countUnderWay(): number; leave(): void }

const rows: object[] = []
const rounds = 3
const callsPerRound = 5

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0

const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

type ThreadTimes = { runMs: number; waitMs: number }

/** How long each thread of a process has run, and waited for a processor; empty where the system does not tell. */
const readThreads = (pid: number): Map<number, ThreadTimes> => {
  try {
    const folder = `/proc/${pid}/task`
    const read = (thread: string): ThreadTimes => {
      const [run, waited] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')
      return { runMs: Number(run) / 1e6, waitMs: Number(waited) / 1e6 }
    }
    return new Map(readdirSync(folder).map(thread => [Number(thread), read(thread)]))
  } catch {
    return new Map()
  }
}

const timesSince = (
  before: Map<number, ThreadTimes>,
  after: Map<number, ThreadTimes>,
): Map<number, ThreadTimes> =>
  new Map(
    [...after].map(([thread, { runMs, waitMs }]) => [
      thread,
      {
        runMs: runMs - (before.get(thread)?.runMs ?? 0),
        waitMs: waitMs - (before.get(thread)?.waitMs ?? 0),
      },
    ]),
  )

/**
 * Times work by the clock, less what its own threads waited for a processor: what other programs do counts for nothing. Its threads are
 * that of the test, the first of the program, and the busiest other one that is not the flood's, which is the busiest of all. Where a
 * flood has more threads than one, all but the busiest count instead.
 */
const timedInThreads =
  (pid: number, hasFlood: boolean) =>
  async (work: () => Promise<unknown>): Promise<number> => {
    const before = readThreads(pid)
    const beforeHere = readThreads(process.pid)
    const ms = await timed(work)
    if (before.size === 0) return ms
    const here = [...timesSince(beforeHere, readThreads(process.pid)).values()]
    const times = timesSince(before, readThreads(pid))
    const first = times.get(pid)?.waitMs ?? 0
    times.delete(pid)
    const byRun = [...times.values()].toSorted((a, b) => b.runMs - a.runMs).slice(hasFlood ? 1 : 0)
    const busiestHere = here.toSorted((a, b) => b.runMs - a.runMs)[0]
    const waited = first + (byRun[0]?.waitMs ?? 0) + (busiestHere?.waitMs ?? 0)
    const run = byRun.reduce((sum, { runMs }) => sum + runMs, 0)
    return Math.max(ms - waited, run)
  }

/**
 * Holds a resource to its promise. Rounds with and without a flood take turns, so that what else the machine does is in both medians, and
 * the medians are compared without an allowance.
 */
const checkShare = async (
  resource: string,
  {
    small,
    flood,
    freed = small,
    measure = () => timed,
  }: {
    small(): Promise<() => Promise<unknown>>
    /** Begins the flood of one network; resolves, once all of it is under way, to how much is left of it and what gives it up. */
    flood(round: number): Promise<Flood>
    /** The same call for a neighbour in the network of the flood. */
    freed?(round: number): Promise<() => Promise<unknown>>
    /** How a small call is timed, alone and beside the flood. Default: by the clock. */
    measure?(hasFlood: boolean): typeof timed
  },
) => {
  const times: Times = { alone: [], under: [], freed: [] }
  await (await small())()
  for (let round = 0; round < rounds; round++) {
    for (let n = 0; n < callsPerRound; n++) times.alone.push(await measure(false)(await small()))
    const neighbour = await freed(round)
    const { countUnderWay, leave } = await flood(round)
    for (let n = 0; n < callsPerRound; n++) times.under.push(await measure(true)(await small()))
    expect(countUnderWay()).toBeGreaterThan(0)
    leave()
    times.freed.push(await timed(neighbour))
  }
  const [alone, under, freedMs] = [median(times.alone), median(times.under), median(times.freed)]
  const row = {
    resource,
    'alone, ms': alone.toFixed(1),
    'beside the flood, ms': under.toFixed(1),
    times: (under / alone).toFixed(2),
    'given up, next one in, ms': freedMs.toFixed(1),
  }
  rows.push(row)
  report('shares', row)
  expect(under / alone).toBeLessThanOrEqual(2)
  expect(freedMs).toBeLessThanOrEqual(1000 + alone)
}

type Begun = { isUnderWay(): boolean; leave(): void }

const toFlood = (
  calls: readonly Begun[],
  countUnderWay = () => calls.filter(call => call.isUnderWay()).length,
): Flood => ({
  countUnderWay,
  leave() {
    for (const { leave } of calls) leave()
  },
})

const openClient = (url: () => string) => {
  const headersFor = (from: string, bytes: Buffer, key?: string) => ({
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    'x-forwarded-for': from,
    ...(key !== undefined && { 'x-api-key': key }),
  })
  const post = async (from: string, { path, body, key }: Call) => {
    const bytes = Buffer.from(JSON.stringify(body))
    const answer = await send(url(), {
      method: 'POST',
      path,
      headers: headersFor(from, bytes, key),
      body: bytes,
    })
    if (answer.status >= 300) throw new Error(`answered ${answer.status}: ${answer.text.slice(0, 300)}`)
    return JSON.parse(answer.text) as Record<string, unknown>
  }
  /** A call that its client gives up when `leave` is called. */
  const begin = (from: string, { path, body, key }: Call) => {
    const bytes = Buffer.from(JSON.stringify(body))
    const { hostname, port } = new URL(url())
    const headers = headersFor(from, bytes, key)
    const sent = request({ hostname, port, method: 'POST', path, headers, agent: false })
    let isAnswered = false
    sent.on('error', () => undefined)
    sent.on('response', answer => {
      isAnswered = true
      answer.on('error', () => undefined).resume()
    })
    sent.end(bytes)
    return { isUnderWay: () => !isAnswered, leave: () => void sent.destroy() }
  }
  const register = async (from: string) =>
    String((await post(from, { path: '/proof/register', body: {} })).api_key)
  let others = 0
  /** An address in a network of its own. */
  const somewhere = () => `198.${18 + (++others >> 8)}.${others % 256}.7`
  return {
    post,
    begin,
    somewhere,
    /** The same call by a new account in a network that nobody else is in. */
    fresh: (toCall: (key: string) => Call) => async () => {
      const from = somewhere()
      const call = toCall(await register(from))
      return () => post(from, call)
    },
    /** The same call by a new account in the network of a round's flood. */
    neighbour: (toCall: (key: string) => Call) => async (round: number) => {
      const from = `203.0.${113 + round}.99`
      const call = toCall(await register(from))
      return () => post(from, call)
    },
    /** Calls by so many new accounts of one network. */
    crowd: (count: number, toCall: (key: string) => Call) => async (round: number) => {
      const addresses = Array.from({ length: count }, (_, n) => `203.0.${113 + round}.${n + 1}`)
      const keys = await Promise.all(addresses.map(register))
      const calls = addresses.map((from, n) => begin(from, toCall(keys[n] ?? '')))
      await wait(1000)
      return toFlood(calls)
    },
  }
}

afterAll(() => {
  console.log(`One network floods, ${availableParallelism()} processors:`)
  if (availableParallelism() === 1) console.log('There is no processor for light input alone.')
  console.table(rows)
})

describe('the program', () => {
  let target: Target
  let model: TestModel
  const client = openClient(() => target.url)
  beforeAll(async () => {
    model = await startModel()
    target = await startTarget({ LLM_URL: model.url, LLM_MODEL: 'test' })
  })
  afterAll(async () => {
    await target.stop()
    await model.stop()
  })

  test('threads: 60 heavy calls of one network do not hold up a small one', async () => {
    const call: Call = {
      path: '/data/tools/json-repair?free=1',
      body: { json: `{a:[${'1,'.repeat(20_000)}` },
    }
    const heavy = expensive['json-repair, 900 KB'] as Call
    await checkShare('threads, less waits for a processor', {
      measure: hasFlood => timedInThreads(target.child.pid ?? 0, hasFlood),
      small: async () => {
        const from = client.somewhere()
        return () => client.post(from, call)
      },
      freed: async round => () => client.post(`203.0.${113 + round}.99`, call),
      async flood(round) {
        const calls = Array.from({ length: 60 }, (_, n) =>
          client.begin(`203.0.${113 + round}.${(n % 12) + 1}`, heavy),
        )
        // Bodies are read before anybody's turn comes; what is measured is the turns.
        await wait(500)
        while (
          (await timed(() =>
            send(target.url, { method: 'GET', path: '/healthz', headers: {}, body: undefined }),
          )) > 50
        )
          await wait(50)
        return toFlood(calls)
      },
    })
  })

  test.skipIf(!hasBubblewrap)('sandboxes: free runs that sleep do not hold up a print', async () => {
    const run = (code: string) => (key: string) => ({ path: '/proof/execute', body: { code }, key })
    await checkShare('sandboxes', {
      small: client.fresh(run('print(1)')),
      freed: client.neighbour(run('print(1)')),
      flood: client.crowd(8, run('import time; time.sleep(50)')),
    })
  })

  test('model: questions that take long do not hold up a short one', async () => {
    let open = 0
    model.respond = ({ body }) =>
      JSON.stringify(body).includes('think long')
        ? {
            raw: response => {
              open += 1
              response.on('close', () => {
                open -= 1
              })
            },
          }
        : {
            value: {
              answer: 'Yes.',
              steps: [],
              assumptions: [],
              uncertainties: [],
              confidence: 1,
              agree: true,
              data: null,
            },
          }
    const ask = (question: string) => (key: string) => ({ path: '/proof/reason', body: { question }, key })
    const crowd = client.crowd(12, ask('Please think long.'))
    await checkShare('model', {
      small: client.fresh(ask('Is it so?')),
      async flood(round) {
        const { leave } = await crowd(round)
        return { leave, countUnderWay: () => open }
      },
      freed: async () => async () => {
        while (open > 0) await wait(5)
      },
    })
  })
})

describe('the program over sites of strangers', () => {
  let app: TestApp
  let site: Awaited<ReturnType<typeof startSite>>
  let close: () => Promise<unknown>
  const client = openClient(() => app.url)
  const at = (host: string, path: string) => `${site.base.replace('site.', `${host}.`)}${path}`
  beforeAll(async () => {
    site = await startSite()
    const fetch = openFetch({ ...site.guard, userAgent: 'Octagent/test' })
    const browsers = openBrowsers({ guard: openGuard(site.guard), path: hasBrowser ?? 'off', concurrency: 4 })
    app = await openTestApp({
      services: [proof, data],
      ports: { fetch, browsers },
      environment: { OCTAGENT_RATES: 'sat=0.0006', TRUST_PROXY: '1', OCTAGENT_RATE_LIMIT: '1000000' },
    })
    close = async () => {
      await app.close()
      await Promise.all([browsers.close(), fetch.close()])
      site.stop()
    }
  })
  afterAll(() => close())

  test('requests: sites that never answer do not hold up one that does', async () => {
    let hosts = 0
    const call = (url: string): Call => ({ path: '/data/tools/redirect-trace?free=1', body: { url } })
    const plain = () => call(at(`h${++hosts}`, '/plain'))
    await checkShare('requests', {
      small: async () => {
        const [from, to] = [client.somewhere(), plain()]
        return () => client.post(from, to)
      },
      freed: async round => {
        const to = plain()
        return () => client.post(`203.0.${113 + round}.99`, to)
      },
      async flood(round) {
        const calls = Array.from({ length: 60 }, (_, n) =>
          client.begin(`203.0.${113 + round}.${(n % 12) + 1}`, call(at(`slow${++hosts}`, '/never'))),
        )
        await wait(1000)
        return toFlood(calls)
      },
    })
  })

  test.skipIf(!hasBrowser)('browsers: pages that never end do not hold up a plain one', async () => {
    const visit = (more: object) => (key: string) => ({
      path: '/proof/browse',
      body: { url: at('site', '/plain'), ...more },
      key,
    })
    const look = visit({ action: 'screenshot' })
    const steps = [{ action: 'wait', value: '10000' }]
    await checkShare('browsers', {
      small: client.fresh(look),
      freed: client.neighbour(look),
      flood: client.crowd(6, visit({ action: 'multi_step', steps })),
    })
  })
})

test('invoices: a network that leaves thousands unpaid does not keep others from theirs', async () => {
  const key = randomBytes(32).toString('hex')
  let now = new Date()
  const node = await openDevelopmentLightning({ key: async () => key, now: () => now })
  const all = 2000
  const invoices = openInvoices(node.createInvoice, () => now, all)
  let orders = 0
  const order = (client: string) =>
    invoices.open({
      asker: `${client} ${++orders % 200}`,
      client,
      request: String(orders),
      msat: 1000n,
      memo: 'x',
    })
  let others = 0
  await checkShare('invoices', {
    small: async () => {
      const from = `198.18.${++others % 256}.7`
      return () => order(from)
    },
    async flood() {
      let made = 0
      while (
        await order('203.0.113.1').then(
          () => true,
          () => false,
        )
      )
        made += 1
      expect(made).toBeGreaterThan(0.4 * all)
      return {
        countUnderWay: () => made,
        leave() {
          now = new Date(now.getTime() + 601_000)
        },
      }
    },
    freed: async () => () => order('203.0.113.2'),
  })
})
