import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { services } from '../../app/services.ts'
import { free, tool } from '../../mcp/kernel/tool.ts'
import { hints, lab, serviceOf } from './fixture.ts'
import { emptyWorld, type Served, serveMcp } from './serve.ts'
import { ask, callTool, eras, post, requestOf } from './wire.ts'

const named = (name: string, readOnly: boolean) =>
  tool({
    name,
    title: name,
    description: 'Says which domain it was given.',
    input: z.object({ domain: z.string().optional().describe('A domain name') }),
    output: z.object({ domain: z.string().nullable().describe('The same') }),
    needs: [],
    price: free,
    hints: { ...hints, readOnly },
    examples: [{ domain: 'example.org' }],
  }).run(async (_, { domain = null }) => ({ domain }))

const web = serviceOf('web', [named('dns-lookup', true), named('sign_book', false)])

let served: Served
let url: string
beforeAll(async () => {
  served = await serveMcp(emptyWorld(), [lab, web])
  url = `${served.url}/mcp`
})
afterAll(() => served.stop())

describe.each(eras)('in the era of %s', era => {
  const called = async (name: string, input?: unknown, caller = 'call_tool') =>
    (await callTool(url, era, caller, { name, ...(input !== undefined && { arguments: input }) })).result

  test.each([
    ['an object', { domain: 'a.example' }, 'a.example'],
    ['the JSON of an object', '{"domain":"a.example"}', 'a.example'],
    ['nothing', undefined, null],
    ['null', null, null],
    ['empty text', '', null],
    ['an object whose field is null', { domain: null }, null],
    ['an object whose field is empty', { domain: '' }, null],
  ])('call_tool takes %s for its arguments', async (_, input, domain) => {
    expect((await called('web_dns-lookup', input)).structuredContent).toEqual({ domain })
  })

  test.each(['[1]', 'nonsense', '7', '{"domain":', ['x'], 7])('but not %j', async input => {
    const { isError, content } = await called('web_dns-lookup', input)
    expect(isError).toBe(true)
    expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: 'arguments', message: expect.stringContaining('{"field": value}') }],
    })
  })

  test.each([
    'web_dns-lookup',
    'web.dns-lookup',
    'web/dns-lookup',
    'web_dns_lookup',
    'dns-lookup',
    'dns_lookup',
    'Web_DNS-Lookup',
    ' web:dns lookup ',
    'mcp__octagent__web_dns-lookup',
  ])('%s is the same tool for all that take a name', async name => {
    expect((await called(name, { domain: 'x' })).structuredContent).toEqual({ domain: 'x' })
    expect((await called(name, { domain: 'x' }, 'read_tool')).structuredContent).toEqual({ domain: 'x' })
    const { result } = await callTool(url, era, 'describe_tool', { name })
    expect(result.structuredContent).toMatchObject({ name: 'web_dns-lookup' })
  })

  test.each([
    ['web_dns-lokup', 'web_dns-lookup'],
    ['dnslookup', 'web_dns-lookup'],
    ['web_signbook', 'web_sign_book'],
    ['data_dns-lookup', 'web_dns-lookup'],
  ])('a miss suggests the nearest: %s → %s', async (name, nearest) => {
    const { content } = await called(name)
    expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({
      code: 'not_found',
      hint: expect.stringContaining(`Did you mean ${nearest}?`),
      params: { nearest },
    })
  })

  test('read_tool says that it only reads, and calls nothing else', async () => {
    const { result } = await ask(url, era, 'tools/list')
    const readTool = result.tools.find(({ name }) => name === 'read_tool')
    expect(readTool).toMatchObject({ annotations: { readOnlyHint: true, destructiveHint: false } })
    const refused = await called('web_sign_book', {}, 'read_tool')
    expect(JSON.parse(refused.content[0]?.text ?? '')).toMatchObject({
      code: 'forbidden',
      detail: expect.stringContaining('web_sign_book'),
      hint: expect.stringContaining('call_tool'),
    })
    expect((await called('web_sign_book')).structuredContent).toEqual({ domain: null })
    for (const name of ['find_tool', 'read_tool', 'call_tool'])
      expect((await called(name, {}, 'read_tool')).isError).toBe(true)
  })

  test('find_tool says which of the two calls a tool', async () => {
    const { result } = await callTool(url, era, 'find_tool', {
      query: 'dns lookup',
      service: '',
      limit: null,
    })
    expect(result.structuredContent).toMatchObject({ tools: [{ name: 'web_dns-lookup', readOnly: true }] })
  })

  test.each(['web', 'bundle'])('arguments that are null or missing are {}, of %s', async where => {
    const at = where === 'web' ? `${served.url}/web/mcp` : url
    const name = where === 'web' ? 'dns-lookup' : 'find_tool'
    for (const more of [{ arguments: null }, {}]) {
      const { body, headers } = requestOf(era, 'tools/call', { name, ...more })
      const { status, message } = await post(at, body, headers)
      expect(status).toBe(200)
      expect(message.error).toBeUndefined()
      if (where === 'web') expect(message.result?.structuredContent).toEqual({ domain: null })
    }
  })
})

