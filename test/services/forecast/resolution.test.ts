import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../../../mcp/ports/store/port.ts'
import { resolveDue } from '../../../mcp/services/forecast/record/jobs.ts'
import { entriesIn } from '../../../mcp/services/forecast/record/log.ts'
import {
  issueSecret,
  type Prediction,
  registerPrediction,
  requirePrediction,
} from '../../../mcp/services/forecast/record/prediction.ts'
import { verifyRecord } from '../../../mcp/services/forecast/record/verify.ts'
import { type Internet, startInternet } from '../../internet/internet.ts'
import { type ForecastWorld, refusalOf, startForecast } from './run.ts'

type Turn = { status?: number; body?: string; type?: string; hangs?: true }

let internet: Internet
let world: ForecastWorld
let turn: Turn
let requests = 0

beforeAll(async () => {
  internet = await startInternet()
  internet.web.site('outcomes.example.com', '*', (_, response) => {
    requests++
    const { status = 200, body = '', type = 'application/json', hangs } = turn
    if (hangs) return
    response.writeHead(status, { 'content-type': type })
    response.end(body)
  })
})
afterAll(() => internet.stop())

beforeEach(async () => {
  world = await startForecast(internet.ports())
  requests = 0
  turn = { body: '{"bridge":{"open":true}}' }
})
afterEach(() => world.stop())

const closes = '2026-02-01T00:00:00.000Z'

const register = (
  more: Partial<Prediction['content']['source'] & object> = {},
  facts: Partial<Parameters<typeof registerPrediction>[1]> = {},
) =>
  world.store.transaction(tx =>
    registerPrediction(
      tx,
      {
        question: `Will bridge ${JSON.stringify(more)} be open?`,
        domain: 'infrastructure',
        probability: 0.3,
        method: 'model',
        tier: 'quick',
        closesAt: new Date(closes),
        source: {
          url: 'http://outcomes.example.com/bridge.json',
          pointer: '/bridge/open',
          is: '=',
          value: 'true',
          ...more,
        },
        ...facts,
      },
      world.now(),
    ),
  )

const runJob = (store: Store = world.store) =>
  resolveDue.run({
    store,
    clock: world.clock,
    fetch: internet.ports().fetch,
    trustedSources: ['outcomes.example.com'],
    signal: new AbortController().signal,
  } as never)

const read = (id: string) => requirePrediction(world.store, id)

const faults = async () => {
  const signed = await world.ask('get_signed_calibration')
  const { entries } = await world.ask('read_record', { limit: 1000 })
  return (await verifyRecord({ signed, snapshots: [], entries })).filter(({ ok }) => !ok)
}

