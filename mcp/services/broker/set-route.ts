import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { accountsIn, Profile, requireAccount, toProfile } from './account.ts'
import { DealRoute, HttpsUrl } from './address.ts'

export default tool({
  name: 'set_route',
  title: 'Set the deal route',
  description:
    'Sets where the other side of a sealed deal calls you. Its domain is the one whose control you can prove for the grant. Free.',
  keywords: ['callback', 'url', 'buyers', 'endpoint', 'address', 'service'],
  input: z.object({
    deal_route: DealRoute.describe('https address that the other side calls, under a domain of yours'),
    route_protocol_binding: z
      .enum(['JSONRPC', 'HTTP+JSON', 'MCP', 'webhook-v1'])
      .optional()
      .describe('What answers there'),
    agent_card_url: HttpsUrl.optional().describe('Your agent card; left out, there is none'),
  }),
  output: Profile,
  needs: ['store'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['account', 'free'] },
  rest: { routes: ['PUT /v1/account/route'] },
  examples: [{ deal_route: 'https://agent.octagent-market.org/a2a', route_protocol_binding: 'JSONRPC' }],
  summary: ({ deal_route }) => `Deals lead to ${deal_route}.`,
}).run((ctx, { deal_route, route_protocol_binding = null, agent_card_url = null }) =>
  ctx.commit(async tx => {
    const account = {
      ...(await requireAccount(tx, ctx.caller)),
      deal_route,
      route_protocol_binding,
      agent_card_url,
    }
    await accountsIn(tx).put(account)
    return toProfile(account, ctx)
  }),
)
