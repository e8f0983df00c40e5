import { extractor, type PageView } from '../../../lib/page/extractor.ts'
import { readBase } from '../../../lib/page/link.ts'
import { lookUp } from '../../../lib/page/lookup.ts'
import { parsePage } from '../../../lib/page/parse-page.ts'
import { openReadingBudget } from './budget.ts'
import { readDublinCore } from './dublincore.ts'
import { type Format, formats, type Item, shortType } from './item.ts'
import { type BlockError, readJsonLd, typesInJson } from './jsonld.ts'
import { type Microdata, readMicrodata, typesIn } from './microdata.ts'
import { readOpenGraph } from './opengraph.ts'
import { readRdfa } from './rdfa.ts'

export type StructuredData = {
  /** How many items there are in each format. */
  formats: Record<Format, number>
  /** Types in JSON-LD, microdata and RDFa, nested ones too, the most frequent first. */
  types: string[]
  type_counts: Record<string, number>
  items: Item[]
  errors: BlockError[]
  truncated: boolean
}

const limits = { items: 5000, errors: 100 }

const itemTypes = ({ format, types, data }: Item): string[] => {
  if (format === 'jsonld') return typesInJson(data).map(shortType)
  if (format === 'microdata') return typesIn(data as Microdata).map(shortType)
  return format === 'rdfa' ? types : []
}

const countTypes = (types: readonly string[]): [string, number][] => {
  const counts = new Map<string, number>()
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}

const collectStructured = ({ document: page, url }: Pick<PageView, 'document' | 'url'>): StructuredData => {
  const document = lookUp(page)
  const base = readBase(document, url)
  const budget = openReadingBudget()
  const { items: jsonld, errors } = readJsonLd(document, budget)
  const all = [
    ...jsonld,
    ...readMicrodata(document, base, budget),
    ...readRdfa(document, base, budget),
    ...readOpenGraph(document),
    ...readDublinCore(document),
  ]
  const counts = countTypes(all.flatMap(itemTypes))
  return {
    formats: Object.fromEntries(
      formats.map(format => [format, all.filter(item => item.format === format).length]),
    ) as Record<Format, number>,
    types: counts.map(([type]) => type),
    type_counts: Object.fromEntries(counts),
    items: all.slice(0, limits.items),
    errors: errors.slice(0, limits.errors),
    truncated: budget.isSpent || all.length > limits.items,
  }
}

/** A page's words on itself in the formats for machines. */
export const structuredExtractor = extractor(import.meta.url, 'structuredExtractor', collectStructured, {
  heavy: true,
})

/** The same of markup that was found at `url`. */
export const readStructured = async (markup: string, url: string): Promise<StructuredData> => {
  const { document } = await parsePage(markup)
  return collectStructured({ document, url })
}
