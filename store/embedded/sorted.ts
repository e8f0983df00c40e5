import {
  bytesIn,
  cellBytes,
  commonPrefix,
  compactLeaf,
  compareAt,
  compareRest,
  insertAt,
  leafBytes,
  leafTexts,
  neededBytes,
  neededForBytes,
  placeIn,
  removeAt,
  restAt,
  type TextLeaf,
  textAt,
  writeBytesLeaf,
  writeLeaf,
} from './leaf.ts'
import { sharedBytes, type TextBytes } from './packed-keys.ts'

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
  /**
   * A walk in this order over a range whose texts all begin with `key`; it speaks of what stands behind the key. The set must
   * not change while it lasts.
   */
  walk(key: string, from: string, to: string | undefined, order: 'asc' | 'desc'): Walk
}

/** A place in a sorted set that moves one way. */
export type Walk = {
  /** Rest of the text at the place, behind the key; undefined behind the last one of the range. */
  rest(): string | undefined
  /** Moves to the text with this behind the key, or to the first one behind it. What is skipped is galloped over, not read. */
  seek(rest: string): void
  /** Moves to the next text. */
  advance(): void
  /** Texts compared so far: what the walk has cost. */
  compared(): number
  /** About how many texts the whole range has, exactly where they are few: it costs the same for any. */
  ahead(): number
}

/** Takes texts in order, each once, and makes a set of them. */
export type SortedBuilder<T = string> = { push(text: T): void; done(): SortedSet }

const maxSlab = 64 * leafBytes
/** Of a leaf: how full it is after a start, and when it is split rather than written anew. */
const filledTo = leafBytes * 0.9
const rewrittenTo = leafBytes * 0.75
const sparse = leafBytes / 4

/** Texts of the leaf that are looked at before any other leaf is. */
const nearTexts = 8

const endless = Number.POSITIVE_INFINITY

/** Leaves whose texts are counted one by one. */
const exactLeaves = 4

type Place = { leaf: number; place: number }

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

const over = (leaves: TextLeaf[], slabs: ReturnType<typeof openSlabs>, count: number): SortedSet => {
  let size = count
  const countIn = (leaf: number): number => leaves[leaf]?.count ?? 0
  /** The leaf that has `text` where any has. */
  const leafFor = (text: string): number => {
    let low = 1
    let high = leaves.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((leaves[middle] as TextLeaf).fence <= text) low = middle + 1
      else high = middle
    }
    return low - 1
  }
  const find = (text: string): Place => {
    const leaf = leafFor(text)
    const one = leaves[leaf]
    return { leaf, place: one ? placeIn(one, text) : 0 }
  }
  const isAt = (leaf: number, place: number, text: string): boolean => {
    const one = leaves[leaf]
    return one !== undefined && place < one.count && compareAt(one, place, text) === 0
  }
  const write = (texts: readonly string[], fence: string): TextLeaf =>
    writeLeaf(slabs.take(neededBytes(texts)), texts, fence)

  const rewrite = (leaf: number, place: number, text: string): void => {
    const old = leaves[leaf] as TextLeaf
    const isLast = place === old.count
    const texts = leafTexts(old)
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
    const texts = [...leafTexts(one), ...leafTexts(other)]
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
    const one = leaves[leaf] as TextLeaf
    if (insertAt(one, place, text) || (compactLeaf(one) && insertAt(one, place, text))) return
    rewrite(leaf, place, text)
  }
  const remove = (text: string): void => {
    const { leaf, place } = find(text)
    if (!isAt(leaf, place, text)) return
    const one = leaves[leaf] as TextLeaf
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
  const endOf = (to: string | undefined): Place =>
    to === undefined ? { leaf: leaves.length, place: 0 } : find(to)
  const scanUp = (from: string, to: string | undefined, limit: number): string[] => {
    const texts: string[] = []
    let { leaf, place } = find(from)
    for (let one = leaves[leaf]; one && texts.length < limit; one = leaves[++leaf], place = 0)
      for (; place < one.count && texts.length < limit; place++) {
        const text = textAt(one, place)
        if (to !== undefined && text >= to) return texts
        texts.push(text)
      }
    return texts
  }
  const scanDown = (from: string, to: string | undefined, limit: number): string[] => {
    const texts: string[] = []
    let { leaf, place } = endOf(to)
    while (texts.length < limit) {
      if (place === 0) {
        leaf--
        place = countIn(leaf)
        if (place === 0) return texts
      }
      const text = textAt(leaves[leaf] as TextLeaf, --place)
      if (text < from) return texts
      texts.push(text)
    }
    return texts
  }
  const countBetween = (start: Place, end: Place): number => {
    if (end.leaf < start.leaf) return 0
    let between = end.place - start.place
    for (let leaf = start.leaf; leaf < end.leaf; leaf++) between += countIn(leaf)
    return Math.max(0, between)
  }
  /** Of far ends nobody goes from leaf to leaf. */
  const sizeBetween = (start: Place, end: Place): number => {
    const between = end.leaf - start.leaf
    return between > exactLeaves ? between * countIn(start.leaf + (between >>> 1)) : countBetween(start, end)
  }
  const walk = (key: string, from: string, to: string | undefined, order: 'asc' | 'desc'): Walk => {
    const start = find(from)
    const end = endOf(to)
    const sign = order === 'asc' ? 1 : -1
    let { leaf, place } = sign > 0 ? start : end
    let compared = 0
    let current: string | undefined
    /** The leaf at the place, and what its texts share behind the key; undefined where they do not share the key. */
    let known: TextLeaf | undefined
    let shared: string | undefined
    const know = (one: TextLeaf): string | undefined => {
      if (one === known) return shared
      known = one
      shared = one.prefix.startsWith(key) ? one.prefix.slice(key.length) : undefined
      return shared
    }
    /** Moves a walk that has gone past the last place of a leaf to the next one. */
    const settle = (): void => {
      current = undefined
      if (place >= 0 && place < countIn(leaf)) return
      leaf += sign
      place = sign > 0 ? 0 : countIn(leaf) - 1
    }
    const isInside = (): boolean =>
      sign > 0
        ? leaf < end.leaf || (leaf === end.leaf && place < end.place)
        : leaf > start.leaf || (leaf === start.leaf && place >= start.place && place >= 0)
    /** Goes on in a leaf, `at` being a place of it, while the texts come before `rest`: to its end if need be. */
    const goIn = (one: TextLeaf, at: number, rest: string, tries: number): number => {
      const common = know(one)
      const left = sign > 0 ? one.count - at : at + 1
      if (common === undefined) {
        const text = key + rest
        const isBefore = (next: number) => {
          compared++
          return sign * compareAt(one, at + sign * next, text) < 0
        }
        return at + sign * gallop(Math.min(left, tries), isBefore)
      }
      if (!rest.startsWith(common)) {
        compared++
        return common < rest === sign > 0 ? at + sign * left : at
      }
      const isBefore = (next: number) => {
        compared++
        return sign * compareRest(one, at + sign * next, rest, common.length) < 0
      }
      return at + sign * gallop(Math.min(left, tries), isBefore)
    }
    /** The first leaf, from the one after this, in which `rest` may be. */
    const skipLeaves = (rest: string): void => {
      const text = key + rest
      const leaf0 = leaf
      leaf +=
        sign > 0
          ? gallop(leaves.length - 1 - leaf0, next => {
              compared++
              return (leaves[leaf0 + next + 1] as TextLeaf).fence <= text
            })
          : -gallop(leaf0, next => {
              compared++
              return (leaves[leaf0 - next] as TextLeaf).fence > text
            })
      if (leaf !== leaf0) place = sign > 0 ? 0 : countIn(leaf) - 1
    }
    if (sign < 0) place--
    settle()
    return {
      rest: () => {
        const one = leaves[leaf]
        if (!one || !isInside()) return undefined
        current ??= restAt(one, place, key, know(one))
        return current
      },
      seek: rest => {
        const here = leaves[leaf]
        if (!here) return
        const place0 = place
        place = goIn(here, place0, rest, nearTexts)
        const isFound = Math.abs(place - place0) < nearTexts && place >= 0 && place < here.count
        if (!isFound) {
          skipLeaves(rest)
          place = goIn(leaves[leaf] as TextLeaf, place, rest, endless)
        }
        settle()
      },
      advance: () => {
        place += sign
        settle()
      },
      compared: () => compared,
      ahead: () => sizeBetween(start, end),
    }
  }

  return {
    size: () => size,
    has: text => {
      const { leaf, place } = find(text)
      return isAt(leaf, place, text)
    },
    add,
    remove,
    scan: (from, to, order, limit) => (order === 'asc' ? scanUp : scanDown)(from, to, limit),
    count: (from, to) => countBetween(find(from), endOf(to)),
    walk,
  }
}

