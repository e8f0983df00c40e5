/** A page's cost limits; real pages stay far below (deepest of 130 news pages: 38). */
export const limits = { depth: 512, nodes: 400_000, attributes: 256 } as const

export type CutReason = 'depth' | 'nodes'

/** Thrown through the parser to stop it; the tree that is there stays. */
export class LimitReached extends Error {
  readonly cut: CutReason

  constructor(cut: CutReason) {
    super(`The page passes the limit of ${cut}.`)
    this.cut = cut
  }
}

/** Counts nodes and attributes, of which `mostNodes` each may be made, and open elements; throws LimitReached past a limit. */
export const openCounter = (maxNodes: number) => {
  let nodes = 0
  let attributes = 0
  let depth = 0
  return {
    node() {
      if (++nodes > maxNodes) throw new LimitReached('nodes')
    },
    attribute() {
      if (++attributes > maxNodes) throw new LimitReached('nodes')
    },
    open() {
      if (++depth > limits.depth) throw new LimitReached('depth')
    },
    close() {
      depth--
    },
  }
}
