import { describe, expect, onTestFinished, test } from 'vitest'
import type { Collection, RowPage, Store } from '../../store/index.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { ask } from '../database.ts'
import { bothWays, freshSchema, withDatabase } from './database.ts'
import { inWords, type Thing } from './opened.ts'

const count = 4000
const toId = (n: number): string => `thing_${String(n).padStart(9, '0')}`

/** Half of them even, half odd; two are both, and two have a rare word. All are things. */
const textOf = (n: number): string => {
  const words = n === 700 || n === 3100 ? 'even odd' : n % 2 === 0 ? 'even' : 'odd'
  return `thing ${words} ${n === 5 || n === 2900 ? 'rare' : ''}`
}

for (const { name, isHere, to } of bothWays())
  describe.skipIf(!isHere)(`a search of words that the database knows to be common, ${name}`, () => {
    const url = withDatabase()

    /** A table of four thousand, analysed as the server does by itself, before anybody has searched it. */
    const openThings = async (): Promise<{ store: Store; things: Collection<Thing> }> => {
      const store = await openPostgres({ ...to(url()), schema: freshSchema() })
      onTestFinished(() => store.close())
      const things = store.collection<Thing>('things', [inWords])
      for (let from = 0; from < count; from += 1000)
        await store.transaction(async tx => {
          for (let n = from; n < from + 1000; n++)
            await tx.collection<Thing>('things').put({ id: toId(n), text: textOf(n) })
        })
      await ask(url(), 'ANALYZE')
      return { store, things }
    }

    const readPages = async (
      things: Collection<Thing>,
      text: string,
      order: 'asc' | 'desc',
      limit: number,
    ): Promise<RowPage<Thing>[]> => {
      const pages: RowPage<Thing>[] = []
      for (let after: string | undefined; ; ) {
        const page = await things.find({
          index: 'in_words',
          where: { text },
          order,
          limit,
          ...(after !== undefined && { after }),
        })
        pages.push(page)
        if (page.next === undefined) return pages
        after = page.next
      }
    }

    test('finds all there are, each once and in order, and looks through a bounded part for each page', async () => {
      const { things } = await openThings()
      for (const order of ['asc', 'desc'] as const)
        for (const [text, limit] of [
          ['even odd', 3],
          ['even odd', 1],
          ['thing odd', 700],
          ['thing even', 37],
          ['thing', 532],
        ] as const) {
          const words = text.split(' ')
          const expected = Array.from({ length: count }, (_, n) => n)
            .filter(n => words.every(word => textOf(n).split(' ').includes(word)))
            .map(toId)
          if (order === 'desc') expected.reverse()
          const pages = await readPages(things, text, order, limit)
          expect(pages.flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual(expected)
          expect(pages.every(({ rows }) => rows.length <= limit)).toBe(true)
          const least = Math.max(Math.floor(expected.length / limit), Math.floor(count / (512 + limit)))
          expect(pages.length).toBeGreaterThanOrEqual(least)
        }
    })

    test('goes on behind an empty page, and fills pages of words that meet often', async () => {
      const { things } = await openThings()
      const [first] = await readPages(things, 'even odd', 'asc', 20)
      expect(first).toEqual({ rows: [], next: expect.any(String) })
      const often = await things.find({ index: 'in_words', where: { text: 'thing odd' }, limit: 20 })
      expect(often.rows.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, n) => toId(2 * n + 1)))
    })

    test('finds a rare word at once, wherever it is', async () => {
      const { things } = await openThings()
      const pages = await readPages(things, 'rare thing', 'desc', 20)
      expect(pages.map(({ rows }) => rows.map(({ id }) => id))).toEqual([[toId(2900), toId(5)]])
    })

    test('finds what its own transaction has written', async () => {
      const { things, store } = await openThings()
      const written = await store.transaction(async tx => {
        const own = tx.collection<Thing>('things')
        await own.put({ id: toId(1500), text: 'even odd' })
        await own.delete(toId(700))
        return readPages(own, 'even odd', 'desc', 20)
      })
      expect(written.flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual([3100, 1500].map(toId))
      expect((await readPages(things, 'even odd', 'desc', 20)).flatMap(({ rows }) => rows)).toHaveLength(2)
    })
  })
