import type { BalanceAccount, Unit } from '../ports/payment/port.ts'
import type { Ports } from '../ports/ports.ts'
import type { Tx } from '../ports/store/port.ts'
import type { AnyCapability } from './capability.ts'
import type { AnyDocument } from './document.ts'
import type { AnyEndpoint } from './endpoint.ts'
import type { AnyJob } from './job.ts'
import type { Need, Provided } from './need.ts'
import type { Link as PageLink } from './page.ts'
import type { Port } from './port.ts'
import type { Settings } from './setting.ts'
import type { Person } from './sign-in.ts'
import {
  type AnyTool,
  type Auth,
  type Caller,
  type Channel,
  type Price,
  type Receipt,
  skillId,
} from './tool.ts'

/** A place where the service answers; the order in the list is the preference. */
export type Interface = {
  binding: 'JSONRPC' | 'STREAMABLE_HTTP' | 'HTTP+JSON'
  path: string
  /** A2A version as spec §4.1 states it; null where it states none. */
  version: string | null
}

export type SecurityScheme =
  | { kind: 'api_key'; header: string; description?: string }
  | { kind: 'http'; scheme: string; description?: string }

/** A declared A2A extension. A `uri` that starts with "/" is made absolute under the service's address. */
export type Extension = {
  uri: string
  description: string
  params?: Readonly<Record<string, string>>
  /** True for a signed subject: params name the installation's Ed25519 key, raw and in base64, and its fingerprint. */
  namesKey?: true
}

export type CardDeclaration = {
  /** The well-known name of spec §1; the card answers at both names. */
  path: '/.well-known/agent-card.json' | '/.well-known/agent.json'
  inputModes: readonly string[]
  outputModes: readonly string[]
  extensions?: readonly Extension[]
  schemes?: Readonly<Record<string, SecurityScheme>>
  /** Alternatives, any one of which suffices; a map of scheme name to scopes. */
  requirements?: readonly Readonly<Record<string, readonly string[]>>[]
}

/** An A2A skill that is several tools: each names it as its `group`, and a message names one of them as its `operation`. */
export type SkillGroup = {
  id: string
  name: string
  description: string
  tags: readonly string[]
  /** Name of the tool that a message without an operation gets. Without one such a message is refused. */
  default?: string
  inputModes?: readonly string[]
  outputModes?: readonly string[]
}

/** How callers with a key pay calls ahead; `unit` is what their balances are counted in. Tools are named as the service has them. */
export type Prepaid = {
  unit: BalanceAccount['unit']
  /** Makes a key. */
  register: string
  /** Adds to a balance; a refusal names them in this order. */
  topUps: readonly [string, ...string[]]
  /** Priced calls of a new key that cost nothing; one network address has as many a UTC day, whatever keys it makes. */
  freeCalls: number
}

/** The book that each account of a service has in the ledger, at `agent:<slug>:<account>`. */
export type ServiceBook = {
  unit: Unit
  /** Prefix of the keys that stand for its accounts. */
  prefix: string
  /** Set where all of it may leave: neither cards nor rates bring anything to it. */
  isOpen?: true
  /** Accounts that are wallets: those of these, `<address>` or `<chain id>:<address>` of a smart account. */
  findWallets?(tx: Pick<Tx, 'collection'>, wallets: readonly string[]): Promise<readonly string[]>
}

/** A call of a known caller whose payment is sure. */
export type PaidCall = { tool: AnyTool; caller: Caller; receipt: Receipt; price: Price; at: Date }

/** A credential as it came over the wire, with the request it signs where the scheme needs that. */
export type Credential = {
  value: string
  request: {
    method: string
    /** The target as it came: path and query. */
    url: string
    headers: Readonly<Record<string, string>>
    /** SHA-256 of the raw body, base64; what RFC 9530 `Content-Digest` and body signatures cover. Of an empty body without one. */
    digest?: () => string
    /** The id of the HTTP request, as its answer and the log have it. */
    id?: string | undefined
    /** The absolute address of the installation, whose scheme is that of its requests. */
    site?: string | undefined
  }
}

