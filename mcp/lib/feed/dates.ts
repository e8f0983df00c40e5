import { clean } from '../text/clean.ts'
import { readDate } from './date.ts'
import { childrenOf, type Node, textIn } from './tree.ts'

/** A date, and how the feed writes it. A text that is no date keeps its text. */
export type Dated = { date: string | null; raw: string | null }

const published = ['pubdate', 'published', 'issued', 'dcterms:issued', 'dcterms:available', 'dc:date']
const changed = ['updated', 'modified', 'dcterms:modified', 'lastbuilddate', 'lastmod']
const created = ['created', 'dcterms:created', 'dcterms:date']

const firstOf = (node: Node, names: readonly string[]): Dated => {
  const written = childrenOf(node, ...names).flatMap(child => clean(textIn(child), 100) ?? [])
  for (const raw of written) {
    const date = readDate(raw)
    if (date !== null) return { date, raw }
  }
  return { date: null, raw: written[0] ?? null }
}

/** When an item was published; where that is not said, when it was changed or made. */
export const dateOf = (node: Node): Dated => {
  const attribute = node.attributes.lastmod
  if (attribute) return { date: readDate(attribute), raw: clean(attribute, 100) }
  const first = firstOf(node, published)
  const found = first.date ? first : firstOf(node, [...published, ...changed, ...created])
  return found.date ? found : { date: null, raw: first.raw ?? found.raw }
}

/** When an item was last changed; null when that is not said. */
export const changeOf = (node: Node): string | null => firstOf(node, changed).date

/** When a feed was last changed or published. */
export const updateOf = (node: Node): string | null =>
  firstOf(node, [...changed, 'dc:date', 'pubdate', 'published', 'dcterms:created', 'created']).date
