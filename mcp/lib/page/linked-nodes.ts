/**
 * A node as linkedom keeps it: in a list of the whole tree in the order of the page, where an element is followed by its
 * attributes, what is in it, and a mark for its end.
 */
export type Linked = { nodeType: number; parentNode: Linked | null }

type Placed = Linked & { [link: symbol]: Placed }

const hidden = ['next', 'prev', 'end', 'classList'] as const

type Hidden = (typeof hidden)[number] | 'start' | 'value' | 'changed' | 'namespace' | 'given'

/** What the fields are called: linkedom's are symbols that it keeps to itself, `namespace` and `given` are ours. */
export type Fields = Readonly<Record<Hidden, symbol>>

const named = (node: object, name: string): symbol => {
  const found = Object.getOwnPropertySymbols(node).find(({ description }) => description === name)
  if (found) return found
  throw new Error(`this linkedom has no field "${name}"`)
}

/** Finds the fields of linkedom by their descriptions. Throws when another version has others. */
export const fieldsOf = (element: object, attribute: object): Fields => {
  const found = Object.fromEntries(hidden.map(name => [name, named(element, name)])) as Record<
    (typeof hidden)[number],
    symbol
  >
  const end = (element as Record<symbol, object>)[found.end] ?? {}
  return {
    ...found,
    start: named(end, 'start'),
    value: named(attribute, 'value'),
    changed: named(attribute, 'changed'),
    namespace: Symbol('namespace'),
    given: Symbol('given'),
  }
}

/** Moves in that list, without telling custom elements and observers. */
export const linksBy = ({ next, prev, end }: Fields) => {
  const lastOf = (node: Placed): Placed => (node.nodeType === 1 ? (node[end] as Placed) : node)

  const join = (left: Placed, right: Placed) => {
    left[next] = right
    right[prev] = left
  }

  return {
    endOf: (parent: Linked) => (parent as Placed)[end] as Linked,
    before: (node: Linked) => (node as Placed)[prev] as Linked,

    /** Puts a node that is nowhere into `parent`, before a node of it or its end. */
    put(parent: Linked, node: Linked, place: Linked) {
      const at = place as Placed
      const last = lastOf(node as Placed)
      join(at[prev] as Placed, node as Placed)
      join(last, at)
      node.parentNode = parent
    },

    /** The last attribute of an element, else the element. */
    lastAttribute(element: Linked): Linked {
      let last = element as Placed
      for (let at = last[next] as Placed; at.nodeType === 2; at = at[next] as Placed) last = at
      return last
    },

    /** Puts an attribute behind the element or the attribute before it. */
    putBehind(left: Linked, attribute: Linked) {
      const after = (left as Placed)[next] as Placed
      join(left as Placed, attribute as Placed)
      join(attribute as Placed, after)
    },

    /** Takes a node with all that is in it out of the tree; nothing when it is nowhere. */
    take(node: Linked) {
      const first = node as Linked & Record<symbol, Placed | null>
      const last = lastOf(node as Placed) as Linked & Record<symbol, Placed | null>
      const left = first[prev]
      const right = last[next]
      if (left && right) join(left, right)
      first[prev] = null
      last[next] = null
      node.parentNode = null
    },
  }
}
