import type { Rule, RuleFinding } from '../rule.ts'

const canonicalFinding = (problems: readonly string[], isOk: boolean): RuleFinding => ({
  severity: isOk ? 'low' : 'high',
  message: problems.join(' '),
  fix: 'Name one full address in the head that answers with 200, names itself and may be indexed.',
  lost: isOk ? 0.3 : 1,
})

/** True when search engines get and keep the page. */
export const crawlingRules: readonly Rule[] = [
  {
    id: 'http-status',
    weight: 8,
    check: ({ status }) =>
      status < 400
        ? 'passed'
        : {
            severity: 'critical',
            message: `The page answers with status ${status} and is not indexed.`,
            fix: 'Answer with 200, or redirect to the page that took its place.',
          },
  },
  {
    id: 'is-crawlable',
    weight: 10,
    check({ robots }) {
      if (!robots.index)
        return {
          severity: 'critical',
          message: `Search engines are told not to index the page: ${robots.directives.join(', ')}.`,
          fix: 'Remove noindex from the meta element or the X-Robots-Tag header if the page is to be found.',
        }
      if (robots.follow) return 'passed'
      return {
        severity: 'medium',
        message: 'Search engines are told to follow no link of the page (nofollow).',
        fix: 'Remove nofollow for the page; mark single links instead.',
        lost: 0.3,
      }
    },
  },
  {
    id: 'canonical',
    weight: 5,
    check({ canonical: { href, ok, problems } }) {
      if (ok === false) return canonicalFinding(problems, false)
      if (href === null)
        return {
          severity: 'low',
          message: 'The page names no canonical address.',
          fix: 'Add <link rel="canonical"> with the full address of the page to the head.',
          lost: 0.5,
        }
      if (problems.length > 0) return canonicalFinding(problems, true)
      return ok === null ? null : 'passed'
    },
  },
  {
    id: 'https',
    weight: 4,
    check: ({ url }) =>
      url.startsWith('https:')
        ? 'passed'
        : {
            severity: 'high',
            message: 'The page is not served over HTTPS.',
            fix: 'Serve it over HTTPS and redirect http addresses there with 301.',
          },
  },
  {
    id: 'meta-refresh',
    weight: 1,
    check: ({ facts: { refresh } }) =>
      refresh === null
        ? 'passed'
        : {
            severity: 'medium',
            message: 'The page reloads or moves on by a meta element.',
            fix: 'Redirect with status 301 instead.',
          },
  },
]
