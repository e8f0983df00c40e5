import { setImmediate as turn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type { Adapter } from 'lowdb'
import { StoreFailure } from '../index.ts'
import { moveWritten, openWrittenLines, type WrittenLines } from './archiving.ts'
import type { Disk, DiskFile } from './disk.ts'
import { files } from './files.ts'
import { encodeFrame, frameHead, openPiece, type Piece, readFrames } from './frame.ts'
import { encodePayload, parseHeader, recordLines, replay } from './record.ts'
import type { Slices } from './slices.ts'
import {
  bringArchived,
  emptyState,
  mayArchive,
  moveToRuns,
  restoreInto,
  type State,
  setClaim,
  type Table,
} from './state.ts'
import type { Run, Topic } from './topics.ts'

const slice = 128 * 1024
const syncEvery = 16 << 20
const format = 1
const salt = 0

/** Facts of a checkpoint about itself: its size, and the commit up to which journals must reach to complete it. */
export type CheckpointFacts = { bytes: number; upto: number; time?: string }

/** Records of a checkpoint besides the lines of rows. */
function* otherRecords(
  state: State,
  now: number,
  runsOf: (topic: Topic) => readonly Run[],
): Generator<string> {
  for (const [name, { declared, indexes }] of state.tables) {
    const declaredIndexes = declared ?? indexes
    if (declaredIndexes.length > 0) yield recordLines.indexes(name, declaredIndexes)
  }
  for (const [key, until] of state.claims) {
    if (until > now) yield recordLines.claim(key, until)
    else setClaim(state, key, undefined)
  }
  for (const topic of state.topics.values())
    for (const run of runsOf(topic)) yield recordLines.run(topic.name, run)
}

/** A piece that grows, and what hears where in the file its lines are once it is written. */
type OpenPiece = { piece: Piece; written: { at: number; hear: (offset: number) => void }[] }

/** Lines of archived rows are in pieces of their own, so that a start may leave them where they are. */
const writeFrames = async (
  file: DiskFile,
  state: State,
  {
    now,
    upto,
    tables,
    runsOf,
  }: {
    now: number
    upto: () => number
    tables: ReadonlyMap<number, Table>
    runsOf: (topic: Topic) => readonly Run[]
  },
): Promise<{ bytes: number; written: WrittenLines }> => {
  const written = openWrittenLines()
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
  const rest: OpenPiece = { piece: openPiece(2 * slice), written: [] }
  const archived: OpenPiece = { piece: openPiece(2 * slice), written: [] }
  const flush = async (one: OpenPiece): Promise<void> => {
    const records = one.piece.bytes()
    const frame = one.piece.seal({ frame: ++frames, ...(one === archived && { archived: true }) }, salt)
    const first = bytes + frame.length - 1 - records
    await append(frame)
    for (const { at, hear } of one.written) hear(first + at)
    one.written = []
    one.piece = openPiece(0, one.piece)
  }
  for (const line of otherRecords(state, now, runsOf)) {
    rest.piece.addText(line)
    if (rest.piece.bytes() >= slice) await flush(rest)
  }
  for (const line of state.arena.lines()) {
    const table = tables.get(line.table)
    const one = table && mayArchive(state, table, line, now) ? archived : rest
    if (one === archived) {
      const length = line.end - line.start
      const checksum = crc32(line.bytes.subarray(line.start, line.end))
      one.written.push({
        at: one.piece.bytes(),
        hear: offset => written.add({ ...line, offset, length, checksum }),
      })
    }
    one.piece.add(line)
    if (one.piece.bytes() >= slice) await flush(one)
  }
  for await (const { place, line } of state.archive.lines()) {
    archived.written.push({
      at: archived.piece.bytes(),
      hear: offset => state.archive.moves(place, offset),
    })
    archived.piece.add(line)
    if (archived.piece.bytes() >= slice) await flush(archived)
  }
  if (archived.piece.bytes() > 0) await flush(archived)
  await flush(rest)
  await write(encodePayload({ end: frames, upto: upto() }, ''))
  await file.sync()
  return { bytes, written }
}

function* allRuns({ topics }: State): Generator<Run> {
  for (const { runs } of topics.values()) yield* runs
}

const damageError = (path: string, at: number, reason: string): StoreFailure =>
  new StoreFailure(
    `${path} is damaged at byte ${at}: ${reason}. Nothing was changed. Restore the whole directory from a backup.`,
  )

const load = async (
  file: DiskFile,
  path: string,
  now: number,
  slices: Slices,
): Promise<{ state: State; facts: CheckpointFacts }> => {
  const state = emptyState()
  state.archive.use(path, file)
  const target = restoreInto(state)
  let bodyAt = 0
  /** Target for archived rows, which stay there. */
  const archivedTarget: typeof target = {
    ...target,
    put: (collection, key, { bytes, start, end }) =>
      bringArchived(state, collection, key, {
        offset: bodyAt + start,
        length: end - start,
        checksum: crc32(bytes.subarray(start, end)),
      }),
  }
  let facts: CheckpointFacts | undefined
  let frames = -1
  let time: string | undefined
  const end = await readFrames(file, 0, salt, async ({ at, next, payload }) => {
    const header = parseHeader(payload)
    if (facts) throw damageError(path, at, 'something follows its end')
    if (frames === -1 && header.format !== format)
      throw damageError(path, at, 'it does not begin as a checkpoint does')
    if (frames === -1) state.lsn = Number(header.lsn)
    if (frames === -1 && typeof header.time === 'string') time = header.time
    // No document here was written later.
    if (frames === -1) state.arena.setTime(Date.parse(time ?? '') || now)
    if (typeof header.end === 'number') {
      if (header.end !== frames) throw damageError(path, at, 'pieces are missing')
      facts = { bytes: next, upto: Number(header.upto), ...(time !== undefined && { time }) }
      return
    }
    frames++
    if (frames > 0 && header.frame !== frames) throw damageError(path, at, `piece ${frames} is missing`)
    bodyAt = at + frameHead
    await replay(payload, header.archived === true ? archivedTarget : target, slices)
  })
  if (end < (await file.size())) throw damageError(path, end, 'a checksum does not match or the file is cut')
  if (!facts) throw damageError(path, end, 'it is cut before its end')
  state.arena.setTime(now)
  return { state, facts }
}

/**
 * The lowdb adapter that holds the checkpoint: framed JSON lines, written in short slices beside the old file, synced
 * and only then renamed over it. Writers go on meanwhile; `lsn` says up to which commit the file may reach and
 * `settled` waits until the journal holds that much. `read` throws a StoreFailure unless the file is whole. Archived rows
 * stay in the file, which the archive of the state holds open; a file that was renamed over is there until it lets go.
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
        const { state, facts } = await load(file, path, now().getTime(), options.slices)
        adapter.facts = facts
        await state.logs.open(disk, dir, allRuns(state))
        if (state.archive.size() === 0) await state.archive.close()
        return state
      } catch (problem) {
        await file.close()
        throw problem
      }
    },
    write: async state => {
      await disk.remove(unfinished)
      const failures = options.failures()
      const tables = new Map([...state.tables.values()].map(table => [table.rows.table, table]))
      let logs = await state.logs.write(disk, dir, state.topics.values())
      let published: DiskFile | undefined
      try {
        const file = await disk.create(unfinished)
        const { bytes, written } = await writeFrames(file, state, {
          now: now().getTime(),
          upto: options.lsn,
          tables,
          runsOf: topic => logs?.runs.get(topic) ?? topic.runs,
        }).finally(() => file.close())
        await options.settled()
        if (options.failures() !== failures)
          throw new StoreFailure('The disk was full while a checkpoint was written.', {
            cause: Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }),
          })
        if (written.size() > 0 || state.archive.isOpen()) published = await disk.open(unfinished)
        await disk.rename(unfinished, path)
        await disk.syncDir(dir)
        adapter.facts = { bytes, upto: 0 }
        const safeLogs = logs
        logs = undefined
        await safeLogs?.publish((topic, runs, base) => moveToRuns(state, topic, runs, base))
        if (!published) return
        const publishing = state.archive.publish(path, published, options.slices)
        published = undefined
        await publishing
        await moveWritten(state, tables, written, crc32, options.slices)
      } finally {
        state.archive.stay()
        await published?.close()
        await logs?.discard()
      }
    },
  }
  return adapter
}
