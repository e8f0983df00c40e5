import { parse } from 'tldts'
import { cut } from './cut.ts'
import { hasHiddenRun, stripAllInvisible, textInTags } from './invisible.ts'

/** `hidden` stands for characters that nobody sees, in a run: whatever they spell is not for the reader. */
export type Leak = { kind: 'email' | 'url' | 'phone' | 'handle' | 'hidden'; at: number; text: string }

/**
 * A text as its reader takes it: what is not seen and all accents out, full-width and stylised letters to plain ones, the dots
 * of other scripts to full stops.
 */
const plain = (text: string): string =>
  stripAllInvisible(text.normalize('NFKD'))
    .replace(/[\p{Mn}\p{Me}]/gu, '')
    .normalize('NFKC')
    .replaceAll('\u3002', '.')
    .replaceAll('\u2800', ' ')

const at = String.raw`(?:\s*(?:@|\(at\)|\[at\]|\{at\}|<at>)\s*|\s+at\s+)`
const dot = String.raw`(?:\s*(?:\.|\(dot\)|\[dot\]|\{dot\}|<dot>)\s*|\s+dot\s+)`

const email = new RegExp(
  String.raw`[\p{L}\p{N}._%+-]{1,64}${at}[\p{L}\p{N}-]{1,63}(?:${dot}[\p{L}\p{N}-]{1,63}){1,5}`,
  'giu',
)
const address = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"']{3,300}|\bwww\.[^\s<>"']{3,300}/gi
const spelledDomain =
  /\b[\p{L}\p{N}-]{2,63}(?:\s*(?:\(dot\)|\[dot\])\s*|\s+dot\s+)(?:com|org|net|io|ai|dev|app|xyz|co)\b/giu
const domain =
  /(?<![\p{L}\p{N}@._-])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,5}[\p{L}]{2,24}(?![\p{L}\p{N}-])/giu
const ipv4 = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})(?![\d.])/g
const phone = /(?<![\p{L}\p{N}.,$€£])\+?\d(?:[\s().\-/]{0,3}\d){7,14}(?![\p{L}\p{N}])/giu
const handle = /(?<![\p{L}\p{N}._%+-])@[\p{L}\p{N}_]{3,40}/giu
const messenger =
  /\b(?:telegram|whatsapp|signal|discord|skype|wechat|line id)\s*(?::|=|@|handle|id\b|me at)\s*\S{2,40}/gi

/** Suffixes that are also file names: a bare word with one is no address. */
const fileLike = new Set([
  'md',
  'sh',
  'py',
  'rs',
  'zip',
  'mov',
  'pl',
  'ps',
  'so',
  'cc',
  'app',
  'name',
  'java',
  'ml',
])

const isDomain = (text: string): boolean => {
  const { isIcann, publicSuffix, domain } = parse(text.toLowerCase())
  return (
    isIcann === true && domain !== null && !(fileLike.has(publicSuffix ?? '') && text.split('.').length === 2)
  )
}

const isEmail = (text: string): boolean => {
  if (text.includes('@')) return true
  const [, host = ''] = text.split(new RegExp(at, 'i'))
  return isDomain(host.replace(new RegExp(dot, 'gi'), '.'))
}

/** Dates, times and numbers in groups of three look like phone numbers and are none. */
const isPhone = (text: string): boolean => {
  const digits = text.replace(/\D/g, '')
  if (digits.length < 8 || digits.length > 15) return false
  if (text.startsWith('+')) return true
  if (/^\d+$/.test(text) || /^\d{1,3}(?: \d{3})+$/.test(text)) return false
  return digits.length >= 9 && !/^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}/.test(text) && /[\s().-]/.test(text)
}

const always = (): boolean => true

const kinds: readonly [Leak['kind'], RegExp, (text: string) => boolean][] = [
  ['email', email, isEmail],
  ['url', address, always],
  ['url', spelledDomain, always],
  ['url', domain, isDomain],
  ['url', ipv4, always],
  ['phone', phone, isPhone],
  ['handle', handle, always],
  ['handle', messenger, always],
]

const contactsIn = (text: string): Leak[] =>
  kinds.flatMap(([kind, pattern, isContact]) =>
    [...text.matchAll(pattern)]
      .filter(([match]) => isContact(match))
      .map(match => ({ kind, at: match.index, text: cut(match[0], 60) })),
  )

/**
 * Contact details in a text, also when they are spelled out ("ada at example dot com"), broken up by what nobody sees, or
 * written in it altogether. `at` counts in the text as its reader takes it.
 */
export const findContactLeaks = (text: string): Leak[] => {
  const hiddenLeaks: Leak[] = hasHiddenRun(text) ? [{ kind: 'hidden', at: 0, text: '' }] : []
  return [...contactsIn(plain(text)), ...contactsIn(textInTags(text)), ...hiddenLeaks]
}
