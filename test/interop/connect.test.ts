// Costs: stock clients in processes of their own.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Client as Client2 } from '@modelcontextprotocol/client'
import type { StdioClientTransport as Transport2 } from '@modelcontextprotocol/client/stdio'
import type { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import type { StdioClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Market, openMarket } from '../express/shop.ts'
import { describeJudged, loadJudge, runJudge } from './judges.ts'
import { startPaidServer } from './paid-mcp-server.ts'
import { type PaidApp, type Purr, paidFor, paying, startPaidApp } from './payer.ts'

type Result = {
  content: { text: string }[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Record<string, unknown>
}

/** What the tests need of a client, whichever SDK it is of. */
type Client = {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    options?: { onprogress?: (progress: { progress: number }) => void },
  ): Promise<Result>
  listResources(): Promise<{ resources: { uri: string }[] }>
  readResource(params: { uri: string }): Promise<{ contents: { text?: string }[] }>
  getInstructions(): string | undefined
  getServerVersion(): { name: string } | undefined
  close(): Promise<void>
}

type Command = { args: string[]; env: Record<string, string> }

/** What the person at the client says when asked. */
type Person = () => { action: 'accept' | 'decline'; content?: { pay: boolean } }

const info = { name: 'interop', version: '1.0.0' }
const node = process.execPath

const connect1 = async ({ args, env }: Command, person?: Person): Promise<Client> => {
  const { Client } = await loadJudge<{ Client: typeof Client1 }>('@modelcontextprotocol/sdk/client/index.js')
  const { StdioClientTransport } = await loadJudge<{ StdioClientTransport: typeof Transport1 }>(
    '@modelcontextprotocol/sdk/client/stdio.js',
  )
  const { ElicitRequestSchema } = await loadJudge<typeof import('@modelcontextprotocol/sdk/types.js')>(
    '@modelcontextprotocol/sdk/types.js',
  )
  const client = new Client(info, person ? { capabilities: { elicitation: {} } } : {})
  if (person) client.setRequestHandler(ElicitRequestSchema, () => person())
  await client.connect(new StdioClientTransport({ command: node, args, env, stderr: 'ignore' }))
  return {
    listTools: () => client.listTools(),
    callTool: (params, options) => client.callTool(params, undefined, options) as never,
    listResources: () => client.listResources(),
    readResource: params => client.readResource(params) as never,
    getInstructions: () => client.getInstructions(),
    getServerVersion: () => client.getServerVersion(),
    close: () => client.close(),
  }
}

const connect2 =
  (mode?: 'auto' | 'modern') =>
  async ({ args, env }: Command, person?: Person): Promise<Client> => {
    const { Client } = await loadJudge<{ Client: typeof Client2 }>('@modelcontextprotocol/client')
    const { StdioClientTransport } = await loadJudge<{ StdioClientTransport: typeof Transport2 }>(
      '@modelcontextprotocol/client/stdio',
    )
    const negotiation = mode === 'modern' ? ({ pin: '2026-07-28' } as const) : mode
    const client = new Client(info, {
      ...(negotiation && { versionNegotiation: { mode: negotiation } }),
      ...(person && { capabilities: { elicitation: {} } }),
    })
    if (person) client.setRequestHandler('elicitation/create', () => person() as never)
    await client.connect(new StdioClientTransport({ command: node, args, env, stderr: 'ignore' }))
    return client as unknown as Client
  }

const rows: [string, (command: Command, person?: Person) => Promise<Client>][] = [
  ['SDK v1', connect1],
  ['SDK v2 as it comes', connect2()],
  ['SDK v2, negotiating', connect2('auto')],
  ['SDK v2, modern only', connect2('modern')],
]

/** `octagent connect` with a wallet folder of its own and the demo wallet of an app. */
const commandFor = (url: string, options: string[], demo: string, more: Record<string, string> = {}) => {
  const data = mkdtempSync(join(tmpdir(), 'octagent-interop-connect-'))
  writeFileSync(join(data, 'devnet.json'), JSON.stringify({ demo }))
  return {
    folder: join(data, 'wallet'),
    args: [resolve('dist/main.js'), 'connect', url, ...options],
    env: {
      PATH: process.env.PATH ?? '',
      OCTAGENT_DATA: data,
      OCTAGENT_WALLET_DIR: join(data, 'wallet'),
      ...more,
    },
  }
}

paying('stock clients through connect', () => {
  let app: PaidApp
  beforeAll(async () => {
    app = await startPaidApp()
  })
  afterAll(() => app.stop())

  describe.each(rows)('%s', (_, connect) => {
    let client: Client
    beforeAll(async () => {
      client = await connect(
        commandFor(`${app.url}/cat/mcp`, ['--per-call', '0.10', '--budget', '0.25'], app.demoKey),
      )
    })
    afterAll(() => client.close())

    test('sees the server behind it', async () => {
      expect(client.getServerVersion()).toMatchObject({ name: 'cat' })
      expect(client.getInstructions()).toMatch(/^The cat/)
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['pet', 'feed', 'sign']))
      const [skill] = (await client.listResources()).resources
      const { contents } = await client.readResource({ uri: skill?.uri ?? '' })
      expect(contents[0]?.text).toMatch(/^---|^# /)
    })

    test('calls what is free, and meets failures as results', async () => {
      expect(await client.callTool({ name: 'pet', arguments: {} })).toMatchObject({
        structuredContent: { kind: 'pet' },
      })
      const { isError, content } = await client.callTool({
        name: 'sign',
        arguments: { name: 'Ada', note: 'x'.repeat(101) },
      })
      expect(isError).toBe(true)
      expect(content[0]?.text).toContain('note')
      await expect(client.callTool({ name: 'nothing' })).rejects.toMatchObject({ code: -32602 })
    })

    test('pays within the budget, and not over it', async () => {
      const before = await app.moved()
      const feed = () => client.callTool({ name: 'feed', arguments: {} })
      const [one, two, three] = [await feed(), await feed(), await feed()]
      for (const { structuredContent, _meta } of [one, two]) {
        const { transaction } = structuredContent as Purr
        expect(await app.receipt(transaction)).toMatchObject({ status: 'success' })
        expect(_meta?.['x402/payment-response']).toMatchObject({ success: true, transaction })
      }
      expect(three?.isError).toBe(true)
      expect(three?.content[0]?.text).toContain(
        'feed costs 0.10 USDC on Base (a local chain) and was not paid: 0.20 of 0.25 USD',
      )
      expect(await app.moved(before)).toEqual(paidFor(2))
    })

    test.each([
      ['agrees', { action: 'accept', content: { pay: true } } as const, 1],
      ['says no', { action: 'decline' } as const, 0],
    ])('asks the person, who %s', async (_, said, feedings) => {
      let questions = 0
      const asked = await connect(commandFor(`${app.url}/cat/mcp`, [], app.demoKey), () => {
        questions += 1
        return said
      })
      const before = await app.moved()
      const { isError } = await asked.callTool({ name: 'feed', arguments: {} })
      expect([questions, isError ?? false]).toEqual([1, feedings === 0])
      expect(await app.moved(before)).toEqual(paidFor(feedings))
      await asked.close()
    })
  })

  describeJudged('tools', 'the Inspector', () => {
    const inspector = '@modelcontextprotocol/inspector/clients/launcher/build/index.js'
    test.each(['legacy', 'modern'])('lists and pays in the era "%s"', async era => {
      const { folder, args, env } = commandFor(`${app.url}/cat/mcp`, [], app.demoKey)
      const config = join(folder, '..', 'mcp.json')
      const server = { type: 'stdio', command: node, args: [...args, '--per-call', '0.10'], env }
      writeFileSync(config, JSON.stringify({ mcpServers: { octagent: server } }))
      const run = (...more: string[]) =>
        runJudge(
          inspector,
          ['--cli', '--config', config, '--server', 'octagent', '--protocol-era', era, ...more],
          60_000,
        )
      const list = await run('--method', 'tools/list', '--strict')
      expect(list, list.err).toMatchObject({ code: 0 })
      const before = await app.moved()
      const { code, out, err } = await run(
        '--method',
        'tools/call',
        '--tool-name',
        'feed',
        '--format',
        'json',
      )
      expect(code, err).toBe(0)
      expect(JSON.parse(out).result.structuredContent).toMatchObject({ kind: 'feed' })
      expect(await app.moved(before)).toEqual(paidFor(1))
    })
  })
})

