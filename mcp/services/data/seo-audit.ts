import { z } from 'zod'
import { countText } from '../../lib/text/count.ts'
import { AddressInput, parseAddress, toHostname } from './address.ts'
import type { Note } from './meta.ts'
import { visit } from './page/fetch-page.ts'
import { toAnswerFields } from './seo/answer-fields.ts'
import { toAudit } from './seo/audit.ts'
import { checkCanonical } from './seo/canonical.ts'
import { refuseOtherPage } from './seo/closed-statuses.ts'
import { facts as extractor, type SeoFacts } from './seo/facts.ts'
import { output } from './seo/output.ts'
import { readRobots } from './seo/robots.ts'
import { gradeAudit, seoRules } from './seo/score.ts'
import { skill } from './skill.ts'

/** Pages that people made are far smaller. */
const maxNodes = 100_000

const notes = (isShell: boolean, { isCut }: SeoFacts, isUnread: boolean): Note[] => [
  ...(isShell
    ? [{ code: 'spa_shell', message: 'The page is empty until scripts run, which this audit does not do.' }]
    : []),
  ...(isCut ? [{ code: 'words_cut', message: 'Only the first million characters were counted.' }] : []),
  ...(isUnread
    ? [{ code: 'canonical_unknown', message: 'The canonical page could not be read just now.' }]
    : []),
]

export default skill({
  id: 'seo-audit',
  argument: 'url',
  price: '0.004',
  tags: ['web', 'seo', 'audit'],
  keywords: ['alt', 'rank', 'meta', 'google', 'optimisation', 'onpage'],
  openWorld: true,
  cacheSec: 60,
  key: ({ url }) => parseAddress(url),
  target: ({ url }) => toHostname(url),
  main: 'issues',
  title: 'Audit a page for search engines',
  description: `Scores a page from 0 to 100 by ${seoRules.length} rules (title, description, headings, canonical, robots, OpenGraph, image texts, words, links, hreflang and more) and lists the issues by severity, each with a fix. Free over A2A and MCP, else 0.004 USD.`,
  input: z.object({ url: AddressInput }),
  output,
  needs: ['fetch', 'workers'],
  examples: [{ url: 'http://example.com/' }],
  summary: ({ final_url: finalUrl, score, grade, issue_count: issueCount }) =>
    `${finalUrl} scores ${score} of 100 (${grade}), with ${countText(issueCount, 'issue')}.`,
}).run(async ({ signal, clock, ...ports }, { url: input }) => {
  const url = parseAddress(input) ?? input
  const {
    fetched,
    result: facts,
    ...visitFields
  } = await visit(ports, url, extractor, {
    options: {},
    mostNodes: maxNodes,
    signal,
  })
  refuseOtherPage(fetched)
  const lines = fetched.hops.at(-1)?.headers['x-robots-tag'] ?? []
  const robots = readRobots(facts.robots, lines, clock.now())
  const canonical = await checkCanonical(ports, facts.canonicals, { url: fetched.url, signal })

  const audit = toAudit(facts, { url: fetched.url, status: fetched.status, robots, canonical })
  const { counts, issues, passed, ...graded } = gradeAudit(audit)
  const isUnread = canonical.href !== null && canonical.ok === null
  return {
    url,
    final_url: fetched.url,
    status: fetched.status,
    ...graded,
    ...toAnswerFields(audit),
    issues,
    issue_count: issues.length,
    severities: counts,
    passed,
    passed_count: passed.length,
    about: {
      sources: [fetched.url, ...(canonical.self === false && canonical.href ? [canonical.href] : [])],
      warnings: [...visitFields.warnings, ...notes(audit.is_shell, facts, isUnread)],
      truncated: visitFields.truncated || facts.isCut,
    },
  }
})
