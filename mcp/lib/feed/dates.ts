import { clean } from '../text/clean.ts'
import { readDate } from './date.ts'
import { childrenNamed, type Node, textIn } from './tree.ts'

/** A date, and how the feed writes it. A text that is no date keeps its text. */
export type DateReading = { date: string | null; raw: string | null }

const publishedNames = ['pubdate', 'published', 'issued', 'dcterms:issued', 'dcterms:available', 'dc:date']
const changedNames = ['updated', 'modified', 'dcterms:modified', 'lastbuilddate', 'lastmod']
const createdNames = ['created', 'dcterms:created', 'dcterms:date']

const readFirstDate = (node: Node, names: readonly string[]): DateReading => {
  const texts = childrenNamed(node, ...names).flatMap(child => clean(textIn(child), 100) ?? [])
  for (const raw of texts) {
    const date = readDate(raw)
    if (date !== null) return { date, raw }
  }
  return { date: null, raw: texts[0] ?? null }
}

/** When an item was published; where that is not said, when it was changed or made. */
export const readPublished = (node: Node): DateReading => {
  const attribute = node.attributes.lastmod
  if (attribute) return { date: readDate(attribute), raw: clean(attribute, 100) }
  const first = readFirstDate(node, publishedNames)
  const reading = first.date
    ? first
    : readFirstDate(node, [...publishedNames, ...changedNames, ...createdNames])
  return reading.date ? reading : { date: null, raw: first.raw ?? reading.raw }
}

/** When an item was last changed; null when that is not said. */
export const readChanged = (node: Node): string | null =>
  readFirstDate(node, changedNames).date ?? readDate(node.attributes.lastmod ?? '')

/** When a feed was last changed or published. */
export const readUpdated = (node: Node): string | null =>
  readFirstDate(node, [...changedNames, 'dc:date', 'pubdate', 'published', 'dcterms:created', 'created']).date
