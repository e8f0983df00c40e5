import type { Fields, Linked } from './linked-nodes.ts'

type Chain = Linked & { [field: symbol]: Chain }

/** What was asked for is kept, since the same few are asked again and again. */
const kept = new Map<string, ReadonlySet<string> | undefined>()

/** The names in a selector that is a list of plain names, or `*`; undefined for any other. */
const namesIn = (selector: string): ReadonlySet<string> | undefined => {
  if (kept.has(selector)) return kept.get(selector)
  const isList = /^(?:\*|[a-z][a-z0-9-]*(?:\s*,\s*[a-z][a-z0-9-]*)*)$/i.test(selector)
  const names = isList ? new Set(selector.toLowerCase().split(/\s*,\s*/)) : undefined
  if (kept.size < 500 && selector.length < 500) kept.set(selector, names)
  return names
}

/** Finds the elements in another by their names, in the order of the page. */
export const finderBy = ({ next, end }: Fields) => {
  const named = (element: unknown, names: ReadonlySet<string>): Linked[] => {
    const all = names.has('*')
    const last = (element as Chain)[end]
    const found: Linked[] = []
    for (let at = (element as Chain)[next] as Chain; at !== last; at = at[next] as Chain)
      if (at.nodeType === 1 && (all || names.has((at as unknown as { localName: string }).localName)))
        found.push(at)
    return found
  }

  return {
    /** Undefined when the selector is more than a list of names. */
    bySelector(element: unknown, selector: string): Linked[] | undefined {
      const names = namesIn(selector)
      return names && named(element, names)
    },
    byName: (element: unknown, name: string): Linked[] =>
      named(element, namesIn(name) ?? new Set([name.toLowerCase()])),
  }
}
