import type { Low } from 'lowdb'
import { StoreFailure } from '../index.ts'
import type { CheckpointFacts } from './checkpoint.ts'
import type { Disk, DiskFile } from './disk.ts'
import { files, journalNumber } from './files.ts'
import { goodFrameAfter, readFrames } from './frame.ts'
import { firstFrameAt, type JournalHeader, readJournalHeader } from './journal-file.ts'
import { parseHeader, replay } from './record.ts'
import type { Slices } from './slices.ts'
import { restoreInto, type State } from './state.ts'

type Batch = { from: number; to: number; payload: Buffer }
/** End of a journal that is no whole record: from byte `at`, so many bytes. */
export type Tail = { path: string; at: number; bytes: number }
type JournalFileInfo = { number: number; path: string; size: number; header: JournalHeader | undefined }

/** Facts in the files: the last commit, the last batch (it may not be synced), what to cut, journals and bytes. */
export type Recovery = {
  lsn: number
  /** The commit up to which the checkpoint alone reaches; 0 without one. */
  checkpoint: number
  last: Batch | undefined
  tails: Tail[]
  numbers: number[]
  bytes: number
}

const advice = 'Nothing was changed. Restore the whole directory from a backup.'

const withFile = async <R>(disk: Disk, path: string, work: (file: DiskFile) => Promise<R>): Promise<R> => {
  const file = await disk.open(path)
  if (!file) throw new StoreFailure(`${path} vanished while it was being read.`)
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}

const findJournals = async (disk: Disk, dir: string): Promise<JournalFileInfo[]> => {
  const numbers = (await disk.list(dir)).flatMap(name => journalNumber(name) ?? []).sort((a, b) => a - b)
  const journalFiles: JournalFileInfo[] = []
  for (const number of numbers) {
    const path = files.journal(dir, number)
    const facts = await withFile(disk, path, async file => ({
      size: await file.size(),
      header: await readJournalHeader(file),
    }))
    journalFiles.push({ number, path, ...facts })
  }
  return journalFiles
}

/** How many bytes follow the last good frame, without the zeros that were reserved for the next ones. */
const measureRest = async (file: DiskFile, end: number, size: number): Promise<number> => {
  const rest = await file.read(end, size - end)
  return rest.findLastIndex(byte => byte !== 0) + 1
}

const gap = (path: string, at: number, lsn: number, next: number, tail: Tail | undefined): StoreFailure => {
  const where = tail ? ` ${tail.path} breaks off at byte ${tail.at}.` : ''
  return new StoreFailure(
    `${path}, byte ${at}: commits ${lsn + 1} to ${next - 1} are missing.${where} ${advice}`,
  )
}

/** Reads checkpoint and journals in order and changes no file. Throws a StoreFailure unless all of it fits together. */
export const recover = async (
  disk: Disk,
  dir: string,
  low: Low<State>,
  facts: () => CheckpointFacts,
  slices: Slices,
): Promise<Recovery> => {
  await low.read()
  const state = low.data
  const target = restoreInto(state)
  const journals = await findJournals(disk, dir)
  const neededJournals = journals.filter((_, n) => {
    const next = journals[n + 1]?.header
    return !next || next.after > state.lsn
  })
  let lsn = state.lsn
  let last: Batch | undefined
  const tails: Tail[] = []
  let bytes = 0

  for (const { path, size, header } of neededJournals) {
    const tail = tails.at(-1)
    if (!header) {
      if (size > firstFrameAt)
        throw new StoreFailure(`${path} is damaged at byte 0: its first line. ${advice}`)
      tails.push({ path, at: 0, bytes: size })
      continue
    }
    if (header.again > lsn) throw gap(path, 0, lsn, header.again + 1, tail)
    await withFile(disk, path, async file => {
      const end = await readFrames(file, firstFrameAt, header.salt, async ({ at, payload }) => {
        const { from, to } = parseHeader(payload) as { from: number; to: number }
        if (from > lsn + 1) throw gap(path, at, lsn, from, tail)
        if (to <= state.lsn) return
        await replay(payload, target, slices)
        lsn = Math.max(lsn, to)
        last = { from, to, payload }
      })
      bytes += end
      const rest = await measureRest(file, end, size)
      if (rest === 0) return
      const good = await goodFrameAfter(file, end, header.salt, slices)
      if (good === undefined) tails.push({ path, at: end, bytes: rest })
      else
        throw new StoreFailure(
          `${path} is damaged at byte ${end}: whole entries follow at byte ${good}. ${advice}`,
        )
    })
  }
  if (lsn < facts().upto) throw gap(files.checkpoint(dir), 0, lsn, facts().upto + 1, tails.at(-1))
  return { lsn, checkpoint: state.lsn, last, tails, numbers: journals.map(({ number }) => number), bytes }
}
