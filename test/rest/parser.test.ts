import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readBody } from '../../mcp/kernel/http.ts'
import { send } from '../../rest-adapter/send.ts'
import { listen } from '../listen.ts'
import { dial, exchange } from './wire.ts'

let served: Awaited<ReturnType<typeof listen>>
const wanted: string[] = []

beforeAll(async () => {
  served = await listen([
    {
      prefix: '',
      routes: [
        {
          method: 'GET',
          path: '/x',
          handle: (req, res) => send(res, 200, 'text/plain', `${req.headers.host} ${req.url}`),
        },
        {
          method: 'POST',
          path: '/body',
          async handle(req, res) {
            const body = await readBody(req, res)
            wanted.push('body')
            send(res, 200, 'application/json', JSON.stringify(body ?? null))
          },
        },
      ],
    },
  ])
})
afterAll(() => served.stop())

const ask = (bytes: string | string[]) => exchange(served.url, bytes)
const get = (lines: string) => ask(`GET /x HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`)
const post = (lines: string, body = '') =>
  ask(`POST /body HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n${body}`)

describe('whom a request is for', () => {
  test('two Host lines are refused, however they are written and whatever they say', async () => {
    for (const lines of [
      'Host: localhost\r\nHost: evil.example\r\n',
      'Host: evil.example\r\nhost: localhost\r\n',
      'HOST: localhost\r\nX: y\r\nHost: localhost\r\n',
    ]) {
      const { status, headers, body } = await get(lines)
      expect([status, headers['content-type']]).toEqual([400, 'application/problem+json'])
      expect(JSON.parse(body)).toMatchObject({ code: 'malformed', status: 400 })
    }
  })

  test('no Host line is refused with a problem', async () => {
    expect(JSON.parse((await get('')).body)).toMatchObject({ code: 'malformed' })
  })

  test.each([
    ['http://evil.example/x', 'localhost', 403],
    ['http://localhost/x', 'evil.example', 200],
    ['HTTP://LOCALHOST:80/x?a=1', 'evil.example', 200],
    ['https://evil.example', 'localhost', 403],
    ['http://evil.example/healthz', 'localhost', 404],
    ['http://user@localhost/x', 'localhost', 400],
    ['ftp://localhost/x', 'localhost', 400],
    ['localhost:80', 'localhost', 400],
    ['//evil.example/x', 'localhost', 404],
    ['*', 'localhost', 400],
  ])('the target %s with the Host %s gets %i', async (target, host, status) => {
    const answer = await ask(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    expect(answer.status).toBe(status)
    if (status !== 200) expect(JSON.parse(answer.body)).toMatchObject({ status })
    else expect(answer.body).toMatch(/^localhost(:80)? \/x/i)
  })
})

describe('what the parser cannot read', () => {
  const host = 'Host: localhost\r\n'
  test.each([
    ['rubbish', 'hello\r\n\r\n', 400],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00', 400],
    ['a method that nobody knows', `BREW /x HTTP/1.1\r\n${host}\r\n`, 405],
    [
      'a method that Node knows and we do not',
      `PROPFIND /x HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
      405,
    ],
    ['TRACE', `TRACE /x HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, 405],
    ['CONNECT', `CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`, 405],
    ['another version', `GET /x HTTP/3.1\r\n${host}\r\n`, 400],
    ['a header line without a colon', `GET /x HTTP/1.1\r\n${host}rubbish\r\n\r\n`, 400],
    ['a space before the colon', `GET /x HTTP/1.1\r\n${host}X : y\r\n\r\n`, 400],
    ['a NUL in a header', `GET /x HTTP/1.1\r\n${host}X: a\0b\r\n\r\n`, 400],
    ['header fields of 20 KB', `GET /x HTTP/1.1\r\n${host}X: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ['a target of 20 KB', `GET /${'y'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`, 431],
    [
      'Content-Length with Transfer-Encoding',
      `POST /body HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'two Content-Lengths',
      `POST /body HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
      400,
    ],
    ['a Content-Length that is no number', `POST /body HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`, 400],
    [
      'an encoding that does not end in chunked',
      `POST /body HTTP/1.1\r\n${host}Transfer-Encoding: gzip\r\n\r\n`,
      400,
    ],
    [
      'a chunk without a length',
      `POST /body HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`,
      400,
    ],
    [
      'chunk extensions of 20 KB',
      `POST /body HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n2;a=${'y'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
      413,
    ],
  ])('%s gets a problem and the end of the connection', async (_, bytes, status) => {
    const answer = await ask(bytes)
    expect([answer.status, answer.closed]).toEqual([status, true])
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(JSON.parse(answer.body)).toMatchObject({ status, detail: expect.stringMatching(/\.$/) })
    if (status === 405) expect(answer.headers.allow).toContain('GET')
  })

  test('folded header lines do not make a second header of one', async () => {
    const { status } = await ask(
      `GET /x HTTP/1.1\r\n${host}X: a\r\n Host: evil.example\r\nConnection: close\r\n\r\n`,
    )
    expect([200, 400]).toContain(status)
  })

  test('rubbish behind a good request is refused after its answer, not into it', async () => {
    const { all, closed } = await ask(`GET /x HTTP/1.1\r\n${host}\r\n<rubbish>\r\n\r\n`)
    expect(closed).toBe(true)
    expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
    expect(all.indexOf('localhost /x')).toBeLessThan(all.indexOf('HTTP/1.1 400'))
  })
})

describe('a body that nobody will read', () => {
  const gigabyte = 'Content-Type: application/json\r\nContent-Length: 1000000000\r\n'

  /** Sends until the server ends it, at most 64 MB, and tells how much went. */
  const pour = async (head: string, chunk: (text: string) => string) => {
    const socket = await dial(served.url)
    let all = ''
    let open = true
    socket.on('data', part => {
      all += part
    })
    socket.once('close', () => {
      open = false
    })
    socket.write(head)
    const block = chunk('x'.repeat(65_536))
    let sent = 0
    while (open && sent < 64 << 20) {
      sent += block.length
      if (!socket.write(block))
        await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
    }
    socket.destroy()
    return { all, sent }
  }

  test.each([
    [
      'declared to be a gigabyte',
      `POST /body HTTP/1.1\r\nHost: localhost\r\n${gigabyte}\r\n`,
      (x: string) => x,
      413,
    ],
    [
      'in chunks without an end',
      'POST /body HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n',
      (x: string) => `10000\r\n${x}\r\n`,
      413,
    ],
    [
      'for a path that is not there',
      `POST /nothing HTTP/1.1\r\nHost: localhost\r\n${gigabyte}\r\n`,
      (x: string) => x,
      404,
    ],
    [
      'for a foreign host',
      `POST /body HTTP/1.1\r\nHost: evil.example\r\n${gigabyte}\r\n`,
      (x: string) => x,
      403,
    ],
    [
      'of another type',
      `POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 1000000000\r\n\r\n`,
      (x: string) => x,
      415,
    ],
    [
      'of a GET',
      `GET /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n`,
      (x: string) => x,
      200,
    ],
  ])('%s is answered once and the connection ends', async (_, head, chunk, status) => {
    const { all, sent } = await pour(head, chunk)
    expect(all.match(/^HTTP\/1\.1 (\d+)/)?.[1]).toBe(String(status))
    expect(all.toLowerCase()).toContain('connection: close')
    expect(sent).toBeLessThan(32 << 20)
  })

  test('of a few bytes is skipped, and the connection stays', async () => {
    const one = 'POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}'
    const { all } = await exchange(served.url, one + one, 300)
    expect(all.match(/HTTP\/1\.1 404/g)).toHaveLength(2)
  })
})

describe('Expect: 100-continue', () => {
  const expecting = (lines: string, path = '/body', host = 'localhost') =>
    exchange(
      served.url,
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nExpect: 100-continue\r\n${lines}\r\n`,
      500,
    )
  const json = 'Content-Type: application/json\r\n'

  test('is told to go on once the body is wanted', async () => {
    const socket = await dial(served.url)
    const said: string[] = []
    socket.on('data', chunk => said.push(String(chunk)))
    socket.write(
      `POST /body HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n${json}Content-Length: 7\r\n\r\n`,
    )
    await once(socket, 'data')
    expect(said.join('')).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write('{"a":1}')
    await once(socket, 'data')
    expect(said.join('')).toMatch(/HTTP\/1\.1 200 OK[\s\S]*\{"a":1\}$/)
    socket.destroy()
  })

  test.each([
    ['a foreign host', `${json}Content-Length: 7\r\n`, '/body', 'evil.example', 403],
    ['a path that is not there', `${json}Content-Length: 7\r\n`, '/nothing', 'localhost', 404],
    ['a method that does not fit', `${json}Content-Length: 7\r\n`, '/x', 'localhost', 405],
    ['two megabytes', `${json}Content-Length: 2000000\r\n`, '/body', 'localhost', 413],
    ['text', 'Content-Type: text/plain\r\nContent-Length: 7\r\n', '/body', 'localhost', 415],
  ])(
    'is refused for %s before a body comes, and the connection ends',
    async (_, lines, path, host, status) => {
      const before = wanted.length
      const answer = await expecting(lines, path, host)
      expect([answer.status, answer.closed, answer.headers.connection]).toEqual([status, true, 'close'])
      expect(answer.all).not.toContain('100 Continue')
      expect(wanted.length).toBe(before)
    },
  )

  test('an expectation that nobody knows gets 417, behind the guard', async () => {
    const unknown = await post('Expect: a-miracle\r\nContent-Length: 2\r\n', '{}')
    expect([unknown.status, JSON.parse(unknown.body).status]).toEqual([417, 417])
    const foreign = await ask('GET /x HTTP/1.1\r\nHost: evil.example\r\nExpect: a-miracle\r\n\r\n')
    expect(foreign.status).toBe(403)
  })
})
