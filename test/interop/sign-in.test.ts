import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client'
import type { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import type { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, test } from 'vitest'
import {
  allowed,
  callback,
  clientDocument,
  clientId,
  openBrowser,
  startSigning,
} from '../accounts/fixture.ts'
import { freePort } from '../free-port.ts'
import { opened } from '../opened.ts'
import { describeJudged, here, loadJudge, runJudge } from './judges.ts'

/** What a host of a stock client remembers for it: in memory, as the SDKs' own examples do. */
class Memory {
  visits: URL[] = []
  info: { client_id: string } | undefined
  saved: { access_token: string; refresh_token?: string; scope?: string } | undefined
  verifier = ''
  discovery: unknown
  readonly clientMetadataUrl: string | undefined
  constructor(clientMetadataUrl?: string) {
    this.clientMetadataUrl = clientMetadataUrl
  }
  get redirectUrl() {
    return callback
  }
  get clientMetadata() {
    return {
      client_name: 'Stock client',
      redirect_uris: [callback],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
  }
  state() {
    return 'a state'
  }
  clientInformation() {
    return this.info
  }
  saveClientInformation(info: { client_id: string }) {
    this.info = info
  }
  tokens() {
    return this.saved
  }
  saveTokens(tokens: Memory['saved']) {
    this.saved = tokens
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier
  }
  codeVerifier() {
    return this.verifier
  }
  redirectToAuthorization(url: URL) {
    this.visits.push(url)
  }
  invalidateCredentials(what: string) {
    if (what === 'all' || what === 'tokens') this.saved = undefined
    if (what === 'all' || what === 'client') this.info = undefined
  }
  saveDiscoveryState(state: unknown) {
    this.discovery = state
  }
  discoveryState() {
    return this.discovery
  }
}

type Client = {
  connect(): Promise<void>
  tools(): Promise<number>
  call(name: string): Promise<{ isError?: boolean; structuredContent?: Record<string, unknown> }>
  finish(params: URLSearchParams): Promise<void>
  close(): Promise<void>
}

const info = { name: 'interop', version: '1.0.0' }

const open1 = async (url: string, memory: Memory): Promise<Client> => {
  const { Client } = await loadJudge<{ Client: typeof Client1 }>('@modelcontextprotocol/sdk/client/index.js')
  const { StreamableHTTPClientTransport } = await loadJudge<{ StreamableHTTPClientTransport: typeof Http1 }>(
    '@modelcontextprotocol/sdk/client/streamableHttp.js',
  )
  const client = new Client(info)
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: memory as never })
  return {
    connect: () => client.connect(transport as never),
    tools: async () => (await client.listTools()).tools.length,
    call: name => client.callTool({ name, arguments: {} }) as never,
    finish: params => transport.finishAuth(params.get('code') ?? ''),
    close: () => client.close(),
  }
}

const open2 =
  (options: object) =>
  async (url: string, memory: Memory): Promise<Client> => {
    const { Client, StreamableHTTPClientTransport } = await loadJudge<{
      Client: typeof Client2
      StreamableHTTPClientTransport: typeof Http2
    }>('@modelcontextprotocol/client')
    const client = new Client(info, options)
    const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: memory as never })
    return {
      connect: () => client.connect(transport),
      tools: async () => (await client.listTools()).tools.length,
      call: name => client.callTool({ name, arguments: {} }) as never,
      finish: params => transport.finishAuth(params),
      close: () => client.close(),
    }
  }

const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } }

const signing = opened(() =>
  startSigning({
    documents: {
      ...clientDocument(),
      ...clientDocument('ok', { redirect_uris: ['http://127.0.0.1:3999/callback'] }),
    },
  }),
)

/** The person in front of the browser that a client opens: signed in, and saying yes. */
const goTo = async (url: URL | string, cookie: string) => {
  const browser = openBrowser(new URL(signing.issuer).origin, cookie)
  const { url: page, response } = await browser.open(url)
  if (response?.status !== 200) throw new Error(`${response?.status} ${await response?.text()}`)
  const answer = await browser.post(page, allowed)
  return browser.open(new URL(answer.headers.get('location') ?? '', page))
}

