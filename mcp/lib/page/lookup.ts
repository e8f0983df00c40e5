import { isTraversal, parse, type Selector } from 'css-what'
import type { PageNode } from './dom.ts'
import type { Element } from './element.ts'

type Found = { element: PageNode; at: number }

type Query = { candidates: readonly Found[]; matches: ((node: PageNode) => boolean) | undefined }

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
export const lookUp = (document: PageNode): Element => {
  const byTag = new Map<string, Found[]>()
  const byAttribute = new Map<string, Found[]>()
  const all: Found[] = []
  for (const element of document.getElementsByTagName('*')) {
    const found = { element, at: all.length }
    all.push(found)
    push(byTag, element.localName, found)
    for (const name of element.getAttributeNames()) push(byAttribute, name, found)
  }

  /** The shortest list that holds all elements which a selector can find. */
  const toQuery = (path: Selector[]): Query => {
    const own = path.slice(path.findLastIndex(isTraversal) + 1)
    let candidates: readonly Found[] = all
    for (const part of own) {
      const list =
        part.type === 'tag'
          ? byTag.get(part.name.toLowerCase())
          : part.type === 'attribute' && part.action !== 'not'
            ? byAttribute.get(part.name.toLowerCase())
            : all
      if (list === undefined || list.length < candidates.length) candidates = list ?? none
    }
    const isTag = path.length === 1 && own[0]?.type === 'tag'
    return { candidates, matches: isTag ? undefined : document.matcher([path]) }
  }

  const queries = new Map<string, readonly Query[]>()
  const querySelectorAll = (text: string): Element[] => {
    const query = queries.get(text) ?? parse(text).map(toQuery)
    queries.set(text, query)
    const hits = query.flatMap(({ candidates, matches }) =>
      matches ? candidates.filter(({ element }) => matches(element)) : candidates,
    )
    if (query.length === 1) return hits.map(({ element }) => element)
    return [...new Set(hits.sort((a, b) => a.at - b.at).map(({ element }) => element))]
  }

  return {
    localName: document.localName,
    parentNode: null,
    get textContent() {
      return document.textContent
    },
    getAttribute: () => null,
    querySelectorAll,
    querySelector: text => querySelectorAll(text)[0] ?? null,
    getElementsByTagName: querySelectorAll,
  }
}
