import { basename } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Disk, DiskFile } from '../../store/embedded/disk.ts'
import type { Random } from '../random.ts'

type Inode = { data: Buffer; durable: Buffer; dirty: [start: number, end: number][] }
type Names = Map<string, Inode>
type Step = (names: Names) => void

/** A disk that keeps only what was synced, and of the rest whatever the power cut leaves. */
export type SimulatedDisk = Disk & {
  /** Resolves when the disk has stopped answering. */
  dead: Promise<void>
  /** Operations until it stops answering. */
  stopAfter(operations: number): void
  /** Operations until one fails as `code`. */
  failAfter(operations: number, code: string, kind?: 'append' | 'sync'): void
  /** The disk after the process was killed: all that was written is there, synced or not. */
  afterKill(): SimulatedDisk
  /** The disk after a power cut: unsynced bytes and names kept, lost or torn at random. */
  afterPowerCut(): SimulatedDisk
  operations(): number
  contents(): Map<string, Buffer>
  /** Changes a file behind the engine's back. */
  overwrite(name: string, data: Buffer): void
}

const sector = 512

const copyInto = (target: Buffer, source: Buffer, start: number, end: number): Buffer => {
  const copy = target.length >= end ? target : Buffer.concat([target, Buffer.alloc(end - target.length)])
  source.copy(copy, start, start, Math.min(end, source.length))
  return copy
}

const tear = ({ data, durable, dirty }: Inode, random: Random): Buffer => {
  let image: Buffer = Buffer.from(durable)
  const way = random.below(4)
  for (const [start, end] of dirty) {
    if (way === 0) break
    if (way === 1) return copyInto(image, data, start, start + random.below(end - start + 1))
    for (let at = start; at < end; at += sector - (at % sector)) {
      const to = Math.min(end, at + sector - (at % sector))
      const fate = way === 2 ? 0 : random.below(4)
      if (fate < 2) image = copyInto(image, data, at, to)
      if (fate === 2) image = copyInto(image, Buffer.alloc(to), at, to)
    }
  }
  return image
}

const failure = (code: string): Error => Object.assign(new Error(`${code}: simulated`), { code })

