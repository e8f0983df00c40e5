import type { FixType } from './fix.ts'
import type { Warning } from './warning.ts'

export type RepairNote<T> = { type: T; offset: number; detail?: string }

/** Deeper values are dropped. */
export const maxDepth = 500

/** Fixes and warnings listed, each; all are counted. */
export const maxListedNotes = 1000

/** A place in the text with what was noted on the way. Offsets count UTF-16 code units. */
export type Cursor = {
  readonly text: string
  at: number
  /** Open objects, arrays and round brackets around the place. */
  readonly open: { objects: number; arrays: number; rounds: number; closers: string[] }
  /** Characters looked at; bounded by a constant times the length of the text. */
  steps: number
  fenced: boolean
  /** True once text with letters or digits was left out around the JSON. */
  dropsText: boolean
  /** Index of the last line break. */
  readonly lastBreak: number
  /** Three quotes that close nothing further on, so that nobody has to look again. */
  noTriple: string
  readonly fixes: RepairNote<FixType>[]
  readonly fixTypes: Set<FixType>
  fix_count: number
  readonly warnings: RepairNote<Warning>[]
  warning_count: number
}

export const cursorOver = (text: string): Cursor => ({
  text,
  at: 0,
  open: { objects: 0, arrays: 0, rounds: 0, closers: [] },
  steps: 0,
  fenced: false,
  dropsText: false,
  lastBreak: text.lastIndexOf('\n'),
  noTriple: '',
  fixes: [],
  fixTypes: new Set(),
  fix_count: 0,
  warnings: [],
  warning_count: 0,
})

/** Notes a fix at an offset, by default the current one. */
export const fix = (cursor: Cursor, type: FixType, offset = cursor.at): void => {
  cursor.fix_count++
  cursor.fixTypes.add(type)
  if (cursor.fixes.length < maxListedNotes) cursor.fixes.push({ type, offset })
}

export const warn = (cursor: Cursor, type: Warning, offset: number, detail: string): void => {
  cursor.warning_count++
  if (cursor.warnings.length < maxListedNotes)
    cursor.warnings.push({ type, offset, detail: detail.slice(0, 100) })
}

/** Matches a sticky pattern at an offset; its quantifiers must be bounded or it must be followed by a move. */
export const matchAt = (cursor: Cursor, pattern: RegExp, offset = cursor.at): string | undefined => {
  pattern.lastIndex = offset
  const match = pattern.exec(cursor.text)?.[0]
  cursor.steps += 1 + (match?.length ?? 0)
  return match
}

const closing = { '{': '}', '[': ']', '(': ')' } as const

export type Opening = keyof typeof closing

const counters = { '{': 'objects', '[': 'arrays', '(': 'rounds' } as const

/** Runs `read` with one more open bracket around it. */
export const within = <T>(cursor: Cursor, bracket: Opening, readInside: () => T): T => {
  const { open } = cursor
  open[counters[bracket]]++
  open.closers.push(closing[bracket])
  const value = readInside()
  open.closers.pop()
  open[counters[bracket]]--
  return value
}

/** Notes text around the JSON that is left out. */
export const dropText = (cursor: Cursor, type: 'text-before' | 'text-after', text: string): void => {
  fix(cursor, type)
  cursor.dropsText ||= /[\p{L}\p{N}]/u.test(text)
}
