const shards = 64

/** The documents of a collection, JSON text by id. */
export type Rows = {
  size(): number
  has(id: string): boolean
  get(id: string): string | undefined
  set(id: string, text: string): void
  delete(id: string): void
  /** Goes on past changes: what is there all the while comes exactly once. */
  [Symbol.iterator](): Iterator<[string, string]>
}

const hashShard = (id: string): number => {
  const { length } = id
  const last = id.charCodeAt(length - 1) + id.charCodeAt(length >> 1) * 5
  return (length > 1 ? last + id.charCodeAt(length - 2) * 11 : last) % shards
}

/** Many small maps: one large Map stops the program for 200 ms when a million entries outgrow it. */
export const emptyRows = (): Rows => {
  const maps = Array.from({ length: shards }, () => new Map<string, string>())
  const findShard = (id: string): Map<string, string> => maps[hashShard(id)] as Map<string, string>
  let size = 0
  return {
    size: () => size,
    has: id => findShard(id).has(id),
    get: id => findShard(id).get(id),
    set: (id, text) => {
      const map = findShard(id)
      const before = map.size
      map.set(id, text)
      size += map.size - before
    },
    delete: id => {
      if (findShard(id).delete(id)) size--
    },
    *[Symbol.iterator]() {
      for (const map of maps) yield* map
    },
  }
}
