import { clean } from '../../../lib/text/clean.ts'
import type { Hop } from '../../../ports/index.ts'
import { type Evidence, leadsWith, readVersion, toEvidence } from './evidence.ts'

const cookieName = (line: string): string => line.slice(0, line.indexOf('=')).trim().slice(0, 200)

/** The names of the cookies that a way sets. */
const cookieNames = (hops: readonly Hop[]): string[] => [
  ...new Set(hops.flatMap(({ headers }) => headers['set-cookie'] ?? []).map(cookieName)),
]

const inHeaders = (headers: Hop['headers']): Evidence[] =>
  leadsWith('headers').flatMap(lead =>
    Object.entries(lead.hints.headers).flatMap(([name, pattern]) => {
      const lines = Object.hasOwn(headers, name) ? (headers[name] ?? []) : []
      const line = lines.find(line => pattern.test(line))
      if (line === undefined) return []
      const value = clean(line, 100)
      const text = value === null ? name : `${name}: ${value}`
      return [toEvidence(lead, 'header', text, readVersion(pattern.exec(line)))]
    }),
  )

const inCookies = (names: readonly string[]): Evidence[] =>
  leadsWith('cookies').flatMap(lead => {
    const name = names.find(name => lead.hints.cookies.test(name))
    return name === undefined ? [] : [toEvidence(lead, 'cookie', clean(name, 100) ?? '')]
  })

/** What headers and cookies tell. Cookies of hops before the last count where they come from the same host. */
export const inResponse = (hops: readonly Hop[]): Evidence[] => {
  const last = hops.at(-1)
  if (!last) return []
  const { hostname } = new URL(last.url)
  const own = hops.filter(({ url }) => new URL(url).hostname === hostname)
  return [...inHeaders(last.headers), ...inCookies(cookieNames(own))]
}
