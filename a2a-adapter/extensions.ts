import type { World } from '../mcp/kernel/call.ts'
import type { Request } from '../mcp/kernel/http.ts'
import type { Extension, Service } from '../mcp/kernel/service.ts'
import { x402Extensions } from './tasks/payment.ts'

/** The address of a declared extension; one that starts with "/" lies under the service. */
export const extensionUri = (base: string, { uri }: Extension): string =>
  uri.startsWith('/') ? base + uri : uri

const names = ['a2a-extensions', 'x-a2a-extensions'] as const
const wireNames = { 'a2a-extensions': 'A2A-Extensions', 'x-a2a-extensions': 'X-A2A-Extensions' } as const

/** Names and values of headers that tell a client which of the extensions it asks for are active: those of the card, and x402. */
export const activationHeaders = (world: World, service: Service, req: Request): readonly string[] => {
  const headers: string[] = []
  for (const name of names) {
    const header = req.headers[name]
    if (header === undefined) continue
    const supported = [
      ...(world.gate ? x402Extensions : []),
      ...(service.card.extensions ?? []).map(extension => extensionUri(world.base(service), extension)),
    ]
    const requested = new Set(
      String(header)
        .split(',')
        .map(uri => uri.trim()),
    )
    const active = supported.filter(uri => requested.has(uri))
    if (active.length > 0) headers.push(wireNames[name], active.join(', '))
  }
  return headers
}
