import { z } from 'zod'
import { settings, type Values } from '../../kernel/setting.ts'
import { absoluteUrl, jsonText } from '../../lib/setting-texts.ts'

const decimalUsd = z.string().regex(/^\d{1,9}(\.\d{1,6})?$/, 'USD such as 0.05')

const policy = z.strictObject({
  max_cost_usd: decimalUsd.optional(),
  /** Licences and terms (SPDX ids or URLs) whose results may be used. */
  accepted_licenses: z.array(z.string().max(200)).max(100).optional(),
  /** Sum that may be spent in one go without asking anybody. */
  budget_usd: decimalUsd.optional(),
  min_domain_age_days: z.number().int().min(0).max(3650).optional(),
})

export const gatewaySettings = settings({
  policy: {
    variable: 'GATEWAY_POLICY',
    schema: jsonText(policy),
    description:
      'What the gateway may assume where a request does not say: JSON with max_cost_usd, accepted_licenses, budget_usd, min_domain_age_days. Default: nothing, so that an unknown holds.',
    default: '{}',
    example: '{"max_cost_usd":"0.05","accepted_licenses":["MIT"]}',
  },
  a2aRegistry: {
    variable: 'GATEWAY_A2A_REGISTRY',
    schema: absoluteUrl,
    description: 'Registry of A2A agents that the gateway asks.',
    default: 'https://a2aregistry.org/api',
  },
  mcpRegistry: {
    variable: 'GATEWAY_MCP_REGISTRY',
    schema: absoluteUrl,
    description: 'Registry of MCP servers that the gateway asks.',
    default: 'https://registry.modelcontextprotocol.io',
  },
  x402Bazaar: {
    variable: 'GATEWAY_X402_BAZAAR',
    schema: absoluteUrl,
    description: 'List of x402 resources that the gateway asks.',
    default: 'https://api.cdp.coinbase.com/platform/v2/x402/discovery',
  },
  releases: {
    variable: 'GATEWAY_RELEASES',
    schema: absoluteUrl,
    description: 'API that releases of A2A and MCP are read from.',
    default: 'https://api.github.com',
  },
})

export type GatewaySettings = Values<typeof gatewaySettings>

const { a2aRegistry, mcpRegistry, x402Bazaar } = gatewaySettings

/** The registries, as needs of whoever asks them. */
export const registrySettings = [a2aRegistry, mcpRegistry, x402Bazaar] as const

export type RegistrySettings = Pick<GatewaySettings, (typeof registrySettings)[number]['name']>
