import { describe, expect, test } from 'vitest'
import { openArena } from '../../store/embedded/arena.ts'
import { fieldsOrdering } from '../../store/embedded/fields-ordering.ts'
import { entryKey, idOfEntry, valuesKey } from '../../store/embedded/key.ts'
import { emptyRows } from '../../store/embedded/rows.ts'
import { openSlices } from '../../store/embedded/slices.ts'
import { sortedTexts } from '../../store/embedded/sorted.ts'
import type { Scalar } from '../../store/index.ts'
import { compareKeys } from '../../store/order.ts'
import { firstSeed, type Random, withSeed } from '../random.ts'
import { runs } from '../stress.ts'

const inOrder = (a: string, b: string): number => (a < b ? -1 : 1)

describe('a sorted set', () => {
  const compare = (random: Random, steps: number, kinds: number): void => {
    const naive = new Set<string>(Array.from({ length: random.below(3000) }, () => `${random.below(kinds)}`))
    const sortedSet = sortedTexts([...naive].sort(inOrder))
    for (let step = 0; step < steps; step++) {
      const text = `${random.below(kinds)}`
      if (random.chance(0.55)) {
        naive.add(text)
        sortedSet.add(text)
      } else {
        naive.delete(text)
        sortedSet.remove(text)
      }
      expect(sortedSet.size()).toBe(naive.size)
      expect(sortedSet.has(text)).toBe(naive.has(text))
      if (step % 97 !== 0) continue
      const from = `${random.below(kinds)}`
      const to = random.chance(0.2) ? undefined : `${random.below(kinds)}`
      const within = [...naive].filter(one => one >= from && (to === undefined || one < to)).sort(inOrder)
      const limit = 1 + random.below(2000)
      expect(sortedSet.count(from, to)).toBe(within.length)
      expect(sortedSet.scan(from, to, 'asc', limit)).toEqual(within.slice(0, limit))
      expect(sortedSet.scan(from, to, 'desc', limit)).toEqual(within.reverse().slice(0, limit))
    }
  }

  test('does what a plain set does, through growth, splits and emptying', async () => {
    const first = firstSeed()
    for (let run = 0; run < 6; run++)
      await withSeed(first + run, async random => compare(random, 5000, random.pick([20, 700, 20_000])))
  })

  test('holds texts of any length, whatever they share, and finds the room of those that went', () =>
    withSeed(firstSeed(), async random => {
      const beginnings = ['', 'a', 'market\0lst_0000', 'market\0lst_0001', '\xff'.repeat(300)]
      const lengths = [0, 1, 2, 8, 126, 127, 128, 300]
      const make = (): string =>
        random.pick(beginnings) +
        'q'.repeat(random.chance(0.005) ? 70_000 : random.pick(lengths)) +
        String(random.below(3000))
      const naive = new Set<string>()
      const sortedSet = sortedTexts()
      for (let step = 0; step < runs(20_000, 3000); step++) {
        const text =
          random.chance(0.2) && naive.size > 0 ? ([...naive.keys()][random.below(5)] ?? '') : make()
        const isAdded = random.chance(step < 1500 ? 0.7 : 0.4)
        if (isAdded) naive.add(text)
        else naive.delete(text)
        if (isAdded) sortedSet.add(text)
        else sortedSet.remove(text)
        if (step % 300 !== 0) continue
        const all = [...naive].sort(inOrder)
        expect(sortedSet.scan('', undefined, 'asc', 100_000)).toEqual(all)
        expect(sortedTexts(all).scan('', undefined, 'desc', 100_000)).toEqual(all.reverse())
        expect(sortedSet.count(make(), make())).toBeGreaterThanOrEqual(0)
        for (const text of naive) sortedSet.remove(text)
        expect([sortedSet.size(), sortedSet.scan('', undefined, 'asc', 10)]).toEqual([0, []])
        for (const text of naive) sortedSet.add(text)
      }
    }))

  test('stays right when everything comes in order and goes in order', () => {
    const sortedSet = sortedTexts()
    const texts = Array.from({ length: 3000 }, (_, n) => `${10_000 + n}`)
    for (const text of texts) sortedSet.add(text)
    expect(sortedSet.scan('', undefined, 'asc', 5000)).toEqual(texts)
    for (const text of texts) sortedSet.remove(text)
    expect(sortedSet.scan('', undefined, 'asc', 5000)).toEqual([])
    sortedSet.add('again')
    expect(sortedSet.scan('', undefined, 'desc', 1)).toEqual(['again'])
  })
})

