import { crc32 } from 'node:zlib'
import { StoreFailure } from '../index.ts'
import type { Line } from './arena.ts'
import { archivedFrom } from './arena.ts'
import type { DiskFile } from './disk.ts'
import type { Slices } from './slices.ts'

/** True when a row at this place was archived: memory holds only where it lies. */
export const isArchived = (place: number): boolean => place >= archivedFrom

/** Memory of an archived row: its entry, and what finds it. */
export const archivedRowBytes = 44

/** The file that archived rows lie in: it stays open, and is never written, until no row points into it. */
type ArchiveFile = { path: string; file: DiskFile; rows: number }

type Chunk = {
  offsets: Float64Array
  /** New offset of the row in a checkpoint under way; 0 where it has written none. */
  nextOffsets: Float64Array | undefined
  lengths: Uint32Array
  checksums: Uint32Array
  tables: Uint16Array
  files: Uint8Array
}

/**
 * Rows whose lines lie in the checkpoint, and of which memory holds only where: offset, length and checksum, some twenty bytes.
 * A place is a number that stays the same as long as the row does, wherever checkpoints write it.
 */
export type Archive = {
  /** Takes a file that rows are to point into. */
  use(path: string, file: DiskFile): void
  /** Notes a row of the file in use. Returns its place. */
  add(table: number, offset: number, length: number, checksum: number): number
  /** The line at a place, until another one is read. Throws a StoreFailure unless it is what was written there. */
  read(place: number): Line
  hasKey(place: number, key: string): boolean
  text(place: number): string
  length(place: number): number
  forget(place: number): void
  /** A row that was forgotten by a commit that is not durable is there again. */
  recall(place: number): void
  /** Lets what was forgotten up to now be dropped once commit `lsn` is durable. */
  tidy(lsn: number, durable: number): void
  /** How many rows there are that were not forgotten. */
  size(): number
  /** True when it holds a file open. */
  isOpen(): boolean
  /** The places of one table, about as they lie in the file. */
  placesOf(table: number): Generator<number>
  /** All lines, about as they lie in the file, read ahead beside whoever is served; throws as `read` does. */
  lines(): AsyncGenerator<{ place: number; line: Line }>
  /** Notes where a checkpoint under way has written a row. */
  moves(place: number, offset: number): void
  /** That checkpoint came to nothing. */
  stay(): void
  /** Rows lie where that checkpoint has written them from now on, in this file; the one before is let go when nothing needs it. */
  publish(path: string, file: DiskFile, slices: Slices): Promise<void>
  /** Why rows could not be read, if that ever was so. */
  problem(): string | undefined
  close(): Promise<void>
}

const perChunk = 4096
const noFile = 0
const forgottenFlag = 0x80
const maxFiles = 0x7f
/** Bytes read at once where one row after the other is asked for. */
const windowBytes = 256 << 10
/** How far behind the last row the next one may begin: beside writers, and for who is served meanwhile. */
const walkGap = 4 << 20
const readGap = 16 << 10
const maxFree = 0.25

const tab = 9

/** The line of a row within `bytes`: its id stands behind the second tab, its text behind the third. */
const lineIn = (bytes: Buffer, start: number, end: number): Line => {
  const idAt = bytes.indexOf(tab, start + 2) + 1 - start
  const textAt = bytes.indexOf(tab, start + idAt) + 1 - start
  return { bytes, start, end, idAt, textAt, isAscii: false }
}

/** An archived document cannot be read. Nobody is given anything else instead. */
export class ArchiveFailure extends StoreFailure {}

const damageError = (path: string, offset: number, cause: unknown): ArchiveFailure => {
  const reason = cause === undefined ? 'its checksum does not match' : (cause as Error).message
  return new ArchiveFailure(
    `The archived document at byte ${offset} of ${path} cannot be read: ${reason}. No checkpoint can be made without it. Check ` +
      'the disk, and restore the whole directory from a backup.',
    { cause, lasting: true },
  )
}

