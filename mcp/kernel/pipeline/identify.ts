import { ToolError } from '../error.ts'
import type { AnyIdentify, Credential, Service } from '../service.ts'
import type { AnyTool, Auth, Caller } from '../tool.ts'
import { type Providing, provideAll, requireNeeds } from './provide.ts'

/** What an adapter found that could prove who is calling. */
export type Credentials = Partial<Record<Exclude<Auth, 'public'>, string>>

const challenges: Record<Exclude<Auth, 'public'>, string> = {
  bearer: 'Bearer',
  apiKey: 'ApiKey',
  erc8128: 'ERC8128',
  l402: 'L402',
}

const sendOne: Record<Exclude<Auth, 'public'>, string> = {
  bearer: 'Authorization: Bearer <key>',
  apiKey: 'X-API-Key: <key>',
  erc8128: 'an ERC-8128 signature (Signature and Signature-Input)',
  l402: 'Authorization: L402 <macaroon>:<preimage>',
}

const unauthenticated = (service: Service, accepted: readonly Auth[], detail: string): ToolError => {
  const kinds = accepted.filter(auth => auth !== 'public')
  return new ToolError('unauthenticated', detail, {
    hint: `Send ${kinds.map(kind => sendOne[kind]).join(', or ')}.`,
    headers: {
      'WWW-Authenticate': kinds.map(kind => `${challenges[kind]} realm="${service.slug}"`).join(', '),
    },
  })
}

/** Proves a credential with exactly what its scheme declares. Throws `unavailable` where that is missing. */
export const proveCaller = async (
  world: Providing,
  { needs, run }: AnyIdentify,
  credential: Credential,
): Promise<Caller | undefined> => {
  requireNeeds(world, 'This credential', needs)
  return run(provideAll(world, needs), credential)
}

/**
 * The caller that a credential proves, undefined for the public. A credential that the service knows how to read and
 * that proves nothing is refused, also where the public may come in: a typo must not act as somebody else.
 */
export const identify = async (
  world: Providing,
  service: Service,
  tool: AnyTool,
  credentials: Credentials,
  request: Credential['request'],
): Promise<Caller | undefined> => {
  const accepted = tool.auth ?? service.auth
  for (const kind of Object.keys(service.identify ?? {}) as Exclude<Auth, 'public'>[]) {
    const value = credentials[kind]
    const prove = service.identify?.[kind]
    if (value === undefined || !prove) continue
    const caller = await proveCaller(world, prove, { value, request })
    if (!caller) throw unauthenticated(service, [kind], 'This credential is not known here.')
    if (accepted.includes(kind) || accepted.includes('public')) return caller
  }
  if (accepted.includes('public')) return undefined
  throw unauthenticated(service, accepted, `${tool.name} asks who is calling.`)
}
