import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mend } from '../../mcp/server/shim.ts'
import { lab } from './fixture.ts'
import { emptyWorld, type Served, serveMcp } from './serve.ts'
import { both, post, requestOf } from './wire.ts'

let lenient: Served
let strict: Served
beforeAll(async () => {
  lenient = await serveMcp(emptyWorld(), [lab])
  strict = await serveMcp(emptyWorld(), [lab], false)
})
afterAll(async () => {
  await lenient.stop()
  await strict.stop()
})

const params = { name: 'echo', arguments: { text: 'hi' } }
const modern = requestOf('2026', 'tools/call', params)
const legacy = requestOf('2025', 'tools/call', params)
const json = { 'content-type': 'application/json' }

/** Each wrong request with the headers the shim must write and what a strict server answers. */
const wrong: [string, unknown, Record<string, string>, string[], { status: number; code: number }][] = [
  [
    'an Accept of JSON only',
    legacy.body,
    { ...legacy.headers, accept: 'application/json' },
    ['accept'],
    { status: 406, code: -32000 },
  ],
  [
    'an Accept of */*',
    legacy.body,
    { ...legacy.headers, accept: '*/*' },
    ['accept'],
    { status: 406, code: -32000 },
  ],
]

describe.each(wrong)('%s', (_, body, headers, fixes, refusal) => {
  test('is mended and counted', async () => {
    const { status, result } = await post(`${lenient.url}/lab/mcp`, body, headers)
    expect(status).toBe(200)
    expect(result.structuredContent).toMatchObject({ said: 'hi' })
    expect(lenient.seen.at(-1)?.fixes).toEqual(fixes)
  })

  test('is refused when the shim is off', async () => {
    const { status, message } = await post(`${strict.url}/lab/mcp`, body, headers)
    expect({ status, code: message.error?.code }).toEqual(refusal)
    expect(strict.seen.at(-1)?.fixes).toEqual([])
  })
})

const fitting = Object.fromEntries(
  Object.entries(modern.headers).filter(([name]) => !name.startsWith('mcp-')),
)

/** What is wrong over a body that claims the stateless era, which is held to every word of it. */
describe.each([
  ['a legacy version', { ...modern.headers, 'mcp-protocol-version': '2025-11-25' }],
  ['no MCP header', fitting],
  ['no Mcp-Method and no Mcp-Name', { ...fitting, 'mcp-protocol-version': '2026-07-28' }],
])('%s over a body of the stateless era', (_, headers) => {
  test.each(['lenient', 'strict'])('is refused by a %s server', async kind => {
    const { url, seen } = kind === 'strict' ? strict : lenient
    const { status, message } = await post(`${url}/lab/mcp`, modern.body, headers as Record<string, string>)
    expect([status, message.error?.code]).toEqual([400, -32020])
    expect(seen.at(-1)?.fixes).toEqual([])
  })
})

describe.each([
  ['Mcp-Name', { 'mcp-name': 'paid' }],
  ['Mcp-Method', { 'mcp-method': 'tools/list' }],
])('a %s that contradicts the body', (_, header) => {
  test.each(['lenient', 'strict'])('is refused by a %s server', async kind => {
    const { url } = kind === 'strict' ? strict : lenient
    const { status, message } = await post(`${url}/lab/mcp`, modern.body, { ...modern.headers, ...header })
    expect([status, message.error?.code]).toEqual([400, -32020])
  })
})

test('a version that does not exist yet is refused with those that do', async () => {
  const claim = { ...modern.body.params._meta, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' }
  const body = { ...modern.body, params: { ...params, _meta: claim } }
  const headers = { ...modern.headers, 'mcp-protocol-version': '2031-01-01' }
  const { status, message } = await post(`${lenient.url}/lab/mcp`, body, headers)
  expect([status, message.error?.code]).toEqual([400, -32022])
  expect(message.error?.data).toMatchObject({ supported: ['2026-07-28'] })
})

test('a request of the older era without Accept is mended', async () => {
  const { body, headers } = legacy
  const { accept: _, ...rest } = headers
  const status = await new Promise(resolve => {
    const sent = request(`${lenient.url}/lab/mcp`, { method: 'POST', headers: rest }, answer =>
      resolve(answer.resume().statusCode),
    )
    sent.end(JSON.stringify(body))
  })
  expect(status).toBe(200)
  expect(lenient.seen.at(-1)?.fixes).toEqual(['accept'])
})

test('a modern header over a body that claims nothing is refused by both servers', async () => {
  const headers = { ...json, accept: both, 'mcp-protocol-version': '2026-07-28' }
  for (const { url } of [lenient, strict]) {
    const { status, message } = await post(`${url}/lab/mcp`, { ...modern.body, params }, headers)
    expect([status, message.error?.code]).toEqual([400, -32602])
  }
})

test('correct requests pass both servers and nothing is mended', async () => {
  for (const { url, seen } of [lenient, strict])
    for (const { body, headers } of [modern, legacy]) {
      expect((await post(`${url}/lab/mcp`, body, headers)).status).toBe(200)
      expect(seen.at(-1)?.fixes).toEqual([])
    }
})

test('tells which client sent what, by clientInfo or else by User-Agent', async () => {
  const { url, seen } = lenient
  await post(`${url}/lab/mcp`, modern.body, modern.headers)
  expect(seen.at(-1)).toEqual({ name: 'wire', version: '9', era: '2026-07-28', fixes: [] })
  await post(`${url}/lab/mcp`, legacy.body, { ...legacy.headers, 'user-agent': 'claude-code/2.1.240 (cli)' })
  expect(seen.at(-1)).toEqual({ name: 'claude-code', version: '2.1.240', era: '2025-11-25', fixes: [] })
  const hello = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'x'.repeat(900), version: '\n' },
  }
  const { body, headers } = requestOf('2025', 'initialize', hello)
  await post(`${url}/lab/mcp`, body, headers)
  expect(seen.at(-1)).toEqual({ name: 'x'.repeat(64), version: '?', era: '2025-11-25', fixes: [] })
})

test('writes a header where it stands and where it is missing, as adapters read either list', () => {
  const accept = 'application/json, text/event-stream'
  for (const rawHeaders of [['Accept', '*/*'], []]) {
    const headers = { accept: '*/*' }
    const req = { headers, rawHeaders } as unknown as IncomingMessage
    mend(req, legacy.body)
    expect(headers).toEqual({ accept })
    expect(req.rawHeaders.map(text => text.toLowerCase())).toEqual(['accept', accept])
  }
})
