import { type Provider, providerByDomain } from './providers.ts'
import type { Mailbox } from './syntax.ts'

/** The mailbox that an address ends in, written in one way; and the tag that was added to it. */
export type Normal = {
  normalized: string
  subaddress: string | null
  /** The name without its tag, in lower case. */
  name: string
}

const isAtom = /^[^\s"(),:;<>@[\\\]]+$/u
const isDotted = (text: string) => isAtom.test(text) && !/^\.|\.\.|\.$/.test(text)

const splitTag = (name: string, mark: '+' | '-'): [name: string, tag: string | null] => {
  const at = name.indexOf(mark)
  return at > 0 ? [name.slice(0, at), name.slice(at + 1)] : [name, null]
}

/**
 * Brings an address into the form that all spellings of it share: lower case, domain in ASCII, and by the customs of its
 * provider without tag and dots. Where the custom is not known the tag stays.
 */
export const normalize = (
  { rawLocal: written, local, domain }: Mailbox,
  byMx: Provider | undefined,
): Normal => {
  const own = providerByDomain(domain.ascii)
  const plain = !local.quoted || isDotted(local.text)
  const text = (plain ? local.text : written).toLowerCase()
  const mark = own?.tag ?? '+'
  const [name, tag] = plain ? splitTag(text, mark) : [text, null]
  const dropsTag = own ? own.tag !== undefined : byMx?.tag === '+'
  const base = dropsTag ? name : text
  const bare = own?.ignored ? base.replace(own.ignored, '') : base
  return { normalized: `${bare || base}@${own?.canonical ?? domain.ascii}`, subaddress: tag, name }
}

/** True when a provider gives out names such as this one at its own domains. */
export const isPossibleName = (name: string, domain: string): boolean =>
  providerByDomain(domain)?.names?.test(name) ?? true
