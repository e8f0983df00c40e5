import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { type AnyEndpoint, endpoint, type StreamEvent } from '../../mcp/kernel/endpoint.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { lastEventNumber, topicEvents } from '../../mcp/kernel/topic-events.ts'
import type { Json, Store } from '../../mcp/ports/store/port.ts'
import { endpointRoute } from '../../rest-adapter/endpoint-route.ts'
import type { EventStreamOptions } from '../../rest-adapter/event-stream.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import { listen } from '../listen.ts'
import { postgresEngine, postgresIsHere, withDatabase } from '../store/database.ts'
import { eventually } from '../store/opened.ts'
import type { Engine } from '../store/suite.ts'
import { openTestWorld } from '../world.ts'
import { fixtureWith } from './endpoint-fixture.ts'
import { dial } from './wire.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const streamOf = (run: AnyEndpoint['run'], more: Partial<AnyEndpoint> = {}): AnyEndpoint =>
  ({
    ...endpoint({
      name: 'events',
      title: 'Events',
      description: 'Tells what happens.',
      method: 'GET',
      path: '/events',
      body: 'none',
      needs: ['store'],
    }).run(run as never),
    ...more,
  }) as AnyEndpoint

/** Serves one stream with bounds of its own. */
const serveStream = async (made: AnyEndpoint, options: EventStreamOptions = {}, store?: Store) => {
  const world = await openTestWorld(store ? { ports: { store } } : {})
  closing.push(() => world.stop())
  const route = endpointRoute(world, fixtureWith(made), made, options)
  const { url, stop } = await listen([{ prefix: '', routes: [route] }])
  closing.push(stop)
  return { world, url }
}

type Read = { text: () => string; events: () => Record<string, string>[]; status: number; stop: () => void }

const parse = (text: string) =>
  text
    .split('\n\n')
    .slice(0, -1)
    .filter(block => !block.startsWith(':'))
    .map(block => Object.fromEntries(block.split('\n').map(line => line.split(/: (.*)/s).slice(0, 2))))

const read = async (url: string, headers: Record<string, string> = {}): Promise<Read> => {
  const leave = new AbortController()
  closing.push(() => leave.abort())
  const response = await fetch(`${url}/events`, { headers, signal: leave.signal })
  let text = ''
  const reading = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
  })()
  reading.catch(() => undefined)
  return { text: () => text, events: () => parse(text), status: response.status, stop: () => leave.abort() }
}

const few = async function* (): AsyncGenerator<StreamEvent> {
  yield { id: '1', event: 'state', data: { text: 'two\nlines' } }
  yield { data: 'x\u2028y' }
  yield { id: 'a\nevent: forged', data: null }
}

