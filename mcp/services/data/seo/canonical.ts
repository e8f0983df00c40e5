import { ToolError } from '../../../kernel/error.ts'
import { extractor, type PageView } from '../../../lib/page/extractor.ts'
import { readBase } from '../../../lib/page/link.ts'
import type { Ports } from '../../../ports/ports.ts'
import { visit } from '../page/fetch-page.ts'
import { type Canonicals, readCanonicals } from './canonicals.ts'
import { refuseOtherPage } from './closed-statuses.ts'
import { readNamedMeta } from './named-meta.ts'
import { readRobots } from './robots.ts'

/** The canonical address of a page, looked at. */
export type CanonicalCheck = {
  href: string | null
  /** True when it is the page itself; null without one. */
  self: boolean | null
  /** True when search engines can follow it; null without one, or when nobody could look. */
  ok: boolean | null
  /** Addresses it leads on to: redirects, or a canonical address of its own. */
  chain: string[]
  /** Why it is not ok, or what is doubtful, as sentences. */
  problems: string[]
}

/** The canonical page's words on itself. @public A worker loads it by name. */
export const canonicalPage = extractor(
  import.meta.url,
  'canonicalPage',
  ({ document, url, headers, markup }: PageView) => {
    const base = readBase(document, url)
    const canonicals = readCanonicals(document, base, { url, headers, markup })
    const robots = readNamedMeta(document)('robots').map(content => ({ name: 'robots', content }))
    return {
      next: canonicals.find(({ href, inHead }) => href !== null && inHead)?.href ?? null,
      noindex: !readRobots(robots, [], new Date(0)).index,
    }
  },
)

export const plain = (address: string): string => {
  const url = new URL(address)
  url.hash = ''
  return url.href
}

/** True when an address is the root of the host of a page that is another one. */
const isHome = (href: string, url: string): boolean => {
  const [canonical, page] = [new URL(href), new URL(url)]
  const isRoot = canonical.pathname === '/' && canonical.search === ''
  return isRoot && page.pathname.length > 1 && canonical.hostname === page.hostname
}

const none: CanonicalCheck = { href: null, self: null, ok: null, chain: [], problems: [] }

const checkTarget = async (
  ports: Pick<Ports, 'fetch' | 'workers'>,
  href: string,
  signal: AbortSignal,
): Promise<Pick<CanonicalCheck, 'ok' | 'chain' | 'problems'>> => {
  const bad = (problem: string, chain = [href]) => ({ ok: false, chain, problems: [problem] })
  try {
    const options = { signal, options: {}, maxBytes: 1024 * 1024, mostNodes: 60_000 }
    const { fetched, result } = await visit(ports, href, canonicalPage, options)
    refuseOtherPage(fetched)
    const { status, url } = fetched
    if (status >= 400) return bad(`The canonical page answers with status ${status}.`)
    if (plain(url) !== plain(href)) return bad(`The canonical address redirects to ${url}.`, [href, url])
    if (result.next !== null && plain(result.next) !== plain(href))
      return bad(`The canonical page names another one in turn: ${result.next}.`, [href, result.next])
    if (result.noindex) return bad('The canonical page is closed to search engines (noindex).')
    return { ok: true, chain: [href], problems: [] }
  } catch (error) {
    if (error instanceof ToolError && error.code === 'invalid_input')
      return bad('The canonical address is not on the public web.')
    if (error instanceof ToolError && error.code === 'too_many_requests') throw error
    return { ok: null, chain: [href], problems: [] }
  }
}

/** Judges the canonical address of a page; one that is not the page itself is visited. */
export const checkCanonical = async (
  ports: Pick<Ports, 'fetch' | 'workers'>,
  canonicals: Canonicals,
  { url, signal }: { url: string; signal: AbortSignal },
): Promise<CanonicalCheck> => {
  const inHeadCanonicals = canonicals.filter(({ inHead }) => inHead)
  const inBody = canonicals.length > inHeadCanonicals.length
  const bodyProblems = inBody ? ['A canonical link in the body is left out: move it into the head.'] : []
  const [first] = inHeadCanonicals
  if (!first) return { ...none, ok: inBody ? false : null, problems: bodyProblems }
  if (first.href === null)
    return { ...none, ok: false, problems: ['The canonical address is no web address.', ...bodyProblems] }
  const different = new Set(inHeadCanonicals.flatMap(({ href }) => (href === null ? [] : [plain(href)])))
  const self = plain(first.href) === plain(url)
  const own = { href: first.href, self, chain: [first.href] }
  if (different.size > 1)
    return { ...own, ok: false, problems: ['Several canonical addresses contradict each other.'] }
  const doubts = [
    ...bodyProblems,
    ...(first.href.includes('#') ? ['The canonical address has a fragment.'] : []),
    ...(first.source === 'link' && !/^https?:\/\//i.test(first.rawHref)
      ? ['The canonical address is not written in full.']
      : []),
  ]
  if (self) return { ...own, ok: true, problems: doubts }
  if (isHome(first.href, url)) doubts.push('The canonical address is the home page, which this page is not.')
  const target = await checkTarget(ports, first.href, signal)
  return { ...own, ...target, problems: [...target.problems, ...doubts] }
}
