import { takeDocumentType } from './document-type.ts'
import { type LookUpPrefix, openXmlReader } from './xml-reader.ts'

/** An element of a feed. `base` and `lang` are those in force in it; `space` is its namespace. */
export type Node = {
  name: string
  space: string
  attributes: Readonly<Record<string, string>>
  children: (Node | string)[]
  base: string
  lang: string | null
}

/** A document as far as it was read. */
export type FeedTree = { root: Node; cut: boolean }

/** Nodes of a feed that are kept; a feed of 4,000 long items has half of that. */
const maxNodes = 150_000

const within = (base: string, url: string | undefined): string =>
  url !== undefined && URL.canParse(url.trim(), base) ? new URL(url.trim(), base).href : base

/** Reads XML into a tree whose root holds the document, up to a limit of nodes and depth. `url` is where it was found. */
export const readTree = (text: string, url: string, lookUpPrefix: LookUpPrefix): FeedTree => {
  const root: Node = { name: '', space: '', attributes: {}, children: [], base: url, lang: null }
  const open: Node[] = [root]
  let nodes = 0
  const { rest, entities } = takeDocumentType(text)
  const top = () => open.at(-1) ?? root

  const reader = openXmlReader(
    {
      open(name, attributes, space) {
        if (++nodes > maxNodes) return reader.stop()
        const parent = top()
        const base = within(parent.base, attributes['xml:base'])
        const lang = attributes['xml:lang'] ?? parent.lang
        const node: Node = { name, space, attributes, children: [], base, lang }
        parent.children.push(node)
        open.push(node)
      },
      text(more) {
        top().children.push(more)
      },
      close() {
        if (open.length > 1) open.pop()
      },
    },
    lookUpPrefix,
    entities,
  )
  reader.write(rest)
  reader.end()
  return { root, cut: reader.stopped() }
}

export const childElements = (node: Node): Node[] =>
  node.children.filter((child): child is Node => typeof child !== 'string')

const indexes = new WeakMap<Node, Map<string, Node[]>>()

/** The children of a node by name. A channel has many thousands, and is asked for many names. */
const indexChildren = (node: Node): Map<string, Node[]> => {
  const cachedIndex = indexes.get(node)
  if (cachedIndex) return cachedIndex
  const index = new Map<string, Node[]>()
  for (const child of childElements(node)) {
    const same = index.get(child.name)
    if (same) same.push(child)
    else index.set(child.name, [child])
  }
  indexes.set(node, index)
  return index
}

/** The children with one of some names, all of the first name before those of the next. */
export const childrenNamed = (node: Node, ...names: readonly string[]): Node[] => {
  const index = indexChildren(node)
  return names.flatMap(name => index.get(name) ?? [])
}

/** All text in an element, without its tags. */
export const textIn = (node: Node): string =>
  node.children.map(child => (typeof child === 'string' ? child : textIn(child))).join('')
