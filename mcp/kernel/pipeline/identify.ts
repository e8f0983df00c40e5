import { ToolError } from '../error.ts'
import { type AnyIdentify, type AnyLink, type Credential, readCredential, type Service } from '../service.ts'
import type { Person, SignIn } from '../sign-in.ts'
import type { AnyTool, Auth, Caller } from '../tool.ts'
import type { Credentials, Incoming } from './incoming.ts'
import { dropOldest } from './limits.ts'
import { type Providing, provideAll, requireNeeds } from './provide.ts'
import type { World } from './world.ts'

type Kind = Exclude<Auth, 'public'>

type Evidence = Pick<Incoming, 'credentials' | 'request' | 'channel' | 'audience' | 'person'>

/** Parts of a world for identifying. */
type Identifying = Providing & Pick<World, 'base' | 'signIn'>

const challenges: Record<Kind, string> = {
  bearer: 'Bearer',
  apiKey: 'ApiKey',
  erc8128: 'ERC8128',
  l402: 'L402',
}

const sendOne: Record<Kind, string> = {
  bearer: 'Authorization: Bearer <key>, or X-API-Key: <key>',
  apiKey: 'Authorization: Bearer <key>, or X-API-Key: <key>',
  erc8128: 'an ERC-8128 signature (Signature and Signature-Input)',
  l402: 'Authorization: L402 <macaroon>:<preimage>',
}

/**
 * Over MCP a person sets headers in the settings of the client, once for all calls: the model passes on one sentence with one address.
 * Signatures are no fixed header, so they are named only where a service knows nothing else.
 */
const personHint = (
  world: Pick<World, 'base' | 'signIn'>,
  service: Service,
  kinds: readonly Kind[],
  audience: string | undefined,
): string => {
  const address = audience ?? resourceOf(world, service)
  const keyKind = kinds.find(kind => kind === 'bearer' || kind === 'apiKey')
  const prefix = keyKind && service.identify?.[keyKind]?.prefix
  const key = prefix === undefined ? '<key>' : `<${prefix}_ key>`
  const from =
    service.keyPage === undefined ? '' : ` (a person makes one at ${world.base(service)}${service.keyPage})`
  const header = `set the header "Authorization: Bearer ${key}" for it${from}`
  const canSignIn = world.signIn !== undefined && takesPeople(service, kinds)
  if (!keyKind && !canSignIn) return `This needs ${kinds.map(kind => sendOne[kind]).join(', or ')}.`
  const ways = [canSignIn && 'sign in', keyKind && header].filter(way => way)
  return `Ask your user to open the settings of ${address} in their MCP client, ${ways.join(' or ')}, and connect again.`
}

const authenticationError = (
  world: Pick<World, 'base' | 'signIn'>,
  service: Service,
  accepted: readonly Auth[],
  detail: string,
  { channel, audience }: Pick<Incoming, 'channel' | 'audience'>,
  reason: 'key_missing' | 'key_unknown' = 'key_missing',
): ToolError => {
  const kinds = accepted.filter(auth => auth !== 'public')
  const headers = kinds.map(kind => sendOne[kind]).join(', or ')
  const registering = service.tools.find(({ registers }) => registers !== undefined)
  return new ToolError('unauthenticated', detail, {
    reason,
    hint: channel === 'mcp' ? personHint(world, service, kinds, audience) : `Send ${headers}.`,
    ...(registering && { next: [registering.name] }),
    headers: {
      ...Object.assign({}, ...kinds.map(kind => service.identify?.[kind]?.challenge)),
      'WWW-Authenticate': kinds.map(kind => `${challenges[kind]} realm="${service.slug}"`).join(', '),
    },
  })
}

/** Proves a credential with exactly what its scheme declares. Throws `unavailable` where that is missing. */
const proveCaller = async (
  world: Providing,
  { needs, run }: AnyIdentify,
  credential: Credential,
): Promise<Caller | undefined> => {
  requireNeeds(world, 'This credential', needs)
  return run(provideAll(world, needs), credential)
}

