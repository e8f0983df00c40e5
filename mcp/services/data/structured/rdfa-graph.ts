import { cleanText } from '../../../lib/text/clean.ts'
import type { ReadingBudget } from './budget.ts'
import { type Item, toItem } from './item.ts'

/** A value as expanded JSON-LD has it. */
export type Value =
  | { '@id': string }
  | { '@value': string; '@language'?: string; '@type'?: string }
  | { '@list': Value[] }

/** Statements as they are found; each counts once. */
export const openGraph = (budget: ReadingBudget) => {
  const nodes = new Map<string, Map<string, Value[]>>()
  const statements = new Set<string>()
  let blanks = 0

  const say = (subject: string, predicate: string, value: Value) => {
    const key = JSON.stringify([subject, predicate, value])
    if (!budget.take(key.length) || statements.has(key)) return
    statements.add(key)
    const node = nodes.get(subject) ?? new Map<string, Value[]>()
    nodes.set(subject, node)
    const values = node.get(predicate)
    if (values) values.push(value)
    else node.set(predicate, [value])
  }

  const data = (subject: string, node: ReadonlyMap<string, Value[]>): Record<string, unknown> => {
    const types = (node.get('@type') ?? []).map(value => ('@id' in value ? cleanText(value['@id']) : ''))
    const properties = [...node].filter(([predicate]) => predicate !== '@type')
    return {
      '@id': cleanText(subject),
      ...(types.length > 0 && { '@type': types }),
      ...Object.fromEntries(properties.map(([predicate, values]) => [cleanText(predicate), values])),
    }
  }

  return {
    say,
    isFull: () => budget.isSpent,
    /** The address of something that has none. */
    blank: () => `_:b${blanks++}`,
    items: (): Item[] =>
      [...nodes].map(([subject, node]) => {
        const values = data(subject, node)
        return toItem('rdfa', (values['@type'] as string[] | undefined) ?? [], cleanText(subject), values)
      }),
  }
}

export type Graph = ReturnType<typeof openGraph>
