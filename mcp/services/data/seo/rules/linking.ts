import type { Rule } from '../rule.ts'

/** Rules for the links of a page, as crawlers and readers take them. */
export const linkingRules: readonly Rule[] = [
  {
    id: 'link-text',
    weight: 2,
    check({ facts: { links } }) {
      const total = links.internal + links.external
      if (total === 0) return null
      const bad = links.vague + links.unnamed
      if (bad === 0) return 'passed'
      const examples = links.vagueLinks.slice(0, 3).map(({ text }) => `"${text}"`)
      const such = examples.length > 0 ? `, such as ${examples.join(', ')}` : ''
      return {
        severity: 'low',
        message: `${links.vague} links do not say where they lead${such}; ${links.unnamed} have no text at all.`,
        fix: 'Name the page that a link leads to in its text.',
        lost: Math.min(1, bad / total),
      }
    },
  },
  {
    id: 'crawlable-anchors',
    weight: 3,
    check({ facts: { links } }) {
      if (links.uncrawlable === 0) return links.internal + links.external > 0 ? 'passed' : null
      return {
        severity: 'medium',
        message: `${links.uncrawlable} links have no address that a crawler can follow.`,
        fix: 'Give each link an href with an address, and use buttons for actions.',
      }
    },
  },
  {
    id: 'hreflang',
    weight: 3,
    check({ versions, versionIssues }) {
      if (versions.length === 0) return null
      const serious = versionIssues.filter(({ severity }) => severity !== 'low')
      if (serious.length === 0) return 'passed'
      const [first] = serious
      return {
        severity: 'medium',
        message: `${serious.length} problems with language versions. ${first?.message ?? ''}`,
        fix: 'The skill lang-hreflang lists them all.',
        lost: Math.min(1, serious.length / versions.length),
      }
    },
  },
]
