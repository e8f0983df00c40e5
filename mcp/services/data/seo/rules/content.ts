import type { Heading } from '../content-reader.ts'
import type { Rule } from '../rule.ts'

/** The first heading that is more than one level below the one before it. */
export const skippedAt = (headings: readonly Heading[]): Heading | undefined =>
  headings.find(({ level }, n) => level > (headings[n - 1]?.level ?? level) + 1)

const percent = (share: number) => `${Math.round(share * 100)}%`

/** Rules for what readers find on a page. */
export const contentRules: readonly Rule[] = [
  {
    id: 'h1',
    weight: 5,
    check: ({ facts: { headings } }) =>
      headings.some(({ level, text }) => level === 1 && text !== '')
        ? 'passed'
        : {
            severity: 'high',
            message: 'The page has no h1 heading with text.',
            fix: 'Put the subject of the page into an <h1>.',
          },
  },
  {
    id: 'h1-single',
    weight: 1,
    check({ facts: { headings } }) {
      const count = headings.filter(({ level }) => level === 1).length
      if (count < 2) return count === 1 ? 'passed' : null
      return {
        severity: 'low',
        message: `The page has ${count} h1 headings.`,
        fix: 'HTML allows several, yet one makes the subject clear: turn the others into h2.',
      }
    },
  },
  {
    id: 'heading-order',
    weight: 2,
    check({ facts: { headings } }) {
      if (headings.length === 0) return null
      const skip = skippedAt(headings)
      if (!skip) return 'passed'
      return {
        severity: 'low',
        message: `Levels of headings are left out before the h${skip.level} "${skip.text}".`,
        fix: 'Go down one level at a time.',
      }
    },
  },
  {
    id: 'word-count',
    weight: 5,
    check({ facts: { word_count: wordCount }, is_shell: isShell }) {
      if (isShell) return null
      if (wordCount >= 300) return 'passed'
      const isThin = wordCount < 100
      return {
        severity: isThin ? 'medium' : 'low',
        message: `The main text has ${wordCount} words.`,
        fix: 'Say more about the subject where readers would want it; there is no magic number.',
        lost: isThin ? 1 : 0.4,
      }
    },
  },
  {
    id: 'spa-shell',
    weight: 3,
    check: ({ is_shell: isShell }) =>
      isShell
        ? {
            severity: 'medium',
            message: 'The page is empty until its scripts have run; this audit and many crawlers run none.',
            fix: 'Render the page on the server or in advance.',
          }
        : 'passed',
  },
  {
    id: 'image-alt',
    weight: 7,
    check({ facts: { images } }) {
      const { total, missing_alt: missingAlt } = images
      if (total === 0) return null
      if (missingAlt === 0) return 'passed'
      const share = missingAlt / total
      return {
        severity: share > 0.5 ? 'high' : 'medium',
        message: `${missingAlt} of ${total} images (${percent(share)}) have no alternative text.`,
        fix: 'Describe each image in its alt attribute; alt="" for those that are decoration.',
        lost: share,
      }
    },
  },
]
