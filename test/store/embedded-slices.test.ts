import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openEmbedded } from '../../store/embedded/open.ts'
import { openSlices, sliceCost } from '../../store/embedded/slices.ts'
import { sortInSlices } from '../../store/embedded/sorting.ts'
import type { Index, Store } from '../../store/index.ts'
import { randomFrom } from '../random.ts'
import { gate } from './opened.ts'

type Listing = { id: string; price: number; title: string; serial?: number }

const count = 12_000
const title = (n: number): string =>
  `Weekly briefing ${n} of the market in ${['Ghent', 'Bruges', 'Ostend'][n % 3]}`
const byPrice: Index = { name: 'price', fields: ['price'] }
const bySerial: Index = { name: 'serial', fields: ['serial'], unique: true }
const inTitle: Index = { name: 'title', fields: ['title'], words: true }
const listing = (n: number): Listing => ({ id: `lst-${(n * 7919) % count}`, price: n % 100, title: title(n) })
/** No row here is dearer than this, so that a slice ends that soon after it is full. */
const dearestStep = 2048 * 6 * 12

let dir = ''

const open = async (onSlice?: (cost: number) => void): Promise<Store> => {
  const store = await openEmbedded({ dir, checkpointAt: 1 << 20, ...(onSlice && { onSlice }) })
  onTestFinished(() => store.close())
  return store
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'octagent-slices-'))
  const store = await openEmbedded({ dir, checkpointAt: 1 << 20 })
  const listings = store.collection<Listing>('listings', [byPrice, inTitle])
  await Promise.all(Array.from({ length: count }, (_, n) => listings.put(listing(n))))
  await store.collection('others').put({ id: 'other' })
  await store.close()
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** Counts what the most documents were that anybody parsed between two turns of the event loop, until `stop`. */
const parsedPerTurn = (): { stop(): { max: number; turns: number } } => {
  const parse = vi.spyOn(JSON, 'parse')
  let max = 0
  let turns = 0
  let isOver = false
  let before = 0
  const look = (): void => {
    max = Math.max(max, parse.mock.calls.length - before)
    before = parse.mock.calls.length
    turns++
    if (!isOver) setImmediate(look)
  }
  look()
  return {
    stop: () => {
      isOver = true
      look()
      parse.mockRestore()
      return { max, turns }
    },
  }
}

describe('work that grows with the data', () => {
  test('is done in slices at a start, all of it before the store is open', async () => {
    const costs: number[] = []
    const parses = parsedPerTurn()
    const store = await open(cost => costs.push(cost))
    const { max, turns } = parses.stop()
    expect(costs.length).toBeGreaterThan(40)
    expect(Math.max(...costs)).toBeLessThan(sliceCost + dearestStep)
    expect(max).toBeLessThan(1500)
    expect(turns).toBeGreaterThan(costs.length)

    const atStart = costs.length
    const listings = store.collection<Listing>('listings', [inTitle, byPrice])
    const later = parsedPerTurn()
    const { rows } = await listings.find({ index: 'price', where: { price: 7 }, limit: 3 })
    expect(rows.map(row => row.price)).toEqual([7, 7, 7])
    expect(await listings.count({ index: 'title', where: { title: 'ghent' } })).toBe(count / 3)
    expect(later.stop().max).toBeLessThan(10)
    expect(costs.length).toBe(atStart)
  })

  test('lets other collections answer while an index that is new is being built', async () => {
    const costs: number[] = []
    const store = await open(cost => costs.push(cost))
    const atStart = costs.length
    const listings = store.collection<Listing>('listings', [
      inTitle,
      byPrice,
      { name: 'both', fields: ['title', 'price'] },
    ])
    let isBuilt = false
    const finding = listings.find({ index: 'both', limit: 2 }).then(page => {
      isBuilt = true
      return page
    })
    let reads = 0
    while (!isBuilt) {
      expect(await store.collection('others').get('other')).toEqual({ id: 'other' })
      reads++
      await new Promise(resolve => setImmediate(resolve))
    }
    expect(reads).toBeGreaterThan(5)
    const buildCosts = costs.slice(atStart)
    expect(buildCosts.length).toBeGreaterThan(5)
    expect(Math.max(...buildCosts)).toBeLessThan(sliceCost + dearestStep)
    const titles = (await finding).rows.map(row => row.title)
    expect(titles).toEqual([...titles].sort())
  })

  test('sorts as a plain sort does', async () => {
    const random = randomFrom(7)
    for (const length of [0, 1, 2047, 2048, 2049, 30_000]) {
      const texts = Array.from({ length }, () => `${random.below(20_000)}`)
      expect(await sortInSlices(texts, openSlices())).toEqual([...texts].sort())
    }
  })
})

test('a transaction that wrote before a unique index was declared runs again under it', async () => {
  const store = await open()
  await store.collection<Listing>('serials').put({ id: 'first', price: 0, title: '', serial: 1 })
  const writeGate = gate()
  const releaseGate = gate()
  let runs = 0
  const work = store.transaction(async tx => {
    runs++
    const serials = tx.collection<Listing>('serials')
    await serials.put({ id: 'second', price: 0, title: '', serial: 1 })
    writeGate.open()
    await releaseGate.whenOpen
  })
  await writeGate.whenOpen
  store.collection<Listing>('serials', [bySerial])
  releaseGate.open()
  await expect(work).rejects.toThrow('index "serial"')
  expect(runs).toBe(2)
  expect(await store.collection('serials').get('second')).toBeUndefined()
})

test('an index that stored documents do not fit is refused when it is asked, by the name of one, and again', async () => {
  const store = await open()
  const twins = store.collection<Listing>('twins')
  for (const id of ['a', 'b']) await twins.put({ id, price: 0, title: '', serial: 5 })
  const uniqueTwins = store.collection<Listing>('twins', [bySerial])
  for (const _ of [1, 2])
    await expect(uniqueTwins.get('a')).rejects.toThrow('the stored row "b" repeats another')
  await expect(uniqueTwins.put({ id: 'c', price: 0, title: '' })).rejects.toThrow('repeats another')
})

test('indexes that were declared once and then otherwise are those of the last declaration after a start', async () => {
  const first = await openEmbedded({ dir })
  first.collection('changing', [byPrice])
  await first.collection<Listing>('changing').put(listing(1))
  await first.close()
  const second = await openEmbedded({ dir })
  second.collection('changing', [inTitle])
  expect(await second.collection('changing').count({ index: 'title', where: { title: 'weekly' } })).toBe(1)
  await second.close()
  const third = await open()
  const changing = third.collection<Listing>('changing')
  expect(await changing.count({ index: 'title', where: { title: 'weekly' } })).toBe(1)
  await expect(changing.count({ index: 'price' })).rejects.toThrow('is not declared')
})
