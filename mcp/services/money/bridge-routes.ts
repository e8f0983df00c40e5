import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { routes, sources } from './bridge/chains.ts'
import { RouteFields } from './bridge/fields.ts'
import { readHealth } from './bridge/health.ts'
import { bridge } from './bridge/port.ts'
import { toChainAnswer } from './bridge/status.ts'

export default tool({
  name: 'bridge_routes',
  title: 'List the routes of the bridge',
  description:
    'Lists where USDC can be bridged: Base to sixteen chains, and Arc to Base, over CCTP. For each route: chain ids, tokens, whether it is on now and why not, and how long the last transfers took. Free.',
  keywords: ['networks', 'supported', 'destinations', 'cross', 'arbitrum'],
  input: z.object({ from: z.enum(sources).optional().describe('Only routes that start here') }),
  output: z.object({ routes: z.array(RouteFields).describe('Every route') }),
  needs: ['store', bridge],
  price: free,
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'bridge', tags: ['usdc', 'bridge'] },
  rest: { routes: ['GET /v1/bridge/routes'] },
  examples: [{ from: 'base' }],
  summary: ({ routes }) =>
    `${routes.filter(({ state }) => state === 'on').length} of ${routes.length} routes are on.`,
}).run(async ({ bridge }, { from }) => {
  const wanted = routes.filter(route => from === undefined || route.from.name === from)
  return {
    routes: await Promise.all(
      wanted.map(async route => {
        const [lane, health] = await Promise.all([
          bridge.lane(route).catch((error: unknown) => {
            const reason = error instanceof ToolError ? error.message : `${route.from.title} does not answer.`
            return { state: 'off' as const, reason }
          }),
          readHealth(bridge, route),
        ])
        return {
          route: route.name,
          from: toChainAnswer(route.from.name),
          to: toChainAnswer(route.to.name),
          state: lane.state,
          reason: lane.state === 'off' ? lane.reason : null,
          lane: lane.state === 'on' ? lane.lane.address : null,
          health,
        }
      }),
    ),
  }
})