describe('an index key', () => {
  const letters = [
    '',
    '\0',
    '\x01',
    '\x02',
    '\x06',
    ' ',
    'a',
    'b',
    'é',
    '\u07ff',
    '\u0800',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '𝄞',
    '\u{10ffff}',
  ]
  const numbers = [0, -1, 1, 0.5, -0.5, 5e-324, -5e-324, 1e300, -1e300, 2 ** 53, 255, 256]
  const text = (random: Random): string =>
    Array.from({ length: random.below(4) }, () => random.pick(letters)).join('')
  const value = (random: Random): Scalar => {
    if (random.chance(0.3)) return random.pick([null, false, true])
    return random.chance(0.4) ? random.pick(numbers) : text(random)
  }

  test('compares as its values do, and gives the id back', () =>
    withSeed(firstSeed(), async random => {
      for (let run = 0; run < runs(20_000); run++) {
        const [a, b] = [
          [value(random), value(random)],
          [value(random), value(random)],
        ]
        const [keyA, keyB] = [valuesKey(a), valuesKey(b)]
        expect(Math.sign(keyA === keyB ? 0 : inOrder(keyA, keyB)), JSON.stringify([a, b])).toBe(
          Math.sign(compareKeys(a, b)),
        )
        const id = `${text(random)}x${text(random)}`
        expect(idOfEntry(entryKey(a, id), 2)).toBe(id)
      }
    }))

  test('orders texts as their UTF-8 bytes', () =>
    withSeed(firstSeed(), async random => {
      for (let run = 0; run < runs(5000); run++) {
        const [a, b] = [text(random), text(random)]
        expect(Math.sign(compareKeys([a], [b])), JSON.stringify([a, b])).toBe(
          Buffer.compare(Buffer.from(a), Buffer.from(b)),
        )
      }
    }))
})

test('a unique index over stored rows that repeat a value is refused by the name of a row', async () => {
  const building = fieldsOrdering('users', { name: 'mail', fields: ['mail'], unique: true })
  for (const [id, mail] of [
    ['a', 'x@y.z'],
    ['b', null],
    ['c', null],
    ['d', 'x@y.z'],
  ] as const)
    building.gather(id, { mail })
  await expect(building.build(openSlices())).rejects.toThrow(
    'users: index "mail" is unique, but the stored row "d" repeats another',
  )
})

test('rows hold what a map holds, and give each once though others come and go meanwhile', () =>
  withSeed(firstSeed(), async random => {
    const rows = emptyRows(openArena(), 'rows')
    const naive = new Map<string, string>()
    for (let step = 0; step < runs(20_000, 10_000); step++) {
      const id = `${random.below(3000)}`
      if (random.chance(0.6)) {
        rows.set(id, `${step}`)
        naive.set(id, `${step}`)
      } else {
        rows.delete(id)
        naive.delete(id)
      }
      expect(rows.get(id)).toBe(naive.get(id))
    }
    expect(rows.size()).toBe(naive.size)
    expect(new Map(rows)).toEqual(naive)
    const ids: string[] = []
    for (const [id] of rows) {
      ids.push(id)
      rows.delete(`${random.below(3000)}-`)
      rows.set(`new ${ids.length % 50}`, '')
    }
    expect(ids.filter(id => !id.startsWith('new')).sort()).toEqual([...naive.keys()].sort())
  }))
