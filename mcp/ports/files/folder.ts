import { createReadStream } from 'node:fs'
import { link, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '../../kernel/error.ts'
import type { FileStorage, StoredFile } from './port.ts'
import { receive } from './receive.ts'

const hashForm = /^[0-9a-f]{64}$/
const draftLifeMs = 6 * 3_600_000

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

const noFile = () => new ToolError('not_found', 'There is no such file.')

/** A name that is written is there after a crash only once its folder is. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

const listFolder = async (folder: string): Promise<string[]> => {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Drafts of processes that were killed. */
const dropOldDrafts = async (folder: string): Promise<void> => {
  for (const name of await listFolder(folder)) {
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > draftLifeMs) await rm(path, { force: true })
  }
}

/** Files in a folder, two letters of the hash a subfolder. Nothing is made before the first file comes. */
export const openFolder = (folder: string): FileStorage => {
  const drafts = join(folder, 'incoming')
  const pathTo = (sha256: string): string => {
    if (!hashForm.test(sha256)) throw noFile()
    return join(folder, sha256.slice(0, 2), sha256)
  }

  let draftsDropped: Promise<void> | undefined

  const statFile = async (sha256: string): Promise<StoredFile | undefined> => {
    try {
      const { size } = await stat(pathTo(sha256))
      return { sha256, bytes: size }
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  const keep = async (draft: string, file: StoredFile): Promise<StoredFile> => {
    const path = pathTo(file.sha256)
    const place = join(folder, file.sha256.slice(0, 2))
    await mkdir(place, { recursive: true, mode: 0o700 })
    // A link shows the whole file under its name or nothing, and does not touch one that is there.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await syncFolder(place)
    return file
  }

  return {
    async put(chunks, receiving) {
      draftsDropped ??= dropOldDrafts(drafts)
      await draftsDropped.catch(error => {
        draftsDropped = undefined
        throw error
      })
      return receive(drafts, chunks, receiving, keep)
    },

    stat: async sha256 => (hashForm.test(sha256) ? statFile(sha256) : undefined),

    async *read(sha256, range) {
      const stream = createReadStream(pathTo(sha256), { ...range, highWaterMark: 256 * 1024 })
      try {
        for await (const chunk of stream) yield chunk as Buffer
      } catch (error) {
        if (isMissing(error)) throw noFile()
        throw error
      }
    },

    remove: sha256 => rm(pathTo(sha256), { force: true }),
  }
}
