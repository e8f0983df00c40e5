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
import { type SortedSet, sortedTexts } from './sorted.ts'

const none = sortedTexts()
/** What it costs to make the list of a word, in characters read. */
const perWord = 256

/** Texts that one page may compare: about half a millisecond, whatever the words and however many documents. */
const maxCompared = 3072

const endless = Number.MAX_SAFE_INTEGER

const wordsIn = (index: Index, row: Document): string[] => ['', ...splitWords(indexText(index, row))]

/**
 * What all lists hold, by leapfrog: whoever is behind gallops to where the one ahead stands. Stops at `limit` entries, or
 * once `maxCompared` texts were compared: words that are common and never meet would be walked to their end.
 */
const intersect = (
  lists: readonly SortedSet[],
  { from, to }: Reach,
  order: 'asc' | 'desc',
  limit: number,
  maxCompared: number,
): Scanned => {
  const walks = lists.map(ids => ids.walk(from, to, order))
  const [lead, ...others] = walks
  const entries: string[] = []
  let compared = 0
  for (let entry = lead?.text(); lead && entry !== undefined; entry = lead.text()) {
    let ahead: string | undefined = entry
    for (const walk of others) {
      walk.seek(entry)
      ahead = walk.text()
      if (ahead !== entry) break
    }
    if (ahead === undefined) break
    if (ahead !== entry) lead.seek(ahead)
    else {
      if (entries.push(entry) === limit) break
      lead.advance()
    }
    compared = walks.reduce((sum, walk) => sum + walk.compared(), 0)
    if (compared >= maxCompared && lead.text() !== undefined) return { entries, until: entry, compared }
  }
  return { entries, compared }
}

const over = (index: Index, byWord: Map<string, SortedSet>): Ordering => {
  const add = (id: string, row: Document): void => {
    for (const word of wordsIn(index, row)) {
      const ids = byWord.get(word) ?? sortedTexts()
      ids.add(toByteOrder(id))
      byWord.set(word, ids)
    }
  }
  const remove = (id: string, row: Document): void => {
    for (const word of wordsIn(index, row)) {
      const ids = byWord.get(word)
      ids?.remove(toByteOrder(id))
      if (ids?.size() === 0 && word !== '') byWord.delete(word)
    }
  }
  const rarestFirst = (words: readonly string[] = []): SortedSet[] =>
    (words.length > 0 ? words : [''])
      .map(word => byWord.get(word) ?? none)
      .sort((a, b) => a.size() - b.size())

  const scan = (reach: Reach, order: 'asc' | 'desc', limit: number): Scanned => {
    const lists = rarestFirst(reach.words)
    const [rarest = none] = lists
    if (lists.length < 2) return { entries: rarest.scan(reach.from, reach.to, order, limit) }
    return intersect(lists, reach, order, limit, maxCompared)
  }
  return {
    index,
    add,
    remove,
    replace: (id, before, row) => {
      if (indexText(index, before) === indexText(index, row)) return
      remove(id, before)
      add(id, row)
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
      if ((reach.words ?? []).length < 2) return rarestFirst(reach.words)[0]?.count(reach.from, reach.to) ?? 0
      return intersect(rarestFirst(reach.words), reach, 'asc', endless, endless).entries.length
    },
    idOf: fromByteOrder,
    cursorValues: () => [],
  }
}

/** An index over the words of fields: for each word the ids that have it, and under the empty word all ids. */
export const wordsOrdering = (index: Index): Building => {
  const idsByWord = new Map<string, string[]>([['', []]])
  return {
    gather: (id, row) => {
      const entry = toByteOrder(id)
      for (const word of wordsIn(index, row)) {
        const ids = idsByWord.get(word)
        if (ids) ids.push(entry)
        else idsByWord.set(word, [entry])
      }
    },
    // Rows are gathered in order of ids, so that each word's ids are sorted already.
    build: async slices => {
      const byWord = new Map<string, SortedSet>()
      for (const [word, ids] of idsByWord) {
        byWord.set(word, sortedTexts(ids))
        const turn = slices.spend(perWord + ids.length)
        if (turn) await turn
      }
      return over(index, byWord)
    },
  }
}
