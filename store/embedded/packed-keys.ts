import type { Slices } from './slices.ts'

/** A text as bytes, one for each of its units: from `start` up to, not including, `end`. */
export type TextBytes = { bytes: Buffer; start: number; end: number }

/** Room for one key: its bytes go into `bytes` from `at` on, then `finish` hears where they end. */
export type KeyRoom = { bytes: Buffer; at: number }

/** Distinct texts, each unit of which is one byte, in pages beside the heap; to be sorted once. */
export type PackedKeys = {
  /** Room for a key of so many bytes at most; nothing else may be added before `finish`. */
  reserve(maxBytes: number): KeyRoom
  finish(end: number): void
  add(text: string): void
  size(): number
  /** Sorts what was added by its bytes, in slices. Returns the places of the texts in order. */
  sort(slices: Slices): Promise<Uint32Array>
  at(place: number): TextBytes
  /** Lets go of everything. */
  clear(): void
}

const pageBytes = 1 << 20
const unit = 8
const pageShift = 17
const unitMask = (1 << pageShift) - 1
const headBytes = 4
const blockSize = 1 << 16
/** Shorter groups are sorted by comparing. */
const smallGroup = 20
/** Entries that are looked at between two questions to the slices. */
const perStep = 4096
/** Cost, in characters read, of looking at one byte of an entry anywhere, and of comparing a small group's. */
const perLook = 16
const perComparison = 96
const nativeFrom = 48

type Page = { bytes: Buffer; words: Uint32Array }

/** How many bytes two texts share at their beginnings. */
export const sharedBytes = (a: TextBytes, b: TextBytes): number => {
  const most = Math.min(a.end - a.start, b.end - b.start)
  let same = 0
  while (same < most && a.bytes[a.start + same] === b.bytes[b.start + same]) same++
  return same
}

