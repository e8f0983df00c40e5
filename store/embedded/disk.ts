/** An open file. `append` adds all of `data` at the end; nothing is safe from a power cut before `sync`. */
export type DiskFile = {
  size(): Promise<number>
  /** Up to `length` bytes from `offset`; fewer at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>
  append(data: Buffer): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** What the engine asks of a file system. Names made, renamed and removed are safe only after `syncDir`. */
export type Disk = {
  makeDir(dir: string): Promise<void>
  list(dir: string): Promise<string[]>
  /** For reading; undefined when there is no such file. */
  open(path: string): Promise<DiskFile | undefined>
  /** A new, empty file for appending; fails when the name is taken. */
  create(path: string): Promise<DiskFile>
  /** Cuts the file to `size` bytes and syncs it. */
  truncate(path: string, size: number): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Nothing happens when there is no such file. */
  remove(path: string): Promise<void>
  syncDir(dir: string): Promise<void>
}
