import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { free, tool } from '../../mcp/kernel/tool.ts'
import { hints, lab, serviceOf } from './fixture.ts'
import { emptyWorld, type Served, serveMcp } from './serve.ts'
import { ask, callTool, eras } from './wire.ts'

const named = (name: string, title: string, description: string, tags: readonly string[] = []) =>
  tool({
    name,
    title,
    description,
    input: z.object({ domain: z.string().describe('A domain name') }),
    output: z.object({ ok: z.boolean().describe('Always') }),
    needs: [],
    price: free,
    hints,
    a2a: { tags },
    examples: [{ domain: 'example.org' }],
  }).run(async () => ({ ok: true }))

const web = serviceOf('web', [
  named('dns-lookup', 'Look up DNS records', 'Asks the resolvers for records of a domain.', ['dns']),
  named(
    'email-check',
    'Check an e-mail address',
    'Tells whether mail to an address can arrive, by its domain.',
  ),
  named('page-text', 'Text of a page', 'Fetches a web page and extracts its main text as Markdown.', [
    'scrape',
  ]),
  named('whois', 'Who owns a domain', 'Tells the registrar and the age of a domain.'),
])

const world = emptyWorld()
let served: Served
let url: string
beforeAll(async () => {
  served = await serveMcp(world, [lab, web])
  url = `${served.url}/mcp`
})
afterAll(() => served.stop())

const find = async (query: string, more: object = {}) => {
  const { result } = await callTool(url, '2026', 'find_tool', { query, ...more })
  const found = result.structuredContent as {
    tools: { name: string }[]
    matches: number
    services?: object[]
  }
  return { ...found, names: found.tools.map(({ name }) => name) }
}

describe.each(eras)('in the era of %s', era => {
  test('lists four tools, whatever there is behind them', async () => {
    const { result } = await ask(url, era, 'tools/list')
    expect(result.tools.map(({ name }) => name)).toEqual([
      'find_tool',
      'call_tool',
      'describe_tool',
      'read_tool',
    ])
  })

  test('calls a tool and answers exactly as the tool itself does', async () => {
    const direct = await callTool(`${served.url}/lab/mcp`, era, 'echo', { text: 'hi' })
    const called = await callTool(url, era, 'call_tool', { name: 'lab_echo', arguments: { text: 'hi' } })
    expect(called.result.structuredContent).toEqual(direct.result.structuredContent)
    expect(called.result.content).toEqual(direct.result.content)
    expect(world.records.at(-1)).toMatchObject({ service: 'lab', tool: 'echo', channel: 'mcp' })
  })

  test('passes a failure, a credential and progress through', async () => {
    const refused = await callTool(url, era, 'call_tool', { name: 'lab_refuses' })
    expect(JSON.parse(refused.result.content[0]?.text ?? '')).toMatchObject({ code: 'conflict' })
    const bearer = { headers: { authorization: 'Bearer good' } }
    const anonymous = await callTool(url, era, 'call_tool', { name: 'lab_whoami' }, {})
    expect(JSON.parse(anonymous.result.content[0]?.text ?? '')).toMatchObject({ code: 'unauthenticated' })
    const known = await callTool(url, era, 'call_tool', { name: 'lab_whoami' }, bearer)
    expect(JSON.parse(known.result.content[0]?.text ?? '').detail).toMatch(/store/)
    const meta = { progressToken: 'p' }
    const slow = await callTool(
      url,
      era,
      'call_tool',
      { name: 'lab_slow', arguments: { steps: 1 } },
      { meta },
    )
    expect(slow.messages[0]).toMatchObject({ method: 'notifications/progress' })
  })

  test.each(['call_tool', 'find_tool', 'lab_hidden', 'nothing', '__proto__'])(
    'does not call %s',
    async name => {
      const { result } = await callTool(url, era, 'call_tool', { name, arguments: { name: 'lab_echo' } })
      expect(result.isError).toBe(true)
      expect(JSON.parse(result.content[0]?.text ?? '')).toMatchObject({
        code: 'not_found',
        hint: expect.stringContaining('find_tool'),
      })
    },
  )

  test('describes a tool so that it can be called', async () => {
    const { result } = await callTool(url, era, 'describe_tool', { name: 'lab_paid' })
    expect(result.structuredContent).toMatchObject({
      name: 'lab_paid',
      service: 'lab',
      price: '0.01 USD on base',
      example: { text: 'a' },
      inputSchema: { type: 'object', required: ['text'] },
      annotations: { readOnlyHint: true, idempotentHint: false },
    })
    expect(result.structuredContent).not.toHaveProperty('outputSchema')
    const whole = await callTool(url, era, 'describe_tool', { name: 'lab_paid', output_schema: true })
    expect(whole.result.structuredContent).toMatchObject({
      outputSchema: { anyOf: [{ required: ['text'] }, {}] },
    })
  })

  test('lists the tools of chosen services directly, under their slug', async () => {
    const { result } = await ask(`${url}?services=web`, era, 'tools/list')
    expect(result.tools.map(({ name }) => name)).toEqual([
      'web_dns-lookup',
      'web_email-check',
      'web_page-text',
      'web_whois',
    ])
    const called = await callTool(`${url}?services=web,lab`, era, 'lab_echo', { text: 'hi' })
    expect(called.result.structuredContent).toMatchObject({ said: 'hi' })
    const other = await callTool(`${url}?services=web`, era, 'lab_echo', { text: 'hi' })
    expect(other.message.error?.code).toBe(-32602)
  })

  test.each(['?services=web,nope', '?services=', '?services=,'])(
    'refuses %s and names what there is',
    async query => {
      const { status, message } = await ask(url + query, era, 'tools/list')
      expect([status, message.id]).toEqual([404, 7])
      expect(message.error).toMatchObject({ code: -31404, data: { hint: 'The services are: lab, web.' } })
    },
  )
})

