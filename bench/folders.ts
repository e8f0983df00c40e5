import { rmSync } from 'node:fs'
import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openChild } from './child.ts'

const never = Number.MAX_SAFE_INTEGER
const folders: string[] = []
process.once('exit', () => {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true })
})

/** A new folder in the temporary directory of the system; `removeFolders` removes them all. */
export const newFolder = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-bench-'))
  folders.push(dir)
  return dir
}

export const removeFolder = (dir: string): Promise<void> => rm(dir, { recursive: true, force: true })

export const removeFolders = async (): Promise<void> => {
  seeds.clear()
  agedFolders.clear()
  await Promise.all(folders.splice(0).map(removeFolder))
}

export const bytesIn = async (dir: string): Promise<number> => {
  const sizes = (await readdir(dir)).map(async name => (await stat(join(dir, name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

const seeds = new Map<number, Promise<string>>()
const agedFolders = new Map<number, Promise<string>>()

const fill = async (documents: number): Promise<string> => {
  const dir = await newFolder()
  const child = await openChild('embedded')
  try {
    await child.ask('open', { dir, checkpointAt: never })
    await child.ask('seed', { documents })
    await child.ask('close')
    return dir
  } finally {
    await child.stop()
  }
}

const age = async (documents: number): Promise<string> => {
  const dir = await seedCopy(documents)
  const child = await openChild('embedded')
  try {
    await child.ask('open', { dir, checkpointAt: 1 })
    await child.ask('checkpointed')
    await child.ask('write', { documents, writers: 64, ms: 4000, until: 0 })
    await child.ask('close')
    return dir
  } finally {
    await child.stop()
  }
}

const once = (cache: Map<number, Promise<string>>, documents: number, make: typeof fill): Promise<string> => {
  const dir = cache.get(documents) ?? make(documents)
  cache.set(documents, dir)
  return dir
}

/** A folder of its own with this many documents in one journal, so that `checkpointAt` decides when a checkpoint is due. */
export const seedCopy = async (documents: number): Promise<string> => {
  const seed = await once(seeds, documents, fill)
  const dir = await newFolder()
  await cp(seed, dir, { recursive: true })
  return dir
}

/** The folder of a store that has run for a while: a checkpoint of this many documents, and a journal after it. */
export const agedFolder = (documents: number): Promise<string> => once(agedFolders, documents, age)
