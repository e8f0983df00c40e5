const maxChunk = 512
const initialChunk = 384

/** A set of texts in the order of their UTF-16 units. Ranges hold `from` and not `to`; no `to` means to the end. */
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

const below = (texts: readonly string[], text: string): number => {
  let low = 0
  let high = texts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((texts[middle] as string) < text) low = middle + 1
    else high = middle
  }
  return low
}

const chunksNotAbove = (chunks: readonly string[][], text: string): number => {
  let low = 0
  let high = chunks.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (((chunks[middle] as string[])[0] as string) <= text) low = middle + 1
    else high = middle
  }
  return low
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

const inChunks = (texts: readonly string[]): string[][] => {
  const chunks: string[][] = []
  for (let start = 0; start < texts.length; start += initialChunk)
    chunks.push(texts.slice(start, start + initialChunk))
  return chunks
}

/** `texts` must be sorted and distinct. A list of short sorted lists: an insert moves 512 texts at most. */
export const sortedTexts = (texts: readonly string[] = []): SortedSet => {
  const chunks = inChunks(texts)
  let size = texts.length
  const chunkAt = (position: number): string[] => chunks[position] ?? []
  const place = (text: string): { chunk: number; position: number } => {
    const chunk = Math.max(0, chunksNotAbove(chunks, text) - 1)
    return { chunk, position: below(chunkAt(chunk), text) }
  }
  const has = (text: string): boolean => {
    const { chunk, position } = place(text)
    return chunkAt(chunk)[position] === text
  }
  const split = (chunk: number, position: number): void => {
    const entries = chunkAt(chunk)
    const isAppend = chunk === chunks.length - 1 && position === entries.length - 1
    chunks.splice(chunk + 1, 0, entries.splice(isAppend ? position : entries.length >>> 1))
  }
  const add = (text: string): void => {
    if (chunks.length === 0) chunks.push([])
    const { chunk, position } = place(text)
    const entries = chunkAt(chunk)
    if (entries[position] === text) return
    entries.splice(position, 0, text)
    size++
    if (entries.length > maxChunk) split(chunk, position)
  }
  const remove = (text: string): void => {
    const { chunk, position } = place(text)
    const entries = chunkAt(chunk)
    if (entries[position] !== text) return
    entries.splice(position, 1)
    size--
    if (entries.length === 0) chunks.splice(chunk, 1)
  }
  const end = { chunk: Number.MAX_SAFE_INTEGER, position: 0 }
  const ascending = (from: string, to: string | undefined, limit: number): string[] => {
    const result: string[] = []
    let { chunk, position } = place(from)
    for (; chunk < chunks.length; chunk++, position = 0) {
      const entries = chunkAt(chunk)
      for (; position < entries.length; position++) {
        const text = entries[position] as string
        if (result.length === limit || (to !== undefined && text >= to)) return result
        result.push(text)
      }
    }
    return result
  }
  const descending = (from: string, to: string | undefined, limit: number): string[] => {
    const result: string[] = []
    const start = to === undefined ? end : place(to)
    for (let chunk = Math.min(start.chunk, chunks.length - 1); chunk >= 0; chunk--) {
      const entries = chunkAt(chunk)
      for (
        let position = (chunk === start.chunk ? start.position : entries.length) - 1;
        position >= 0;
        position--
      ) {
        const text = entries[position] as string
        if (result.length === limit || text < from) return result
        result.push(text)
      }
    }
    return result
  }
  const upward = (from: string, to: string | undefined): Walk => {
    let { chunk, position } = place(from)
    let compared = 0
    const isBefore = (entry: string | undefined, text: string): boolean => {
      compared++
      return entry !== undefined && entry < text
    }
    const settle = (): void => {
      if (position < chunkAt(chunk).length) return
      chunk++
      position = 0
    }
    settle()
    return {
      text: () => {
        const text = chunkAt(chunk)[position]
        return text !== undefined && (to === undefined || text < to) ? text : undefined
      },
      seek: text => {
        const chunk0 = chunk
        chunk += gallop(chunks.length - chunk0, at => isBefore(chunkAt(chunk0 + at).at(-1), text))
        if (chunk !== chunk0) position = 0
        const entries = chunkAt(chunk)
        const start = position
        position += gallop(entries.length - start, at => isBefore(entries[start + at], text))
      },
      advance: () => {
        position++
        settle()
      },
      compared: () => compared,
    }
  }
  const downward = (from: string, to: string | undefined): Walk => {
    let { chunk, position } = to === undefined ? { chunk: chunks.length, position: 0 } : place(to)
    let compared = 0
    const isBehind = (entry: string | undefined, text: string): boolean => {
      compared++
      return entry !== undefined && entry > text
    }
    const advance = (): void => {
      position--
      if (position >= 0) return
      chunk--
      position = chunkAt(chunk).length - 1
    }
    advance()
    return {
      text: () => {
        const text = chunkAt(chunk)[position]
        return text !== undefined && text >= from ? text : undefined
      },
      seek: text => {
        const chunk0 = chunk
        chunk -= gallop(chunk0 + 1, at => isBehind(chunkAt(chunk0 - at)[0], text))
        const entries = chunkAt(chunk)
        const start = chunk === chunk0 ? position : entries.length - 1
        position = start - gallop(start + 1, at => isBehind(entries[start - at], text))
      },
      advance,
      compared: () => compared,
    }
  }
  const rank = (text: string): number => {
    const { chunk, position } = place(text)
    let below = position
    for (let before = 0; before < chunk; before++) below += chunkAt(before).length
    return below
  }
  return {
    size: () => size,
    has,
    add,
    remove,
    scan: (from, to, order, limit) => (order === 'asc' ? ascending : descending)(from, to, limit),
    count: (from, to) => Math.max(0, (to === undefined ? size : rank(to)) - rank(from)),
    walk: (from, to, order) => (order === 'asc' ? upward : downward)(from, to),
  }
}