/** True when keys of a service may have any form, so that a credential of no known form can be one. */
const takesAnyForm = ({ identify = {} }: Service): boolean =>
  [identify.bearer, identify.apiKey].some(prove => prove && prove.prefix === undefined)

/**
 * Whether a bearer credential can only be an access token: it has the form of one, or no form of a key and nobody else reads it. Such a
 * token is refused where it is no good, also where the public may come in: its client would never renew it otherwise.
 */
const isAccessToken = (signIn: SignIn, services: readonly Service[], credential: string): boolean =>
  signIn.isToken(credential) || !(/^[a-z]{2,8}_/.test(credential) || services.some(takesAnyForm))

/** The access token among the credentials that came; a key of a person may come as X-API-Key too, or beside those of services. */
const findAccessToken = (
  signIn: SignIn | undefined,
  services: readonly Service[],
  { bearer, apiKey, otherKeys = [] }: Credentials,
): string | undefined => {
  if (!signIn) return undefined
  if (bearer !== undefined && isAccessToken(signIn, services, bearer)) return bearer
  return [apiKey, ...otherKeys].find(key => key !== undefined && signIn.isToken(key))
}

/** The resource of a service: what its access tokens are made for, whichever transport they come over. */
export const resourceOf = (world: Pick<World, 'base'>, service: Service): string =>
  `${world.base(service)}/mcp`

/** The resource of the bundle of all services. */
export const bundleResource = ({ site }: Pick<World, 'site'>): string => `${site.url}/mcp`

/**
 * Who holds the access token that came; undefined without one. Throws `unauthenticated` for a token that is not good at this resource:
 * expired, revoked, made for another one, or nobody's.
 */
export const readPerson = async (
  { signIn }: Pick<World, 'signIn'>,
  services: readonly Service[],
  { credentials, request }: Pick<Incoming, 'credentials' | 'request'>,
  resource: string,
): Promise<Person | undefined> => {
  const token = findAccessToken(signIn, services, credentials)
  if (!signIn || token === undefined) return undefined
  const person = await signIn.readToken(token, resource)
  if (person) return person
  throw new ToolError(
    'unauthenticated',
    'This credential is not known here: the sign-in is over, or was for another address.',
    {
      reason: 'invalid_token',
      hint: 'Sign in again: clients renew an access token, or open the browser, at this answer.',
      challenge: signIn.challenge(resource, { error: 'invalid_token', host: request.headers.host }),
    },
  )
}

/** True when a person who signs in is somebody that a tool takes. */
const takesPeople = (service: Service, accepted: readonly Auth[]): boolean =>
  service.link !== undefined || accepted.includes('bearer')

type LinkedCaller = { caller: Caller; until: number }

/** Linked callers, for a few seconds: whoever calls once calls again, and finding one costs as much as a small call. */
const linkedCallers = new WeakMap<Providing['ports'], Map<string, LinkedCaller>>()
const linkedMs = 5000

const callersIn = ({ ports }: Providing): Map<string, LinkedCaller> => {
  const callers = linkedCallers.get(ports) ?? new Map<string, LinkedCaller>()
  linkedCallers.set(ports, callers)
  return callers
}

const findLinked = async (
  world: Providing,
  slug: string,
  link: AnyLink,
  person: Person,
): Promise<Caller | undefined> => {
  const callers = callersIn(world)
  const name = `${slug} ${person.account} ${person.wallet ?? ''}`
  const before = callers.get(name)
  if (before && before.until > performance.now()) return before.caller
  requireNeeds(world, 'This sign-in', link.needs)
  const caller = await link.run(provideAll(world, link.needs), person)
  callers.delete(name)
  if (caller) callers.set(name, { caller, until: performance.now() + linkedMs })
  dropOldest(callers)
  return caller
}

/** Links a signed-in person to a service: the account that the service keeps of them, else their own. */
const linkPerson = async (
  world: Providing,
  { slug, link }: Service,
  person: Person,
): Promise<Caller | undefined> => {
  const { account, balance } = person
  const paying = balance && { balance }
  if (!link) return { id: account, via: 'bearer', ...paying }
  const caller = await findLinked(world, slug, link, person)
  return caller && { ...caller, ...paying }
}

