import { createServer } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { openClient } from './client.ts'
import { bought, priced, type Received, reply, type ScriptedRemote, startRemote } from './remote.ts'

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const start = async (...args: Parameters<typeof startRemote>): Promise<ScriptedRemote> => {
  const remote = await startRemote(...args)
  stops.push(() => remote.stop())
  return remote
}

const open = (options: Parameters<typeof openClient>[0]) => {
  const client = openClient(options)
  stops.push(() => client.close())
  return client
}

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
}
const modern = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }

const stream = (
  { response }: Received,
  messages: readonly object[],
  more: { id?: string; end?: boolean } = {},
) => {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const message of messages)
    response.write(
      `${more.id === undefined ? '' : `id: ${more.id}\n`}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`,
    )
  if (more.end ?? true) response.end()
}

describe('in the era of sessions', () => {
  test('keeps session and version in the headers, and ends the session', async () => {
    const methods: string[] = []
    const server = createServer(async (request, response) => {
      methods.push(
        `${request.method} ${request.headers['mcp-session-id'] ?? '-'} ${request.headers['mcp-protocol-version'] ?? '-'}`,
      )
      let text = ''
      for await (const chunk of request) text += chunk
      if (request.method !== 'POST')
        return void response.writeHead(request.method === 'DELETE' ? 200 : 405).end()
      const { id, method } = JSON.parse(text) as { id?: number; method: string }
      if (id === undefined) return void response.writeHead(202).end()
      const result = method === 'initialize' ? { protocolVersion: '2025-06-18' } : {}
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's-1' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
    await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
    const { port } = server.address() as { port: number }
    const client = openClient({ url: new URL(`http://127.0.0.1:${port}/mcp`) })
    await client.request('initialize', initialize)
    client.send({ method: 'notifications/initialized' })
    await client.request('ping')
    await client.close()
    server.close()
    expect(methods).toEqual([
      'POST - -',
      'POST s-1 2025-06-18',
      ...(methods.includes('GET s-1 2025-06-18') ? methods.slice(2, 4) : []),
      'DELETE s-1 2025-06-18',
    ])
    expect(methods.slice(2, 4).toSorted()).toEqual(['GET s-1 2025-06-18', 'POST s-1 2025-06-18'])
  })

  test('begins a session again that the server has forgotten', async () => {
    let session = 0
    const seen: string[] = []
    const remote = await start(
      received => {
        seen.push(String(received.headers['mcp-session-id']))
        if (received.headers['mcp-session-id'] === `s-${session}`) return bought
        return void received.response.writeHead(404).end()
      },
      ({ body, response }) => {
        if (body.method === 'initialize') session += 1
        if (body.method === 'initialize') response.setHeader('mcp-session-id', `s-${session}`)
        return undefined
      },
    )
    const client = open({ url: remote.url })
    await client.request('initialize', initialize)
    session = 7
    expect(await client.buy()).toMatchObject({ text: 'bought' })
    expect(seen).toEqual(['s-1', 's-8'])
  })

  test('hands on news and questions of the server, and the answers to those', async () => {
    const remote = await start(received => {
      stream(
        received,
        [
          { method: 'notifications/progress', params: { progress: 1 } },
          { id: 'q', method: 'roots/list' },
        ],
        { end: false },
      )
      stops.push(async () => undefined)
      return new Promise(() => undefined)
    })
    const client = open({ url: remote.url })
    client.send({ id: 1, method: 'tools/call', params: { name: 'buy' } })
    await client.waitFor(({ id }) => id === 'q')
    client.send({ id: 'q', result: { roots: [] } })
    await expect.poll(() => remote.received.map(({ body }) => body.result)).toContainEqual({ roots: [] })
    const [call] = remote.calls()
    if (call) stream(call, [{ id: 1, result: bought }])
    await client.waitFor(({ id }) => id === 1)
    expect(client.messages.map(({ id, method }) => id ?? method)).toEqual(['notifications/progress', 'q', 1])
  })

  test('reads on where a stream was cut after an event with an id', async () => {
    const resumed: unknown[] = []
    const server = createServer(async (request, response) => {
      for await (const _ of request);
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      if (request.method === 'POST') return void response.write('id: 41\ndata:\n\n', () => response.destroy())
      if (resumed.length === 0) {
        resumed.push(request.headers['last-event-id'])
        return void response.end('id: 41b\ndata: not yet\n\n')
      }
      resumed.push(request.headers['last-event-id'])
      response.end('id: 42\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":1,"result":{}}\r\n\r\n')
    })
    await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
    const { port } = server.address() as { port: number }
    const client = open({ url: new URL(`http://127.0.0.1:${port}/mcp`) })
    expect(await client.request('ping')).toMatchObject({ id: 1, result: {} })
    server.close()
    expect(resumed).toEqual(['41', '41b'])
  })

  test('tells the server of a cancelled call', async () => {
    const remote = await start(() => new Promise(() => undefined))
    const client = open({ url: remote.url })
    client.send({ id: 5, method: 'tools/call', params: { name: 'buy' } })
    await expect.poll(() => remote.calls()).toHaveLength(1)
    client.send({ method: 'notifications/cancelled', params: { requestId: 5 } })
    await expect.poll(() => remote.received.at(-1)?.body).toMatchObject({ method: 'notifications/cancelled' })
  })
})

describe('in the stateless era', () => {
  test('says in headers what the message says', async () => {
    const tools = [
      {
        name: 'buy',
        inputSchema: { type: 'object', properties: { place: { type: 'string', 'x-mcp-header': 'Place' } } },
      },
    ]
    const remote = await start(
      () => bought,
      ({ body }) => (body.method === 'tools/list' ? { tools } : undefined),
    )
    const client = open({ url: remote.url })
    await client.request('tools/list', { _meta: modern })
    await client.buy({ place: 'Zürich' }, { _meta: modern })
    expect(remote.calls()[0]?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'buy',
      'mcp-param-place': `=?base64?${Buffer.from('Zürich').toString('base64')}?=`,
    })
    await client.request('resources/read', { uri: 'a://ü\nb', _meta: modern })
    expect(remote.received.at(-1)?.headers['mcp-name']).toMatch(/^=\?base64\?[\w+/=]+\?=$/)
  })

  test('cancels a call by closing it, and says nothing', async () => {
    let isClosed = false
    const remote = await start(({ response }) => {
      response.on('close', () => {
        isClosed = true
      })
      return new Promise(() => undefined)
    })
    const client = open({ url: remote.url })
    client.send({ id: 5, method: 'tools/call', params: { name: 'buy', _meta: modern } })
    await expect.poll(() => remote.calls()).toHaveLength(1)
    client.send({ method: 'notifications/cancelled', params: { requestId: 5 } })
    await expect.poll(() => isClosed).toBe(true)
    expect(remote.received).toHaveLength(1)
    expect(client.messages).toEqual([])
  })
})

describe('what is no message', () => {
  test.each([
    ['garbage', 'no json', -32700],
    ['a number', '7', -32700],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32700],
    ['an empty batch', '[]', -32700],
    ['a request with an id that is none', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ['parameters that are no object', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32600],
  ])('from the client is answered: %s', async (_, line, code) => {
    const remote = await start()
    const client = open({ url: remote.url })
    client.write(`${line}\n`)
    expect(await client.waitFor(({ error }) => error !== undefined)).toMatchObject({
      id: null,
      error: { code },
    })
    expect(await client.buy()).toMatchObject({ text: 'bought' })
  })

  test('goes in pieces, in batches and between empty lines', async () => {
    const remote = await start()
    const client = open({ url: remote.url })
    client.write('\r\n\n[{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"b')
    client.write('uy"}},{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"buy"}}]\r\n')
    await client.waitFor(({ id }) => id === 'a')
    await client.waitFor(({ id }) => id === 'b')
  })

  test('a request with the id of one that runs is refused', async () => {
    const remote = await start(() => new Promise(() => undefined))
    const client = open({ url: remote.url })
    for (const _ of [1, 2]) client.send({ id: 9, method: 'tools/call', params: { name: 'buy' } })
    expect(await client.waitFor(({ id }) => id === 9)).toMatchObject({ error: { code: -32600 } })
  })

  const answers: [string, (received: Received) => unknown, string][] = [
    ['garbage', ({ response }) => void response.writeHead(200).end('no json'), 'sent no answer'],
    [
      'an answer twice in one text',
      ({ response, body }) =>
        void response.writeHead(200).end(`{"jsonrpc":"2.0","id":${body.id},"result":{}}\n{"jsonrpc":"2.0"}`),
      'sent no answer',
    ],
    ['a list of anything', ({ response }) => void response.writeHead(200).end('[1,2]'), 'sent no answer'],
    [
      'an event without an end',
      ({ response }) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {'),
      'ended the answer',
    ],
    [
      'a page',
      ({ response }) => void response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>down</h1>'),
      'answered 503',
    ],
    [
      'a way elsewhere',
      ({ response }) => void response.writeHead(307, { location: '/other?key=secret' }).end(),
      '/other.',
    ],
    [
      '402 for the request',
      ({ response }) => void response.writeHead(402).end(),
      'paid for the request itself',
    ],
    [
      '401',
      ({ response }) =>
        void response.writeHead(401).end('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}'),
      'OCTAGENT_CONNECT_KEY',
    ],
    ['404', ({ response }) => void response.writeHead(404).end('no'), 'no MCP server is there'],
    ['a cut connection', ({ response }) => void response.destroy(), 'the connection was cut'],
  ]
  test.each(answers)('from the server is an error: %s', async (_, answer, words) => {
    const remote = await start(answer)
    const client = open({ url: remote.url })
    const { error } = await client.buy()
    expect(error?.message).toContain(words)
    expect(JSON.stringify([client.messages, client.reports])).not.toContain('secret')
  })

  test('an answer with line ends in it is one line', async () => {
    const remote = await start(({ body, response }) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, result: bought }, null, 2))
    })
    expect(await open({ url: remote.url }).buy()).toMatchObject({ text: 'bought' })
  })

  test('an error without an id is that of the call', async () => {
    const remote = await start(({ response }) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"Header mismatch"}}')
    })
    expect((await open({ url: remote.url }).buy()).error).toEqual({
      code: -32020,
      message: 'Header mismatch',
    })
  })

  test('a second answer is kept to itself', async () => {
    const remote = await start(received => {
      stream(received, [
        { id: 1, result: bought },
        { id: 1, result: priced() },
        { id: 99, result: {} },
      ])
      return undefined
    })
    const client = open({ url: remote.url })
    await client.buy()
    await client.close()
    expect(client.messages).toHaveLength(1)
  })
})

