import { ToolError } from '../error.ts'
import { type AnyIdentify, type Credential, isForeignKey, readCredential, type Service } from '../service.ts'
import type { AnyTool, Auth, Caller } from '../tool.ts'
import type { Incoming } from './incoming.ts'
import { type Providing, provideAll, requireNeeds } from './provide.ts'
import type { World } from './world.ts'

/** What an adapter found that could prove who is calling. */
export type Credentials = Partial<Record<Exclude<Auth, 'public'>, string>>

const challenges: Record<Exclude<Auth, 'public'>, string> = {
  bearer: 'Bearer',
  apiKey: 'ApiKey',
  erc8128: 'ERC8128',
  l402: 'L402',
}

const sendOne: Record<Exclude<Auth, 'public'>, string> = {
  bearer: 'Authorization: Bearer <key>, or X-API-Key: <key>',
  apiKey: 'Authorization: Bearer <key>, or X-API-Key: <key>',
  erc8128: 'an ERC-8128 signature (Signature and Signature-Input)',
  l402: 'Authorization: L402 <macaroon>:<preimage>',
}

/** Over MCP headers are set by whoever runs the client, so that the model is told what to ask of them. */
const tellUser = (slug: string, base: string, headers: string): string =>
  `A model cannot send it. Ask your user to add the header ${headers} to this MCP server in the settings of the client and to connect again, such as: claude mcp add --transport http ${slug} ${base}/mcp --header "Authorization: Bearer <key>".`

const unauthenticated = (
  world: Pick<World, 'base'>,
  service: Service,
  accepted: readonly Auth[],
  detail: string,
  { channel }: Pick<Incoming, 'channel'>,
): ToolError => {
  const kinds = accepted.filter(auth => auth !== 'public')
  const headers = kinds.map(kind => sendOne[kind]).join(', or ')
  const registering = service.tools.find(({ registers }) => registers !== undefined)
  return new ToolError('unauthenticated', detail, {
    reason: 'key_missing',
    hint: channel === 'mcp' ? tellUser(service.slug, world.base(service), headers) : `Send ${headers}.`,
    ...(registering && { next: [registering.name] }),
    headers: {
      ...Object.assign({}, ...kinds.map(kind => service.identify?.[kind]?.challenge)),
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
 * that proves nothing is refused, also where the public may come in: a typo must not act as somebody else. The key of another
 * service is no credential here: behind one MCP endpoint it comes with every call.
 */
export const identify = async (
  world: Providing & Pick<World, 'base'>,
  service: Service,
  tool: AnyTool,
  { credentials, request, channel }: Pick<Incoming, 'credentials' | 'request' | 'channel'>,
): Promise<Caller | undefined> => {
  const accepted = tool.auth ?? service.auth
  for (const kind of Object.keys(service.identify ?? {}) as Exclude<Auth, 'public'>[]) {
    const value = readCredential(service.identify ?? {}, kind, credentials)
    const prove = service.identify?.[kind]
    if (value === undefined || !prove || isForeignKey(prove, value)) continue
    const caller = await proveCaller(world, prove, { value, request })
    if (!caller)
      throw unauthenticated(world, service, [kind], 'This credential is not known here.', { channel })
    if (accepted.includes(kind) || accepted.includes('public')) return caller
  }
  if (accepted.includes('public')) return undefined
  throw unauthenticated(world, service, accepted, `${tool.name} needs the key of an account.`, { channel })
}
