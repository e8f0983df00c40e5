import type { Page } from './web-server.ts'

type Route = readonly [host: string, path: string, page: Page]

const json = (value: unknown): Page => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

const release = (tag_name: string, published_at: string) =>
  json({
    id: 1,
    tag_name,
    name: tag_name,
    published_at,
    prerelease: false,
    html_url: `https://github.com/example/spec/releases/tag/${tag_name}`,
  })

/** Public registries of agents and the releases of the protocols, in the shapes of the real ones. */
export const registries: readonly Route[] = [
  [
    'registry.example.net',
    '/a2a/agents',
    json({
      agents: [
        {
          id: '1',
          name: 'Translator',
          description: 'Translates.',
          url: 'https://translator.example.org/a2a',
          wellKnownURI: 'https://translator.example.org/.well-known/agent-card.json',
          protocolVersion: '1.0',
          is_healthy: true,
          skills: [{ id: 't', tags: ['translation'] }],
        },
      ],
      total: 1,
    }),
  ],
  ['registry.example.net', '/mcp/v0.1/servers', json({ servers: [], metadata: { count: 0 } })],
  ['registry.example.net', '/x402/search', json({ x402Version: 2, items: [] })],
  [
    'releases.example.net',
    '/repos/a2aproject/A2A/releases/latest',
    release('v1.0.1', '2026-05-28T10:00:00Z'),
  ],
  [
    'releases.example.net',
    '/repos/modelcontextprotocol/modelcontextprotocol/releases/latest',
    release('2026-07-28', '2026-07-28T10:00:00Z'),
  ],
]

/** Where the gateway asks in tests. */
export const registryAddresses = {
  GATEWAY_A2A_REGISTRY: 'http://registry.example.net/a2a',
  GATEWAY_MCP_REGISTRY: 'http://registry.example.net/mcp',
  GATEWAY_X402_BAZAAR: 'http://registry.example.net/x402',
  GATEWAY_RELEASES: 'http://releases.example.net',
} as const
