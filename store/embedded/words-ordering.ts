import { createHash } from 'node:crypto'
import { indexText } from '../document.ts'
import type { Index } from '../index.ts'
import { fromByteOrder, toByteOrder } from '../order.ts'
import { splitWords } from '../words.ts'
import {
  type Building,
  behindCursor,
  type Document,
  lies,
  type Ordering,
  type Reach,
  type Scanned,
} from './ordering.ts'
import { type SortedSet, sortedBuilder } from './sorted.ts'
import { sortInSlices } from './sorting.ts'

/** Cost of writing one id of a word, in characters read. */
const perPosting = 48

/** Texts that one page may compare: less than half a millisecond, whatever the words and however many documents. */
const maxCompared = 1536

const endless = Number.MAX_SAFE_INTEGER

const maxWord = 200
const end = '\0'
const behindEnd = '\x01'

/** A word as it stands in the index, before the ids that have it; of a very long one, its digest. */
const wordKey = (word: string): string => {
  const bytes = toByteOrder(word)
  if (bytes.length <= maxWord) return bytes + end
  return createHash('sha256').update(bytes, 'latin1').digest('hex') + bytes.slice(0, maxWord) + end
}

/** The words of a document; the empty one is for searches that ask for none. */
const wordsIn = (index: Index, row: Document): string[] => ['', ...splitWords(indexText(index, row))]

/** The ids that have one word, as a part of the index. */
type Postings = { key: string; from: string; to: string }

/**
 * What all words have, by leapfrog: whoever is behind gallops to where the one ahead stands, the rarest first. Stops at `limit`
 * entries, or once `maxCompared` texts were compared: words that are common and never meet would be walked to their end.
 */
const intersect = (
  entries: SortedSet,
  postings: readonly Postings[],
  order: 'asc' | 'desc',
  limit: number,
  maxCompared: number,
): Scanned => {
  const walks = postings
    .map(({ key, from, to }) => entries.walk(key, from, to, order))
    .sort((a, b) => a.ahead() - b.ahead())
  const [lead, ...others] = walks
  const ids: string[] = []
  let compared = 0
  for (let id = lead?.rest(); lead && id !== undefined; id = lead.rest()) {
    let ahead: string | undefined = id
    for (const other of others) {
      other.seek(id)
      ahead = other.rest()
      if (ahead !== id) break
    }
    if (ahead === undefined) break
    if (ahead !== id) lead.seek(ahead)
    else {
      if (ids.push(id) === limit) break
      lead.advance()
    }
    compared = 0
    for (const walk of walks) compared += walk.compared()
    if (compared >= maxCompared && lead.rest() !== undefined) return { entries: ids, until: id, compared }
  }
  return { entries: ids, compared }
}

const over = (index: Index, entries: SortedSet): Ordering => {
  const postingsOf = (word: string, { from, to }: Reach): Postings => {
    const key = wordKey(word)
    return { key, from: key + from, to: to === undefined ? key.slice(0, -1) + behindEnd : key + to }
  }
  const allPostings = (reach: Reach): Postings[] => {
    const { words = [] } = reach
    return (words.length > 0 ? words : ['']).map(word => postingsOf(word, reach))
  }
  const scan = (reach: Reach, order: 'asc' | 'desc', limit: number): Scanned => {
    const postings = allPostings(reach)
    const [first] = postings
    if (!first || postings.length > 1) return intersect(entries, postings, order, limit, maxCompared)
    const { key, from, to } = first
    return { entries: entries.scan(from, to, order, limit).map(entry => entry.slice(key.length)) }
  }
  const change = (id: string, gone: readonly string[], come: readonly string[]): void => {
    const entry = toByteOrder(id)
    for (const word of gone) entries.remove(wordKey(word) + entry)
    for (const word of come) entries.add(wordKey(word) + entry)
  }
  return {
    index,
    add: (id, row) => change(id, [], wordsIn(index, row)),
    remove: (id, row) => change(id, wordsIn(index, row), []),
    replace: (id, before, row) => {
      if (indexText(index, before) === indexText(index, row)) return
      const old = new Set(wordsIn(index, before))
      const words = new Set(wordsIn(index, row))
      change(
        id,
        [...old].filter(word => !words.has(word)),
        [...words].filter(word => !old.has(word)),
      )
    },
    reach: ({ words = [], order, after }) =>
      behindCursor({ from: '', to: undefined, words }, order, after && toByteOrder(after.id)),
    entryIn: (reach, id, row) => {
      const entry = toByteOrder(id)
      if (!lies(reach, entry)) return undefined
      const words = new Set(wordsIn(index, row))
      return (reach.words ?? []).every(word => words.has(word)) ? entry : undefined
    },
    scan,
    count: reach => {
      const postings = allPostings(reach)
      const [first] = postings
      if (first && postings.length === 1) return entries.count(first.from, first.to)
      return intersect(entries, postings, 'asc', endless, endless).entries.length
    },
    idOf: fromByteOrder,
    cursorValues: () => [],
  }
}

/** An index over the words of fields: each word with the ids that have it, and the empty word with all ids. */
export const wordsOrdering = (index: Index): Building => {
  const idsByWord = new Map<string, string[]>([[wordKey(''), []]])
  return {
    gather: (id, row) => {
      const entry = toByteOrder(id)
      for (const word of wordsIn(index, row)) {
        const key = wordKey(word)
        const ids = idsByWord.get(key)
        if (ids) ids.push(entry)
        else idsByWord.set(key, [entry])
      }
    },
    // Rows are gathered in order of ids, so that each word's ids are sorted already.
    build: async slices => {
      const builder = sortedBuilder()
      for (const key of await sortInSlices([...idsByWord.keys()], slices))
        for (const id of idsByWord.get(key) ?? []) {
          builder.push(key + id)
          const turn = slices.spend(perPosting)
          if (turn) await turn
        }
      return over(index, builder.done())
    },
  }
}
