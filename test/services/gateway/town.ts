import { a2aRoutes } from '../../../a2a-adapter/index.ts'
import { call, type Incoming, type World } from '../../../mcp/kernel/call.ts'
import type { OwnNeed } from '../../../mcp/kernel/need.ts'
import { openCache } from '../../../mcp/ports/cache/cache.ts'
import type { Ports } from '../../../mcp/ports/ports.ts'
import { makeSigningKey, openSign } from '../../../mcp/ports/sign/sign.ts'
import { bundleRoutes, mcpRoutes } from '../../../mcp/server/index.ts'
import { type GatewaySettings, gatewaySettings } from '../../../mcp/services/gateway/config.ts'
import gateway from '../../../mcp/services/gateway/service.ts'
import { restRoutes } from '../../../rest-adapter/index.ts'
import { startInternet } from '../../internet/internet.ts'
import type { Page } from '../../internet/web-server.ts'
import { listen } from '../../listen.ts'
import { openTestWorld } from '../../world.ts'

type Answer = Record<string, unknown>

const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Page => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
})

const nothing = json({ agents: [], servers: [], items: [] })

/** An agent card at a host of the local internet. */
export const cardAt = (host: string, more: object = {}) => ({
  name: `Agent at ${host}`,
  description: 'Translates.',
  version: '1.0.0',
  supportedInterfaces: [{ url: `https://${host}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  license: 'MIT',
  ...more,
})

export const quoteOf = (amount = '10000', payTo = '0x1111111111111111111111111111111111111111') => ({
  x402Version: 2,
  accepts: [
    {
      scheme: 'exact',
      network: 'eip155:8453',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      amount,
      payTo,
      maxTimeoutSeconds: 60,
      extra: { name: 'USD Coin', version: '2' },
    },
  ],
})

/** The gateway in a real world over the local internet, with empty registries and an old domain for everybody. */
export const startTown = async (
  policy: GatewaySettings['policy'] = {},
  more: Partial<Pick<World, 'limits'>> = {},
) => {
  const internet = await startInternet()
  let shift = 0
  const clock = { now: () => new Date(Date.now() + shift) }
  const { dns, fetch } = internet.ports()
  const registry = 'http://registry.example.net'
  for (const repository of ['a2aproject/A2A', 'modelcontextprotocol/modelcontextprotocol'])
    internet.web.site('releases.example.net', `/repos/${repository}/releases/latest`, { status: 503 })
  for (const path of ['/a2a/agents', '/mcp/v0.1/servers', '/x402/search'])
    internet.web.site('registry.example.net', path, nothing)
  const { a2aRegistry, mcpRegistry, x402Bazaar, releases, ...rest } = gatewaySettings
  const own = new Map<OwnNeed, unknown>([
    [rest.policy, policy],
    [a2aRegistry, `${registry}/a2a`],
    [mcpRegistry, `${registry}/mcp`],
    [x402Bazaar, `${registry}/x402`],
    [releases, 'http://releases.example.net'],
  ])
  const sign = openSign(makeSigningKey())
  const cache = openCache({ clock })
  const rdap = {
    domain: async () => ({ registered: true, created: { at: '2001-01-01T00:00:00.000Z', raw: '2001' } }),
  } as unknown as Ports['rdap']
  const world = await openTestWorld({
    ports: { dns, fetch, clock, cache, sign, rdap },
    own,
    ...more,
  })
  let clients = 0

  const ask = async (name: string, input: object = {}, more: Partial<Incoming> = {}): Promise<Answer> => {
    const tool = gateway.tools.find(tool => tool.name === name)
    if (!tool) throw new Error(`no tool ${name}`)
    const { output } = await call(world, gateway, tool, {
      channel: 'rest',
      input,
      credentials: {},
      request: { method: 'POST', url: `/gateway/tools/${name}`, headers: {} },
      client: `client-${++clients}`,
      resource: `https://octagent.test/gateway/tools/${name}`,
      evidence: { headers: {}, meta: {} },
      ...more,
    })
    return output
  }

  /** A provider that has everything: card, 402, manifest. Returns its host. */
  let providers = 0
  const provider = (pages: Record<string, Page | null> = {}, card: object = {}) => {
    const host = `provider-${++providers}.example.com`
    const all: Record<string, Page | null> = {
      '/.well-known/agent-card.json': json(cardAt(host, card)),
      '/work': json(quoteOf(), 402),
      '/.well-known/x402': json({ payTo: '0x1111111111111111111111111111111111111111' }),
      ...pages,
    }
    for (const [path, page] of Object.entries(all)) if (page) internet.web.site(host, path, page)
    return host
  }

  let joined = 0
  /** Joins and returns the agent key. */
  const join = async (): Promise<string> => {
    const external_id = `caller-${++joined}.example.com`
    const member = await ask('join_svc', { external_id, name: 'Caller', capabilities: ['asking'] })
    return String(member.agent_key)
  }

  /** The gateway over all three adapters on a free port of loopback, as the program serves it. */
  const serve = async () => {
    const options = { shim: true, onClient: () => {} }
    const routes = [
      ...restRoutes(world, gateway),
      ...a2aRoutes(world, gateway),
      ...mcpRoutes(world, gateway, options),
    ]
    const served = await listen([
      { prefix: '', routes: bundleRoutes(world, [gateway], options) },
      { prefix: '/gateway', routes },
    ])
    world.at(served.url)
    return served
  }

  return {
    ask,
    join,
    serve,
    provider,
    json,
    internet,
    world,
    sign,
    later: (ms: number) => {
      shift += ms
    },
    stop: async () => {
      await world.stop()
      await internet.stop()
    },
  }
}

export type Town = Awaited<ReturnType<typeof startTown>>

export const refused = async (asked: Promise<unknown>) => {
  try {
    await asked
  } catch (error) {
    return (error as { toProblem(): Record<string, unknown> & { code: string; reason?: string } }).toProblem()
  }
  throw new Error('it was answered')
}

type CheckOut = { id: string; status: string; detail: string; evidence: object[] }

/** The status of each check of a preflight, by id. */
export const statuses = (answer: Answer): Record<string, string> =>
  Object.fromEntries((answer.checks as CheckOut[]).map(({ id, status }) => [id, status]))
