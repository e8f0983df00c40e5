import { indexText } from '../document.ts'
import type { Index } from '../index.ts'
import { fromByteOrder, toByteOrder } from '../order.ts'
import { wordsOf } from '../words.ts'
import { type Building, behindCursor, type Document, lies, type Ordering, type Reach } from './ordering.ts'
import { type Sorted, sortedTexts } from './sorted.ts'

const none = sortedTexts()
/** What it costs to make the list of a word, in characters read. */
const perWord = 256

const wordsIn = (index: Index, row: Document): string[] => ['', ...wordsOf(indexText(index, row))]

const over = (index: Index, byWord: Map<string, Sorted>): Ordering => {
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
  const rarestFirst = (words: readonly string[] = []): Sorted[] =>
    (words.length > 0 ? words : [''])
      .map(word => byWord.get(word) ?? none)
      .sort((a, b) => a.size() - b.size())

  const scan = (reach: Reach, order: 'asc' | 'desc', limit: number): string[] => {
    const [rarest = none, ...others] = rarestFirst(reach.words)
    if (others.length === 0) return rarest.scan(reach.from, reach.to, order, limit)
    const found: string[] = []
    for (const entry of rarest.scan(reach.from, reach.to, order, Number.MAX_SAFE_INTEGER)) {
      if (found.length === limit) break
      if (others.every(ids => ids.has(entry))) found.push(entry)
    }
    return found
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
      return scan(reach, 'asc', Number.MAX_SAFE_INTEGER).length
    },
    idOf: fromByteOrder,
    cursorValues: () => [],
  }
}

/** An index over the words of fields: for each word the ids that have it, and under the empty word all ids. */
export const wordsOrdering = (index: Index): Building => {
  const gathered = new Map<string, string[]>([['', []]])
  return {
    gather: (id, row) => {
      const entry = toByteOrder(id)
      for (const word of wordsIn(index, row)) {
        const ids = gathered.get(word)
        if (ids) ids.push(entry)
        else gathered.set(word, [entry])
      }
    },
    // Rows are gathered in order of ids, so that each word's ids are sorted already.
    build: async slices => {
      const byWord = new Map<string, Sorted>()
      for (const [word, ids] of gathered) {
        byWord.set(word, sortedTexts(ids))
        const turn = slices.spend(perWord + ids.length)
        if (turn) await turn
      }
      return over(index, byWord)
    },
  }
}
