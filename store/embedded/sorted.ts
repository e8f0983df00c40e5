import {
  bytesIn,
  cellBytes,
  commonPrefix,
  compact,
  compareAt,
  insertAt,
  type Leaf,
  leafBytes,
  neededBytes,
  placeIn,
  removeAt,
  textAt,
  textsIn,
  writeLeaf,
} from './leaf.ts'

/**
 * A set of texts in the order of their units, each of which is one byte (see `toByteOrder`). Ranges hold `from` and not `to`;
 * no `to` means to the end. It lies in buffers beside the heap, in short leaves whose texts share what they begin with.
 */
export type SortedSet = {
  size(): number
  has(text: string): boolean
  add(text: string): void
  remove(text: string): void
  scan(from: string, to: string | undefined, order: 'asc' | 'desc', limit: number): string[]
  count(from: string, to: string | undefined): number
  /** A walk from the first text of a range in this order; the set must not change while it lasts. */
  walk(from: string, to: string | undefined, order: 'asc' | 'desc'): Walk
}

/** A place in a sorted set that moves one way. */
export type Walk = {
  /** The text at the place; undefined behind the last one of the range. */
  text(): string | undefined
  /** Moves to `text`, or to the first one behind it. What is skipped is galloped over, not read. */
  seek(text: string): void
  /** Moves to the next text. */
  advance(): void
  /** Texts compared so far: what the walk has cost. */
  compared(): number
}

/** Takes texts in order, each once, and makes a set of them. */
export type SortedBuilder = { push(text: string): void; done(): SortedSet }

const maxSlab = 64 * leafBytes
/** Of a leaf: how full it is after a start, and when it is split rather than written anew. */
const filledTo = leafBytes * 0.9
const rewrittenTo = leafBytes * 0.75
const sparse = leafBytes / 4

type Piece = { buffer: Buffer; at: number; size: number }

/** Leaves are cut from slabs: a buffer for each of them would be more than V8 likes to look after. */
const openSlabs = () => {
  const free: Piece[] = []
  let slabBytes = leafBytes
  return {
    take: (bytes: number): Piece => {
      if (bytes > leafBytes) {
        const size = Math.ceil((bytes * 1.25) / leafBytes) * leafBytes
        return { buffer: Buffer.allocUnsafeSlow(size), at: 0, size }
      }
      if (free.length === 0) {
        const buffer = Buffer.allocUnsafeSlow(slabBytes)
        for (let at = slabBytes - leafBytes; at >= 0; at -= leafBytes)
          free.push({ buffer, at, size: leafBytes })
        slabBytes = Math.min(2 * slabBytes, maxSlab)
      }
      return free.pop() as Piece
    },
    give: ({ buffer, at, size }: Piece): void => {
      if (size <= leafBytes) free.push({ buffer, at, size: leafBytes })
    },
  }
}

