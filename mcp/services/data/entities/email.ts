import { type Cover, hostAround, isSameRun, isWord, type TextSpan } from '../../../lib/text/amount/span.ts'
import { asciiHost } from './host.ts'

export type FoundEmail = TextSpan & {
  key: string
  raw: string
  email: string
  domain: string
  obfuscated: boolean
}

const localMarks = "._%+-'"

const localBefore = (text: string, at: number): number => {
  let start = at
  while (
    start > 0 &&
    at - start < 64 &&
    (isWord(text, start - 1) || localMarks.includes(text.charAt(start - 1))) &&
    (start === at || isSameRun(text, start - 1, start))
  )
    start--
  while (start < at && "'.-%".includes(text.charAt(start))) start++
  return start
}

const readAt = (text: string, at: number): FoundEmail | undefined => {
  const start = localBefore(text, at)
  const host = hostAround(text, at + 1, at + 1)
  const local = text.slice(start, at)
  const domain = asciiHost(text.slice(host.start, host.end))
  const isBroken = local === '' || local.endsWith('.') || local.includes('..') || host.start !== at + 1
  if (isBroken || !domain || text[host.end] === '@' || text[start - 1] === '@') return undefined
  const email = `${local}@${domain}`
  return {
    key: email,
    raw: text.slice(start, host.end),
    email,
    domain,
    obfuscated: false,
    start,
    end: host.end,
  }
}

/** E-mail addresses; each @ is looked at once, 64 characters back and 253 ahead. */
export const findEmails = (text: string, cover: Cover): FoundEmail[] => {
  const emails: FoundEmail[] = []
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    if (!isWord(text, at + 1)) continue
    const email = readAt(text, at)
    if (email && cover.take(email)) emails.push(email)
  }
  return emails
}

const hiddenAt = /\s{0,3}(?:[[({]\s?at\s?[\])}]|\sat\s)\s{0,3}/gi
const hiddenDomain = /^[\w-]{1,63}(?:\s{0,3}(?:[[({]\s?dot\s?[\])}]|\sdot\s|\.)\s{0,3}[\w-]{1,63}){1,4}/i

/** Addresses written like "ada [at] example [dot] com". */
export const findHiddenEmails = (text: string, cover: Cover): FoundEmail[] =>
  [...text.matchAll(hiddenAt)].flatMap(({ index, 0: mark }) => {
    const local = /[\w.+-]{1,64}$/.exec(text.slice(Math.max(0, index - 64), index))?.[0]
    const after = index + mark.length
    const hiddenHost = hiddenDomain.exec(text.slice(after, after + 300))?.[0]
    const hasMark = /[[({]/.test(mark) || /\sdot\s/i.test(hiddenHost ?? '')
    const domain = asciiHost(
      (hiddenHost ?? '').replace(/\s{0,3}(?:[[({]\s?dot\s?[\])}]|\sdot\s)\s{0,3}/gi, '.'),
    )
    if (!local || !hiddenHost || !domain || !hasMark) return []
    const start = index - local.length
    const end = after + hiddenHost.length
    const email = `${local}@${domain}`
    const entry = { key: email, raw: text.slice(start, end), email, domain, obfuscated: true, start, end }
    return cover.take(entry) ? [entry] : []
  })