describe('a stream of events', () => {
  test('has ids, names and JSON on one line, and ends', async () => {
    const { url } = await serveStream(streamOf(async () => ({ kind: 'events', events: few() })))
    const response = await fetch(`${url}/events`)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.text()).toBe(
      'id: 1\nevent: state\ndata: {"text":"two\\nlines"}\n\ndata: "x\u2028y"\n\nid: a event: forged\ndata: null\n\n',
    )
    const head = await fetch(`${url}/events`, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  })

  test('is kept alive while nothing happens', async () => {
    const waiting = streamOf(async (_, { signal }) => ({ kind: 'events', events: never(signal) }))
    const { url } = await serveStream(waiting, { heartbeatMs: 20 })
    const stream = await read(url)
    await eventually(() => stream.text().split(': keep-alive\n\n').length > 3)
    expect(stream.events()).toEqual([])
  })

  test('tells a failure as a last event: a reference for that of a stranger, the problem for ours', async () => {
    const failing = (error: Error) =>
      async function* (): AsyncGenerator<StreamEvent> {
        yield { data: 1 }
        throw error
      }
    const { url, world } = await serveStream(
      streamOf(async (_, { query }) => ({
        kind: 'events',
        events: failing(query.ours ? new ToolError('gone', 'It is over.') : new Error('password=hunter2'))(),
      })),
    )
    const text = await (await fetch(`${url}/events`)).text()
    expect(text).not.toContain('hunter2')
    const [, last] = parse(text)
    const problem = JSON.parse(last?.data ?? '')
    expect([last?.event, problem.code]).toEqual(['error', 'internal'])
    expect(world.records.at(-1)).toMatchObject({ tool: 'events', code: 'internal', ref: problem.ref })
    expect(await (await fetch(`${url}/events?ours=1`)).text()).toContain('"detail":"It is over."')
  })

  test('is drained only as fast as its client reads', async () => {
    let made = 0
    const many = async function* (): AsyncGenerator<StreamEvent> {
      for (; made < 2000; made++) yield { data: 'x'.repeat(50_000) }
    }
    const { url } = await serveStream(streamOf(async () => ({ kind: 'events', events: many() })))
    const socket = await dial(url)
    socket.pause()
    socket.write('GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    let before = -1
    while (made === 0 || made !== before) {
      before = made
      await new Promise(resolve => setTimeout(resolve, 300))
    }
    // Of 100 MB no more than the buffers of two sockets.
    expect(made).toBeLessThan(400)
    let bytes = 0
    socket.on('data', chunk => {
      bytes += chunk.length
    })
    socket.resume()
    await eventually(() => made === 2000 && bytes > 100_000_000)
    socket.destroy()
  })

  test.each(['that listens to the signal', 'that listens to nothing'])(
    'whose client leaves ends its generator, also one %s',
    async which => {
      let ended = 0
      const generate = async function* (signal: AbortSignal): AsyncGenerator<StreamEvent> {
        try {
          yield { data: 'first' }
          if (which === 'that listens to the signal') yield* never(signal)
          for (;;) {
            await new Promise(resolve => setTimeout(resolve, 20))
            yield { data: 'tick' }
          }
        } finally {
          ended++
        }
      }
      const { url } = await serveStream(
        streamOf(async (_, { signal }) => ({ kind: 'events', events: generate(signal) })),
      )
      const streams = await Promise.all([read(url), read(url)])
      for (const { events } of streams) await eventually(() => events().length > 0)
      for (const { stop } of streams) stop()
      await eventually(() => ended === 2)
    },
  )

  test('counts against its client until it is closed, also when many ask at the same time', async () => {
    let opened = 0
    const { url } = await serveStream(
      streamOf(async (_, { signal }) => {
        opened++
        await eventually(() => opened >= 4)
        return { kind: 'events', events: never(signal) }
      }),
      { maxPerClient: 2 },
    )
    const streams = await Promise.all([read(url), read(url), read(url), read(url)])
    expect(streams.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429])
    const over = await fetch(`${url}/events`)
    expect([over.status, over.headers.get('retry-after')]).toEqual([429, '30'])
    for (const { stop } of streams) stop()
    let status = 429
    const end = Date.now() + 10_000
    while (status === 429 && Date.now() < end) {
      const next = await read(url)
      status = next.status
      next.stop()
    }
    expect(status).toBe(200)
  })

  test('counts against its network and all, of whom no network has more than it leaves to others', async () => {
    const { url } = await serveStream(
      streamOf(async (_, { signal }) => ({ kind: 'events', events: never(signal) })),
      { maxOpen: 4 },
    )
    const from = (localAddress: string) =>
      new Promise<[number | undefined, string | undefined]>((resolve, reject) => {
        get(`${url}/events`, { localAddress, agent: false }, answer => {
          answer.on('error', () => undefined)
          onTestFinished(() => void answer.destroy())
          resolve([answer.statusCode, answer.headers['retry-after']])
        }).on('error', reject)
      })
    for (const address of ['127.0.0.1', '127.0.0.2']) expect(await from(address)).toEqual([200, undefined])
    expect(await from('127.0.0.3')).toEqual([503, '30'])
    expect(await from('127.0.1.1')).toEqual([200, undefined])
  })
})

