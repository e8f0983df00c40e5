import { randomInt } from 'node:crypto'
import type { Disk, DiskFile } from './disk.ts'
import { files } from './files.ts'
import { encodeFrame, readFrames } from './frame.ts'
import { encodePayload, parseHeader } from './record.ts'

const format = 1
const headerBytes = 128
const headerSalt = 0x0c7a

/**
 * The first frame of a journal. What is later than commit `after` is in this journal or a later one; of what is not
 * later, `again` is to be there before. Between the two lies a batch that may have been written without a sync: this
 * journal repeats it. `salt` seeds the checksums of its frames.
 */
export type JournalHeader = { format: number; journal: number; after: number; again: number; salt: number }

/** A new journal that is safe on the disk, header and name, before it is used. */
export const createJournal = async (
  disk: Disk,
  dir: string,
  journal: number,
  { after, again = after }: { after: number; again?: number },
): Promise<{ file: DiskFile; salt: number }> => {
  const salt = randomInt(1, 0xffffffff)
  const payload = encodePayload({ format, journal, after, again, salt } satisfies JournalHeader, '')
  const room = headerBytes - encodeFrame('', 0).length
  const file = await disk.create(files.journal(dir, journal), 'synced')
  await file.append(encodeFrame(payload.padEnd(room, ' '), headerSalt))
  await file.sync()
  await disk.syncDir(dir)
  return { file, salt }
}

/** The header of a journal; undefined when it is damaged or was never finished. */
export const readJournalHeader = async (file: DiskFile): Promise<JournalHeader | undefined> => {
  const start = await file.read(0, headerBytes)
  let header: JournalHeader | undefined
  const fixed: DiskFile = {
    ...file,
    size: async () => start.length,
    read: async (at, length) => start.subarray(at, at + length),
  }
  await readFrames(fixed, 0, headerSalt, ({ payload }) => {
    header = parseHeader(payload) as JournalHeader
  })
  return header?.format === format ? header : undefined
}

/** Start of the frames in a journal. */
export const firstFrameAt = headerBytes