describeJudged('clients', 'stock clients sign in when a call needs it', () => {
  describe.each([
    ['SDK v1, registering', open1, undefined],
    ['SDK v1, by its document', open1, clientId],
    ['SDK v2 as it comes, registering', open2({}), undefined],
    ['SDK v2 of 2026-07-28, by its document', open2(modern), clientId],
  ])('%s', (_, open, document) => {
    test('connects and calls without, is asked once, refreshes, and is asked again once it was disconnected', async () => {
      const { cookie } = await signing.person()
      const memory = new Memory(document)
      const client = await open(`${signing.url}/broker/mcp`, memory)
      await client.connect()
      expect(await client.tools()).toBeGreaterThan(20)
      expect((await client.call('board_stats')).isError).toBeFalsy()
      expect(memory.visits).toEqual([])

      await expect(client.call('get_account')).rejects.toThrow()
      expect(memory.visits).toHaveLength(1)
      const [visit] = memory.visits
      expect(visit?.searchParams.get('resource')).toBe(`${signing.url}/broker/mcp`)
      expect(visit?.searchParams.get('scope')?.split(' ')).toContain('use')
      if (document) expect(visit?.searchParams.get('client_id')).toBe(document)
      const { url } = await goTo(visit ?? '', cookie)
      await client.finish(url.searchParams)
      const { structuredContent } = await client.call('get_account')
      expect(structuredContent?.account_id).toMatch(/^acc_/)
      expect(memory.saved?.refresh_token).toBeTruthy()

      const before = memory.saved?.access_token
      signing.wait(901)
      expect((await client.call('get_account')).structuredContent).toMatchObject({
        account_id: structuredContent?.account_id,
      })
      expect(memory.saved?.access_token).not.toBe(before)
      expect(memory.visits).toHaveLength(1)

      await fetch(`${signing.issuer}/revoke`, {
        method: 'POST',
        body: new URLSearchParams({
          client_id: memory.info?.client_id ?? clientId,
          token: memory.saved?.refresh_token ?? '',
        }),
      })
      await expect(client.call('get_account')).rejects.toThrow()
      expect(memory.visits).toHaveLength(2)
      await client.close()
    })
  })
})

describeJudged('clients', 'mcp-remote', () => {
  test('holds the call open while the person signs in', async () => {
    const { cookie } = await signing.person()
    const { Client } = await loadJudge<{ Client: typeof Client1 }>(
      '@modelcontextprotocol/sdk/client/index.js',
    )
    const { StdioClientTransport } = await loadJudge<
      typeof import('@modelcontextprotocol/sdk/client/stdio.js')
    >('@modelcontextprotocol/sdk/client/stdio.js')
    const folder = await mkdtemp(join(tmpdir(), 'octagent-mcp-remote-'))
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [
        join(here, 'node_modules/mcp-remote/dist/proxy.js'),
        `${signing.url}/broker/mcp`,
        String(await freePort()),
      ],
      env: { PATH: process.env.PATH ?? '', HOME: folder, MCP_REMOTE_CONFIG_DIR: folder, BROWSER: 'true' },
      stderr: 'pipe',
    })
    let heard = ''
    let visiting: Promise<unknown> | undefined
    transport.stderr?.on('data', chunk => {
      heard += chunk
      const address = /(http:\/\/localhost:\d+\/auth\/authorize\S+)\s/.exec(heard)?.[1]
      if (!address || visiting) return
      visiting = goTo(address, cookie).then(async ({ url }) => {
        // It shows the address before its own server for the answer listens.
        while (!heard.includes('callback server running')) await wait(50)
        await fetch(url)
      })
      visiting.catch(() => undefined)
    })
    const client = new Client(info)
    try {
      await client.connect(transport as never)
      expect((await client.listTools()).tools.length).toBeGreaterThan(20)
      expect(visiting).toBeUndefined()
      const calling = client.callTool({ name: 'get_account', arguments: {} }, undefined, { timeout: 120_000 })
      const { structuredContent } = await calling.catch((cause: unknown) => {
        throw new Error(heard.slice(-4000), { cause })
      })
      await visiting
      expect(structuredContent, heard.slice(-2000)).toMatchObject({
        account_id: expect.stringMatching(/^acc_/),
      })
    } finally {
      await client.close()
      await rm(folder, { recursive: true, force: true })
    }
  })
})

describeJudged('tools', 'conformance of the authorization server', () => {
  test('its metadata, and the authorization code grant', async () => {
    const { cookie } = await signing.person()
    const folder = await mkdtemp(join(tmpdir(), 'octagent-conformance-'))
    let visiting: Promise<unknown> | undefined
    let heard = ''
    const { code, out, err } = await runJudge(
      '@modelcontextprotocol/conformance/dist/index.js',
      [
        'authorization',
        '--url',
        signing.issuer,
        '--client-id',
        'https://client.example/ok',
        '--resource',
        `${signing.url}/cat/mcp`,
        '-p',
        '3999',
        '-o',
        folder,
      ],
      120_000,
      chunk => {
        heard += chunk
        const address = /(http:\/\/localhost:\d+\/auth\/authorize\S+)\s/.exec(heard)?.[1]
        if (!address || visiting) return
        visiting = goTo(address, cookie).then(({ url }) => fetch(url))
        visiting.catch(() => undefined)
      },
    )
    await rm(folder, { recursive: true, force: true })
    expect(code, `${out}${err}`.slice(-6000)).toBe(0)
    expect(out).not.toMatch(/\b[1-9]\d* failed/)
  })
})