describe('a huge or never-ending answer', () => {
  const endless =
    (head: string, type: string) =>
    ({ response }: Received) => {
      response.writeHead(200, { 'content-type': type })
      response.write(head)
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
      return new Promise(() => undefined)
    }
  test.each([
    ['JSON', endless('{"jsonrpc":"2.0","result":"', 'application/json')],
    ['one event', endless('data: ', 'text/event-stream')],
    [
      'lines of one event',
      ({ response }: Received) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const more = () => {
          while (!response.destroyed && response.write('data: x\n'.repeat(8192)));
        }
        response.on('drain', more)
        more()
        return new Promise(() => undefined)
      },
    ],
  ])('is cut: %s', async (_, answer) => {
    const remote = await start(answer)
    const { error } = await open({ url: remote.url, maxAnswerBytes: 2_097_152 }).buy()
    expect(error?.message).toBe("The server's answer has more than 2 MiB.")
  })

  test('does not keep a call open that has its answer', async () => {
    const remote = await start(received => {
      stream(received, [{ id: 1, result: bought }], { end: false })
      return new Promise(() => undefined)
    })
    const client = open({ url: remote.url })
    expect(await client.buy()).toMatchObject({ text: 'bought' })
    await client.close()
  })

  test('that says nothing ends at the limit of silence', async () => {
    const remote = await start(() => new Promise(() => undefined))
    const { error } = await open({ url: remote.url, silenceMs: 100 }).buy()
    expect(error).toMatchObject({ code: -31504 })
  })

  test('a line of the client that is too long is refused, and the next one read', async () => {
    const remote = await start()
    const client = open({ url: remote.url })
    const chunk = 'x'.repeat(1_048_576)
    for (let sent = 0; sent < 33; sent++) client.write(chunk)
    client.write('\n')
    expect(await client.waitFor(({ error }) => error !== undefined)).toMatchObject({
      error: { code: -32700 },
    })
    expect(await client.buy()).toMatchObject({ text: 'bought' })
  })
})

