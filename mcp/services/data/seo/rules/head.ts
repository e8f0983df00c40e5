import { parseLanguageTag } from '../../language/tag.ts'
import type { Rule, RuleFinding } from '../rule.ts'
import type { Line } from '../snippet-line.ts'

const width = (
  what: string,
  { length, pixels, verdict }: Line,
  goal: string,
): RuleFinding | 'passed' | null => {
  if (verdict === 'missing') return null
  if (verdict === 'ok') return 'passed'
  const isLong = verdict === 'long'
  return {
    severity: isLong ? 'medium' : 'low',
    message: `The ${what} is too ${verdict}: ${length} characters, about ${pixels} pixels.`,
    fix: isLong
      ? `Shorten it to ${goal}, so that results show all of it.`
      : `Use the room there is: ${goal}.`,
    lost: isLong ? 1 : 0.5,
  }
}

const viewportFinding = (message: string, penalty: number): RuleFinding => ({
  severity: penalty === 1 ? 'high' : penalty > 0.4 ? 'medium' : 'low',
  message,
  fix: 'Add <meta name="viewport" content="width=device-width, initial-scale=1">.',
  lost: penalty,
})

/** Rules for the words of a page's head to search engines and browsers. */
export const headRules: readonly Rule[] = [
  {
    id: 'document-title',
    weight: 10,
    check({ facts: { title, titleCount } }) {
      if (title === null)
        return {
          severity: 'high',
          message: 'The page has no title.',
          fix: 'Add a <title> that says what this page is about, different on every page.',
        }
      if (titleCount < 2) return 'passed'
      return {
        severity: 'low',
        message: `The page has ${titleCount} title elements; only the first counts.`,
        fix: 'Keep one title.',
        lost: 0.2,
      }
    },
  },
  {
    id: 'title-length',
    weight: 4,
    check: ({ title }) => width('title', title, 'some 30 to 60 characters (200 to 580 pixels)'),
  },
  {
    id: 'meta-description',
    weight: 8,
    check({ facts: { description, descriptionCount } }) {
      if (description === null)
        return {
          severity: 'medium',
          message: 'The page has no meta description.',
          fix: 'Add <meta name="description"> with one or two sentences about this page.',
        }
      if (descriptionCount < 2) return 'passed'
      return {
        severity: 'low',
        message: `The page has ${descriptionCount} descriptions.`,
        fix: 'Keep one description.',
        lost: 0.3,
      }
    },
  },
  {
    id: 'meta-description-length',
    weight: 2,
    check: ({ description }) =>
      width('description', description, 'some 70 to 155 characters (400 to 985 pixels)'),
  },
  {
    id: 'html-lang',
    weight: 4,
    check({ facts: { lang } }) {
      const fix = 'Set the lang attribute of the html element, such as lang="en".'
      if (lang === null)
        return { severity: 'medium', message: 'The page does not say which language it is in.', fix }
      const { valid, problem, suggestion } = parseLanguageTag(lang)
      if (valid) return 'passed'
      const advice = suggestion === null ? '' : ` Write ${suggestion}.`
      return { severity: 'medium', message: `The language "${lang}" ${problem}.${advice}`, fix, lost: 0.6 }
    },
  },
  {
    id: 'viewport',
    weight: 5,
    check({ facts: { viewport } }) {
      if (viewport === null) return viewportFinding('The page has no viewport, so phones show it small.', 1)
      if (!/(?:width\s*=\s*device-width|initial-scale\s*=\s*\d)/i.test(viewport))
        return viewportFinding('The viewport does not follow the width of the device.', 0.6)
      if (/user-scalable\s*=\s*(?:no|0)|maximum-scale\s*=\s*(?:0|1(?:\.\d+)?)(?![\d.])/i.test(viewport))
        return viewportFinding('The viewport keeps readers from enlarging the page.', 0.3)
      return 'passed'
    },
  },
]
