import { constants } from 'node:fs'
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { files, journalNumber, logNumber } from '../embedded/files.ts'
import { StoreFailure } from '../index.ts'
import { type Census, compareCensus, takeCensus } from './content.ts'
import { prepareFolder, readFolder, takeFolder } from './folder.ts'
import { type Freeze, holdStill, openTarget, type Place } from './move.ts'
import { openPostgresSnapshot } from './postgres.ts'

export type BackupOptions = {
  from: Place
  /** The folder that is to hold the copy; nothing may be in it. */
  dir: string
  /** For a folder that a server has open. */
  freeze?: (Freeze & { release(): Promise<void> }) | undefined
  now?: Date
}

/** Copies what a store consists of; its lock stays behind. On file systems that can, the copy shares the bytes. */
const copyFiles = async (from: string, to: string): Promise<void> => {
  const own = [files.checkpoint(from), files.closed(from)]
  for (const name of await readdir(from)) {
    const path = join(from, name)
    if (own.includes(path) || (journalNumber(name) ?? logNumber(name)) !== undefined)
      await copyFile(path, join(to, name), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  }
}

/** Copies the files of a server's store while it holds still; resolves to the last commit that is in them. */
const copyFrozen = async (from: string, to: string, freeze: NonNullable<BackupOptions['freeze']>) => {
  const { commit, check, end } = await holdStill(freeze)
  try {
    await copyFiles(from, to)
    check()
    return commit
  } finally {
    end()
    await freeze.release()
  }
}

const copyFree = async (from: string, to: string): Promise<undefined> => {
  const { release } = await takeFolder(from)
  try {
    await copyFiles(from, to)
  } finally {
    await release()
  }
}

const backUpFolder = async (
  from: string,
  { dir, freeze, now = new Date() }: BackupOptions,
): Promise<Census> => {
  const commit = await (freeze ? copyFrozen(from, dir, freeze) : copyFree(from, dir))
  const copy = await readFolder(dir, now)
  try {
    if (commit !== undefined && copy.commit !== commit)
      throw new StoreFailure(`The copy reaches commit ${copy.commit}, and the server was at ${commit}.`)
    return await takeCensus(copy.content)
  } finally {
    await copy.release()
  }
}

const backUpPostgres = async (
  { name, url, schema }: Extract<Place, { url: string }>,
  { dir, now = new Date() }: BackupOptions,
): Promise<Census> => {
  const source = await openPostgresSnapshot(url, schema, now)
  try {
    const target = await prepareFolder(dir, name)
    try {
      await target.fill(source.content, now)
      await target.complete()
    } finally {
      await target.release()
    }
    const census = await takeCensus(source.content)
    const copy = await readFolder(dir, now)
    const differences = compareCensus(census, await takeCensus(copy.content).finally(copy.release))
    if (differences.length > 0) throw new StoreFailure(`The copy is not the same: ${differences.join('; ')}`)
    return census
  } finally {
    await source.release()
  }
}

/**
 * Copies all that a store holds at one moment into a folder, and reads the copy back. PostgreSQL goes on meanwhile; a server with a
 * folder refuses writes for as long as its files are copied. Resolves to the counts and digests of what was copied.
 */
export const backUpStore = async (options: BackupOptions): Promise<Census> => {
  const { from, dir } = options
  await mkdir(dir, { recursive: true, mode: 0o700 })
  if ((await readdir(dir)).length > 0)
    throw new StoreFailure(`${dir} is not empty: give a folder that does not exist yet.`)
  return 'dir' in from ? backUpFolder(from.dir, options) : backUpPostgres(from, options)
}

/**
 * Copies a backup to an empty place and compares both with what the backup was when it was made; the backup stays. Throws a
 * StoreFailure that says what differs, before anything is written where the backup itself does.
 */
export const restoreStore = async (dir: string, to: Place, expected: Census, at: Date): Promise<void> => {
  const { content, release } = await readFolder(dir, at)
  try {
    const damage = compareCensus(expected, await takeCensus(content))
    if (damage.length > 0) throw new StoreFailure(`The backup is damaged: ${damage.join('; ')}`)
    const target = await openTarget({ from: { name: dir, dir }, to }, at)
    try {
      await target.fill(content)
      const differences = compareCensus(expected, await takeCensus(await target.content()))
      if (differences.length > 0)
        throw new StoreFailure(`The copy is not the same: ${differences.join('; ')}`)
      await target.complete()
    } finally {
      await target.release()
    }
  } finally {
    await release()
  }
}
