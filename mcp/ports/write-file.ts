import { randomBytes } from 'node:crypto'
import { link, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

const writeDraft = async (file: string, value: object): Promise<string> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.write(`${JSON.stringify(value, null, 2)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return draft
}

/**
 * Writes a file of secrets, readable by the owner only, unless it is there: of two processes that make one at the same
 * time, both read back the same.
 */
export const keepOnce = async (file: string, value: object): Promise<void> => {
  const draft = await writeDraft(file, value)
  // Unlike a rename, a link does not replace the file that another process has made meanwhile.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft, { force: true })
}

/** Writes a file of secrets anew, whole or not at all. */
export const keepAnew = async (file: string, value: object): Promise<void> => {
  await rename(await writeDraft(file, value), file)
}