test('a server that is down says so, and is reached once it is up', async () => {
  const remote = await startRemote()
  await remote.stop()
  const client = open({ url: remote.url })
  const down = await client.request('initialize', initialize)
  expect(down.error).toMatchObject({
    code: -31503,
    message: expect.stringContaining('nothing listens there'),
  })
  const { port } = remote.url
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{"jsonrpc":"2.0","id":2,"result":{}}'))
  })
  await new Promise<void>(ready => server.listen(Number(port), '127.0.0.1', ready))
  stops.push(() => new Promise(done => server.close(done)))
  expect((await client.request('initialize', initialize)).result).toEqual({})
})

test('a key goes with every request, and is told to nobody', async () => {
  const remote = await start(({ response }) => void response.writeHead(401).end('who?'))
  const client = open({ url: remote.url, key: 'key-of-mine' })
  await client.buy()
  expect(remote.received[0]?.headers.authorization).toBe('Bearer key-of-mine')
  expect(JSON.stringify([client.messages, client.reports])).not.toContain('key-of-mine')
})

test('calls go on while others wait', async () => {
  const remote = await start(received => {
    if (received.index > 0) return bought
    setTimeout(() => reply(received, bought), 200)
    return undefined
  })
  const client = open({ url: remote.url })
  const order: number[] = []
  await Promise.all([1, 2].map(n => client.buy().then(() => order.push(n))))
  expect(order).toEqual([2, 1])
})
