import { isAscii } from 'node:buffer'
import { type Index, StoreFailure } from '../index.ts'
import type { Line } from './arena.ts'
import type { Slices } from './slices.ts'
import type { Run } from './topics.ts'

/** Takes what a journal or a checkpoint says, in order. Taking the same twice changes nothing. */
export type ReplayTarget = {
  /** `key` is the id as its JSON has it, byte by byte. */
  put(collection: string, key: string, line: Line): void
  delete(collection: string, key: string): void
  claim(key: string, until: number): void
  append(topic: string, at: number, text: string): void
  /** The next entries of a topic lie in a log file. */
  run(topic: string, run: Run): void
  /** The numbers of a topic after its last entry, up to this one, belong to no entry. */
  skip(topic: string, upTo: number): void
  /** The indexes that were declared for a collection, in place of all earlier ones. */
  indexes(collection: string, indexes: readonly Index[]): void
}

const tab = 9
const newline = 10
const quoteText = (text: string): string => JSON.stringify(text)

/** Lines of a payload; the parts are JSON, which never holds a raw tab or line feed. */
export const recordLines = {
  delete: (collection: string, id: string): string => `d\t${quoteText(collection)}\t${quoteText(id)}\n`,
  claim: (key: string, until: number): string => `c\t${quoteText(key)}\t${until}\n`,
  append: (topic: string, at: number, text: string): string => `a\t${quoteText(topic)}\t${at}\t${text}\n`,
  run: (topic: string, run: Run): string => `r\t${quoteText(topic)}\t${JSON.stringify(run)}\n`,
  skip: (topic: string, upTo: number): string => `s\t${quoteText(topic)}\t${upTo}\n`,
  indexes: (collection: string, indexes: readonly Index[]): string =>
    `i\t${quoteText(collection)}\t${JSON.stringify(indexes)}\n`,
}

const unquotePart = (part: string): string => (part.includes('\\') ? JSON.parse(part) : part.slice(1, -1))

const parts = (payload: Buffer, start: number, end: number): string[] => {
  const lines: string[] = []
  let from = start
  while (lines.length < 3) {
    const to = payload.indexOf(tab, from)
    if (to === -1 || to >= end) break
    lines.push(payload.toString('utf8', from, to))
    from = to + 1
  }
  lines.push(payload.toString('utf8', from, end))
  return lines
}

const apply = (
  kind: string | undefined,
  first: string,
  second: string,
  third: string,
  target: ReplayTarget,
): void => {
  switch (kind) {
    case 'c':
      target.claim(unquotePart(first), Number(second))
      break
    case 'a':
      target.append(unquotePart(first), Number(second), third)
      break
    case 'r':
      target.run(unquotePart(first), JSON.parse(second))
      break
    case 's':
      target.skip(unquotePart(first), Number(second))
      break
    case 'i':
      target.indexes(unquotePart(first), JSON.parse(second))
      break
    default:
      throw new StoreFailure(`The files hold a record of kind "${kind}": a newer version wrote them.`)
  }
}

/** A frame's payload: one line of JSON that says what it is, then records. */
export const encodePayload = (header: object, records: string): string =>
  `${JSON.stringify(header)}\n${records}`

/** The first line of a payload. */
export const parseHeader = (payload: Buffer): Record<string, unknown> => {
  const end = payload.indexOf(newline)
  return JSON.parse(payload.toString('utf8', 0, end === -1 ? payload.length : end))
}

/** Cost of taking one record, besides its length. */
const perRecord = 128
const letterP = 0x70
const letterD = 0x64

/** Reads the collection and the id of a `p` or `d` line; the same names come again and again. */
const rowReader = (payload: Buffer, target: ReplayTarget) => {
  const names = new Map<string, string>()
  const isAllAscii = isAscii(payload)
  const nameOf = (part: string): string => {
    const name = names.get(part) ?? unquotePart(part)
    names.set(part, name)
    return name
  }
  return (kind: number, start: number, end: number): void => {
    const nameEnd = payload.indexOf(tab, start + 2)
    const name = nameOf(payload.toString('latin1', start + 2, nameEnd))
    const idAt = nameEnd + 1
    if (kind === letterD) {
      target.delete(name, payload.toString('latin1', idAt, end))
      return
    }
    const idEnd = payload.indexOf(tab, idAt)
    target.put(name, payload.toString('latin1', idAt, idEnd), {
      bytes: payload,
      start,
      end: end + 1,
      idAt: idAt - start,
      textAt: idEnd + 1 - start,
      isAscii: isAllAscii || isAscii(payload.subarray(start, end)),
    })
  }
}

/** Hands the records of a payload to `target`, in slices. */
export const replay = async (payload: Buffer, target: ReplayTarget, slices: Slices): Promise<void> => {
  const readRow = rowReader(payload, target)
  let start = payload.indexOf(newline) + 1
  while (start > 0 && start < payload.length) {
    const end = payload.indexOf(newline, start)
    const letter = payload[start]
    if (letter === letterP || letter === letterD) readRow(letter, start, end)
    else {
      const [kind, first = '', second = '', third = ''] = parts(payload, start, end)
      apply(kind, first, second, third, target)
    }
    const turn = slices.spend(perRecord + end - start)
    if (turn) await turn
    start = end + 1
  }
}
