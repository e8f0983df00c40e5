import type { Element } from './element.ts'
import { type Path, parseSelector, type Selectable } from './selector.ts'

type Found = { element: Element; at: number }

type Named = Element & { getAttributeNames(): string[] }

const none: readonly Found[] = []

const push = (lists: Map<string, Found[]>, name: string, found: Found) => {
  const list = lists.get(name)
  if (list) list.push(found)
  else lists.set(name, [found])
}

/**
 * A page that nobody changes any more, to be asked many things: its elements stand in lists by name and by attribute, made in one
 * pass. Answers as the document itself does.
 */
export const lookUp = (document: Element): Element => {
  const byTag = new Map<string, Found[]>()
  const byAttribute = new Map<string, Found[]>()
  const all: Found[] = []
  for (const element of document.querySelectorAll('*') as Iterable<Named>) {
    const found = { element, at: all.length }
    all.push(found)
    push(byTag, element.localName, found)
    for (const name of element.getAttributeNames()) push(byAttribute, name, found)
  }

  const candidates = ({ tag, attributes }: Path): readonly Found[] => {
    let least: readonly Found[] = tag === undefined ? all : (byTag.get(tag) ?? none)
    for (const name of attributes) {
      const list = byAttribute.get(name) ?? none
      if (list.length < least.length) least = list
    }
    return least
  }

  const find = (path: Path): readonly Found[] =>
    path.isTag
      ? candidates(path)
      : candidates(path).filter(({ element }) => path.matches(element as unknown as Selectable))

  const querySelectorAll = (text: string): Iterable<Element> => {
    const selector = parseSelector(text)
    if (!selector) return document.querySelectorAll(text)
    const found = selector.paths.flatMap(find)
    if (selector.paths.length === 1) return found.map(({ element }) => element)
    return [...new Set(found.sort((a, b) => a.at - b.at).map(({ element }) => element))]
  }

  return {
    localName: document.localName,
    parentNode: null,
    get textContent() {
      return document.textContent
    },
    getAttribute: () => null,
    querySelectorAll,
    querySelector: text => [...querySelectorAll(text)][0] ?? null,
    getElementsByTagName: querySelectorAll,
  }
}
