import { setImmediate as turn } from 'node:timers/promises'
import type { Adapter } from 'lowdb'
import { StoreFailure } from '../index.ts'
import type { Disk, DiskFile } from './disk.ts'
import { files } from './files.ts'
import { encodeFrame, openPiece, readFrames } from './frame.ts'
import { encodePayload, parseHeader, record, replay } from './record.ts'
import type { Slices } from './slices.ts'
import { emptyState, restoreInto, type State, setClaim } from './state.ts'

const slice = 128 * 1024
const syncEvery = 16 << 20
const format = 1
const salt = 0

/** What a checkpoint knows of itself: its size, and the commit up to which journals must reach to complete it. */
export type CheckpointFacts = { bytes: number; upto: number; time?: string }

/** What a checkpoint holds besides the lines of rows. */
function* otherRecords(state: State, now: number): Generator<string> {
  for (const [name, { declared, indexes }] of state.tables) {
    const declaredIndexes = declared ?? indexes
    if (declaredIndexes.length > 0) yield record.indexes(name, declaredIndexes)
  }
  for (const [key, until] of state.claims) {
    if (until > now) yield record.claim(key, until)
    else setClaim(state, key, undefined)
  }
  for (const [name, { entries }] of state.topics)
    for (let at = 1; at <= entries.length; at++) {
      const text = entries[at - 1] as string
      yield text === '' ? record.skip(name, at) : record.append(name, at, text)
    }
}

const writeFrames = async (
  file: DiskFile,
  state: State,
  now: number,
  upto: () => number,
): Promise<number> => {
  let bytes = 0
  let unsynced = 0
  let frames = 0
  const append = async (frame: Buffer): Promise<void> => {
    await file.append(frame)
    bytes += frame.length
    unsynced += frame.length
    if (unsynced > syncEvery) {
      await file.sync()
      unsynced = 0
    }
    await turn()
  }
  const write = (payload: string): Promise<void> => append(encodeFrame(payload, salt))
  await write(encodePayload({ format, lsn: state.lsn, time: new Date(now).toISOString() }, ''))
  let piece = openPiece(2 * slice)
  const flush = async (): Promise<void> => {
    await append(piece.seal({ frame: ++frames }, salt))
    piece = openPiece(0, piece)
  }
  for (const line of otherRecords(state, now)) {
    piece.addText(line)
    if (piece.bytes() >= slice) await flush()
  }
  for (const line of state.arena.lines()) {
    piece.add(line)
    if (piece.bytes() >= slice) await flush()
  }
  await flush()
  await write(encodePayload({ end: frames, upto: upto() }, ''))
  await file.sync()
  return bytes
}

const damaged = (path: string, at: number, reason: string): StoreFailure =>
  new StoreFailure(
    `${path} is damaged at byte ${at}: ${reason}. Nothing was changed. Restore the whole directory from a backup.`,
  )

const load = async (
  file: DiskFile,
  path: string,
  slices: Slices,
): Promise<{ state: State; facts: CheckpointFacts }> => {
  const state = emptyState()
  const target = restoreInto(state)
  let facts: CheckpointFacts | undefined
  let frames = -1
  let time: string | undefined
  const end = await readFrames(file, 0, salt, async ({ at, next, payload }) => {
    const header = parseHeader(payload)
    if (facts) throw damaged(path, at, 'something follows its end')
    if (frames === -1 && header.format !== format)
      throw damaged(path, at, 'it does not begin as a checkpoint does')
    if (frames === -1) state.lsn = Number(header.lsn)
    if (frames === -1 && typeof header.time === 'string') time = header.time
    if (typeof header.end === 'number') {
      if (header.end !== frames) throw damaged(path, at, 'pieces are missing')
      facts = { bytes: next, upto: Number(header.upto), ...(time !== undefined && { time }) }
      return
    }
    frames++
    if (frames > 0 && header.frame !== frames) throw damaged(path, at, `piece ${frames} is missing`)
    await replay(payload, target, slices)
  })
  if (end < (await file.size())) throw damaged(path, end, 'a checksum does not match or the file is cut')
  if (!facts) throw damaged(path, end, 'it is cut before its end')
  return { state, facts }
}

/**
 * The lowdb adapter that holds the checkpoint: framed JSON lines, written in short slices beside the old file, synced
 * and only then renamed over it. Writers go on meanwhile; `lsn` says up to which commit the file may reach and
 * `settled` waits until the journal holds that much. `read` throws a StoreFailure unless the file is whole.
 */
export const checkpointAdapter = (options: {
  disk: Disk
  dir: string
  now: () => Date
  lsn: () => number
  settled: () => Promise<void>
  /** How often commits were taken back: what a checkpoint has seen of those must not be kept. */
  failures: () => number
  slices: Slices
}): Adapter<State> & { facts: CheckpointFacts } => {
  const { disk, dir, now } = options
  const path = files.checkpoint(dir)
  const unfinished = files.unfinished(dir)
  const adapter: Adapter<State> & { facts: CheckpointFacts } = {
    facts: { bytes: 0, upto: 0 },
    read: async () => {
      const file = await disk.open(path)
      if (!file) return null
      try {
        const { state, facts } = await load(file, path, options.slices)
        adapter.facts = facts
        return state
      } finally {
        await file.close()
      }
    },
    write: async state => {
      await disk.remove(unfinished)
      const failures = options.failures()
      const file = await disk.create(unfinished)
      let bytes = 0
      try {
        bytes = await writeFrames(file, state, now().getTime(), options.lsn)
      } finally {
        await file.close()
      }
      await options.settled()
      if (options.failures() !== failures)
        throw new StoreFailure('The disk was full while a checkpoint was written.', {
          cause: Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }),
        })
      await disk.rename(unfinished, path)
      await disk.syncDir(dir)
      adapter.facts = { bytes, upto: 0 }
    },
  }
  return adapter
}