/** The caller whom a key or a signature of an accepted kind proves. Throws `unauthenticated` for one of any kind that is nobody's. */
const proveKey = async (
  world: Identifying,
  service: Service,
  evidence: Evidence,
  accepts: (kind: Kind) => boolean = () => true,
): Promise<{ kind: Kind; caller: Caller } | undefined> => {
  const { credentials, request } = evidence
  for (const kind of Object.keys(service.identify ?? {}) as Kind[]) {
    const value = readCredential(service.identify ?? {}, kind, credentials)
    const prove = service.identify?.[kind]
    if (value === undefined || !prove) continue
    const caller = await proveCaller(world, prove, { value, request })
    if (!caller)
      throw authenticationError(
        world,
        service,
        [kind],
        'This credential is not known here.',
        evidence,
        'key_unknown',
      )
    if (accepts(kind)) return { kind, caller }
  }
  return undefined
}

/** The caller, undefined for the public and for a signed-in person who is nobody at the service. */
type Identified = { caller: Caller | undefined; person?: Person }

const nobody: Identified = Object.freeze({ caller: undefined })

/** Throws `forbidden` for a key of a person outside its scope. Whatever is not declared to read only is a write. */
const checkScope = ({ scope }: Person, { slug }: Service, tool: AnyTool | undefined): void => {
  if (!scope) return
  const hint = 'A key with another scope is made on the page of the account, /auth/account.'
  if (scope.services !== null && !scope.services.includes(slug))
    throw new ToolError('forbidden', `This key may not act at ${slug}.`, {
      reason: 'scope_service',
      params: { services: [...scope.services] },
      hint,
    })
  if (scope.access === 'read' && tool?.hints.readOnly === false)
    throw new ToolError('forbidden', `This key only reads, and ${tool.name} does more.`, {
      reason: 'scope_read',
      hint,
    })
}

/** A caller whom a wallet's signature proves, with the person who signs in with that wallet. */
const withWalletOwner = async (
  { signIn }: Pick<World, 'signIn'>,
  caller: Caller | undefined,
): Promise<Identified> => {
  const person = caller && (await signIn?.readWallet?.(caller.id))
  return person ? { caller, person } : { caller }
}

/**
 * A stranger whose payment a wallet has signed: whoever signs in with that wallet, at a service that keeps accounts of people. Throws
 * `forbidden` where the operator froze them.
 */
export const identifyPayer = async (
  world: Identifying,
  service: Service,
  { network, address }: { network: string; address: string },
): Promise<Identified> => {
  const person = await world.signIn?.readWallet?.(`${network}:${address.toLowerCase()}`)
  const caller = person && service.link && (await linkPerson(world, service, person))
  return person && caller ? { caller: { ...caller, isPayer: true }, person } : nobody
}

const identifyPerson = async (
  world: Identifying,
  service: Service,
  evidence: Evidence,
  tool?: AnyTool,
): Promise<Identified | undefined> => {
  const resource = evidence.audience ?? resourceOf(world, service)
  const person = evidence.person ?? (await readPerson(world, [service], evidence, resource))
  if (!person) return undefined
  checkScope(person, service, tool)
  return { caller: await linkPerson(world, service, person), person }
}

/**
 * The caller that the evidence of a request proves, whichever tool it is for; undefined for the public. Throws `unauthenticated` for a
 * credential that proves nothing.
 */
export const identifyCaller = async (
  world: Identifying,
  service: Service,
  evidence: Evidence,
): Promise<Caller | undefined> => {
  const signedIn = await identifyPerson(world, service, evidence)
  if (signedIn) return signedIn.caller
  return (await withWalletOwner(world, (await proveKey(world, service, evidence))?.caller)).caller
}

