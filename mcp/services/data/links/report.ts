import type { PageLink } from '../../../lib/page/links/page-links.ts'
import type { LinkResult } from './check.ts'
import type { LinkOutcome } from './check-all.ts'

const maxSkipped = 100

const permanent = new Set([301, 308])

const toPlace = ({ text, foundIn, kind, count }: PageLink) => ({ text, found_in: foundIn, kind, count })

const toEntry = ({ link, checked }: LinkOutcome) => ({
  url: link.url,
  status: checked.status,
  reason: checked.reason ?? '',
  error: checked.error ?? '',
  final_url: checked.final_url === link.url ? null : checked.final_url,
  ...toPlace(link),
})

const toRedirect = ({ link, checked }: LinkOutcome) => ({
  url: link.url,
  status: checked.statuses[0] ?? null,
  final_url: checked.final_url ?? link.url,
  final_status: checked.status,
  permanent: checked.statuses.slice(0, -1).every(status => permanent.has(status)),
  redirects: checked.statuses.length - 1,
  ...toPlace(link),
})

const toSoft404Hint = ({ link, checked }: LinkOutcome) => ({
  url: link.url,
  status: checked.status,
  final_url: checked.final_url ?? link.url,
  hint: checked.soft404 ?? '',
  ...toPlace(link),
})

const toMissingAnchors = ({ link, missing }: LinkOutcome) =>
  missing.map(fragment => ({ url: link.url, fragment, ...toPlace(link) }))

/** An outcome that needs no request: written so that nobody can ask for it. */
export const skippedOutcome = (link: PageLink): LinkOutcome => {
  const nowhere = link.skip === 'no_address'
  const error = nowhere ? 'It is no address.' : 'It is not fetched over HTTP, or too long to be.'
  const verdict = { state: nowhere ? 'broken' : 'skipped', status: null, reason: link.skip, error } as const
  return {
    link,
    checked: { ...verdict, final_url: null, statuses: [], soft404: null, page: null },
    missing: [],
  }
}

/** The page itself, which was just read. */
export const itself = (link: PageLink, status: number, missing: string[]): LinkOutcome => {
  const verdict = { state: 'ok', status, reason: null, error: null, final_url: link.url } as const
  return { link, checked: { ...verdict, statuses: [status], soft404: null, page: null }, missing }
}

const wasRequested = ({ checked }: LinkOutcome) =>
  checked.statuses.length > 0 || !untriedReasons.has(checked.reason ?? '')

const untriedReasons = new Set(['not_reached', 'host_limits', 'target_limit', 'no_address', 'not_visited'])

/** Outcomes sorted into the lists of the answer, each with its count. */
export const toReport = (outcomes: readonly LinkOutcome[]) => {
  const inState = (state: LinkResult['state']) => outcomes.filter(({ checked }) => checked.state === state)
  const fine = inState('ok')
  const redirects = fine.filter(({ checked }) => checked.statuses.length > 1)
  const soft = fine.filter(({ checked }) => checked.soft404 !== null)
  const broken = inState('broken').map(toEntry)
  const blocked = inState('blocked').map(toEntry)
  const skipped = inState('skipped').map(toEntry)
  const timedOut = inState('late').map(toEntry)
  const unknown = inState('unknown').map(toEntry)
  const missing = outcomes.flatMap(toMissingAnchors)
  return {
    checked: outcomes.filter(outcome => outcome.link.skip === null && wasRequested(outcome)).length,
    ok: fine.length,
    broken,
    broken_count: broken.length,
    blocked,
    blocked_count: blocked.length,
    redirected: redirects.map(toRedirect),
    redirected_count: redirects.length,
    skipped: skipped.slice(0, maxSkipped),
    skipped_count: skipped.length,
    timed_out: timedOut,
    timed_out_count: timedOut.length,
    unknown,
    unknown_count: unknown.length,
    soft_not_found: soft.map(toSoft404Hint),
    soft_not_found_count: soft.length,
    missing_fragments: missing,
    missing_fragment_count: missing.length,
  }
}
