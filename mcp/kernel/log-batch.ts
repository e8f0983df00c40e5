import type { DestinationStream } from 'pino'

/** Final target of lines. */
export type Sink = DestinationStream & { flush?(done?: (error?: Error) => void): void; flushSync?(): void }

/** A sink that collects lines. What is written in between keeps its place; `flush` and `flushSync` leave nothing behind. */
export type Batch = Required<Sink> & {
  /** Keeps a line until there are many, or somebody flushes. */
  add(line: string): void
  close(): void
}

/** Characters that are worth a write of their own. */
const enough = 16_384

const open = new Set<Batch>()

const flushAll = (): void => {
  for (const batch of open) batch.flushSync()
}

/** Lines in batches: the sink measures all that it holds anew for each line, and each of its writes goes through a thread. */
export const openBatch = (sink: Sink): Batch => {
  let lines = ''
  const hand = (): void => {
    if (lines === '') return
    const handed = lines
    lines = ''
    sink.write(handed)
  }
  const batch: Batch = {
    add(line) {
      lines += line
      if (lines.length >= enough) hand()
    },
    write(line) {
      hand()
      sink.write(line)
    },
    flush(done) {
      hand()
      if (sink.flush) sink.flush(done)
      else done?.()
    },
    flushSync() {
      hand()
      sink.flushSync?.()
    },
    close() {
      open.delete(batch)
      if (open.size === 0) process.off('beforeExit', flushAll).off('exit', flushAll)
      batch.flushSync()
    },
  }
  // The sink ends itself when the process does, and must have had the last lines by then.
  if (open.size === 0) process.prependListener('beforeExit', flushAll).prependListener('exit', flushAll)
  open.add(batch)
  return batch
}
