import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import net, { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startAnvil } from '../../mcp/ports/devnet/anvil.ts'
import { openDns } from '../../mcp/ports/dns/dns.ts'
import { openWorkers } from '../../mcp/ports/workers/workers.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { startApp } from '../app.ts'
import { ask } from '../database.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'
import { proxyTo } from '../store/proxy.ts'

const uncaught: unknown[] = []
const hear = (error: unknown) => uncaught.push(error)
beforeEach(() => {
  uncaught.length = 0
  process.on('uncaughtException', hear).on('unhandledRejection', hear)
})
afterEach(async () => {
  vi.restoreAllMocks()
  // What a socket or a promise still has to say, it says within a few turns.
  await wait(50)
  process.off('uncaughtException', hear).off('unhandledRejection', hear)
  expect(uncaught).toEqual([])
})

describe('the whole program', () => {
  let app: Awaited<ReturnType<typeof startApp>>
  let port: number
  beforeAll(async () => {
    app = await startApp()
    port = Number(new URL(app.url).port)
  })
  afterAll(() => app.stop())
  afterEach(async () => {
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200)
    expect((await fetch(`${app.url}/cat/api/pet`)).status).toBe(200)
  })

  /** One call of each way out: web, DNS, RDAP and WHOIS, the five chains, VIES, registries. */
  const calls = [
    ['data', 'url-metadata', { url: 'https://example.com/' }],
    ['data', 'broken-links', { url: 'http://example.com/' }],
    ['data', 'sitemap-extract', { domain: 'example.com' }],
    ['data', 'dns-lookup', { domain: 'example.com' }],
    ['data', 'whois-rdap', { domain: 'example.com' }],
    ['data', 'whois-rdap', { domain: 'example.it' }],
    ['data', 'domain-intel', { domain: 'example.com' }],
    ['data', 'email-auth', { domain: 'example.com' }],
    ['data', 'gas-tracker', {}],
    ['data', 'multichain-balance', { address: `0x${'11'.repeat(20)}` }],
    ['data', 'vies-check', { vat: 'BE0403170701' }],
    ['gateway', 'discover_external', { capability: 'translation' }],
    ['gateway', 'pre_spend_preflight', { need: 'translation', candidate_identifier: 'example.com' }],
  ] as const

  const callAll = () =>
    Promise.all(
      calls.map(async ([service, tool, input]) => {
        const answer = await fetch(
          `${app.url}/${service}/tools/${tool}${service === 'data' ? '?free=1' : ''}`,
          {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(input),
          },
        )
        await answer.text()
        return answer.status
      }),
    )

  /** Where a connect goes; the test's own way to the server is left alone. */
  const isOurs = (args: readonly unknown[]) => {
    const [first] = (Array.isArray(args[0]) ? args[0] : args) as [{ port?: unknown } | undefined]
    return Number(first?.port) === port
  }
  const original = Socket.prototype.connect as (...args: unknown[]) => Socket

  const makeError = () => Object.assign(new Error('injected'), { code: 'ECONNRESET' })

  test.each<[string, (socket: Socket, args: unknown[]) => Socket]>([
    [
      'destroyed with an error before they connect',
      socket => {
        process.nextTick(() => socket.destroy(makeError()))
        return socket
      },
    ],
    [
      'destroyed a moment after they were made',
      (socket, args) => {
        setImmediate(() => socket.destroy(makeError()))
        return original.apply(socket, args)
      },
    ],
    [
      'destroyed as they connect',
      (socket, args) => {
        socket.once('connect', () => socket.destroy(makeError()))
        return original.apply(socket, args)
      },
    ],
    [
      'destroyed with the first bytes',
      (socket, args) => {
        socket.prependOnceListener('data', () => socket.destroy(makeError()))
        return original.apply(socket, args)
      },
    ],
    [
      'refused by a connect that throws',
      () => {
        throw makeError()
      },
    ],
  ])('answers every call where its sockets are %s', async (_how, fault) => {
    let faults = 0
    vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
      if (isOurs(args)) return original.apply(this, args)
      faults++
      return fault(this, args)
    } as never)
    const statuses = await callAll()
    expect(faults).toBeGreaterThan(0)
    expect(calls.filter((_, at) => ![200, 502, 503, 504].includes(statuses[at] ?? 0))).toEqual([])
    expect(statuses.filter(status => status === 502).length).toBeGreaterThan(3)
  })

  const wire = (text: string) => `${text.replaceAll('\n', '\r\n')}\r\n\r\n`
  const post = (path: string, body: string, length = body.length) =>
    `${wire(`POST ${path} HTTP/1.1\nhost: 127.0.0.1\ncontent-type: application/json\naccept: application/json, text/event-stream\ncontent-length: ${length}`)}${body}`
  const slow = '/data/tools/broken-links?free=1'
  const progress = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'data_broken-links',
      _meta: { progressToken: 'p' },
      arguments: { url: 'http://example.com/' },
    },
  })

  test.each([
    ['half a head', 'GET /healthz HT'],
    ['half a body', post('/cat/api/sign', '{"name":', 99)],
    ['a page that takes a while', wire(`GET /llms.txt HTTP/1.1\nhost: 127.0.0.1`)],
    ['a call under way', post(slow, JSON.stringify({ url: 'http://example.com/' }))],
    ['a stream of progress', post('/mcp?services=data', progress)],
    ['several requests at once', wire(`GET /healthz HTTP/1.1\nhost: 127.0.0.1`).repeat(20)],
    ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an upgrade', wire(`GET /mcp HTTP/1.1\nhost: 127.0.0.1\nconnection: upgrade\nupgrade: websocket`)],
    ['a CONNECT', wire('CONNECT example.com:443 HTTP/1.1\nhost: example.com')],
    ['an expectation', wire(`POST /mcp HTTP/1.1\nhost: 127.0.0.1\nexpect: 100-continue\ncontent-length: 9`)],
  ])('outlives clients that reset in %s', async (_what, bytes) => {
    await Promise.all(
      [0, 1, 5, 20, 60, 150].map(async ms => {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => undefined)
        await once(socket, 'connect')
        socket.write(bytes)
        await wait(ms)
        socket.resetAndDestroy()
      }),
    )
    await wait(100)
  })
})