describe('find_tool', () => {
  test.each([
    ['dns records', 'web_dns-lookup'],
    ['look up a DNS record of my domain', 'web_dns-lookup'],
    ['can I send mail to this address', 'web_email-check'],
    ['emails', 'web_email-check'],
    ['scrape', 'web_page-text'],
    ['extract markdown from a website page', 'web_page-text'],
    ['domain owner registrar', 'web_whois'],
    ['say it again', 'lab_echo'],
    ['who am i', 'lab_whoami'],
  ])('finds for "%s" first %s', async (query, name) => {
    expect((await find(query)).names[0]).toBe(name)
  })

  test('keeps to a service and to a limit, and tells how many there are', async () => {
    const { names, matches } = await find('domain', { service: 'web', limit: 2 })
    expect(names).toHaveLength(2)
    expect(matches).toBe(3)
    expect(names.every(name => name.startsWith('web_'))).toBe(true)
  })

  test('leaves out what hardly matches', async () => {
    expect((await find('look up a DNS record of my domain')).names).not.toContain('lab_slow')
  })

  test('tells what the services are when nothing matches', async () => {
    for (const query of ['', 'zzzz', '🐈'])
      expect(await find(query)).toMatchObject({
        tools: [],
        matches: 0,
        services: [
          { slug: 'lab', tools: 8 },
          { slug: 'web', tools: 4 },
        ],
      })
  })

  test('answers the same question the same way', async () => {
    expect((await find('domain')).names).toEqual((await find('domain')).names)
  })
})

test('the instructions of the bundle fit, and say how', async () => {
  const { result } = await ask(url, '2026', 'server/discover')
  expect(Buffer.byteLength(String(result.instructions))).toBeLessThanOrEqual(2048)
  expect(result.instructions).toMatch(/find_tool, describe_tool, read_tool .*call_tool/)
  expect(result.instructions).toMatch(/lab \(The lab\), web \(The web\)/)
})

describe('an address that names tools', () => {
  const list = async (path: string) => {
    const { result } = await ask(`${served.url}${path}`, '2026', 'tools/list')
    return (result.tools as { name: string }[]).map(({ name }) => name)
  }

  test.each<[string, string[]]>([
    ['/web/mcp?tools=whois,%20dns-lookup', ['dns-lookup', 'whois']],
    ['/mcp?tools=web_whois,lab_echo', ['lab_echo', 'web_whois']],
    ['/mcp?services=web&tools=web_whois', ['web_whois']],
  ])('%s lists these', async (path, names) => {
    expect((await list(path)).sort()).toEqual(names)
  })

  test('calls these, and no other', async () => {
    const call = (name: string) =>
      callTool(`${served.url}/web/mcp?tools=whois`, '2026', name, { domain: 'example.org' })
    expect((await call('whois')).result.structuredContent).toEqual({ ok: true })
    expect((await call('dns-lookup')).message.error?.code).toBe(-32602)
  })

  test('is not found where there is no such tool', async () => {
    const response = await fetch(`${served.url}/web/mcp?tools=whois,nothing`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    })
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('there is no tool \\"nothing\\"')
  })
})