describe('a declared source', () => {
  test('is asked after the close and not before, and decides', async () => {
    const { id } = await register()
    await runJob()
    expect([requests, (await read(id)).state]).toEqual([0, 'open'])
    world.at('2026-02-01T00:00:01.000Z')
    await runJob()
    expect(await read(id)).toMatchObject({
      state: 'resolved',
      outcome: 1,
      resolved_by: 'source',
      evidence: 'http://outcomes.example.com/bridge.json',
    })
    await runJob()
    expect(requests).toBe(1)
    expect(await faults()).toEqual([])
  })

  test.each([
    ['{"bridge":{"open":false}}', {}, 0],
    ['{"bridge":{"open":"TRUE"}}', {}, 1],
    ['{"n":"12.5"}', { pointer: '/n', is: '>', value: '12' }, 1],
    ['{"rows":[{"v":3},{"v":9}]}', { pointer: '/rows/1/v', is: '<=', value: '8.5' }, 0],
    ['{"a/b":{"~":1}}', { pointer: '/a~1b/~0', is: '=', value: '1' }, 1],
  ] as const)('that answers %s at %o resolves to %i', async (body, more, outcome) => {
    turn = { body }
    const { id } = await register(more)
    world.at('2026-02-01T00:00:01.000Z')
    await runJob()
    expect(await read(id)).toMatchObject({ state: 'resolved', outcome })
  })

  test.each<[string, Turn]>([
    ['is down', { status: 503 }],
    ['is gone', { status: 404, body: '{"bridge":{"open":true}}' }],
    ['answers a page', { body: '<html>open</html>', type: 'text/html' }],
    ['answers JSON that breaks off', { body: '{"bridge":{"open":' }],
    ['says nothing at the place', { body: '{"bridge":{}}' }],
    ['says an object', { body: '{"bridge":{"open":{"since":1}}}' }],
    ['says null', { body: '{"bridge":{"open":null}}' }],
    ['answers more than a megabyte', { body: `{"bridge":{"open":true},"x":"${'x'.repeat(1 << 20)}"}` }],
  ])('that %s is asked again each day, and believed once it answers', async (_, bad) => {
    turn = bad
    const { id } = await register()
    for (const day of ['01', '02', '03']) {
      world.at(`2026-02-${day}T06:00:00.000Z`)
      await runJob()
      await runJob()
      expect(await read(id)).toMatchObject({ state: 'open', outcome: null })
    }
    expect(requests).toBe(3)
    turn = { body: '{"bridge":{"open":true}}' }
    world.at('2026-02-04T07:00:00.000Z')
    await runJob()
    expect(await read(id)).toMatchObject({ state: 'resolved', outcome: 1 })
  })

  test('that never answers leaves a prediction that is annulled after 90 days, with the reason', async () => {
    turn = { status: 500 }
    const { id } = await register()
    world.at('2026-05-02T00:00:01.000Z')
    await runJob()
    expect(await read(id)).toMatchObject({ state: 'annulled', reason: 'source_failed', outcome: null })
    expect(await world.ask('get_calibration')).toMatchObject({ scored: 0, predictions: { annulled: 1 } })
    expect(await faults()).toEqual([])
  })

  test('that changes its mind later changes nothing, and a buyer who disagrees neither', async () => {
    const { id } = await register()
    const secret = await world.store.transaction(tx => issueSecret(tx, id))
    world.at('2026-02-01T00:00:01.000Z')
    await runJob()
    turn = { body: '{"bridge":{"open":false}}' }
    world.at('2026-02-03T00:00:00.000Z')
    await runJob()
    expect([requests, (await read(id)).outcome]).toEqual([1, 1])
    for (const outcome of [0, 1])
      expect(
        await refusalOf(
          world.ask('resolve_prediction', { id, secret, outcome, evidence_url: 'https://example.com/other' }),
        ),
      ).toMatchObject({ code: 'conflict' })
    expect(await world.ask('get_calibration')).toMatchObject({ scored: 1, asker: { scored: 0 } })
    expect(await faults()).toEqual([])
  })

  test('cannot be this machine or a network behind it', async () => {
    const { id } = await register({ url: 'http://127.0.0.1:9/secret' })
    world.at('2026-02-01T00:00:01.000Z')
    await runJob()
    expect(await read(id)).toMatchObject({ state: 'open' })
  })
})

describe('the job', () => {
  test('that two replicas run at once resolves each prediction once', async () => {
    const ids = []
    for (let n = 0; n < 12; n++)
      ids.push(
        (await register({ pointer: '/bridge/open', value: 'true', url: `http://outcomes.example.com/${n}` }))
          .id,
      )
    world.at('2026-02-01T00:00:01.000Z')
    await Promise.all([runJob(), runJob(), runJob()])
    for (const id of ids) expect(await read(id)).toMatchObject({ state: 'resolved', outcome: 1 })
    expect(await entriesIn(world.store).count()).toBe(24)
    expect(await faults()).toEqual([])
  })

  test('that dies at any write leaves a record that the next run completes', async () => {
    const { id } = await register()
    world.at('2026-02-01T00:00:01.000Z')
    for (let survives = 0; ; survives++) {
      let writes = survives
      const dying = (collection: object) =>
        new Proxy(collection, {
          get(target, name) {
            const value = Reflect.get(target, name)
            if (name !== 'insert' && name !== 'put')
              return typeof value === 'function' ? value.bind(target) : value
            return (...args: unknown[]) => {
              if (writes-- <= 0) throw new Error('killed')
              return value.apply(target, args)
            }
          },
        })
      const mortal = {
        ...world.store,
        collection: world.store.collection.bind(world.store),
        transaction: (work: (tx: never) => Promise<unknown>) =>
          world.store.transaction(tx =>
            work({
              ...tx,
              collection: (name: string, indexes: never) => dying(tx.collection(name, indexes)),
            } as never),
          ),
      } as unknown as Store
      const isDone = await runJob(mortal).then(
        () => true,
        () => false,
      )
      expect(await faults()).toEqual([])
      if (isDone) {
        expect(survives).toBeGreaterThan(3)
        break
      }
      expect(await read(id)).toMatchObject({ state: 'open' })
      expect(await entriesIn(world.store).count()).toBe(1)
    }
    expect(await read(id)).toMatchObject({ state: 'resolved', outcome: 1 })
  })
})