/** No keys yet. */
export const packedKeys = (): PackedKeys => {
  let pages: Page[] = []
  let blocks: Uint32Array[] = []
  let count = 0
  /** Start of the next key in the page under way, and which page that is. */
  let used = pageBytes
  let current = -1
  let openPage: Page | undefined
  let openAt = 0

  const addPage = (bytes: number): Page => {
    const buffer = Buffer.allocUnsafeSlow(bytes)
    const page = { bytes: buffer, words: new Uint32Array(buffer.buffer) }
    pages.push(page)
    return page
  }
  const note = (place: number): void => {
    if (count % blockSize === 0) blocks.push(new Uint32Array(blockSize))
    const block = blocks[blocks.length - 1] as Uint32Array
    block[count % blockSize] = place
    count++
  }
  const reserve = (maxBytes: number): KeyRoom => {
    const most = headBytes + maxBytes
    if (most > pageBytes) {
      // A key of its own page; the one under way goes on behind it.
      openPage = addPage((most + unit - 1) & -unit)
      openAt = 0
      note(((pages.length - 1) << pageShift) >>> 0)
    } else {
      if (used + most > pageBytes) {
        addPage(pageBytes)
        current = pages.length - 1
        used = 0
      }
      openPage = pages[current] as Page
      openAt = used
      note(((current << pageShift) | (used / unit)) >>> 0)
    }
    return { bytes: openPage.bytes, at: openAt + headBytes }
  }
  const finish = (end: number): void => {
    const page = openPage as Page
    page.words[openAt >>> 2] = end - openAt - headBytes
    if (page === pages[current]) used = (end + unit - 1) & -unit
  }
  const pageOf = (place: number): Page => pages[place >>> pageShift] as Page
  const offsetOf = (place: number): number => (place & unitMask) * unit
  const at = (place: number): TextBytes => {
    const { bytes, words } = pageOf(place)
    const offset = offsetOf(place)
    const start = offset + headBytes
    return { bytes, start, end: start + (words[offset >>> 2] as number) }
  }
  /** 0 where the text ends before `depth`, else one more than its byte there. */
  const bucketAt = (place: number, depth: number): number => {
    const { bytes, words } = pageOf(place)
    const offset = offsetOf(place)
    return depth < (words[offset >>> 2] as number) ? (bytes[offset + headBytes + depth] as number) + 1 : 0
  }
  const isBefore = (a: number, b: number, depth: number): boolean => {
    const one = at(a)
    const other = at(b)
    const length = one.end - one.start
    const otherLength = other.end - other.start
    const common = Math.min(length, otherLength)
    const near = Math.min(common, depth + nativeFrom)
    for (let byte = depth; byte < near; byte++) {
      const order = (one.bytes[one.start + byte] as number) - (other.bytes[other.start + byte] as number)
      if (order !== 0) return order < 0
    }
    if (near === common) return length < otherLength
    return one.bytes.compare(other.bytes, other.start + near, other.end, one.start + near, one.end) < 0
  }
  const sortSmall = (order: Uint32Array, from: number, to: number, depth: number): void => {
    for (let next = from + 1; next < to; next++) {
      const place = order[next] as number
      let hole = next
      for (; hole > from && isBefore(place, order[hole - 1] as number, depth); hole--)
        order[hole] = order[hole - 1] as number
      order[hole] = place
    }
  }
  const sort = async (slices: Slices): Promise<Uint32Array> => {
    const order = new Uint32Array(count)
    for (const [number, block] of blocks.entries())
      order.set(block.subarray(0, Math.min(blockSize, count - number * blockSize)), number * blockSize)
    const other = new Uint32Array(count)
    const buckets = new Uint16Array(count)
    const ends = new Uint32Array(257)

    /** The depth up to which all texts of a group are the same: they need not be told apart byte by byte. */
    const sharedDepth = async (from: number, to: number, depth: number): Promise<number> => {
      const first = at(order[from] as number)
      let shared = first.end - first.start
      for (let step = from; step < to && shared > depth; step += perStep) {
        const end = Math.min(to, step + perStep)
        for (let next = step; next < end; next++) {
          const { bytes, start, end: textEnd } = at(order[next] as number)
          const most = Math.min(shared, textEnd - start)
          let same = depth
          while (same < most && bytes[start + same] === first.bytes[first.start + same]) same++
          shared = same
        }
        const turn = slices.spend((end - step) * (perLook + shared - depth))
        if (turn) await turn
      }
      return shared
    }
    const groups: [from: number, to: number, depth: number][] = [[0, count, 0]]
    for (let group = groups.pop(); group; group = groups.pop()) {
      const [from, to] = group
      let [, , depth] = group
      if (to - from <= smallGroup) {
        sortSmall(order, from, to, depth)
        const turn = slices.spend((to - from) * perComparison)
        if (turn) await turn
        continue
      }
      const sample = bucketAt(order[from] as number, depth)
      const middle = order[(from + to) >>> 1] as number
      if (sample === bucketAt(order[to - 1] as number, depth) && sample === bucketAt(middle, depth))
        depth = await sharedDepth(from, to, depth)
      ends.fill(0)
      for (let step = from; step < to; step += perStep) {
        const end = Math.min(to, step + perStep)
        for (let next = step; next < end; next++) {
          const bucket = bucketAt(order[next] as number, depth)
          buckets[next] = bucket
          ends[bucket] = (ends[bucket] as number) + 1
        }
        const turn = slices.spend((end - step) * perLook)
        if (turn) await turn
      }
      let sum = from
      for (let bucket = 0; bucket < 257; bucket++) {
        const size = ends[bucket] as number
        // Texts that end here are the same: they are distinct, so there is one of them at most.
        if (size > 1 && bucket > 0) groups.push([sum, sum + size, depth + 1])
        ends[bucket] = sum
        sum += size
      }
      for (let step = from; step < to; step += perStep) {
        const end = Math.min(to, step + perStep)
        for (let next = step; next < end; next++) {
          const bucket = buckets[next] as number
          const position = ends[bucket] as number
          other[position] = order[next] as number
          ends[bucket] = position + 1
        }
        const turn = slices.spend((end - step) * perLook)
        if (turn) await turn
      }
      order.set(other.subarray(from, to), from)
    }
    return order
  }
  return {
    reserve,
    finish,
    add: text => {
      const { bytes, at: start } = reserve(text.length)
      finish(start + bytes.write(text, start, 'latin1'))
    },
    size: () => count,
    sort,
    at,
    clear: () => {
      pages = []
      blocks = []
      count = 0
      used = pageBytes
      current = -1
      openPage = undefined
    },
  }
}
