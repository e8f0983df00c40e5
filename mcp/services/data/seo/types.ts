import type { Element } from '../../../lib/page/element.ts'
import { clean } from '../../../lib/text/clean.ts'
import { openBudget } from '../structured/budget.ts'
import { shortType } from '../structured/item.ts'
import { readJsonLd, typesInJson } from '../structured/jsonld.ts'

/** Types of structured data in a page, and how many blocks of JSON-LD are no valid JSON. */
export type Types = { types: string[]; broken: number }

const maxTypes = 50

/** Types of JSON-LD and those `marked` in microdata and RDFa, each once; those of schema.org by their short names. */
export const readTypes = (document: Element, markedTypes: readonly string[]): Types => {
  const { items, errors } = readJsonLd(document, openBudget())
  const all = [...items.flatMap(({ data }) => typesInJson(data)), ...markedTypes]
  const types = new Set(all.flatMap(type => clean(shortType(type), 100) ?? []))
  return { types: [...types].slice(0, maxTypes), broken: errors.length }
}