describe('a stranger who wants other scores than the service earned', () => {
  type Facts = Parameters<typeof register>[1]

  /** Two honest forecasts of the service, one right and one wrong. */
  const earn = async () => {
    turn = { body: '{"bridge":{"open":true},"n":7}' }
    await register({ url: 'http://outcomes.example.com/a' }, { probability: 0.9 })
    await register({ url: 'http://outcomes.example.com/b' }, { probability: 0.2 })
  }
  const headline = async () => {
    world.at('2026-02-01T00:00:01.000Z')
    for (let nth = 0; nth < 5; nth++) await runJob()
    expect(await faults()).toEqual([])
    const { brier, log_score, skill, curve, scored, questions, time_weighted_brier, domains } =
      await world.ask('get_calibration')
    return {
      ...{ brier, log_score, skill, curve, scored, questions, time_weighted_brier },
      domains: domains.map(({ name, brier, scored }: Domain) => ({ name, brier, scored })),
    }
  }
  type Domain = { name: string; brier: number | null; scored: number }
  const own = { url: 'http://mine.example.com/says-so' }

  beforeAll(() => {
    internet.web.site('mine.example.com', '*', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"bridge":{"open":true}}')
    })
    internet.web.site('away.example.com', '*', {
      status: 302,
      headers: { location: 'http://mine.example.com/' },
    })
  })

  test.each<[string, Parameters<typeof register>[0], Facts]>([
    ['chooses the source', own, { probability: 0.01 }],
    ['has a source send on to another', { url: 'http://away.example.com/' }, { probability: 0.99 }],
    ['states the numbers of a form', {}, { probability: 0.99, method: 'form:event' }],
    ['brings priors', {}, { probability: 0.01, method: 'priors' }],
    ['moves a model by evidence', {}, { probability: 0.99, method: 'model+evidence' }],
    ['lets a model read pages of its own', {}, { probability: 0.01, method: 'model+slope+sources' }],
    ['stretches a model by a form', {}, { probability: 0.01, method: 'model+form' }],
  ])('and who %s, moves none of them', async (_, source, facts) => {
    await earn()
    const before = await headline()
    expect(before).toMatchObject({ scored: 2, brier: 0.325 })
    world.at('2026-01-20T00:00:00.000Z')
    for (let nth = 0; nth < 10; nth++) await register(source, { question: `Will it be so ${nth}?`, ...facts })
    expect(await headline()).toEqual(before)
    const { methods, declared } = await world.ask('get_calibration')
    const counted = methods.find(({ name }: Domain) => name === facts?.method)?.scored ?? declared.scored
    expect(counted).toBe(10)
  })

  test('and who asks one thing in many wordings, thresholds and domains, adds one', async () => {
    await earn()
    for (let nth = 0; nth < 30; nth++)
      await register(
        { pointer: '/n', is: '>', value: String(nth / 10) },
        { question: `Will n be over ${nth / 10}?`, domain: `d${nth % 3}`, probability: 0.95 + nth / 1000 },
      )
    expect(await headline()).toMatchObject({ scored: 3, questions: 3 })
  })

  test('and who registers a question first with a bad source, takes no other buyer his', async () => {
    const facts = { question: 'Will the bridge be open?', probability: 0.7 }
    const first = await register(own, facts)
    const second = await register({}, facts)
    expect(second.id).not.toBe(first.id)
    expect(await headline()).toMatchObject({ scored: 1, brier: 0.09 })
  })
})
