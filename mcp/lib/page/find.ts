import type { LinkedNode, NodeFields } from './linked-nodes.ts'
import { parseSelector, type Selectable, type Selector } from './selector.ts'

type Chain = LinkedNode & { [field: symbol]: Chain }

/** Finds the elements in another in one pass, in the order of the page. */
export const finderBy = ({ next, end }: NodeFields) => {
  const hasOne = (element: Chain, names: ReadonlySet<string>): boolean => {
    for (let at = element[next] as Chain; at.nodeType === 2; at = at[next] as Chain)
      if (names.has((at as unknown as { name: string }).name)) return true
    return false
  }

  const isMatch = (element: Chain, { paths, tags, attributes }: Selector): boolean => {
    const selectable = element as unknown as Selectable
    if (tags) return tags.has(selectable.localName)
    return (!attributes || hasOne(element, attributes)) && paths.some(path => path.matches(selectable))
  }

  const search = (element: unknown, selector: Selector, most = Number.POSITIVE_INFINITY): LinkedNode[] => {
    const last = (element as Chain)[end]
    const elements: LinkedNode[] = []
    for (let at = (element as Chain)[next] as Chain; at !== last; at = at[next] as Chain)
      if (at.nodeType === 1 && isMatch(at, selector) && elements.push(at) === most) break
    return elements
  }

  return {
    /** Undefined when the selector is beyond `parseSelector`. */
    bySelector(element: unknown, text: string, most?: number): LinkedNode[] | undefined {
      const selector = parseSelector(text)
      return selector && search(element, selector, most)
    },
    byName: (element: unknown, name: string): LinkedNode[] =>
      search(
        element,
        parseSelector(name) ?? { paths: [], tags: new Set([name.toLowerCase()]), attributes: undefined },
      ),
  }
}
