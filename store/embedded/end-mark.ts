import { StoreFailure } from '../index.ts'
import type { Disk } from './disk.ts'
import { files } from './files.ts'
import { encodeFrame, readFrames } from './frame.ts'

const salt = 0xc105ed

/** Notes up to which commit the files reach at least: what a later cut or flipped end is told by. */
const writeEndMark = async (disk: Disk, dir: string, lsn: number): Promise<void> => {
  const unfinished = files.closing(dir)
  await disk.remove(unfinished)
  const file = await disk.create(unfinished)
  try {
    await file.append(encodeFrame(JSON.stringify({ lsn }), salt))
    await file.sync()
  } finally {
    await file.close()
  }
  await disk.rename(unfinished, files.closed(dir))
  await disk.syncDir(dir)
}

type Marked = { durable(): number; failure(): unknown }

/**
 * Notes the end of the files every `ms` while commits come, beside the writers and only once they are synced, so that a torn tail stays
 * a torn tail. `close` notes the last one. A disk that refuses a mark keeps the one before, which is true as well.
 */
export const keepEndMark = (disk: Disk, dir: string, journal: Marked, ms: number) => {
  let marked = 0
  let underWay: Promise<void> = Promise.resolve()
  const mark = (): Promise<void> => {
    const lsn = journal.durable()
    if (lsn === marked || journal.failure()) return underWay
    underWay = underWay
      .then(() => writeEndMark(disk, dir, lsn))
      .then(() => {
        marked = lsn
      })
    return underWay
  }
  const timer = setInterval(() => void mark().catch(() => undefined), ms)
  timer.unref()
  return {
    close: async (): Promise<void> => {
      clearInterval(timer)
      await underWay.catch(() => undefined)
      underWay = Promise.resolve()
      await mark()
    },
  }
}

/** Throws a StoreFailure when the files end before the commit that was safe on the disk when the last mark was written. */
export const checkEndMark = async (disk: Disk, dir: string, lsn: number, where: string): Promise<void> => {
  const path = files.closed(dir)
  const file = await disk.open(path)
  if (!file) return
  let marked = 0
  try {
    await readFrames(file, 0, salt, ({ payload }) => {
      marked = (JSON.parse(payload.toString()) as { lsn: number }).lsn
    })
  } finally {
    await file.close()
  }
  if (marked <= lsn) return
  throw new StoreFailure(
    `${where}: commits ${lsn + 1} to ${marked} are missing, though they were safe on the disk. Nothing ` +
      `was changed. Restore the whole directory from a backup, or delete ${path} to go on without them.`,
  )
}