describe('name servers', () => {
  test.each<[string, (query: Buffer) => Buffer[]]>([
    ['junk', () => [Buffer.from('junk'), Buffer.alloc(0), Buffer.alloc(512, 0xff)]],
    ['a truncated answer, and reset the second try', query => [truncate(query)]],
    ['their question', query => [query, query]],
  ])('that answer %s end one question', async (_what, replies) => {
    const tcp = createServer(socket => {
      socket.on('error', () => undefined)
      socket.resetAndDestroy()
    })
    tcp.listen(0, '127.0.0.1')
    await once(tcp, 'listening')
    const { port } = tcp.address() as AddressInfo
    const udp = createSocket('udp4')
    udp.on('message', (query, from) => {
      for (const reply of replies(query)) udp.send(reply, from.port, from.address)
    })
    udp.bind(port, '127.0.0.1')
    await once(udp, 'listening')
    const dns = openDns({ servers: [`127.0.0.1`], timeoutMs: 200, tries: 2 })
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => dns.query(`n${n}.example.com`, 'A')),
    )
    expect(results.map(({ status }) => status)).toEqual(Array(10).fill('rejected'))
    udp.close()
    tcp.close()
  })

  test('that are not there end one question', async () => {
    const dns = openDns({ servers: ['127.0.0.1:1', '[::1]:1'], timeoutMs: 200, tries: 1 })
    await expect(dns.query('example.com', 'A')).rejects.toMatchObject({ code: 'upstream' })
  })
})

/** The head of an answer with the bit set that sends the asker to TCP. */
const truncate = (query: Buffer): Buffer => {
  const answer = Buffer.from(query)
  answer.writeUInt16BE(0x8380, 2)
  return answer
}

