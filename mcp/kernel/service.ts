import type { Ports } from '../ports/index.ts'
import type { Document } from './document.ts'
import type { AnyJob } from './job.ts'
import type { AnyTool, Auth, Caller } from './tool.ts'

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
export type Extension = { uri: string; description: string; params?: Readonly<Record<string, string>> }

export type Card = {
  /** The well-known name of spec §1; the card answers at both names. */
  path: '/.well-known/agent-card.json' | '/.well-known/agent.json'
  inputModes: readonly string[]
  outputModes: readonly string[]
  extensions?: readonly Extension[]
  schemes?: Readonly<Record<string, SecurityScheme>>
  /** Alternatives, any one of which suffices; a map of scheme name to scopes. */
  requirements?: readonly Readonly<Record<string, readonly string[]>>[]
  signed?: true
}

/** A credential as it came over the wire, with the request it signs where the scheme needs that. */
export type Credential = {
  value: string
  request: { method: string; url: string; headers: Readonly<Record<string, string>> }
}

/** Tells who holds a credential; undefined when nobody does. */
export type Identify = (
  ports: Pick<Ports, 'store' | 'keys' | 'clock'>,
  credential: Credential,
) => Promise<Caller | undefined>

export type Service = {
  /** A short mark for lists; the eight of the specification have A to H. */
  label: string
  /** The path segment the service is mounted at; no other place knows a prefix. */
  slug: string
  name: string
  description: string
  version: string
  interfaces: readonly [Interface, ...Interface[]]
  card: Card
  /** Accepted credentials when a tool names none. Any one suffices. */
  auth: readonly Auth[]
  identify?: Partial<Record<Exclude<Auth, 'public'>, Identify>>
  tools: readonly AnyTool[]
  documents?: readonly Document[]
  /** The public keys of what the service signs stand at `/.well-known/jwks.json`. */
  signs?: true
  /** Path of the document that cards name as documentation. */
  documentation?: string
  jobs?: readonly AnyJob[]
  /** The tool that answers A2A text which selects no skill; it may take the text as its input field `text`. */
  fallback: string
}

export const service = (facts: Service): Service => facts
