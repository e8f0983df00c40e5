import type { Element } from '../../../lib/page/element.ts'
import { extractor, type PageView } from '../../../lib/page/extractor.ts'
import { readBase } from '../../../lib/page/link.ts'
import { firstValue, readMetaTags, tagsUnder } from '../../../lib/page/meta-tags.ts'
import { clean } from '../../../lib/text/clean.ts'
import { type Alternate, readAlternates } from '../language/alternates.ts'
import { parseLanguageTag } from '../language/tag.ts'
import { openReadingBudget } from '../structured/budget.ts'
import { shortType } from '../structured/item.ts'
import { readJsonLd, typesInJson } from '../structured/jsonld.ts'
import { type Canonicals, readCanonicals } from './canonicals.ts'
import { readContent } from './content-reader.ts'
import { readNamedMeta } from './named-meta.ts'

/** Types of structured data in a page, and how many blocks of JSON-LD are no valid JSON. */
type Types = { types: string[]; broken: number }

const maxTypes = 50

/** Types of JSON-LD and those `marked` in microdata and RDFa, each once; those of schema.org by their short names. */
const readTypes = (document: Element, markedTypes: readonly string[]): Types => {
  const { items, errors } = readJsonLd(document, openReadingBudget())
  const all = [...items.flatMap(({ data }) => typesInJson(data)), ...markedTypes]
  const types = new Set(all.flatMap(type => clean(shortType(type), 100) ?? []))
  return { types: [...types].slice(0, maxTypes), broken: errors.length }
}

/** All that the rules judge of a page itself: plain data. */
export type SeoFacts = ReturnType<typeof readContent> & {
  title: string | null
  titleCount: number
  description: string | null
  descriptionCount: number
  canonicals: Canonicals
  /** Directives of `meta` elements for robots, by their name. */
  robots: { name: string; content: string }[]
  open_graph: Record<string, string> | null
  twitter_card: Record<string, string> | null
  lang: string | null
  viewport: string | null
  alternates: Alternate[]
  alternateCount: number
  types: Types
  refresh: string | null
}

const readTitles = (document: Element): string[] =>
  [...document.querySelectorAll('title')]
    .filter(title => !isInDrawing(title))
    .slice(0, 10)
    .map(title => clean(title.textContent, 1000) ?? '')

const isInDrawing = (title: Element): boolean => {
  for (let around = title.parentNode; around; around = around.parentNode)
    if (around.localName === 'svg') return true
  return false
}

const crawlers = ['robots', 'googlebot', 'bingbot']

export const facts = extractor(
  import.meta.url,
  'facts',
  ({ document, url, headers, markup }: PageView): SeoFacts => {
    const base = readBase(document, url)
    const tags = readMetaTags(document)
    const titles = readTitles(document)
    const html = document.querySelector('html')
    const namedMeta = readNamedMeta(document)
    const lang = clean(html?.getAttribute('lang') || html?.getAttribute('xml:lang'), 100)
    const language = lang === null ? null : parseLanguageTag(lang).language
    const descriptions = namedMeta('description')
    const content = readContent(document, { base, url, language })
    const { alternates, total } = readAlternates(document, base, { url, headers, markup })
    return {
      title: titles[0] || null,
      titleCount: titles.length,
      description: descriptions[0] ?? null,
      descriptionCount: descriptions.length,
      canonicals: readCanonicals(document, base, { url, headers, markup }),
      robots: crawlers.flatMap(name => namedMeta(name).map(content => ({ name, content }))),
      open_graph: tagsUnder(tags, 'og:', base),
      twitter_card: tagsUnder(tags, 'twitter:', base),
      lang,
      viewport: namedMeta('viewport')[0] ?? null,
      alternates,
      alternateCount: total,
      types: readTypes(document, content.marked),
      refresh: firstValue(tags, 'refresh'),
      ...content,
    }
  },
  { heavy: true, ms: 6000 },
)