type Bundle = typeof import('@anthropic-ai/mcpb')

paying('the bundle for Claude Desktop', () => {
  let app: PaidApp
  let unpacked: string
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'octagent-bundle-'))
    const bundle = join(folder, 'octagent.mcpb')
    execFileSync(node, ['scripts/pack-mcpb.mjs', bundle], { stdio: 'ignore' })
    unpacked = join(folder, 'unpacked')
    const { unpackExtension } = await loadJudge<Bundle>('@anthropic-ai/mcpb')
    await unpackExtension({ mcpbPath: bundle, outputDir: unpacked, silent: true })
    app = await startPaidApp()
  })
  afterAll(() => app?.stop())

  test('holds a manifest that is right, and one program', () => {
    expect(readdirSync(unpacked, { recursive: true }).toSorted()).toEqual([
      'LICENSE',
      'icon.png',
      'manifest.json',
      'server',
      'server/connect.js',
      'server/package.json',
    ])
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'))).toMatchObject({ version })
  })

  test('runs as the host starts it, also where nothing optional is filled in', async () => {
    const { getMcpConfigForManifest } = await loadJudge<Bundle>('@anthropic-ai/mcpb')
    const manifest = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')) as never
    const { env } = commandFor('', [], app.demoKey)
    const userConfig = { url: `${app.url}/cat/mcp`, data: env.OCTAGENT_DATA }
    const config = await getMcpConfigForManifest({
      manifest,
      extensionPath: unpacked,
      systemDirs: {},
      userConfig,
      pathSeparator: '/',
    })
    const server: Record<string, string> = { ...env, ...config?.env }
    expect(server.OCTAGENT_WALLET_KEY).toMatch(/^\$\{user_config/)
    const client = await connect1({ args: config?.args ?? [], env: server }, () => ({
      action: 'accept',
      content: { pay: true },
    }))
    expect(await client.callTool({ name: 'feed', arguments: {} })).toMatchObject({
      structuredContent: { kind: 'feed' },
    })
    await client.close()
  })
})