/** Tells who holds a credential, with the ports it declares. */
export type Identify<needs extends Need = Need> = {
  needs: readonly needs[]
  /** Prefix of this service's keys, before `_`. */
  prefix?: string
  /** Headers with which a refusal says how to prove who is calling, beside `WWW-Authenticate`. */
  challenge?: Readonly<Record<string, string>>
  /** The caller, or undefined when nobody holds this credential. */
  run(ports: Provided<needs>, credential: Credential): Promise<Caller | undefined>
}

// biome-ignore lint/suspicious/noExplicitAny: a proof of any shape, as the pipeline sees it
export type AnyIdentify = Identify<any>

/** Declares how a credential is proven: `identify({ needs: ['store'] }).run(async ({ store }, { value }) => …)`. */
export const identify = <const needs extends Need>(facts: Omit<Identify<needs>, 'run'>) => ({
  run: (run: Identify<needs>['run']): Identify<needs> => ({ ...facts, run }),
})

type KeyFacts = {
  prefix: string
  via: 'apiKey' | 'bearer'
  /** Further facts of whoever holds a key, such as the balance that pays. */
  more?(holder: string): Partial<Caller>
}

/** Declares that whoever holds an API key with this prefix is the caller that it was made for. */
export const identifyByKey = ({ prefix, via, more }: KeyFacts): Identify<'store' | 'clock' | 'keys'> =>
  identify({ needs: ['store', 'clock', 'keys'], prefix }).run(async ({ keys, ...at }, { value }) => {
    const key = await keys.find(at, prefix, value)
    return key && { id: key.holder, via, ...more?.(key.holder) }
  })

/** Makes or loads the account that a signed-in person has at a service, with the ports it declares. Two first calls at once make one. */
export type Link<needs extends Need = Need> = {
  needs: readonly needs[]
  /** Path of the terms of the service, which a person accepts by letting a client in. */
  terms?: string
  /** Lack of a person for whom `run` finds nobody; a sentence with what to do about it. */
  missing?: string
  run(ports: Provided<needs>, person: Person): Promise<Caller | undefined>
}

// biome-ignore lint/suspicious/noExplicitAny: a link of any shape, as the pipeline sees it
export type AnyLink = Link<any>

/** Declares who a signed-in person is at a service: `link({ needs: ['store'] }).run(async ({ store }, { account }) => …)`. */
export const link = <const needs extends Need>(facts: Omit<Link<needs>, 'run'>) => ({
  run: (run: Link<needs>['run']): Link<needs> => ({ ...facts, run }),
})

type ProfileFacts = {
  /** That of the keys of the service, whose holders are its accounts. */
  prefix: string
  via: 'apiKey' | 'bearer'
  terms?: string
  /** False for one that has ended. */
  has(tx: Tx, holder: string): Promise<boolean>
  /** Makes an account without a key; resolves to its id. */
  create(tx: Tx, ports: Pick<Ports, 'keys' | 'clock'>, person: string): Promise<string>
}

/** Declares that a signed-in person has an account of the service: that of a key which they claimed, or one that the first call makes. */
export const profile = ({ prefix, via, has, create, ...facts }: ProfileFacts) =>
  link({ ...facts, needs: ['store', 'keys', 'clock'] }).run(async ({ store, ...ports }, { account }) => {
    const id = await ports.keys.ensureProfile(
      store,
      { prefix, person: account },
      { has, create: tx => create(tx, ports, account) },
    )
    return { id, via }
  })

type Credentials = Partial<Record<Exclude<Auth, 'public'>, string>> & { otherKeys?: readonly string[] }

/** True for a key that is by its prefix that of another service. */
const isForeignKey = (prefix: string | undefined, key: string): boolean =>
  prefix !== undefined && /^[a-z]{2,8}_/.test(key) && !key.startsWith(`${prefix}_`)

/**
 * The credential of one kind that came. A service that knows one kind of key takes it in either header, `Authorization: Bearer` or
 * `X-API-Key`, since not every client can set both. Of several keys it is the one with the prefix of the service; those of other
 * services are left out, because one client sends the keys of all services behind one address.
 */
