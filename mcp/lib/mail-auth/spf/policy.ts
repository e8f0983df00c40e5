import type { Ip } from './ip.ts'
import type { MacroString } from './macro-string.ts'

export type Qualifier = '+' | '-' | '~' | '?'

type WithDomain<name> = { name: name; domain: MacroString }
type Hosts<name> = { name: name; domain: MacroString | null; bits4: number; bits6: number }
type Network<name> = { name: name; network: Ip; bits: number }

/** Matcher of a client (RFC 7208 section 5). A domain that is null means the domain of the record. */
export type Mechanism =
  | { name: 'all' }
  | WithDomain<'include'>
  | WithDomain<'exists'>
  | Hosts<'a'>
  | Hosts<'mx'>
  | { name: 'ptr'; domain: MacroString | null }
  | Network<'ip4'>
  | Network<'ip6'>

/** A mechanism with its qualifier; `text` is the term as it stands in the record. */
export type Directive = { text: string; qualifier: Qualifier; mechanism: Mechanism }

/** A term that breaks the syntax, and why. */
export type Problem = { term: string; message: string }

/** A record as it was read. With any problem its result is permerror, and the rest is only for show. */
export type SpfPolicy = {
  directives: readonly Directive[]
  redirect: MacroString | null
  exp: MacroString | null
  /** Modifiers that mean nothing here, and are ignored as they must be. */
  others: readonly string[]
  problems: readonly Problem[]
}

/** The directives that can be reached: none after `all`. */
export const reachable = ({ directives }: SpfPolicy): readonly Directive[] => {
  const end = directives.findIndex(({ mechanism }) => mechanism.name === 'all')
  return end < 0 ? directives : directives.slice(0, end + 1)
}
