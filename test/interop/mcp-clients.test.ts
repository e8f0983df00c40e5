import type {
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
} from '@modelcontextprotocol/client'
import type { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import type { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { lab } from '../mcp/fixture.ts'
import { emptyWorld, type Served, serveMcp } from '../mcp/serve.ts'
import { describeJudged, loadJudge } from './judges.ts'

type Progress = { progress: number; total?: number | undefined }

/** What the tests need of a client, whichever SDK it is of. */
type Client = {
  listTools(): Promise<{ tools: { name: string; outputSchema?: unknown }[] }>
  callTool(
    params: { name: string; arguments?: Record<string, unknown>; _meta?: Record<string, unknown> },
    options?: { onprogress?: (progress: Progress) => void; signal?: AbortSignal },
  ): Promise<{ content: { text: string }[]; structuredContent?: unknown; isError?: boolean }>
  getServerCapabilities(): object | undefined
  listResources(): Promise<{ resources: { uri: string }[] }>
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>
  readResource(params: { uri: string }): Promise<{ contents: { text?: string }[] }>
  getInstructions(): string | undefined
  close(): Promise<void>
}

const info = { name: 'interop', version: '1.0.0' }

const connect1 = async (url: string): Promise<Client> => {
  const { Client } = await loadJudge<{ Client: typeof Client1 }>('@modelcontextprotocol/sdk/client/index.js')
  const { StreamableHTTPClientTransport } = await loadJudge<{
    StreamableHTTPClientTransport: typeof Transport1
  }>('@modelcontextprotocol/sdk/client/streamableHttp.js')
  const client = new Client(info)
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport)
  return {
    listTools: () => client.listTools(),
    callTool: (params, options) => client.callTool(params, undefined, options) as never,
    getServerCapabilities: () => client.getServerCapabilities(),
    listResources: () => client.listResources(),
    listResourceTemplates: () => client.listResourceTemplates(),
    readResource: params => client.readResource(params) as never,
    getInstructions: () => client.getInstructions(),
    close: () => client.close(),
  }
}

const connect2 =
  (mode?: 'auto' | 'modern') =>
  async (url: string): Promise<Client> => {
    const { Client, StreamableHTTPClientTransport } = await loadJudge<{
      Client: typeof Client2
      StreamableHTTPClientTransport: typeof Transport2
    }>('@modelcontextprotocol/client')
    const negotiation = mode === 'modern' ? ({ pin: '2026-07-28' } as const) : mode
    const client = new Client(info, negotiation ? { versionNegotiation: { mode: negotiation } } : {})
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
    return client as unknown as Client
  }

const clients: [string, (url: string) => Promise<Client>, string][] = [
  ['SDK v1', connect1, '2025-11-25'],
  ['SDK v2 as it comes', connect2(), '2025-11-25'],
  ['SDK v2, negotiating', connect2('auto'), '2026-07-28'],
  ['SDK v2, modern only', connect2('modern'), '2026-07-28'],
]

describeJudged('clients', 'the clients of both SDKs', () => {
  let server: Served
  beforeAll(async () => {
    server = await serveMcp(emptyWorld(), [lab, ...services], false)
  })
  afterAll(() => server.stop())

  describe.each(clients)('%s', (sdk, connect, era) => {
    let client: Client
    beforeAll(async () => {
      client = await connect(`${server.url}/lab/mcp`)
      await client.listTools()
    })
    afterAll(() => client.close())

    test('speaks the era that it should, and needs nothing mended', () => {
      expect(server.seen.at(-1)).toMatchObject({ name: expect.any(String), era, fixes: [] })
    })

    test('reads the instructions', () => {
      expect(client.getInstructions()).toMatch(/^The lab/)
    })

    test('validates an answer against the schema that it listed', async () => {
      const { content, structuredContent } = await client.callTool({
        name: 'echo',
        arguments: { text: 'hi' },
      })
      expect(structuredContent).toEqual({ said: 'hi', note: null, at: '2026-07-28T00:00:00Z' })
      expect(content[0]?.text).toBe(JSON.stringify(structuredContent))
    })

    test('gets a failure as a result, without an exception', async () => {
      const { isError, content } = await client.callTool({ name: 'refuses' })
      expect(isError).toBe(true)
      expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({ code: 'conflict' })
    })

    test('gets an exception for an unknown tool', async () => {
      await expect(client.callTool({ name: 'nothing' })).rejects.toMatchObject({ code: -32602 })
    })

    test('hears of progress', async () => {
      const events: Progress[] = []
      await client.callTool(
        { name: 'slow', arguments: { steps: 3 } },
        { onprogress: progress => void events.push(progress) },
      )
      expect(events.map(({ progress }) => progress)).toEqual([1, 2, 3])
    })

    test('runs three slow calls at once', async () => {
      const slow = { name: 'slow', arguments: { steps: 4 } }
      const answers = await Promise.all([1, 2, 3].map(() => client.callTool(slow)))
      expect(answers.map(({ structuredContent }) => structuredContent)).toEqual(Array(3).fill({ steps: 4 }))
    })

    test('sees resources declared and no prompts', () => {
      expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: {} })
    })

    test('reads an output schema by the template, and a document by the list', async () => {
      const [template] = (await client.listResourceTemplates()).resourceTemplates
      const uri = template?.uriTemplate.replace('{tool}', 'echo') ?? ''
      const { contents } = await client.readResource({ uri })
      expect(JSON.parse(contents[0]?.text ?? '')).toMatchObject({ required: ['said', 'note', 'at'] })
      const cat = await connect(`${server.url}/cat/mcp`)
      const [skill] = (await cat.listResources()).resources
      const { contents: text } = await cat.readResource({ uri: skill?.uri ?? '' })
      expect(text[0]?.text).toMatch(/^---|^# /)
      await cat.close()
    })

    test('gets an exception for an unknown resource', async () => {
      await expect(client.readResource({ uri: 'octagent://lab/none' })).rejects.toMatchObject({
        // SDK v2 reads -32002 as the -32602 that took its place.
        code: sdk === 'SDK v1' ? -32002 : -32602,
        message: expect.stringContaining('There is no resource'),
      })
    })

    test.each([...services.map(({ slug }) => `/${slug}`), ''])('lists %s/mcp', async path => {
      const other = await connect(`${server.url}${path}/mcp`)
      const { tools } = await other.listTools()
      const [, ...others] = tools.map(({ name }) => name)
      expect(others).toEqual([...others].sort())
      await other.close()
    })

    test('works the bundle through its three tools', async () => {
      const bundle = await connect(`${server.url}/mcp`)
      await bundle.listTools()
      const search = await bundle.callTool({
        name: 'find_tool',
        arguments: { query: 'echo a text', limit: 1 },
      })
      expect(search.structuredContent).toMatchObject({ tools: [{ name: 'lab_echo' }] })
      const description = await bundle.callTool({ name: 'describe_tool', arguments: { name: 'lab_echo' } })
      expect(description.structuredContent).toMatchObject({ name: 'lab_echo' })
      const inner = { name: 'lab_echo', arguments: { text: 'hi' } }
      const result = await bundle.callTool({ name: 'call_tool', arguments: inner })
      expect(result.structuredContent).toMatchObject({ said: 'hi' })
      await bundle.close()
    })
  })
})