/** A disk in memory that holds `start`, and has so many zeros written ahead. */
export const simulatedDisk = (
  random: Random,
  start: ReadonlyMap<string, Buffer> = new Map(),
  aheadBytes: number = random.pick([0, 0, 100, 1500]),
): SimulatedDisk => {
  const names: Names = new Map()
  const durableNames: Names = new Map()
  const steps: Step[] = []
  for (const [name, data] of start) names.set(name, { data, durable: Buffer.from(data), dirty: [] })
  for (const [name, inode] of names) durableNames.set(name, inode)
  let operations = 0
  let isOver = false
  let stopAt = Number.POSITIVE_INFINITY
  let toFail: { at: number; code: string; kind: string | undefined } | undefined
  let failing = 'EIO'
  let die = (): void => undefined
  const dead = new Promise<void>(resolve => {
    die = resolve
  })

  const begin = async (kind: string): Promise<'fine' | 'failing'> => {
    operations++
    if (isOver || operations > stopAt) {
      die()
      await new Promise(() => undefined)
    }
    for (let turns = random.chance(0.2) ? random.below(8) : 0; turns > 0; turns--) await turn()
    if (isOver) await new Promise(() => undefined)
    if (!toFail || operations < toFail.at || (toFail.kind && toFail.kind !== kind)) return 'fine'
    // Only this one operation fails, whatever else is under way.
    failing = toFail.code
    toFail = undefined
    return 'failing'
  }
  const toFailure = (): Error => failure(failing)
  const step = (change: Step): void => {
    change(names)
    steps.push(change)
  }
  const write = (inode: Inode, at: number, data: Buffer): void => {
    const end = at + data.length
    const grown = Buffer.alloc(Math.max(inode.data.length, end))
    inode.data.copy(grown)
    data.copy(grown, at)
    inode.data = grown
    inode.dirty.push([at, end])
  }
  /** A kill or a failure may come in the middle of it. */
  const put = async (inode: Inode, at: number, data: Buffer): Promise<void> => {
    const cutAt = random.below(data.length)
    write(inode, at, data.subarray(0, cutAt))
    const state = await begin('append')
    if (state === 'failing') throw toFailure()
    write(inode, at + cutAt, data.subarray(cutAt))
  }
  const toFile = (inode: Inode): DiskFile => ({
    size: async () => inode.data.length,
    read: async (offset, length) => Buffer.from(inode.data.subarray(offset, offset + length)),
    readNow: (offset, length) => {
      if (isOver) throw failure('EIO')
      return Buffer.from(inode.data.subarray(offset, offset + length))
    },
    append: data => put(inode, inode.data.length, data),
    write: (offset, data) => put(inode, offset, data),
    sync: async () => {
      const state = await begin('sync')
      // As Linux does: after a failed sync the pages count as clean, and the next sync does not write them.
      if (state === 'fine')
        for (const [from, to] of inode.dirty) inode.durable = copyInto(inode.durable, inode.data, from, to)
      inode.dirty = []
      if (state === 'failing') throw toFailure()
    },
    close: async () => undefined,
  })
  const requireInode = (path: string): Inode => {
    const inode = names.get(basename(path))
    if (!inode) throw failure('ENOENT')
    return inode
  }
  const next = (files: Map<string, Buffer>): SimulatedDisk => {
    for (const name of files.keys()) if (name.startsWith('lock.')) files.delete(name)
    return simulatedDisk(random, files)
  }
  return {
    aheadBytes,
    dead,
    stopAfter: count => {
      stopAt = operations + count
    },
    failAfter: (count, code, kind) => {
      toFail = { at: operations + count, code, kind }
    },
    operations: () => operations,
    contents: () => new Map([...names].map(([name, { data }]) => [name, data])),
    overwrite: (name, data) => {
      names.set(name, { data, durable: data, dirty: [] })
    },
    afterKill: () => {
      isOver = true
      const after = next(new Map())
      const inner = after as SimulatedDisk & { adopt(from: Names, steps: Step[], durable: Names): void }
      inner.adopt(names, steps, durableNames)
      return after
    },
    adopt: (from: Names, pending: Step[], durable: Names) => {
      for (const [name, inode] of from) if (!name.startsWith('lock.')) names.set(name, inode)
      for (const [name, inode] of durable) durableNames.set(name, inode)
      steps.push(...pending)
    },
    afterPowerCut: () => {
      isOver = true
      const inOrder = random.chance(0.6)
      const upTo = random.below(steps.length + 1)
      steps.forEach((change, position) => {
        if (inOrder ? position < upTo : random.chance(0.5)) change(durableNames)
      })
      return next(new Map([...durableNames].map(([name, inode]) => [name, tear(inode, random)])))
    },
    makeDir: async () => undefined,
    list: async () => [...names.keys()],
    open: async path => {
      const inode = names.get(basename(path))
      return inode && toFile(inode)
    },
    create: async path => {
      if ((await begin('create')) === 'failing') throw toFailure()
      if (names.has(basename(path))) throw failure('EEXIST')
      const inode: Inode = { data: Buffer.alloc(0), durable: Buffer.alloc(0), dirty: [] }
      step(all => all.set(basename(path), inode))
      return toFile(inode)
    },
    truncate: async (path, size) => {
      if ((await begin('truncate')) === 'failing') throw toFailure()
      const inode = requireInode(path)
      inode.data = inode.data.subarray(0, size)
      inode.durable = Buffer.from(inode.data)
      inode.dirty = []
    },
    rename: async (from, to) => {
      if ((await begin('rename')) === 'failing') throw toFailure()
      const inode = requireInode(from)
      step(all => {
        all.delete(basename(from))
        all.set(basename(to), inode)
      })
    },
    remove: async path => {
      if ((await begin('remove')) === 'failing') throw toFailure()
      if (names.has(basename(path))) step(all => all.delete(basename(path)))
    },
    syncDir: async () => {
      const count = steps.length
      if ((await begin('syncDir')) === 'failing') throw toFailure()
      for (const change of steps.splice(0, count)) change(durableNames)
    },
  } as SimulatedDisk
}
