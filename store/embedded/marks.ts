import { StoreFailure } from '../index.ts'
import type { Disk } from './disk.ts'
import { files } from './files.ts'

const readMark = async (disk: Disk, path: string): Promise<string | undefined> => {
  const file = await disk.open(path)
  if (!file) return undefined
  try {
    return (await file.read(0, await file.size())).toString('utf8').trim()
  } finally {
    await file.close()
  }
}

/** Puts a mark into a store's folder that is there after a power cut, too. */
export const writeMark = async (disk: Disk, dir: string, path: string, text: string): Promise<void> => {
  await disk.remove(path)
  const file = await disk.create(path)
  try {
    await file.append(Buffer.from(`${text}\n`))
    await file.sync()
  } finally {
    await file.close()
  }
  await disk.syncDir(dir)
}

/** Throws a StoreFailure for a folder that holds half of a store, or one that goes on elsewhere. */
export const checkMarks = async (disk: Disk, dir: string): Promise<void> => {
  const incomplete = await readMark(disk, files.incomplete(dir))
  if (incomplete !== undefined)
    throw new StoreFailure(
      `${dir} holds an incomplete copy of ${incomplete}. Run the same octagent migrate again, or delete the folder.`,
    )
  const moved = await readMark(disk, files.moved(dir))
  if (moved !== undefined)
    throw new StoreFailure(
      `What ${dir} holds was moved to ${moved} and goes on there. To go back to what it was then, delete ${files.moved(dir)}.`,
    )
}
