import type { Document, Element } from './element.ts'
import { type Cut, LimitReached, limits } from './limits.ts'
import { treeAdapterFor } from './tree-adapter.ts'

export type Page = {
  document: Element
  /** The limit at which reading stopped; what came before it is there. */
  cut: Cut | null
}

/**
 * Reads HTML as a browser does, into a document that selectors work on. Linear on hostile input: past 512 open elements or
 * `mostNodes` nodes it stops, and an element keeps 256 attributes.
 */
export const parsePage = async (markup: string, mostNodes: number = limits.nodes): Promise<Page> => {
  const [{ parse }, { parseHTML }] = await Promise.all([import('parse5'), import('linkedom')])
  const empty: unknown = parseHTML('').document
  const document = empty as Document
  while (document.firstChild) document.firstChild.remove()
  const page = { document: empty as Element, cut: null }
  try {
    parse(markup, { treeAdapter: treeAdapterFor(document, mostNodes), scriptingEnabled: false })
    return page
  } catch (thrown) {
    if (thrown instanceof LimitReached) return { ...page, cut: thrown.cut }
    throw thrown
  }
}
