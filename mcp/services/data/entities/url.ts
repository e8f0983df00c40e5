import type { parse } from 'tldts'
import { type Cover, hostAround, isSameRun, isWord, type TextSpan } from '../../../lib/text/amount/span.ts'
import { asciiHost } from './host.ts'

export type FoundUrl = TextSpan & {
  key: string
  raw: string
  url: string
  host: string
  kind: 'url' | 'domain'
}

const stop = '\\s<>"`|\\\\^\\u0000-\\u0020。，、；：！？（）【】「」『』《》“”'
const withScheme = new RegExp(`(?:https?|ftp|wss?)://[^${stop}]{1,2048}`, 'giu')
const withWww = new RegExp(`www\\.[^${stop}]{1,2048}`, 'giu')
const path = new RegExp(`(?::\\d{2,5})?(?:[/?#][^${stop}]{0,2048})?`, 'yu')

const openers: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/**
 * The part of a match before what ends it: a closing bracket or quote whose opening one stands before the address, a brace that is
 * never closed, or a list's comma before the next address.
 */
const cutAtClose = (match: string, before: string | undefined): string => {
  const next = /[,;](?=[a-z]{2,5}:\/\/)/i.exec(match)?.index ?? match.length
  const quote = before === "'" ? match.indexOf("'") : -1
  const end = quote < 0 ? next : Math.min(next, quote)
  const open: { character: string; at: number }[] = []
  for (let at = 0; at < end; at++) {
    const character = match.charAt(at)
    if (Object.values(openers).includes(character)) open.push({ character, at })
    const opener = openers[character]
    if (opener === undefined) continue
    if (open.at(-1)?.character !== opener) return match.slice(0, at)
    open.pop()
  }
  return match.slice(0, open.find(({ character }) => character === '{')?.at ?? end)
}

/** Cuts punctuation that belongs to the sentence. */
const trimTail = (raw: string): string => {
  let end = raw.length
  while (end > 0 && '.,;:!?\'"*_~…’»'.includes(raw.charAt(end - 1))) end--
  return raw.slice(0, end)
}

const parseUrl = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

/** A host in Latin letters right before text of a script without spaces: "https://example.com请看". */
const latinHost =
  /^(?:[a-z]+:\/\/)?(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}])/iu

const readAt = (text: string, start: number, raw: string, scheme: boolean): FoundUrl | undefined => {
  const url = parseUrl(scheme ? raw : `https://${raw}`)
  if (!url?.hostname || (!scheme && !asciiHost(url.hostname))) return undefined
  if (isWord(text, start - 1) && isSameRun(text, start - 1, start)) return undefined
  const { href, hostname } = url
  return { key: href, raw, url: href, host: hostname, kind: 'url', start, end: start + raw.length }
}

/** URLs with a scheme, and those that start with www. */
export const findUrls = (text: string, cover: Cover): FoundUrl[] => {
  const urls: FoundUrl[] = []
  for (const pattern of [withScheme, withWww])
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const { index } = match
      const raw = trimTail(cutAtClose(latinHost.exec(match[0])?.[0] ?? match[0], text[index - 1]))
      const url = readAt(text, index, raw, pattern === withScheme)
      if (url && cover.take(url)) urls.push(url)
      // The next address may begin within what this one was cut from.
      pattern.lastIndex = index + Math.max(raw.length, 4)
    }
  return urls
}

/** Endings of file names that are top-level domains as well. */
const fileEndings = new Set([
  'md',
  'py',
  'sh',
  'rs',
  'pl',
  'pm',
  'ps',
  'so',
  'cc',
  'zip',
  'mov',
  'app',
  'java',
  'name',
  'id',
  'call',
  'link',
])

const readDomain = (
  text: string,
  { start, end }: TextSpan,
  parseHost: typeof parse,
): FoundUrl | undefined => {
  const host = asciiHost(text.slice(start, end))
  if (!host || '@/\\_'.includes(text[start - 1] ?? ' ') || '@_('.includes(text[end] ?? ' ')) return undefined
  // "a:b:c.pm" and "12:30.pm" are names and times with colons.
  const chain = /[\w.:-]{0,64}$/.exec(text.slice(Math.max(0, start - 64), start))?.[0] ?? ''
  if (/:.*:$/.test(chain) || (chain.endsWith(':') && /^\d+\./.test(host))) return undefined
  path.lastIndex = end
  const rest = trimTail(cutAtClose(path.exec(text)?.[0] ?? '', text[start - 1]))
  const { isIcann, domain } = parseHost(host)
  const ending = host.slice(host.lastIndexOf('.') + 1)
  if (!isIcann || !domain || (fileEndings.has(ending) && !rest.startsWith('/'))) return undefined
  const raw = text.slice(start, end) + rest
  const url = parseUrl(`https://${raw}`)
  return url && { key: url.href, raw, url: url.href, host, kind: 'domain', start, end: start + raw.length }
}

/** The name up to a script without spaces, as in `example.comです`. */
const beforeScript = (text: string, { start, end }: TextSpan): TextSpan => {
  const name = /^[\w.-]{1,250}\.[a-z]{2,24}(?=[^\s\w.-])/i.exec(text.slice(start, end))?.[0] ?? ''
  return { start, end: start + name.length }
}

/** Domain names without a scheme, under a public suffix; each dot is looked at once. */
export const findDomains = (text: string, cover: Cover, parseHost: typeof parse): FoundUrl[] => {
  const urls: FoundUrl[] = []
  let minStart = 0
  for (let dot = text.indexOf('.'); dot >= 0; dot = text.indexOf('.', Math.max(dot + 1, minStart))) {
    if (!isWord(text, dot - 1) || !isWord(text, dot + 1)) continue
    const span = hostAround(text, dot, minStart)
    minStart = Math.max(span.end, dot + 1)
    if (!cover.isFree(span)) continue
    const domain = readDomain(text, span, parseHost) ?? readDomain(text, beforeScript(text, span), parseHost)
    if (domain && cover.take(domain)) urls.push(domain)
  }
  return urls
}
