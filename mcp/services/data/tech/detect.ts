import { clean } from '../../../lib/text/clean.ts'
import type { Hop } from '../../../ports/fetch/port.ts'
import type { Ports } from '../../../ports/ports.ts'
import { open } from '../headers/open.ts'
import type { Note } from '../meta.ts'
import { leadsWith, type TechEvidence, toTechEvidence, versionInMatch } from './evidence.ts'
import { inNames, lookUpNames } from './names.ts'
import { fingerprints, type PageEvidence } from './page.ts'
import { weighEvidence } from './score-evidence.ts'

const cookieName = (line: string): string => line.slice(0, line.indexOf('=')).trim().slice(0, 200)

/** The names of the cookies that a way sets. */
const cookieNames = (hops: readonly Hop[]): string[] => [
  ...new Set(hops.flatMap(({ headers }) => headers['set-cookie'] ?? []).map(cookieName)),
]

const inHeaders = (headers: Hop['headers']): TechEvidence[] =>
  leadsWith('headers').flatMap(lead =>
    Object.entries(lead.hints.headers).flatMap(([name, pattern]) => {
      const lines = Object.hasOwn(headers, name) ? (headers[name] ?? []) : []
      const line = lines.find(line => pattern.test(line))
      if (line === undefined) return []
      const value = clean(line, 100)
      const text = value === null ? name : `${name}: ${value}`
      return [toTechEvidence(lead, 'header', text, versionInMatch(pattern.exec(line)))]
    }),
  )

const inCookies = (names: readonly string[]): TechEvidence[] =>
  leadsWith('cookies').flatMap(lead => {
    const name = names.find(name => lead.hints.cookies.test(name))
    return name === undefined ? [] : [toTechEvidence(lead, 'cookie', clean(name, 100) ?? '')]
  })

/** Evidence from headers and cookies. Cookies of hops before the last count where they come from the same host. */
const inResponse = (hops: readonly Hop[]): TechEvidence[] => {
  const last = hops.at(-1)
  if (!last) return []
  const { hostname } = new URL(last.url)
  const own = hops.filter(({ url }) => new URL(url).hostname === hostname)
  return [...inHeaders(last.headers), ...inCookies(cookieNames(own))]
}

const limits = { maxBytes: 1024 * 1024, mostNodes: 60_000 }

/** Less text than this, with scripts, is a page that scripts draw. */
const minText = 200

const aboutPage = (page: PageEvidence | null): Note[] => {
  if (!page || page.textLength >= minText || page.scripts === 0) return []
  return [
    {
      code: 'drawn_by_scripts',
      message: 'Scripts draw the page; what they load on their own is not seen.',
    },
  ]
}

/** Detects what a site is made with, from one page and what the DNS says of its host. */
export const detect = async (
  { dns, ...web }: Pick<Ports, 'fetch' | 'workers' | 'dns'>,
  url: string,
  signal: AbortSignal,
) => {
  const host = new URL(url).hostname
  const early = lookUpNames(dns, host, signal)
  early.catch(() => {})
  const openedPage = await open(web, url, fingerprints, { ...limits, signal, options: {} })
  const { fetched, page, warnings, truncated } = openedPage
  const finalHost = new URL(fetched.url).hostname
  const names = await (finalHost === host ? early : lookUpNames(dns, finalHost, signal))
  const isWalled = fetched.headers['cf-mitigated'] !== undefined
  const evidence = [
    ...inResponse(fetched.hops),
    ...inNames(names),
    ...(isWalled ? [] : (page?.evidence ?? [])),
  ]
  return {
    fetched,
    technologies: weighEvidence(evidence),
    warnings: [...warnings, ...(isWalled ? [] : aboutPage(page))],
    truncated,
  }
}
