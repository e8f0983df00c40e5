import { isPriced } from '../../mcp/kernel/tool.ts'
import { type Place, placeUrl, servicesOf, titleOf } from './place.ts'

/** The revision of MCP that a client finds at an endpoint which it knows nothing else of. */
const mcpVersion = '2025-11-25'

/**
 * The registration file of a place (ERC-8004): what its entry in an identity registry on a chain points to, and, at its well-known
 * path, the proof that the domain is the agent's.
 */
export const agentRegistration = (place: Place) => {
  const { world, service } = place
  const url = placeUrl(place)
  const all = servicesOf(place)
  const isPaid = world.gate !== undefined && all.some(({ tools }) => tools.some(isPriced))
  return {
    type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
    ...titleOf(place),
    image: `${world.site.url}/favicon.svg`,
    services: [
      { name: 'web', endpoint: `${url}/` },
      ...all.map(each => ({
        name: 'A2A',
        endpoint: `${world.base(each)}${each.card.path}`,
        version: each.interfaces[0].version ?? '1.0',
      })),
      { name: 'MCP', endpoint: `${url}/mcp`, version: mcpVersion },
      ...(isPaid ? [{ name: 'x402', endpoint: `${url}/.well-known/x402`, version: '2' }] : []),
    ],
    x402Support: isPaid,
    active: true,
    registrations: (world.site.registrations ?? [])
      .filter(({ slug }) => slug === service?.slug)
      .map(({ agentId, agentRegistry }) => ({ agentId, agentRegistry })),
    // What others say of it in the reputation registry is the one thing that it asks to be trusted by.
    supportedTrust: ['reputation'],
  }
}