/** An archive without rows. */
export const openArchive = (): Archive => {
  const chunks: Chunk[] = []
  const files = new Map<number, ArchiveFile>()
  const freeNumbers: number[] = []
  /** Forgotten by commits that are not tidied up after, and by commits that may not be durable. */
  let fresh: number[] = []
  const gone = new Map<number, number>()
  let current = noFile
  /** Numbers given out so far, which begin with 1. */
  let end = 1
  let size = 0
  const rowsByTable: number[] = []
  let problem: string | undefined
  let window: { bytes: Buffer; file: number; offset: number } = {
    bytes: Buffer.alloc(0),
    file: noFile,
    offset: 0,
  }
  let checked = 0

  const chunkOf = (number: number): Chunk => chunks[Math.floor(number / perChunk)] as Chunk
  const fileNumber = (number: number): number =>
    (chunkOf(number).files[number % perChunk] as number) & ~forgottenFlag
  const isThere = (number: number): boolean => {
    const file = chunkOf(number).files[number % perChunk] as number
    return file !== noFile && file < forgottenFlag
  }
  const take = (): number => {
    if (freeNumbers.length > end * maxFree) return freeNumbers.pop() as number
    if (end % perChunk === 0 || chunks.length === 0)
      chunks.push({
        offsets: new Float64Array(perChunk),
        nextOffsets: undefined,
        lengths: new Uint32Array(perChunk),
        checksums: new Uint32Array(perChunk),
        tables: new Uint16Array(perChunk),
        files: new Uint8Array(perChunk),
      })
    return end++
  }
  const letGo = (number: number): void => {
    const one = files.get(number)
    if (!one || one.rows > 0 || number === current) return
    files.delete(number)
    // Another file has this number one day.
    if (window.file === number) window = { bytes: Buffer.alloc(0), file: noFile, offset: 0 }
    void one.file.close().catch(() => undefined)
  }
  const drop = (number: number): void => {
    const file = fileNumber(number)
    const one = files.get(file)
    if (one) one.rows--
    const table = chunkOf(number).tables[number % perChunk] as number
    rowsByTable[table] = (rowsByTable[table] ?? 0) - 1
    chunkOf(number).files[number % perChunk] = noFile
    if (number === checked) checked = 0
    freeNumbers.push(number)
    letGo(file)
  }
  const fail = (path: string, offset: number, cause?: unknown): never => {
    const failure = damageError(path, offset, cause)
    problem ??= failure.message
    throw failure
  }
  /** Whoever goes on behind what was read last will go on further: then more is read at once. */
  const sizeOfRead = (
    gap: number,
    last: { offset: number; bytes: Buffer },
    offset: number,
    length: number,
  ) => {
    const behind = last.offset + last.bytes.length
    const isNext = offset >= last.offset && offset < behind + gap && last.bytes.length > 0
    return isNext ? Math.max(windowBytes, length) : length
  }
  const holds = (bytes: Buffer, from: number, offset: number, length: number): boolean =>
    offset >= from && offset + length <= from + bytes.length
  const lineAt = (number: number, bytes: Buffer, from: number): Line => {
    const { offsets, lengths, checksums } = chunkOf(number)
    const at = number % perChunk
    const offset = offsets[at] as number
    const length = lengths[at] as number
    const start = offset - from
    const { path } = files.get(fileNumber(number)) as ArchiveFile
    if (start + length > bytes.length) return fail(path, offset, new Error('the file ends before'))
    if (crc32(bytes.subarray(start, start + length)) !== checksums[at]) return fail(path, offset)
    return lineIn(bytes, start, start + length)
  }
  const read = (place: number): Line => {
    const number = place - archivedFrom
    const at = number % perChunk
    const { offsets, lengths } = chunkOf(number)
    const offset = offsets[at] as number
    const length = lengths[at] as number
    const file = fileNumber(number)
    if (file === window.file && holds(window.bytes, window.offset, offset, length)) {
      if (number !== checked) {
        const line = lineAt(number, window.bytes, window.offset)
        checked = number
        return line
      }
      return lineIn(window.bytes, offset - window.offset, offset - window.offset + length)
    }
    const one = files.get(file) as ArchiveFile
    const bytes = file === window.file ? sizeOfRead(readGap, window, offset, length) : length
    checked = 0
    let found: Buffer
    try {
      found = one.file.readNow(offset, bytes)
    } catch (cause) {
      return fail(one.path, offset, cause)
    }
    window = { bytes: found, file, offset }
    const line = lineAt(number, found, offset)
    checked = number
    return line
  }
  const setFile = (path: string, file: DiskFile): void => {
    let number = (current % maxFiles) + 1
    while (files.has(number)) number = (number % maxFiles) + 1
    const before = current
    current = number
    files.set(number, { path, file, rows: 0 })
    letGo(before)
  }
  return {
    use: setFile,
    add: (table, offset, length, checksum) => {
      const number = take()
      const chunk = chunkOf(number)
      const at = number % perChunk
      chunk.offsets[at] = offset
      chunk.lengths[at] = length
      chunk.checksums[at] = checksum
      chunk.tables[at] = table
      chunk.files[at] = current
      if (chunk.nextOffsets) chunk.nextOffsets[at] = 0
      const file = files.get(current) as ArchiveFile
      file.rows++
      rowsByTable[table] = (rowsByTable[table] ?? 0) + 1
      size++
      return number + archivedFrom
    },
    read,
    hasKey: (place, key) => {
      const { bytes, start, idAt, textAt } = read(place)
      if (textAt - idAt - 1 !== key.length) return false
      for (let byte = 0; byte < key.length; byte++)
        if (bytes[start + idAt + byte] !== key.charCodeAt(byte)) return false
      return true
    },
    text: place => {
      const { bytes, start, end: lineEnd, textAt } = read(place)
      return bytes.toString('utf8', start + textAt, lineEnd - 1)
    },
    length: place => {
      const number = place - archivedFrom
      return chunkOf(number).lengths[number % perChunk] as number
    },
    forget: place => {
      const number = place - archivedFrom
      const { files: fileOf } = chunkOf(number)
      fileOf[number % perChunk] = (fileOf[number % perChunk] as number) | forgottenFlag
      fresh.push(number)
      size--
    },
    recall: place => {
      const number = place - archivedFrom
      const { files: fileOf } = chunkOf(number)
      fileOf[number % perChunk] = (fileOf[number % perChunk] as number) & ~forgottenFlag
      fresh = fresh.filter(one => one !== number)
      gone.delete(number)
      size++
    },
    tidy: (lsn, durable) => {
      for (const number of fresh) gone.set(number, lsn)
      if (fresh.length > 0) fresh = []
      for (const [number, at] of gone) {
        if (at > durable) break
        gone.delete(number)
        drop(number)
      }
    },
    size: () => size,
    isOpen: () => files.size > 0,
    *placesOf(table) {
      if (!rowsByTable[table]) return
      for (let number = 1; number < end; number++)
        if (chunkOf(number).tables[number % perChunk] === table && isThere(number))
          yield number + archivedFrom
    },
    async *lines() {
      let bytes: Buffer = Buffer.alloc(0)
      let from = 0
      const last = end
      for (let number = 1; number < last; number++) {
        if (!isThere(number)) continue
        const { offsets, lengths } = chunkOf(number)
        const offset = offsets[number % perChunk] as number
        const length = lengths[number % perChunk] as number
        if (!holds(bytes, from, offset, length)) {
          const { path, file } = files.get(fileNumber(number)) as ArchiveFile
          try {
            bytes = await file.read(offset, sizeOfRead(walkGap, { offset: from, bytes }, offset, length))
          } catch (cause) {
            fail(path, offset, cause)
          }
          from = offset
          if (!isThere(number)) continue
        }
        yield { place: number + archivedFrom, line: lineAt(number, bytes, from) }
      }
    },
    moves: (place, offset) => {
      const number = place - archivedFrom
      const chunk = chunkOf(number)
      chunk.nextOffsets ??= new Float64Array(perChunk)
      chunk.nextOffsets[number % perChunk] = offset
    },
    stay: () => {
      for (const chunk of chunks) chunk.nextOffsets = undefined
    },
    publish: async (path, file, slices) => {
      const before = current
      setFile(path, file)
      const newer = files.get(current) as ArchiveFile
      for (const chunk of chunks) {
        const { nextOffsets, offsets, files: fileOf } = chunk
        chunk.nextOffsets = undefined
        if (!nextOffsets) continue
        for (let at = 0; at < perChunk; at++) {
          const fileAndFlag = fileOf[at] as number
          if (nextOffsets[at] === 0 || fileAndFlag === noFile) continue
          const older = files.get(fileAndFlag & ~forgottenFlag) as ArchiveFile
          older.rows--
          newer.rows++
          offsets[at] = nextOffsets[at] as number
          fileOf[at] = current | (fileAndFlag & forgottenFlag)
        }
        checked = 0
        const turn = slices.spend(perChunk)
        if (turn) await turn
      }
      letGo(before)
    },
    problem: () => problem,
    close: async () => {
      const all = [...files.values()]
      files.clear()
      for (const { file } of all) await file.close()
    },
  }
}