describe('worker threads', () => {
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'octagent-faults-'))
    await writeFile(
      join(dir, 'tasks.mjs'),
      `export const leave = () => process.exit(3)
       export const throwLater = () => { setImmediate(() => { throw new Error('later') }); return new Promise(() => {}) }
       export const rejectLater = () => { void Promise.reject(new Error('later')); return new Promise(() => {}) }
       export const unsendable = () => () => 1
       export const exhaust = () => { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)) }
       export const double = n => n * 2`,
    )
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))

  test('that exit, throw or run out end their task, and the next one has a new thread', async () => {
    const workers = openWorkers({ threads: 2, memoryMb: 64 })
    const module = new URL(`file://${join(dir, 'tasks.mjs')}`).href
    for (const fault of ['leave', 'throwLater', 'rejectLater', 'unsendable', 'exhaust']) {
      const several = [1, 2, 3].map(() => workers.run(module, fault, 1, 20_000))
      const outcomes = await Promise.allSettled(several)
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
      expect(await workers.run(module, 'double', 21, 20_000)).toBe(42)
    }
    await workers.close()
  })
})

describe('the local chain', () => {
  test.each([
    ['is not there', '/nonexistent/anvil'],
    ['is no program', '/dev/null'],
    ['ends at once', '/bin/false'],
  ])('that %s is a sentence', async (_what, binary) => {
    await expect(startAnvil(binary, 84_532, 5000)).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('is a sentence where there is no shell', async () => {
    const path = process.env.PATH
    process.env.PATH = '/nonexistent'
    try {
      await expect(startAnvil('/bin/true', 84_532, 5000)).rejects.toMatchObject({ code: 'unavailable' })
    } finally {
      process.env.PATH = path
    }
  })
})

describe.skipIf(!postgresIsHere)('PostgreSQL', () => {
  const url = withDatabase()

  test('that ends every connection, goes away and comes back, and hears junk, is a failure of calls', async () => {
    const proxy = await proxyTo(url())
    const schema = freshSchema()
    const store = await openPostgres({ url: proxy.url, schema })
    const rows = store.collection<{ id: string; n: number }>('things')
    const numbers: number[] = []
    store.subscribe('news', ({ payload }) => void numbers.push((payload as { n: number }).n))
    await store.append('news', { n: 0 })
    await vi.waitFor(() => expect(numbers).toEqual([0]))

    for (const payload of ['junk', '', 'null', '{}', '[]', '[1]', '["nobody"]'])
      await ask(url(), 'SELECT pg_notify($1, $2)', [schema, payload])
    const kill = () =>
      ask(
        url(),
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'octagent' AND datname = current_database()`,
      )
    const work = () =>
      Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          store.transaction(async tx => {
            const inside = tx.collection<{ id: string; n: number }>('things')
            await inside.put({ id: `row-${n}`, n })
            await wait(10)
            await inside.get(`row-${n}`)
          }),
        ),
      )
    for (let round = 0; round < 3; round++) await Promise.all([work(), wait(5).then(kill)])
    await kill()
    const [, down] = await Promise.all([work(), wait(5).then(proxy.down)])
    expect(down).toBeUndefined()
    await Promise.allSettled([rows.get('row-1'), store.append('news', { n: -1 }), store.health()])
    await proxy.up()
    await vi.waitFor(() => store.append('news', { n: 7 }))
    await vi.waitFor(() => expect(numbers).toContain(7))
    await rows.put({ id: 'after', n: 1 })
    expect(await rows.get('after')).toMatchObject({ n: 1 })
    await proxy.down()
    await store.close()
    await proxy.down()
  })
})

test('the injected faults are real: an error that nobody listens to is heard here', async () => {
  const exception = new Promise(resolve => process.once('uncaughtException', resolve))
  new net.Socket().destroy(new Error('nobody listens'))
  expect(await exception).toMatchObject({ message: 'nobody listens' })
  uncaught.length = 0
})