describe.each(['with the shim', 'without it'])('an MCP-Protocol-Version that nobody speaks, %s', kind => {
  let own: Served
  beforeAll(async () => {
    own = await serveMcp(emptyWorld(), [lab], kind === 'with the shim')
  })
  afterAll(() => own.stop())

  test.each(['2031-01-01', '1999-01-01', 'latest', '2026-07-28, 2026-07-28', '2025-11-25 ', 'null'])(
    '"%s" is 400',
    async version => {
      for (const era of eras)
        for (const method of ['tools/list', 'initialize', 'ping']) {
          if (era === '2026' && method !== 'tools/list') continue
          const { body, headers } = requestOf(era, method, {})
          const { status } = await post(`${own.url}/lab/mcp`, body, {
            ...headers,
            'mcp-protocol-version': version,
          })
          // A header field has no blanks at its end: what is left of that one is spoken.
          expect(status === 400).toBe(version.trim() !== '2025-11-25' || era === '2026')
        }
    },
  )

  test('is told which are spoken', async () => {
    const { body, headers } = requestOf('2025', 'tools/list')
    const { message } = await post(`${own.url}/lab/mcp`, body, {
      ...headers,
      'mcp-protocol-version': '2031-01-01',
    })
    expect(message.error).toMatchObject({
      code: -32022,
      data: { requested: '2031-01-01', supported: expect.arrayContaining(['2025-11-25', '2026-07-28']) },
    })
  })
})

test('no tool of the eight services has a list without items or an object that says nothing of its fields', async () => {
  const all = await serveMcp(emptyWorld(), services)
  const flaws: string[] = []
  const walk = (schema: unknown, at: string): void => {
    if (typeof schema !== 'object' || schema === null) return
    const { type, items, prefixItems, properties, additionalProperties } = schema as Record<string, unknown>
    if (type === 'array' && items === undefined && prefixItems === undefined) flaws.push(`${at}: no items`)
    const isNested = at.split('.').length > 2
    if (isNested && type === 'object' && properties === undefined && additionalProperties === undefined)
      flaws.push(`${at}: no properties`)
    for (const [key, inner] of Object.entries(schema))
      if (key !== 'examples' && key !== 'default') walk(inner, `${at}.${key}`)
  }
  for (const path of ['/mcp', ...services.map(({ slug }) => `/mcp?services=${slug}`)]) {
    const { result } = await ask(`${all.url}${path}`, '2026', 'tools/list')
    for (const { name, inputSchema, outputSchema } of result.tools) {
      walk(inputSchema, `${name}.input`)
      walk(outputSchema, `${name}.output`)
    }
  }
  await all.stop()
  expect(flaws).toEqual([])
})