/** The same refusal with how to sign in, for whoever came without any credential; what key holders are told stays. */
export const withSignIn = (
  world: Pick<World, 'base' | 'signIn'>,
  service: Service,
  tool: AnyTool,
  { credentials, request, audience, channel }: Evidence,
  error: ToolError,
): ToolError => {
  const { signIn } = world
  const isAnonymous = Object.values(credentials).every(value => value === undefined)
  if (error.code !== 'unauthenticated' || error.extra.challenge !== undefined || !signIn || !isAnonymous)
    return error
  if (!takesPeople(service, tool.auth ?? service.auth)) return error
  const { hint, ...extra } = error.extra
  return new ToolError('unauthenticated', error.message, {
    ...extra,
    // Over MCP the hint has it already.
    hint:
      channel === 'mcp'
        ? hint
        : `Sign in: clients that can open the browser at this answer. ${hint ?? ''}`.trim(),
    challenge: signIn.challenge(audience ?? resourceOf(world, service), { host: request.headers.host }),
  })
}

/** The refusal of somebody who signed in and is nobody at this service yet: to sign in again would change nothing. */
const lacking = ({ name, link }: Service): ToolError =>
  new ToolError('precondition_required', link?.missing ?? `${name} does not know your account yet.`, {
    reason: 'account_incomplete',
  })

/** The same refusal for a signed-in person whom the service does not know: it asks for what the account lacks, and not for a key. */
export const withoutKey = (service: Service, error: ToolError): ToolError =>
  error.code === 'unauthenticated' && error.extra.challenge === undefined ? lacking(service) : error

/** The public, where it may come in and brings no credential; undefined where somebody has to be identified. */
export const identifyPublic = (
  service: Service,
  tool: AnyTool,
  { credentials, person }: Evidence,
): Identified | undefined => {
  const { bearer, apiKey, erc8128, l402 } = credentials
  const isAnonymous = (bearer ?? apiKey ?? erc8128 ?? l402 ?? person) === undefined
  return isAnonymous && (tool.auth ?? service.auth).includes('public') ? nobody : undefined
}

const describeCredential = (accepted: readonly string[]): string =>
  accepted.includes('erc8128') ? 'a request that a wallet has signed, or a key' : 'the key of an account'

/**
 * The caller of a tool, undefined for the public. A credential that the service knows how to read and
 * that proves nothing is refused, also where the public may come in: a typo must not act as somebody else. The key of another
 * service is no credential here: behind one MCP endpoint it comes with every call.
 */
export const identifyToolCaller = async (
  world: Identifying,
  service: Service,
  tool: AnyTool,
  evidence: Evidence,
): Promise<Identified> => {
  const accepted = tool.auth ?? service.auth
  const isOpen = accepted.includes('public')
  const signedIn = await identifyPerson(world, service, evidence, tool)
  if (signedIn && !isOpen && !takesPeople(service, accepted))
    throw authenticationError(world, service, accepted, `${tool.name} needs a key of its own.`, evidence)
  if (signedIn && !isOpen && !signedIn.caller) throw lacking(service)
  if (signedIn) return signedIn
  const proven = await proveKey(world, service, evidence, kind => isOpen || accepted.includes(kind))
  if (proven || isOpen) return withWalletOwner(world, proven?.caller)
  throw authenticationError(
    world,
    service,
    accepted,
    `${tool.name} needs ${describeCredential(accepted)}.`,
    evidence,
  )
}

/**
 * The prepaid balance of whoever holds a key or a token that came, of whichever service. Undefined without one; throws `unauthenticated`
 * for a key that nobody holds.
 */
export const identifyBalance = async (
  world: Identifying & Pick<World, 'site'>,
  services: readonly Service[],
  evidence: Pick<Incoming, 'credentials' | 'request'>,
): Promise<Caller['balance']> => {
  const { signIn } = world
  const { bearer } = evidence.credentials
  if (signIn && bearer !== undefined && signIn.isToken(bearer)) {
    const resources = [bundleResource(world), ...services.map(service => resourceOf(world, service))]
    for (const resource of resources) {
      const person = await signIn.readToken(bearer, resource)
      if (person) return person.balance
    }
    return (await readPerson(world, services, evidence, bundleResource(world)))?.balance
  }
  for (const service of services) {
    if (!service.prepaid) continue
    const proven = await proveKey(world, service, { ...evidence, channel: 'rest' })
    if (proven?.caller.balance) return proven.caller.balance
    if (proven)
      throw authenticationError(world, service, [proven.kind], 'This credential is not known here.', {
        channel: 'rest',
      })
  }
  return undefined
}
