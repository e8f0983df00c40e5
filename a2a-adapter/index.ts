import type { World } from '../mcp/kernel/call.ts'
import type { Route } from '../mcp/kernel/http.ts'
import { limitReads } from '../mcp/kernel/read-limit.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { type CardView, cardHandler, jwksHandler } from './card/serve.ts'
import type { Agent } from './exchange.ts'
import { a2aHandler } from './handle.ts'

export { confirmTasks } from './tasks/confirm.ts'
export { sweepTasks } from './tasks/sweep.ts'

const cardPaths = ['/.well-known/agent-card.json', '/.well-known/agent.json']

type Options = {
  /** The view of the card for clients whose `A2A-Version` names neither 1.x nor 0.3; `superset` by default. */
  cardView?: CardView | undefined
  agent?: Agent | undefined
}

/**
 * The A2A face of a service, paths relative to its base: JSON-RPC at its JSONRPC interfaces, the card at both
 * well-known names, and the key set that signs it. Throws an Error when the service cannot be shown as skills.
 */
export const a2aRoutes = (world: World, service: Service, options: Options = {}): Route[] => {
  const handle = a2aHandler(world, service, options.agent)
  const card = cardHandler(world, service, options.cardView)
  const paths = service.interfaces.filter(({ binding }) => binding === 'JSONRPC').map(({ path }) => path)
  const { sign } = world.ports
  return [
    ...paths.map((path): Route => ({ method: 'POST', path, isWhole: true, handle })),
    ...limitReads(
      world,
      cardPaths.map((path): Route => ({ method: 'GET', path, handle: card })),
    ),
    ...(sign
      ? [{ method: 'GET', path: '/.well-known/jwks.json', handle: jwksHandler(sign) } satisfies Route]
      : []),
  ]
}