export const readCredential = (
  identify: Partial<Record<Exclude<Auth, 'public'>, Pick<AnyIdentify, 'prefix'>>>,
  kind: Exclude<Auth, 'public'>,
  { otherKeys = [], ...credentials }: Credentials,
): string | undefined => {
  if (kind !== 'apiKey' && kind !== 'bearer') return credentials[kind]
  const prefix = identify[kind]?.prefix
  const other = kind === 'apiKey' ? 'bearer' : 'apiKey'
  const either = identify[other] === undefined ? [credentials[other]] : []
  const keys = [credentials[kind], ...either, ...otherKeys].filter(key => key !== undefined)
  const own = prefix === undefined ? undefined : keys.find(key => key.startsWith(`${prefix}_`))
  return own ?? keys.find(key => !isForeignKey(prefix, key))
}

export type Service = {
  /** A short mark for lists; the eight of the specification have A to H. */
  label: string
  /** The path segment the service is mounted at; no other place knows a prefix. */
  slug: string
  name: string
  description: string
  version: string
  interfaces: readonly [Interface, ...Interface[]]
  card: CardDeclaration
  /** Accepted credentials when a tool names none. Any one suffices. */
  auth: readonly Auth[]
  identify?: Partial<Record<Exclude<Auth, 'public'>, AnyIdentify>>
  /** Link of a signed-in person here, where it is more than the person's own account. */
  link?: AnyLink
  /** The book of each of its accounts. */
  book?: ServiceBook
  /** Callers may have a prepaid balance. */
  prepaid?: Prepaid
  /** Told of each paid call of a known caller, in the transaction that seals its answer: with it, or not at all. */
  onPaid?: (tx: Tx, call: PaidCall) => Promise<void>
  tools: readonly AnyTool[]
  skillGroups?: readonly SkillGroup[]
  /** Non-JSON input or output. */
  endpoints?: readonly AnyEndpoint[]
  documents?: readonly AnyDocument[]
  /** SPDX id of the licence that its interface is offered under, as its OpenAPI description names it. */
  license?: string
  /** Link in the header of every page, at this service. */
  header?: PageLink
  /** Path of the page on which people make keys; hints name it. */
  keyPage?: string
  /** Its mark for lists of tools: the data of an SVG path on a field of 16 by 16. */
  icon?: string
  /** Path of the document that cards name as documentation. */
  documentation?: string
  jobs?: readonly AnyJob[]
  /** What it can do only where more is there than its tools need, such as contracts. */
  capabilities?: readonly AnyCapability[]
  /** Settings for its operator; its handlers name those that they read among their needs. */
  settings?: Settings
  /** Edges of the world that it brings along. */
  ports?: readonly Port[]
  /**
   * What the service itself calls a task: the tool that reads one by its id, the field that takes the id, and the field of the answer
   * that is its state in A2A. `tasks/get` answers by it for ids that are none of its own.
   */
  taskReader?: { tool: string; id: string; state: string }
  /** The tool that answers A2A text which selects no skill; it may take the text as its input field `text`. */
  fallback: string
}

/**
 * How a caller of a transport names a tool of a service: its name over MCP, its skill over A2A, its first route over REST. A tool that
 * is not there keeps its name.
 */
export const callName = ({ tools }: Pick<Service, 'tools'>, name: string, channel: Channel): string => {
  const tool = tools.find(tool => tool.name === name)
  if (!tool || channel === 'mcp') return name
  if (channel === 'a2a') return tool.a2a?.group === undefined ? (skillId(tool) ?? name) : name
  return (tool.rest?.routes[0] ?? `POST /tools/${name}`).replace(/:(\w+)/g, '{$1}')
}

export const service = (facts: Service): Service => facts

/** True for a service that is not built yet: it has nothing but `help`. */
export const isPlanned = ({ tools, endpoints = [] }: Pick<Service, 'tools' | 'endpoints'>): boolean =>
  endpoints.length === 0 && tools.every(({ name }) => name === 'help')