paying('a paid server of somebody else, through connect', () => {
  let market: Market
  let shop: Awaited<ReturnType<typeof startPaidServer>>
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  const key = generatePrivateKey()
  beforeAll(async () => {
    market = await openMarket()
    shop = await startPaidServer(market, payTo)
    const { address } = privateKeyToAccount(key)
    const hash = await (await market.payer()).transfer(address, 1_000_000n)
    await (await market.chain.reader()).waitForTransactionReceipt({ hash })
  })
  afterAll(async () => {
    await shop.stop()
    await market.close()
  })

  test.each(rows.slice(0, 2))(
    '%s pays once the network is allowed, hears of progress, and ends the session',
    async (_, connect) => {
      const wallet = { OCTAGENT_WALLET_KEY: key }
      const refusing = await connect(commandFor(shop.url, [], key, wallet))
      const call = { name: 'weather', arguments: { city: 'Graz' } }
      const { content } = await refusing.callTool(call)
      expect(content[0]?.text).toContain('Base Sepolia, which nobody has allowed connect to pay on')
      await refusing.close()

      const earned = await market.earned(payTo)
      const command = commandFor(shop.url, ['--network', 'base-sepolia'], key, wallet)
      const client = await connect(command)
      expect(await client.callTool({ name: 'ping' })).toMatchObject({ content: [{ text: 'pong' }] })
      const progress: number[] = []
      const paid = await client.callTool(call, { onprogress: news => void progress.push(news.progress) })
      expect(paid, JSON.stringify(paid)).toMatchObject({ content: [{ text: 'sunny in Graz' }] })
      expect(progress).toEqual([1])
      expect((await market.earned(payTo)) - earned).toBe(20_000n)
      expect(shop.sessions.size).toBeGreaterThan(0)
      await client.close()
      await expect.poll(() => shop.sessions.size).toBe(0)
      const record = readFileSync(join(command.folder, 'payments.jsonl'), 'utf8')
      expect(record.match(/"event":"\w+"/g)).toEqual(['"event":"claimed"', '"event":"settled"'])
    },
  )
})