async function* never(signal: AbortSignal): AsyncGenerator<StreamEvent> {
  await new Promise<void>(resolve => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

const embedded: Engine = {
  name: 'embedded',
  place: async () => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-events-'))
    return { open: () => openEmbedded({ dir }), clean: () => rm(dir, { recursive: true, force: true }) }
  },
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

const topicSuite = ({ name, place }: Engine) =>
  describe(`entries of a topic on ${name}`, () => {
    const open = async () => {
      const { open: openStore, clean } = await place()
      const stores = [await openStore()]
      closing.push(async () => {
        for (const store of stores) await store.close()
        await clean()
      })
      const first = stores[0] as Store
      const replica = async () => {
        const store = await openStore()
        stores.push(store)
        return store
      }
      return { store: first, replica }
    }

    const serveTopic = async (store: Store) => {
      const live = { subscriptions: 0 }
      const counted = {
        read: store.read,
        subscribe: (topic: string, onEntry: Parameters<Store['subscribe']>[1]) => {
          live.subscriptions++
          const stop = store.subscribe(topic, onEntry)
          return () => {
            live.subscriptions--
            stop()
          }
        },
      }
      const run: AnyEndpoint['run'] = async (_, { headers, signal }) => ({
        kind: 'events',
        events: topicEvents(counted, 'news', {
          after: lastEventNumber(headers['last-event-id']),
          signal,
          toEvent: payload =>
            (payload as number) % 10 === 0 ? undefined : { event: 'number', data: payload },
        }),
      })
      return { ...(await serveStream(streamOf(run), {}, store)), live }
    }

    test('come without gap or repetition while they are committed and the client comes back', async () => {
      const { store } = await open()
      const { url, live } = await serveTopic(store)
      const wanted = numbers(1, 399).filter(number => number % 10 !== 0)
      let next = 1
      const writing = (async () => {
        while (next < 400) {
          const batch = numbers(next, Math.min(399, next + 2))
          next = (batch.at(-1) ?? 0) + 1
          await store.transaction(async tx => {
            for (const number of batch) await tx.append('news', number)
          })
        }
      })()
      const got: Json[] = []
      let last = ''
      while (got.length < wanted.length) {
        const stream = await read(url, last === '' ? {} : { 'last-event-id': last })
        const target = Math.min(wanted.length, got.length + 60) - got.length
        await eventually(() => stream.events().length >= target)
        stream.stop()
        const events = stream.events()
        got.push(...events.map(({ data }) => JSON.parse(data ?? '')))
        last = events.at(-1)?.id ?? last
        expect(events.every(({ event }) => event === 'number')).toBe(true)
      }
      await writing
      expect(got).toEqual(wanted)
      await eventually(() => live.subscriptions === 0)
    })

    test('come to one who waits at the end, and to several', async () => {
      const { store } = await open()
      const { url } = await serveTopic(store)
      const streams = await Promise.all([read(url), read(url), read(url)])
      await store.append('news', 1)
      for (const { events } of streams) await eventually(() => events().length === 1)
      await store.append('news', 2)
      for (const { events } of streams) await eventually(() => events().length === 2)
    })

    test('come late but come when the news of them is lost', async () => {
      const { store } = await open()
      const deaf = { read: store.read, subscribe: () => () => undefined }
      const leave = new AbortController()
      closing.push(() => leave.abort())
      const events = topicEvents(deaf, 'news', { after: 0, signal: leave.signal, recheckMs: 10 })
      const first = events.next()
      await store.append('news', 7)
      expect(await first).toEqual({ done: false, value: { id: '1', data: 7 } })
      const second = events.next()
      leave.abort()
      expect(await second).toEqual({ done: true, value: undefined })
    })

    test.skipIf(name !== 'postgres')('come from another replica', async () => {
      const { store, replica } = await open()
      const { url } = await serveTopic(store)
      const other = await replica()
      const stream = await read(url)
      for (const number of numbers(1, 9)) await other.append('news', number)
      await eventually(() => stream.events().length === 9)
      expect(stream.events().map(({ data }) => Number(data))).toEqual(numbers(1, 9))
    })
  })

topicSuite(embedded)
describe.skipIf(!postgresIsHere)('on a real PostgreSQL', () => {
  const url = withDatabase()
  topicSuite(postgresEngine(url))
})

test.each([
  ['12', 12],
  [undefined, 0],
  ['', 0],
  ['-1', 0],
  ['1e3', 0],
  ['9'.repeat(16), 0],
])('the number in Last-Event-ID %s is %d', (id, number) => expect(lastEventNumber(id)).toBe(number))
