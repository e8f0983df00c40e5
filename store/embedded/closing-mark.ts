import { StoreFailure } from '../index.ts'
import type { Disk } from './disk.ts'
import { files } from './files.ts'
import { encodeFrame, readFrames } from './frame.ts'

const salt = 0xc105ed

/** Notes, on an orderly close, up to which commit the files reach: what a later cut or flipped end is told by. */
export const writeClosingMark = async (disk: Disk, dir: string, lsn: number): Promise<void> => {
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

/** Throws a StoreFailure when the files end before the commit that the last orderly close had seen. */
export const checkClosingMark = async (
  disk: Disk,
  dir: string,
  lsn: number,
  where: string,
): Promise<void> => {
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
    `${where}: commits ${lsn + 1} to ${marked} are missing, though the store was closed in order with them. Nothing ` +
      `was changed. Restore the whole directory from a backup, or delete ${path} to go on without them.`,
  )
}
