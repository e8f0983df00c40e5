import { ToolError } from '../../../kernel/error.ts'
import type { Ports } from '../../../ports/ports.ts'
import { visit } from '../page/fetch-page.ts'
import { refuseOtherPage } from '../seo/closed-statuses.ts'
import { issue, type LanguageIssue } from './issue.ts'
import { pageLanguage } from './page-language.ts'
import { type LanguageVersion, plainAddress } from './versions.ts'

/** Result of a look at the language versions. */
export type Reciprocal = { checked: number; returned: number; missing: string[]; unknown: string[] }

type VersionCheck = { href: string; returns: boolean | null; issues: LanguageIssue[] }

const limits = { versions: 10, atOnce: 3, ms: 15_000, maxBytes: 1024 * 1024, mostNodes: 60_000 }

const findRedirect = (href: string, final: string): LanguageIssue[] =>
  plainAddress(href) === plainAddress(final)
    ? []
    : [issue('medium', 'alternate_redirects', `The version at ${href} redirects to ${final}.`)]

/** A version that cannot be visited is unknown; that this server has too much to do is no word on it. */
const unlessTurnedAway = (error: unknown): null => {
  if (error instanceof ToolError && error.code === 'too_many_requests') throw error
  return null
}

const checkVersion = async (
  ports: Pick<Ports, 'fetch' | 'workers'>,
  href: string,
  own: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<VersionCheck> => {
  const unknown = { href, returns: null, issues: [] }
  const { maxBytes, mostNodes } = limits
  const options = { signal, options: {}, maxBytes, mostNodes }
  const pageVisit = await visit(ports, href, pageLanguage, options).catch(unlessTurnedAway)
  if (!pageVisit) return unknown
  const { fetched, result, truncated } = pageVisit
  try {
    refuseOtherPage(fetched)
  } catch {
    return unknown
  }
  if (fetched.status >= 400) {
    const message = `The version at ${href} answers with status ${fetched.status}.`
    return { href, returns: false, issues: [issue('high', 'alternate_not_found', message)] }
  }
  const returns = result.alternates.some(({ href }) => href !== null && own.has(plainAddress(href)))
  if (!returns && truncated) return unknown
  const missing = returns
    ? []
    : [issue('high', 'hreflang_no_return', `${href} does not name this page back.`)]
  return { href, returns, issues: [...missing, ...findRedirect(href, fetched.url)] }
}

/** Looks whether up to ten language versions name the page back. One that cannot be read is unknown, not missing. */
export const checkReturns = async (
  ports: Pick<Ports, 'fetch' | 'workers'>,
  versions: readonly LanguageVersion[],
  own: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<{ versions: LanguageVersion[]; reciprocal: Reciprocal; issues: LanguageIssue[] }> => {
  const hrefs = versions.flatMap(({ href, self }) => (href === null || self ? [] : [href]))
  const queue = [...new Set(hrefs)].slice(0, limits.versions)
  const deadlineSignal = AbortSignal.any([signal, AbortSignal.timeout(limits.ms)])
  const looks: VersionCheck[] = []
  const work = async () => {
    for (let href = queue.shift(); href !== undefined; href = queue.shift())
      looks.push(await checkVersion(ports, href, own, deadlineSignal))
  }
  await Promise.all(Array.from({ length: limits.atOnce }, work))
  const returnsByHref = new Map(looks.map(({ href, returns }) => [href, returns]))
  const hrefsThatReturn = (answer: boolean | null) =>
    looks.flatMap(({ href, returns }) => (returns === answer ? [href] : []))
  return {
    versions: versions.map(version => ({
      ...version,
      returns: returnsByHref.get(version.href ?? '') ?? null,
    })),
    reciprocal: {
      checked: looks.length,
      returned: hrefsThatReturn(true).length,
      missing: hrefsThatReturn(false),
      unknown: hrefsThatReturn(null),
    },
    issues: looks.flatMap(({ issues }) => issues),
  }
}
