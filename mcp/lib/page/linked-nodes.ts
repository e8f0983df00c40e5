/**
 * A node as linkedom keeps it: in a list of the whole tree in the order of the page, where an element is followed by its
 * attributes, what is in it, and a mark for its end.
 */
export type LinkedNode = { nodeType: number; parentNode: LinkedNode | null }

type PlacedNode = LinkedNode & { [link: symbol]: PlacedNode }

const privateFields = ['next', 'prev', 'end', 'classList'] as const

type PrivateField = (typeof privateFields)[number] | 'start' | 'value' | 'changed' | 'namespace' | 'given'

/** Names of the fields: linkedom's are symbols that it keeps to itself, `namespace` and `given` are ours. */
export type NodeFields = Readonly<Record<PrivateField, symbol>>

const symbolNamed = (node: object, name: string): symbol => {
  const symbol = Object.getOwnPropertySymbols(node).find(({ description }) => description === name)
  if (symbol) return symbol
  throw new Error(`this linkedom has no field "${name}"`)
}

/** Finds the fields of linkedom by their descriptions. Throws when another version has others. */
export const findFields = (element: object, attribute: object): NodeFields => {
  const symbols = Object.fromEntries(privateFields.map(name => [name, symbolNamed(element, name)])) as Record<
    (typeof privateFields)[number],
    symbol
  >
  const end = (element as Record<symbol, object>)[symbols.end] ?? {}
  return {
    ...symbols,
    start: symbolNamed(end, 'start'),
    value: symbolNamed(attribute, 'value'),
    changed: symbolNamed(attribute, 'changed'),
    namespace: Symbol('namespace'),
    given: Symbol('given'),
  }
}

/** Moves in that list, without telling custom elements and observers. */
export const linksBy = ({ next, prev, end }: NodeFields) => {
  const lastNode = (node: PlacedNode): PlacedNode => (node.nodeType === 1 ? (node[end] as PlacedNode) : node)

  const join = (left: PlacedNode, right: PlacedNode) => {
    left[next] = right
    right[prev] = left
  }

  return {
    endOf: (parent: LinkedNode) => (parent as PlacedNode)[end] as LinkedNode,
    before: (node: LinkedNode) => (node as PlacedNode)[prev] as LinkedNode,

    /** Puts a node that is nowhere into `parent`, before a node of it or its end. */
    put(parent: LinkedNode, node: LinkedNode, place: LinkedNode) {
      const at = place as PlacedNode
      const last = lastNode(node as PlacedNode)
      join(at[prev] as PlacedNode, node as PlacedNode)
      join(last, at)
      node.parentNode = parent
    },

    /** The last attribute of an element, else the element. */
    lastAttribute(element: LinkedNode): LinkedNode {
      let last = element as PlacedNode
      for (let at = last[next] as PlacedNode; at.nodeType === 2; at = at[next] as PlacedNode) last = at
      return last
    },

    /** Puts an attribute behind the element or the attribute before it. */
    putBehind(left: LinkedNode, attribute: LinkedNode) {
      const after = (left as PlacedNode)[next] as PlacedNode
      join(left as PlacedNode, attribute as PlacedNode)
      join(attribute as PlacedNode, after)
    },

    /** Takes a node with all that is in it out of the tree; nothing when it is nowhere. */
    take(node: LinkedNode) {
      const first = node as LinkedNode & Record<symbol, PlacedNode | null>
      const last = lastNode(node as PlacedNode) as LinkedNode & Record<symbol, PlacedNode | null>
      const left = first[prev]
      const right = last[next]
      if (left && right) join(left, right)
      first[prev] = null
      last[next] = null
      node.parentNode = null
    },
  }
}