/** The first of `count` places that is not before what is sought; near ones cost few comparisons, far ones log n. */
const gallop = (count: number, isBefore: (place: number) => boolean): number => {
  let low = 0
  let high = 0
  for (let step = 1; high < count && isBefore(high); step *= 2) {
    low = high + 1
    high += step
  }
  high = Math.min(high, count)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Where to cut texts in two: about in the middle, where neighbours have the least in common; or wherever that is, when the
 * halves then share so much more that they are shorter by far.
 */
const bestCut = (texts: readonly string[]): number => {
  let widest = 1
  let middle = texts.length >>> 1
  let leastShared = Number.POSITIVE_INFINITY
  let leastInMiddle = Number.POSITIVE_INFINITY
  for (let cut = 1; cut < texts.length; cut++) {
    const shared = commonPrefix(texts[cut - 1] as string, texts[cut] as string).length
    if (shared < leastShared) {
      leastShared = shared
      widest = cut
    }
    if (shared < leastInMiddle && cut > texts.length * 0.35 && cut < texts.length * 0.65) {
      leastInMiddle = shared
      middle = cut
    }
  }
  const halves = neededBytes(texts.slice(0, widest)) + neededBytes(texts.slice(widest))
  return halves < neededBytes(texts) * 0.7 ? widest : middle
}

const over = (leaves: Leaf[], slabs: ReturnType<typeof openSlabs>, count: number): SortedSet => {
  let size = count
  const countIn = (leaf: number): number => leaves[leaf]?.count ?? 0
  /** The leaf that has `text` where any has. */
  const leafFor = (text: string): number => {
    let low = 1
    let high = leaves.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((leaves[middle] as Leaf).fence <= text) low = middle + 1
      else high = middle
    }
    return low - 1
  }
  const find = (text: string): { leaf: number; place: number } => {
    const leaf = leafFor(text)
    const one = leaves[leaf]
    return { leaf, place: one ? placeIn(one, text) : 0 }
  }
  const isAt = (leaf: number, place: number, text: string): boolean => {
    const one = leaves[leaf]
    return one !== undefined && place < one.count && compareAt(one, place, text) === 0
  }
  const write = (texts: readonly string[], fence: string): Leaf =>
    writeLeaf(slabs.take(neededBytes(texts)), texts, fence)

  const rewrite = (leaf: number, place: number, text: string): void => {
    const old = leaves[leaf] as Leaf
    const isLast = place === old.count
    const texts = textsIn(old)
    texts.splice(place, 0, text)
    slabs.give(old)
    if (neededBytes(texts) <= rewrittenTo || texts.length === 1) {
      leaves[leaf] = write(texts, old.fence)
      return
    }
    const upper = texts.splice(isLast ? place : bestCut(texts))
    leaves.splice(leaf, 1, write(texts, old.fence), write(upper, upper[0] as string))
  }
  /** Two neighbours that are nearly empty become one. */
  const merge = (leaf: number): void => {
    const one = leaves[leaf]
    const other = leaves[leaf + 1]
    if (!one || !other || bytesIn(one) > sparse || bytesIn(other) > sparse) return
    const texts = [...textsIn(one), ...textsIn(other)]
    if (neededBytes(texts) > filledTo) return
    leaves.splice(leaf, 2, write(texts, one.fence))
    slabs.give(one)
    slabs.give(other)
  }
  const add = (text: string): void => {
    if (leaves.length === 0) leaves.push(write([], ''))
    const { leaf, place } = find(text)
    if (isAt(leaf, place, text)) return
    size++
    const one = leaves[leaf] as Leaf
    if (insertAt(one, place, text) || (compact(one) && insertAt(one, place, text))) return
    rewrite(leaf, place, text)
  }
  const remove = (text: string): void => {
    const { leaf, place } = find(text)
    if (!isAt(leaf, place, text)) return
    const one = leaves[leaf] as Leaf
    removeAt(one, place)
    size--
    if (one.count === 0) {
      leaves.splice(leaf, 1)
      slabs.give(one)
    } else if (bytesIn(one) < sparse) {
      merge(leaf)
      merge(leaf - 1)
    }
  }
  const upward = (from: string, to: string | undefined): Walk => {
    let { leaf, place } = find(from)
    let compared = 0
    let current: string | undefined
    const settle = (): void => {
      current = undefined
      if (place < countIn(leaf)) return
      leaf++
      place = 0
    }
    settle()
    return {
      text: () => {
        const one = leaves[leaf]
        if (!one) return undefined
        current ??= textAt(one, place)
        return to === undefined || current < to ? current : undefined
      },
      seek: text => {
        const leaf0 = leaf
        leaf += gallop(Math.max(0, leaves.length - 1 - leaf0), next => {
          compared++
          return (leaves[leaf0 + next + 1] as Leaf).fence <= text
        })
        const start = leaf === leaf0 ? place : 0
        const one = leaves[leaf]
        if (!one) return
        place =
          start +
          gallop(one.count - start, next => {
            compared++
            return compareAt(one, start + next, text) < 0
          })
        settle()
      },
      advance: () => {
        place++
        settle()
      },
      compared: () => compared,
    }
  }
  const downward = (from: string, to: string | undefined): Walk => {
    let { leaf, place } = to === undefined ? { leaf: leaves.length, place: 0 } : find(to)
    let compared = 0
    let current: string | undefined
    const advance = (): void => {
      current = undefined
      place--
      if (place >= 0) return
      leaf--
      place = countIn(leaf) - 1
    }
    advance()
    return {
      text: () => {
        const one = leaves[leaf]
        if (!one) return undefined
        current ??= textAt(one, place)
        return current >= from ? current : undefined
      },
      seek: text => {
        const leaf0 = leaf
        if (leaf0 < 0) return
        leaf -= gallop(leaf0, before => {
          compared++
          return (leaves[leaf0 - before] as Leaf).fence > text
        })
        const one = leaves[leaf] as Leaf
        const start = leaf === leaf0 ? place : one.count - 1
        place =
          start -
          gallop(start + 1, before => {
            compared++
            return compareAt(one, start - before, text) > 0
          })
        current = undefined
        if (place >= 0) return
        leaf--
        place = countIn(leaf) - 1
      },
      advance,
      compared: () => compared,
    }
  }
  const walk = (from: string, to: string | undefined, order: 'asc' | 'desc'): Walk =>
    (order === 'asc' ? upward : downward)(from, to)

  return {
    size: () => size,
    has: text => {
      const { leaf, place } = find(text)
      return isAt(leaf, place, text)
    },
    add,
    remove,
    scan: (from, to, order, limit) => {
      const texts: string[] = []
      const path = walk(from, to, order)
      for (let text = path.text(); text !== undefined && texts.length < limit; text = path.text()) {
        texts.push(text)
        path.advance()
      }
      return texts
    },
    count: (from, to) => {
      const start = find(from)
      const end = to === undefined ? { leaf: leaves.length, place: 0 } : find(to)
      if (end.leaf < start.leaf) return 0
      let between = end.place - start.place
      for (let leaf = start.leaf; leaf < end.leaf; leaf++) between += countIn(leaf)
      return Math.max(0, between)
    },
    walk,
  }
}

/** A set that is filled in order: its leaves are nearly full. */
export const sortedBuilder = (): SortedBuilder => {
  const slabs = openSlabs()
  const leaves: Leaf[] = []
  let count = 0
  let texts: string[] = []
  let units = 0
  const flush = (): void => {
    if (texts.length === 0) return
    const [first = ''] = texts
    leaves.push(writeLeaf(slabs.take(neededBytes(texts)), texts, leaves.length === 0 ? '' : first))
    texts = []
    units = 0
  }
  return {
    push: text => {
      const shared = texts.length > 0 ? commonPrefix(texts[0] as string, text).length : 0
      const bytes = units + cellBytes(text.length) - shared * (texts.length + 1)
      if (texts.length > 0 && bytes > filledTo) flush()
      texts.push(text)
      units += cellBytes(text.length)
      count++
    },
    done: () => {
      flush()
      return over(leaves, slabs, count)
    },
  }
}

/** `texts` must be sorted and distinct. */
export const sortedTexts = (texts: readonly string[] = []): SortedSet => {
  const builder = sortedBuilder()
  for (const text of texts) builder.push(text)
  return builder.done()
}
