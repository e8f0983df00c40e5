import { z } from 'zod'
import { type PageLink, pageLinks } from '../../lib/page/links/page-links.ts'
import { AddressInput, parseAddress, toHostname } from './address.ts'
import { checkAll, polite } from './links/check-all.ts'
import { output } from './links/output.ts'
import { itself, skippedOutcome, toReport } from './links/report.ts'
import type { Note } from './meta.ts'
import { visit } from './page/fetch-page.ts'
import { refuseOtherPage } from './seo/closed-statuses.ts'
import { skill } from './skill.ts'

/** Pages that people made are far smaller. */
const maxNodes = 100_000

const cuts = (notChecked: number, late: number): Note[] => [
  ...(notChecked > 0
    ? [{ code: 'limit_reached', message: `${notChecked} more addresses were not checked: raise limit.` }]
    : []),
  ...(late > 0
    ? [{ code: 'time_up', message: `${late} addresses were not reached in time; they are in timed_out.` }]
    : []),
]

const say = (url: string, total: number, brokenCount: number): string => {
  if (brokenCount === 0) return `${url}: none of ${total} links is known to be broken.`
  return `${url}: ${brokenCount} of ${total} links ${brokenCount === 1 ? 'is' : 'are'} broken.`
}

export default skill({
  id: 'broken-links',
  argument: 'url',
  price: '0.01',
  tags: ['web', 'links', 'audit'],
  keywords: ['dead', '404', 'missing', 'not', 'check', 'external'],
  openWorld: true,
  partial: true,
  cacheSec: 300,
  key: ({ url, limit, fragments }) => [parseAddress(url), limit, fragments],
  target: ({ url }) => toHostname(url),
  main: 'broken',
  title: 'Find the broken links of a page',
  description:
    'Asks for every link, image, script and style sheet of a page and tells broken ones from blocked, redirected and unanswered ones, with status, reason and link text. Takes up to 20 s. Free over A2A and MCP, else 0.01 USD.',
  input: z.object({
    url: AddressInput,
    limit: z.number().int().min(1).max(100).default(50).describe('Most addresses to check'),
    fragments: z.boolean().default(false).describe('Also check that #fragments name something'),
  }),
  output,
  needs: ['fetch', 'dns', 'workers'],
  examples: [{ url: 'http://example.com/' }],
  summary: ({ final_url: finalUrl, total, broken_count: brokenCount }) => say(finalUrl, total, brokenCount),
}).run(async ({ signal, ...ports }, { url: input, limit, fragments }) => {
  const began = performance.now()
  const url = parseAddress(input) ?? input
  const {
    fetched,
    result,
    warnings,
    truncated: pageCut,
  } = await visit(ports, url, pageLinks, { options: {}, mostNodes: maxNodes, signal })
  refuseOtherPage(fetched)
  const { links, total, self, missing } = result

  const open = links.filter(({ skip }) => skip === null)
  const isSelf = (link: PageLink) => link.url === self
  const pickedLinks = open.slice(0, limit)
  const limits = { ...polite, wholeMs: polite.wholeMs - (performance.now() - began) }
  const outcomes = await checkAll(
    { ...ports, signal },
    pickedLinks.filter(link => !isSelf(link)),
    { fragments, limits },
  )
  const report = toReport([
    ...pickedLinks.filter(isSelf).map(link => itself(link, fetched.status, fragments ? missing : [])),
    ...outcomes,
    ...links.filter(({ skip }) => skip !== null).map(skippedOutcome),
  ])

  const notChecked =
    total -
    report.ok -
    report.broken_count -
    report.blocked_count -
    report.skipped_count -
    report.timed_out_count -
    report.unknown_count
  const late = outcomes.filter(({ checked }) => checked.reason === 'not_reached').length
  const isAtLimit = outcomes.some(({ checked }) => checked.reason === 'target_limit')
  const truncated = pageCut || notChecked > 0 || late > 0 || isAtLimit
  return {
    url,
    final_url: fetched.url,
    status: fetched.status,
    total,
    ...report,
    not_checked: notChecked,
    truncated,
    duration_ms: Math.round(performance.now() - began),
    about: {
      sources: [fetched.url],
      truncated,
      warnings: [...warnings, ...cuts(notChecked, late)],
    },
    ...(report.timed_out_count > 0 && { keepSec: 60 }),
  }
})
