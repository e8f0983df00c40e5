import { type Child, openChild } from './child.ts'
import { bytesIn, removeFolder, seedCopy } from './folders.ts'
import type { Written } from './writing.ts'

/** Document counts that are held against the smallest. */
export type Count = 100_000 | 1_000_000

const smallest = 1000

const rounds = 3
const warmMs = 2000
const windowMs = 4000
const journalBytes = 24 << 20

const inWindow = async (child: Child, dir: string, documents: number): Promise<Written> => {
  await child.ask('open', { dir, checkpointAt: (await bytesIn(dir)) + journalBytes })
  await child.ask('write', { documents, writers: 64, ms: warmMs, until: 0 })
  const result = await child.ask<Written>('write', { documents, writers: 64, ms: windowMs, until: 1 })
  await child.ask('close')
  return result
}

const measureWindow = async (documents: number): Promise<Written> => {
  const dir = await seedCopy(documents)
  const child = await openChild('embedded')
  try {
    return await inWindow(child, dir, documents)
  } finally {
    await child.stop()
    await removeFolder(dir)
  }
}

/** The windows of the smallest count and of another, round by round. */
export type Pairs = { small: Written[]; large: Written[] }

const results = new Map<Count, Promise<Pairs>>()

const measure = async (count: Count): Promise<Pairs> => {
  const pairs: Pairs = { small: [], large: [] }
  for (let round = 0; round < rounds; round++) {
    pairs.small.push(await measureWindow(smallest))
    pairs.large.push(await measureWindow(count))
  }
  return pairs
}

/**
 * Windows of 64 writers at the smallest count and at this one in turn, each with a whole checkpoint in it: written over
 * known ids, so that the count stays, and longer than 4 seconds where the checkpoint is. Measured once for all rows.
 */
export const windows = (count: Count): Promise<Pairs> => {
  const pairs = results.get(count) ?? measure(count)
  results.set(count, pairs)
  return pairs
}
