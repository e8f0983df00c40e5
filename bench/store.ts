import { join } from 'node:path'
import { openChild } from './child.ts'
import { newFolder, removeFolders } from './folders.ts'
import { median } from './median.ts'
import type { Aim, Bench, Group, Measurement } from './row.ts'
import { type Count, windows } from './windows.ts'
import type { Written } from './writing.ts'

// Many short rounds: the time of a sync may change tenfold within seconds, and both have to meet the same disk.
const rounds = 16
const roundMs = 400
const warmMs = 1500
const documents = 1000

const rate = ({ writes, seconds }: Pick<Written, 'writes' | 'seconds'>): number => writes / seconds
const figure = (rates: readonly number[]): string => `${Math.round(median(rates)).toLocaleString('en')}/s`

const figures = (results: readonly Written[]): string =>
  `${figure(results.map(rate))}, ${median(results.map(({ micros }) => micros)).toFixed(0)} µs of CPU`

type Peer = { name: 'sqlite' | 'fdatasync'; group: number }

const against = async (
  writers: number,
  indexed: boolean,
  { name, group }: Peer = { name: 'sqlite', group: 1 },
): Promise<Measurement> => {
  const dir = await newFolder()
  const ours = await openChild('embedded')
  const peer = await openChild(name, [join(dir, 'peer'), String(documents), ...(indexed ? ['indexed'] : [])])
  try {
    await ours.ask('open', { dir: join(dir, 'ours'), indexed })
    await ours.ask('seed', { documents })
    const mine = async (ms: number) =>
      rate(await ours.ask<Written>('write', { documents, writers, ms, until: 0 }))
    const theirs = async (ms: number) => rate(await peer.ask<Written>('write', { ms, group }))
    await mine(warmMs)
    await theirs(warmMs)
    const pairs: { ours: number; peer: number }[] = []
    while (pairs.length < rounds) pairs.push({ ours: await mine(roundMs), peer: await theirs(roundMs) })
    return {
      value: median(pairs.map(pair => pair.ours / pair.peer)),
      note: `ours ${figure(pairs.map(pair => pair.ours))}; peer ${figure(pairs.map(pair => pair.peer))}`,
    }
  } finally {
    await Promise.all([ours.stop(), peer.stop()])
  }
}

const sqlite = (writers: number, name: string, aim?: Aim, indexed = false): Bench => ({
  name: `embedded store, durable writes, ${name}`,
  unit: 'x',
  against: 'better-sqlite3 12.11.1, WAL, synchronous=FULL, one write per commit',
  ...(aim && { aim }),
  measure: () => against(writers, indexed),
})

/** Peers that are as well off as we are: their writes share commits, too. */
const grouped = (peer: Peer, what: string, aim: Aim): Bench => ({
  name: `embedded store, durable writes, ${peer.group === 1 ? 'one writer' : `${peer.group} writers`}, the harder peer`,
  unit: 'x',
  against: what,
  aim,
  measure: () => against(peer.group, false, peer),
})

const short = (count: Count): string => (count === 1_000_000 ? '1M' : `${count / 1000}k`)

const atSize = (count: Count, aim: Aim): Bench => ({
  name: `the same at ${short(count)} documents, a checkpoint in each window`,
  unit: 'x',
  against: 'itself at 1k documents',
  aim,
  async measure() {
    const { small, large } = await windows(count)
    const took = median(large.map(({ checkpointMs, checkpoints }) => checkpointMs / checkpoints))
    return {
      value: median(large.map((result, at) => rate(result) / rate(small[at] ?? result))),
      note: `${figures(large)}; 1k ${figures(small)}; a checkpoint took ${Math.round(took)} ms`,
    }
  },
})

const stall = (count: Count, aim?: Aim): Bench => ({
  name: `event-loop stall while checkpointing ${short(count)} documents`,
  unit: 'ms',
  ...(aim && { aim }),
  async measure() {
    const { large } = await windows(count)
    const any = Math.max(...large.map(({ anyStallMs }) => anyStallMs))
    return {
      value: Math.max(...large.map(({ stallMs }) => stallMs)),
      note: `longest of ${large.length} windows, 64 writers writing; longest in the windows ${any.toFixed(1)} ms`,
    }
  },
})

/** The embedded engine: durable writes, alone and beside checkpoints, and what checkpoints cost the event loop. */
export const store: Group = {
  name: 'store',
  benches: [
    sqlite(64, '64 writers', { atLeast: 10 }),
    sqlite(64, '64 writers, two indexes', undefined, true),
    sqlite(1, 'one writer', { atLeast: 0.9 }),
    grouped({ name: 'sqlite', group: 64 }, 'better-sqlite3 12.11.1, 64 writes per commit', { atLeast: 1.3 }),
    grouped({ name: 'fdatasync', group: 64 }, 'JSON lines and fdatasync, 64 per sync', { atLeast: 0.8 }),
    grouped({ name: 'fdatasync', group: 1 }, 'JSON lines and fdatasync, one per sync', { atLeast: 0.9 }),
    atSize(100_000, { atLeast: 0.7 }),
    atSize(1_000_000, { atLeast: 0.5 }),
    stall(100_000, { below: 50 }),
    stall(1_000_000),
  ],
  close: removeFolders,
}
