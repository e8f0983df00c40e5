import { headerLines, type Lines } from '../../../lib/csp/finding.ts'
import { type HeaderVerdict, judgeHeader } from './verdict.ts'

export type Hsts = { max_age: number | null; includeSubDomains: boolean; preload: boolean }

const halfYear = 15_552_000
const year = 31_536_000

/** Top-level domains that are on the preload list as a whole. */
const preloadedTlds = new Set(
  'android app bank boo channel chrome dad day dev esq foo gle google ing insurance meme mov new nexus page phd play prof rsvp youtube zip'.split(
    ' ',
  ),
)

const token = /^[\w!#$%&'*+.^`|~-]+$/

/** Reads the header by RFC 6797 §6.1: names in any case, values also quoted. A directive that comes twice voids it. */
export const parseHsts = (line: string): Hsts | null => {
  const parts = line
    .split(';')
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(part => part.split('=').map(side => side.trim()))
  const names = parts.map(([name = '']) => name.toLowerCase())
  if (!names.every(name => token.test(name))) return null
  if (new Set(names).size < names.length) return null
  const maxAgeValue = parts[names.indexOf('max-age')]?.[1]?.replace(/^"(.*)"$/, '$1')
  if (maxAgeValue === undefined || !/^\d{1,15}$/.test(maxAgeValue)) return null
  return {
    max_age: Number(maxAgeValue),
    includeSubDomains: names.includes('includesubdomains'),
    preload: names.includes('preload'),
  }
}

const name = 'strict-transport-security'

const findResult = (
  line: string | undefined,
): { result: string; preloadReady?: boolean; seconds?: number } => {
  if (line === undefined) return { result: 'missing' }
  const hsts = parseHsts(line)
  if (hsts?.max_age == null) return { result: 'invalid' }
  const { max_age: seconds, includeSubDomains, preload } = hsts
  if (seconds === 0) return { result: 'off' }
  if (seconds < halfYear) return { result: 'short', seconds }
  const preloadReady = preload && includeSubDomains && seconds >= year
  return preload && !preloadReady ? { result: 'on.preload' } : { result: 'on', preloadReady }
}

/** Judges HSTS of the final page; over http browsers ignore it (RFC 6797 §8.1). A preloaded host needs no header. */
export const judgeHsts = (
  headers: Lines,
  url: string,
  isPreloaded = false,
): HeaderVerdict & { preloadReady: boolean } => {
  const { protocol, hostname } = new URL(url)
  const lines = headerLines(headers, name)
  const verdict = (result: string, preloadReady = false, given = {}) => ({
    ...judgeHeader(name, result, given),
    preloadReady,
  })
  if (protocol !== 'https:') return verdict(lines.length > 0 ? 'not_https.sent' : 'not_https')
  if (preloadedTlds.has(hostname.split('.').at(-1) ?? '')) return verdict('preloaded.tld')
  if (isPreloaded) return verdict('preloaded')
  const { result, preloadReady, seconds } = findResult(lines[0])
  const isRepeated = result === 'on' && lines.length > 1
  return verdict(isRepeated ? 'on.repeated' : result, preloadReady, { seconds: String(seconds) })
}
