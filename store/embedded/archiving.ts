import type { HeldLine } from './arena.ts'
import type { Slices } from './slices.ts'
import { moveToArchive, type State, type Table } from './state.ts'

/** A line of the arena that a checkpoint has written: where, and the checksum of what it wrote. */
export type WrittenLine = Pick<HeldLine, 'table' | 'hash' | 'place'> & {
  offset: number
  length: number
  checksum: number
}

/** The lines that go to the archive once their checkpoint is published; there may be millions. */
export type WrittenLines = { add(line: WrittenLine): void; size(): number; all(): Generator<WrittenLine> }

const columns = 6
const perChunk = 1024

/** None so far. */
export const openWrittenLines = (): WrittenLines => {
  const chunks: Float64Array[] = []
  let size = 0
  return {
    size: () => size,
    add: ({ table, hash, place, offset, length, checksum }) => {
      if (size % perChunk === 0) chunks.push(new Float64Array(columns * perChunk))
      const chunk = chunks.at(-1) as Float64Array
      chunk.set([table, hash, place, offset, length, checksum], (size % perChunk) * columns)
      size++
    },
    *all() {
      for (let at = 0; at < size; at++) {
        const chunk = chunks[Math.floor(at / perChunk)] as Float64Array
        const from = (at % perChunk) * columns
        const [table = 0, hash = 0, place = 0, offset = 0, length = 0, checksum = 0] = chunk.subarray(
          from,
          from + columns,
        )
        yield { table, hash, place, offset, length, checksum }
      }
    },
  }
}

/** Cost of finding out about one line, besides the checksum over its length. */
const perLine = 128

/**
 * Moves to the archive what a published checkpoint has written for it, in slices. A document that was written anew meanwhile stays in
 * memory, and so does a collection whose indexes are being built: whoever walks over it must meet each document once.
 */
export const moveWritten = async (
  state: State,
  tables: ReadonlyMap<number, Table>,
  written: WrittenLines,
  checksum: (bytes: Buffer) => number,
  slices: Slices,
): Promise<void> => {
  for (const line of written.all()) {
    const table = tables.get(line.table)
    const held = state.arena.held(line.table, line.hash, line.place)
    if (table && !table.building && held && held.end - held.start === line.length) {
      // A place may have been left and taken again: what counts is that the same bytes lie there.
      if (checksum(held.bytes.subarray(held.start, held.end)) === line.checksum)
        moveToArchive(state, table, line, line)
    }
    const turn = slices.spend(perLine + line.length)
    if (turn) await turn
  }
}
