/**
 * An open file. `append` adds all of `data` at the end, `write` puts it at an offset; nothing is safe from a power cut before `sync`. A file
 * has one or the other, never both in turn.
 */
export type DiskFile = {
  size(): Promise<number>
  /** Up to `length` bytes from `offset`; fewer at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>
  /** As `read`, in this instant: for a few bytes, which the system mostly has in memory. */
  readNow(offset: number, length: number): Buffer
  append(data: Buffer): Promise<void>
  write(offset: number, data: Buffer): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** Operations the engine asks of a file system. Names made, renamed and removed are safe only after `syncDir`. */
export type Disk = {
  /**
   * Zeros that are written ahead of small frames: a sync within the size of a file writes no metadata, and takes a fraction of the time.
   * 0 where that is not so.
   */
  readonly aheadBytes: number
  makeDir(dir: string): Promise<void>
  list(dir: string): Promise<string[]>
  /** For reading; undefined when there is no such file. */
  open(path: string): Promise<DiskFile | undefined>
  /**
   * A new, empty file for writing; fails when the name is taken. Where each write is `synced`, it is made safe as it is written, which is
   * one question to the disk instead of two; `sync` is to be asked all the same.
   */
  create(path: string, writes?: 'synced'): Promise<DiskFile>
  /** Cuts the file to `size` bytes and syncs it. */
  truncate(path: string, size: number): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Nothing happens when there is no such file. */
  remove(path: string): Promise<void>
  syncDir(dir: string): Promise<void>
}
