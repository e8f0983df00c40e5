import type { Rule } from '../rule.ts'

/** Rules for what is shown where the page is shared, and what machines understand of it. */
export const sharingRules: readonly Rule[] = [
  {
    id: 'open-graph',
    weight: 4,
    check({ facts: { open_graph: openGraph }, openGraphMissing: missing }) {
      const fix = 'Add og:title, og:description, og:type, og:url and og:image to the head.'
      if (openGraph === null) return { severity: 'medium', message: 'The page has no OpenGraph tags.', fix }
      if (missing.length === 0) return 'passed'
      const names = missing.map(name => `og:${name}`).join(', ')
      return { severity: 'low', message: `The page lacks ${names}.`, fix, lost: missing.length / 5 }
    },
  },
  {
    id: 'twitter-card',
    weight: 2,
    check({ twitterMissing: missing }) {
      if (missing.length === 0) return 'passed'
      const names = missing.map(name => `twitter:${name}`).join(', ')
      return {
        severity: 'low',
        message: `The page lacks ${names}, and OpenGraph does not stand in for it.`,
        fix: 'Add <meta name="twitter:card" content="summary_large_image">; the rest may come from OpenGraph.',
        lost: missing.length / 4,
      }
    },
  },
  {
    id: 'structured-data',
    weight: 2,
    check({ facts: { types } }) {
      if (types.broken > 0)
        return {
          severity: 'medium',
          message: `${types.broken} blocks of JSON-LD cannot be read.`,
          fix: 'Mend the JSON; one mistake makes the whole block void.',
        }
      if (types.types.length > 0) return 'passed'
      return {
        severity: 'low',
        message: 'The page has no structured data.',
        fix: 'Describe what it is about with a schema.org type in JSON-LD.',
      }
    },
  },
]
