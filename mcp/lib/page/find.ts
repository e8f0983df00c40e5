import type { Fields, LinkedNode } from './linked-nodes.ts'

type Chain = LinkedNode & { [field: symbol]: Chain }

/** What was asked for is kept, since the same few are asked again and again. */
const cache = new Map<string, ReadonlySet<string> | undefined>()

/** The names in a selector that is a list of plain names, or `*`; undefined for any other. */
const namesIn = (selector: string): ReadonlySet<string> | undefined => {
  if (cache.has(selector)) return cache.get(selector)
  const isList = /^(?:\*|[a-z][a-z0-9-]*(?:\s*,\s*[a-z][a-z0-9-]*)*)$/i.test(selector)
  const names = isList ? new Set(selector.toLowerCase().split(/\s*,\s*/)) : undefined
  if (cache.size < 500 && selector.length < 500) cache.set(selector, names)
  return names
}

/** Finds the elements in another by their names, in the order of the page. */
export const finderBy = ({ next, end }: Fields) => {
  const elementsNamed = (element: unknown, names: ReadonlySet<string>): LinkedNode[] => {
    const all = names.has('*')
    const last = (element as Chain)[end]
    const elements: LinkedNode[] = []
    for (let at = (element as Chain)[next] as Chain; at !== last; at = at[next] as Chain)
      if (at.nodeType === 1 && (all || names.has((at as unknown as { localName: string }).localName)))
        elements.push(at)
    return elements
  }

  return {
    /** Undefined when the selector is more than a list of names. */
    bySelector(element: unknown, selector: string): LinkedNode[] | undefined {
      const names = namesIn(selector)
      return names && elementsNamed(element, names)
    },
    byName: (element: unknown, name: string): LinkedNode[] =>
      elementsNamed(element, namesIn(name) ?? new Set([name.toLowerCase()])),
  }
}