/** How a builder deals with texts of one kind. */
type TextKind<T> = {
  lengthOf(text: T): number
  sharedBy(one: T, other: T): number
  toFence(text: T): string
  write(slabs: ReturnType<typeof openSlabs>, texts: readonly T[], fence: string): TextLeaf
}

const strings: TextKind<string> = {
  lengthOf: text => text.length,
  sharedBy: (one, other) => commonPrefix(one, other).length,
  toFence: text => text,
  write: (slabs, texts, fence) => writeLeaf(slabs.take(neededBytes(texts)), texts, fence),
}

const byteTexts: TextKind<TextBytes> = {
  lengthOf: ({ start, end }) => end - start,
  sharedBy: sharedBytes,
  toFence: ({ bytes, start, end }) => bytes.toString('latin1', start, end),
  write: (slabs, texts, fence) => writeBytesLeaf(slabs.take(neededForBytes(texts)), texts, fence),
}

const openBuilder = <T>({ lengthOf, sharedBy, toFence, write }: TextKind<T>): SortedBuilder<T> => {
  const slabs = openSlabs()
  const leaves: TextLeaf[] = []
  let count = 0
  let texts: T[] = []
  let units = 0
  const flush = (): void => {
    const [first] = texts
    if (first === undefined) return
    leaves.push(write(slabs, texts, leaves.length === 0 ? '' : toFence(first)))
    texts = []
    units = 0
  }
  return {
    push: text => {
      const first = texts[0]
      const cell = cellBytes(lengthOf(text))
      const shared = first === undefined ? 0 : sharedBy(first, text)
      if (texts.length > 0 && units + cell - shared * (texts.length + 1) > filledTo) flush()
      texts.push(text)
      units += cell
      count++
    },
    done: () => {
      flush()
      return over(leaves, slabs, count)
    },
  }
}

/** A set that is filled in order: its leaves are nearly full. */
export const sortedBuilder = (): SortedBuilder => openBuilder(strings)

/** A set that is filled in order with texts that are bytes already. */
export const sortedBytesBuilder = (): SortedBuilder<TextBytes> => openBuilder(byteTexts)

/** `texts` must be sorted and distinct. */
export const sortedTexts = (texts: readonly string[] = []): SortedSet => {
  const builder = sortedBuilder()
  for (const text of texts) builder.push(text)
  return builder.done()
}
