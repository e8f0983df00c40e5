import { describe, expect, test } from 'vitest'
import type { Reach, Scanned } from '../../store/embedded/ordering.ts'
import { openSlices } from '../../store/embedded/slices.ts'
import { type SortedSet, sortedTexts } from '../../store/embedded/sorted.ts'
import { wordsOrdering } from '../../store/embedded/words-ordering.ts'
import { randomFrom } from '../random.ts'

const toId = (n: number): string => `lst_${String(n).padStart(9, '0')}`

/** An index over `count` documents whose words are told by their number. */
const indexOver = (count: number, text: (n: number) => string) => {
  const building = wordsOrdering({ name: 'words', fields: ['text'], words: true })
  for (let n = 0; n < count; n++) building.gather(toId(n), { text: text(n) })
  return building.build(openSlices())
}

type Index = Awaited<ReturnType<typeof indexOver>>

const everywhere = (words: string[]): Reach => ({ from: '', to: undefined, words })

/** What comes behind a scan that gave up. */
const behind = (reach: Reach, order: 'asc' | 'desc', until: string): Reach =>
  order === 'asc' ? { ...reach, from: `${until}\0` } : { ...reach, to: until }

const collectAll = (index: Index, words: string[], order: 'asc' | 'desc') => {
  const entries: string[] = []
  const scans: Scanned[] = []
  for (let reach = everywhere(words); ; ) {
    const scan = index.scan(reach, order, 1_000_000)
    scans.push(scan)
    entries.push(...scan.entries)
    if (scan.until === undefined) return { entries, scans }
    reach = behind(reach, order, scan.until)
  }
}

describe('a walk over a sorted set', () => {
  type Range = { key: string; from: string; to: string | undefined }

  const collectWalk = (set: SortedSet, order: 'asc' | 'desc', { key, from, to }: Range, stops: string[]) => {
    const walk = set.walk(key, from, to, order)
    return stops.map((stop, n) => {
      if (n % 3 === 2) walk.advance()
      else walk.seek(stop)
      return walk.rest()
    })
  }

  /** What the same stops lead to in a plain list. */
  const collectList = (texts: string[], order: 'asc' | 'desc', stops: string[]) => {
    let rest = order === 'asc' ? texts : [...texts].reverse()
    return stops.map((stop, n) => {
      const first = rest.findIndex(text => (order === 'asc' ? text >= stop : text <= stop))
      if (n % 3 === 2) rest = rest.slice(1)
      else rest = first < 0 ? [] : rest.slice(first)
      return rest[0]
    })
  }

  // Several keys share leaves, so that some leaves begin or end in another one's texts.
  test.each([{ keys: [''] }, { keys: ['be\0', 'bee\0', 'beer\0', 'cab\0'] }])(
    'stands where a plain list would, in both orders and any range, behind the keys $keys',
    ({ keys }) => {
      const random = randomFrom(7)
      const whole = random.below
      for (let round = 0; round < 60; round++) {
        const idsOf = new Map(
          keys.map(key => [
            key,
            [...new Set(Array.from({ length: whole(3000) }, () => toId(whole(5000))))].sort(),
          ]),
        )
        const set = sortedTexts([...idsOf].flatMap(([key, ids]) => ids.map(id => key + id)).sort())
        for (const [key, ids] of idsOf) {
          const [from, to] = [toId(whole(2500)), round % 3 === 0 ? undefined : toId(2500 + whole(2500))]
          const within = ids.filter(id => id >= from && (to === undefined || id < to))
          const end = key === '' ? undefined : `${key.slice(0, -1)}\x01`
          const range = { key, from: key + from, to: to === undefined ? end : key + to }
          for (const order of ['asc', 'desc'] as const) {
            const stops = Array.from({ length: 30 }, () => toId(whole(5000))).sort()
            if (order === 'desc') stops.reverse()
            expect(collectWalk(set, order, range, stops)).toEqual(collectList(within, order, stops))
            const ahead = set.walk(key, range.from, range.to, order).ahead()
            expect(ahead).toBeGreaterThanOrEqual(within.length / 2)
            expect(ahead).toBeLessThanOrEqual(within.length * 2)
          }
        }
      }
    },
  )
})

describe('a search for several words', () => {
  test('finds what all of them have, in both orders, however often it gives up on the way', async () => {
    const random = randomFrom(11)
    const has = Array.from({ length: 6000 }, () => [0.5, 0.5, 0.02, 0.9].map(share => random.chance(share)))
    const names = ['half', 'other', 'rare', 'most']
    const index = await indexOver(has.length, n => names.filter((_, at) => has[n]?.[at]).join(' '))
    for (const words of [['half', 'other'], ['rare', 'most'], names, ['half', 'none']])
      for (const order of ['asc', 'desc'] as const) {
        const expected = has
          .map((row, n) => ({ id: toId(n), row }))
          .filter(({ row }) => words.every(word => row[names.indexOf(word)] === true))
          .map(({ id }) => id)
        if (order === 'desc') expected.reverse()
        expect(collectAll(index, words, order).entries).toEqual(expected)
        expect(index.count(everywhere(words))).toBe(expected.length)
      }
  })

  test('compares as few texts among 100,000 documents as among 1,000', async () => {
    const text = (n: number) => `weekly market ${n % 500 === 7 ? 'rare' : ''} ${n % 2 === 0 ? 'even' : 'odd'}`
    const cost = (index: Index, words: string[]) =>
      index.scan(everywhere(words), 'desc', 21).compared ?? Number.NaN
    const [few, many] = [await indexOver(1000, text), await indexOver(100_000, text)]
    for (const words of [
      ['weekly', 'market'],
      ['weekly', 'even'],
      ['rare', 'market'],
    ]) {
      expect(cost(many, words)).toBeLessThan(600)
      expect(cost(many, words)).toBeLessThan(4 * cost(few, words) + 600)
    }
  })

  test('gives up soon on common words that never meet, and each page comes further', async () => {
    const index = await indexOver(100_000, n => (n % 2 === 0 ? 'even' : 'odd'))
    for (const order of ['asc', 'desc'] as const) {
      const { entries, scans } = collectAll(index, ['even', 'odd'], order)
      expect(entries).toEqual([])
      expect(scans.length).toBeGreaterThan(2)
      expect(scans.length).toBeLessThan(200)
      for (const { compared } of scans) expect(compared).toBeLessThan(2100)
    }
  })

  test('leaps over a stretch that only one of the words has', async () => {
    const index = await indexOver(100_000, n => (n < 50_000 ? 'early all' : `late all`))
    const { entries, compared } = index.scan(everywhere(['early', 'all']), 'desc', 3)
    expect(entries).toEqual([toId(49_999), toId(49_998), toId(49_997)])
    expect(compared).toBeLessThan(100)
  })
})
