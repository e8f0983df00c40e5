import { unreadable } from '../unreadable.ts'
import type { PageNode } from './dom.ts'
import { type CutReason, LimitReached, limits } from './limits.ts'

export type ParsedPage = {
  document: PageNode
  /** The limit at which reading stopped; what came before it is there. */
  cut: CutReason | null
}

/** Loads what reads pages. */
export const loadParser = () => import('./dom.ts')

/**
 * Reads HTML as a browser does, into a document that selectors work on. Linear on hostile input: past 512 open elements,
 * `maxNodes` nodes or as many attributes it stops, and an element keeps 256 attributes.
 */
export const parsePage = async (markup: string, maxNodes: number = limits.nodes): Promise<ParsedPage> => {
  const { newDocument, parseInto } = await loadParser()
  const document = newDocument()
  try {
    parseInto(document, markup, maxNodes)
    return { document, cut: null }
  } catch (error) {
    if (error instanceof LimitReached) return { document, cut: error.cut }
    throw unreadable('The page', error)
  }
}
