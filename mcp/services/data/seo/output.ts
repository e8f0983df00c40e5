import { z } from 'zod'
import { grades } from './rule.ts'
import { lineVerdicts } from './snippet-line.ts'

const text = (what: string) => z.string().nullable().describe(what)
const count = (what: string) => z.number().int().describe(what)
const list = (what: string) => z.array(z.string()).describe(what)

const line = z.object({
  text: text('The text'),
  length: count('Characters'),
  pixels: count('Estimated width on a page of results'),
  verdict: z.enum(lineVerdicts).describe('Whether it is shown in full and uses its room'),
})

const heading = z.object({ level: count('1 to 6'), text: z.string().describe('Its text') })

const levels = z.object({
  h1: count('Of level 1'),
  h2: count('Of level 2'),
  h3: count('Of level 3'),
  h4: count('Of level 4'),
  h5: count('Of level 5'),
  h6: count('Of level 6'),
})

export const output = z.object({
  url: z.string().describe('The page, absolute'),
  final_url: z.string().describe('Where its redirects led'),
  status: count('HTTP status of the page'),
  score: count('0 to 100: the weights of what is right; 40 at most with a critical issue'),
  grade: z.enum(['A', 'B', 'C', 'D', 'F']).describe('A from 90, B from 80, C from 70, D from 60'),
  title: line.describe('The title element'),
  meta_description: line.describe('The meta description'),
  h1: z
    .object({ count: count('h1 headings'), texts: list('Their texts, at most ten') })
    .describe('h1 headings'),
  headings: z
    .object({
      count: count('All headings'),
      levels: levels.describe('Headings by level'),
      outline: z.array(heading).describe('Headings in their order, at most 100'),
      skips_levels: z.boolean().describe('True when a level is left out'),
    })
    .describe('Headings that are not hidden'),
  canonical: z
    .object({
      href: text('Canonical address, absolute'),
      self: z.boolean().nullable().describe('True when it is this page; null without one'),
      ok: z
        .boolean()
        .nullable()
        .describe('Whether it can be followed; null when there is none or nobody knows'),
      chain: list('Where it leads: more than one entry is a chain'),
      problems: list('What is wrong or doubtful with it'),
    })
    .describe('Canonical address; one that is not the page was visited'),
  robots: z
    .object({
      index: z.boolean().describe('May be indexed'),
      follow: z.boolean().describe('Links may be followed'),
      source: z.enum(['meta', 'header', 'both']).nullable().describe('Where directives stand'),
      directives: list('The directives'),
    })
    .describe('Directives for robots; robots.txt is not asked'),
  open_graph: z
    .object({ present: z.boolean().describe('There are some'), missing: list('Names that are missing') })
    .describe('OpenGraph tags'),
  twitter_card: z
    .object({
      present: z.boolean().describe('There are some'),
      card: text('Kind of card'),
      missing: list('Names that neither it nor OpenGraph has'),
    })
    .describe('Twitter card tags'),
  images: z
    .object({
      total: count('All images'),
      with_alt: count('With a text'),
      empty_alt: count('Decoration: alt is empty'),
      missing_alt: count('Without alt'),
      coverage: z.number().nullable().describe('Share that is not missing it, 0 to 1; null without images'),
      missing: list('Addresses of those without, at most 20'),
    })
    .describe('Alternative texts of images'),
  word_count: count('Words of the main text, without menus, header and footer'),
  lang: text('Declared language'),
  viewport: text('Viewport'),
  hreflang: z
    .object({
      count: count('Language versions'),
      invalid: count('Those with a wrong tag or no address'),
      self: z.boolean().nullable().describe('Whether the page is among them; null without any'),
    })
    .describe('Language versions'),
  structured_data: z
    .object({
      types: list('Types of JSON-LD, microdata and RDFa, at most 50'),
      count: count('Different types'),
      broken: count('Blocks of JSON-LD that are no JSON'),
    })
    .describe('Structured data'),
  links: z
    .object({
      total: count('Links to pages'),
      internal: count('To the same host'),
      external: count('To other hosts'),
      nofollow: count('With nofollow, ugc or sponsored'),
      vague: count('With a text that says nothing'),
      unnamed: count('Without a text'),
      uncrawlable: count('Without an address to follow'),
    })
    .describe('Links of the page'),
  is_shell: z.boolean().describe('True when the page is empty until scripts run'),
  issues: z
    .array(
      z.object({
        id: z.string().describe('The rule'),
        severity: z.enum(grades).describe('How much it matters'),
        message: z.string().describe('The issue in a sentence'),
        fix: z.string().describe('What to do'),
      }),
    )
    .describe('What to mend, the worst first'),
  issue_count: count('Issues'),
  severities: z
    .object({ critical: count('Critical'), high: count('High'), medium: count('Medium'), low: count('Low') })
    .describe('Issues by severity'),
  passed: list('Rules that are kept'),
  passed_count: count('Rules that are kept'),
})
