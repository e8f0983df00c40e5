import { readSync, write } from 'node:fs'
import { constants, type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Disk, DiskFile } from './disk.ts'

const toDiskFile = (handle: FileHandle): DiskFile => ({
  size: async () => (await handle.stat()).size,
  read: async (offset, length) => {
    const buffer = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return buffer.subarray(0, filled)
  },
  readNow: (offset, length) => {
    const buffer = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const bytesRead = readSync(handle.fd, buffer, filled, length - filled, offset + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return buffer.subarray(0, filled)
  },
  append: async data => {
    let total = 0
    while (total < data.length) {
      const { bytesWritten } = await handle.write(data, total, data.length - total)
      total += bytesWritten
    }
  },
  write: (offset, data) =>
    new Promise((resolve, reject) => {
      const writeFrom = (start: number): void => {
        // With a callback: the promises of a handle cost as much again as all else that one write of a journal does here.
        write(handle.fd, data, start, data.length - start, offset + start, (error, bytesWritten) => {
          if (error) reject(error)
          else if (start + bytesWritten < data.length) writeFrom(start + bytesWritten)
          else resolve()
        })
      }
      writeFrom(0)
    }),
  sync: () => handle.datasync(),
  close: () => handle.close(),
})

const syncDir = async (dir: string): Promise<void> => {
  const handle = await open(dir, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Whether a write through O_DSYNC is as safe as one that fdatasync follows. On Linux it returns "as though each write(2) was followed by
 * a call to fdatasync(2)" (open(2), "Synchronized I/O"): the data and the metadata needed to read it back are on the disk, on ext4 and xfs
 * by the same flush of its cache. macOS leaves that cache alone, where Node's fdatasync empties it (F_FULLFSYNC); Windows has no such flag.
 */
const hasSyncedWrites = process.platform === 'linux' && constants.O_DSYNC !== undefined

/**
 * Makes a folder and what is missing above it; resolves to the uppermost that was made. Node's own way tries for ever where a file system
 * says of a folder that is there that it is not, as /proc does.
 */
const makeDirs = async (dir: string): Promise<string | undefined> => {
  const isThere = (path: string) =>
    stat(path).then(
      found => found.isDirectory(),
      () => false,
    )
  if (await isThere(dir)) return undefined
  const above = dirname(dir)
  const uppermost = above === dir || (await isThere(above)) ? undefined : await makeDirs(above)
  await mkdir(dir, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST' && (await isThere(dir))) return
    throw error.code === 'ENOENT' ? Object.assign(error, { code: 'EACCES' }) : error
  })
  return uppermost ?? dir
}

/** The file system of this machine. `datasync` also writes the new size of a file that grew (fdatasync, POSIX). */
export const nodeDisk: Disk = {
  aheadBytes: 256 << 10,
  makeDir: async dir => {
    const createdDir = await makeDirs(dir)
    if (createdDir !== undefined) await syncDir(dirname(createdDir))
  },
  list: dir => readdir(dir),
  open: async path => {
    try {
      return toDiskFile(await open(path, 'r'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  },
  create: async (path, writes) => {
    const { O_CREAT, O_EXCL, O_WRONLY, O_DSYNC } = constants
    if (writes === undefined || !hasSyncedWrites) return toDiskFile(await open(path, 'wx', 0o600))
    const handle = await open(path, O_CREAT | O_EXCL | O_WRONLY | O_DSYNC, 0o600)
    return { ...toDiskFile(handle), sync: async () => undefined }
  },
  truncate: async (path, size) => {
    const handle = await open(path, 'r+')
    try {
      await handle.truncate(size)
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
  rename: (from, to) => rename(from, to),
  remove: path => rm(path, { force: true }),
  syncDir,
}
