import { type HeaderReport, headerLines, type Lines, type Test, test } from '../../../lib/csp/finding.ts'

export type Hsts = { max_age: number | null; includeSubDomains: boolean; preload: boolean }

const halfYear = 15_552_000
const year = 31_536_000

const hstsFix = 'Strict-Transport-Security: max-age=31536000; includeSubDomains'

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

type Judgement = { report: Omit<HeaderReport, 'present' | 'value'>; test: Test; preloadReady: boolean }

const name = 'strict-transport-security'

const verdict = (
  [result, modifier]: readonly [result: string, modifier: number],
  verdict: HeaderReport['verdict'],
  severity: HeaderReport['severity'],
  message: string,
  preloadReady = false,
): Judgement => ({
  report: { verdict, severity, message, fix: verdict === 'good' ? null : hstsFix },
  test: test(name, result, modifier, message),
  preloadReady,
})

/** Judges HSTS of the final page; over http browsers ignore it (RFC 6797 §8.1). A preloaded host needs no header. */
export const judgeHsts = (headers: Lines, url: string, isPreloaded = false): Judgement => {
  const { protocol, hostname } = new URL(url)
  const lines = headerLines(headers, name)
  if (protocol !== 'https:')
    return verdict(
      ['not_https', -20],
      lines.length > 0 ? 'bad' : 'absent',
      'high',
      'The page comes over http, where browsers ignore this header.',
    )
  if (preloadedTlds.has(hostname.split('.').at(-1) ?? ''))
    return verdict(
      ['preloaded', 5],
      'good',
      'info',
      'Browsers know the whole top-level domain as https only.',
    )
  if (isPreloaded) return verdict(['preloaded', 5], 'good', 'info', 'Browsers know the site as https only.')
  const [line] = lines
  if (line === undefined)
    return verdict(['missing', -20], 'absent', 'high', 'Nothing keeps browsers from visiting over http.')
  const hsts = parseHsts(line)
  if (hsts?.max_age == null)
    return verdict(['invalid', -20], 'bad', 'high', 'The header is not well formed, so browsers ignore it.')
  const { max_age: maxAge, includeSubDomains, preload } = hsts
  if (maxAge === 0)
    return verdict(['off', -20], 'bad', 'high', 'max-age=0 makes browsers forget that they should use https.')
  if (maxAge < halfYear)
    return verdict(
      ['short', -10],
      'weak',
      'medium',
      `It is kept for ${maxAge} seconds only; half a year is the least.`,
    )
  const preloadReady = preload && includeSubDomains && maxAge >= year
  if (preload && !preloadReady)
    return verdict(['on', 0], 'weak', 'low', 'preload needs max-age=31536000 and includeSubDomains.')
  const more = lines.length > 1 ? ' It comes more than once; only the first counts.' : ''
  return verdict(['on', 0], 'good', 'info', `Browsers keep to https.${more}`, preloadReady)
}
