import { unreadable } from '../unreadable.ts'
import type { Document, Element } from './element.ts'
import { type CutReason, LimitReached, limits } from './limits.ts'
import type { LinkedNode } from './linked-nodes.ts'
import { openNodes } from './nodes.ts'
import { wholePageTokenizer } from './tokenizer.ts'
import { treeAdapterFor } from './tree-adapter.ts'

export type ParsedPage = {
  document: Element
  /** The limit at which reading stopped; what came before it is there. */
  cut: CutReason | null
}

/** The build of linkedom for workers is one file, which loads many times faster than its hundred modules. */
const load = async () => {
  const [parse5, linkedom] = await Promise.all([import('parse5'), import('linkedom/worker')])
  const { Parser, parseFragment } = parse5
  const openTokenizer = wholePageTokenizer(parse5)
  const nodes = openNodes(linkedom, function (markup) {
    const { ownerDocument } = this as LinkedNode & { ownerDocument: Document }
    const treeAdapter = treeAdapterFor(nodes, ownerDocument, limits.nodes)
    const fragment: unknown = parseFragment(this, markup, { treeAdapter, scriptingEnabled: false })
    const parent = this as unknown as { replaceChildren(fragment: unknown): void }
    parent.replaceChildren(fragment)
  })
  const parse = (markup: string, document: Document, maxNodes: number) => {
    const parser = new Parser({
      treeAdapter: treeAdapterFor(nodes, document, maxNodes),
      scriptingEnabled: false,
    })
    parser.tokenizer = openTokenizer(parser)
    parser.tokenizer.write(markup, true)
  }
  return { parse, nodes }
}

let parserLoading: ReturnType<typeof load> | undefined

/** Loads what reads pages, once. */
export const loadParser = (): ReturnType<typeof load> => {
  parserLoading ??= load()
  return parserLoading
}

/**
 * Reads HTML as a browser does, into a document that selectors work on. Linear on hostile input: past 512 open elements,
 * `mostNodes` nodes or as many attributes it stops, and an element keeps 256 attributes.
 */
export const parsePage = async (markup: string, maxNodes: number = limits.nodes): Promise<ParsedPage> => {
  const { parse, nodes } = await loadParser()
  const document = nodes.document()
  const page = { document: document as unknown as Element, cut: null }
  try {
    parse(markup, document, maxNodes)
    return page
  } catch (error) {
    if (error instanceof LimitReached) return { ...page, cut: error.cut }
    throw unreadable('The page', error)
  }
}
