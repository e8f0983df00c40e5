import { type MailDomain, readMailDomain } from './domain-part.ts'
import { type AddressFault, isFault, type Local, readLocal } from './local-part.ts'

/** One address in its parts; `address` is what was meant of the input. */
export type Mailbox = { address: string; rawLocal: string; local: Local; domain: MailDomain }

/** Reading of an input: a mailbox, or what is wrong with it and the parts as far as they can be told. */
export type ParsedMailbox =
  | { mailbox: Mailbox }
  | { fault: AddressFault; address: string; parts: [local: string, domain: string] | null }

/** Octets of a path without its angle brackets (RFC 5321 section 4.5.3.1.3). */
const maxOctets = 254

const fault = (reason: string, detail: string): AddressFault => ({ reason, detail })
const several = fault('several_addresses', 'There is more than one address; one is verified at a time.')

/** Places of a character outside of quoted strings. */
const findUnquoted = (text: string, pattern: RegExp): number[] => {
  const places: number[] = []
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (isQuoted && character === '\\') at++
    else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && pattern.test(character)) places.push(at)
  }
  return places
}

const decodeText = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `mailto:a@b.example?subject=x` (RFC 6068) means the address alone. */
const withoutScheme = (text: string): string =>
  /^mailto:/i.test(text) ? decodeText(text.slice(7).replace(/\?.*$/s, '')) : text

const stripQuotes = (text: string) =>
  text
    .trim()
    .replace(/^"(.*)"$/s, '$1')
    .trim()

/** The address of `Name <address>`; a name that is itself another address makes two. */
const withoutName = (text: string): string | AddressFault => {
  const [open, ...more] = findUnquoted(text, /</)
  const closes = findUnquoted(text, />/)
  if (open === undefined && closes.length === 0) return text
  if (open === undefined || more.length > 0 || closes.length !== 1)
    return more.length > 0 && closes.length > 1
      ? several
      : fault('angle_brackets', 'The angle brackets do not match.')
  if (closes[0] !== text.length - 1)
    return fault('angle_brackets', 'Something follows the closing angle bracket.')
  const [name, address] = [stripQuotes(text.slice(0, open)), text.slice(open + 1, -1).trim()]
  const isOther =
    name.includes('@') && !text.trimStart().startsWith('"') && name.toLowerCase() !== address.toLowerCase()
  return isOther ? several : address
}

const splitAddress = (text: string): { local: string; domain: string } | AddressFault => {
  const ats = findUnquoted(text, /@/)
  const at = ats.at(-1)
  if (at === undefined)
    return text.includes('@')
      ? fault('quote', 'The quotation mark before the @ is not closed.')
      : fault('no_at', 'There is no @.')
  if (ats.length === 1) return { local: text.slice(0, at), domain: text.slice(at + 1) }
  const isList = findUnquoted(text, /[,;\s]/).length > 0
  return isList ? several : fault('several_ats', 'There is more than one @.')
}

/**
 * Reads one e-mail address as SMTP takes it (RFC 5321, RFC 6531), out of `Name <address>` and `mailto:` too. Old forms that only
 * message headers may hold, such as comments, are faults.
 */
export const parseMailbox = (input: string): ParsedMailbox => {
  const address = withoutName(withoutScheme(input.trim()))
  if (typeof address !== 'string') return { fault: address, address: input.trim(), parts: null }
  const parts = splitAddress(address)
  if (isFault(parts)) return { fault: parts, address, parts: null }
  const context = { address, parts: [parts.local, parts.domain] as [string, string] }
  const local = readLocal(parts.local)
  if (isFault(local)) return { fault: local, ...context }
  const domain = readMailDomain(parts.domain)
  if (isFault(domain)) return { fault: domain, ...context }
  const rawLocal = parts.local.normalize('NFC')
  const length =
    Buffer.byteLength(rawLocal) + 1 + Math.max(domain.ascii.length, Buffer.byteLength(domain.unicode))
  if (length > maxOctets)
    return { fault: fault('too_long', 'The address is longer than 254 octets.'), ...context }
  return { mailbox: { address, rawLocal: rawLocal, local, domain } }
}
