import { allowedMoves, canChange, type Role, roles, type Status, statuses } from '../task/status.ts'
import { type Entry, hashJson } from './entry.ts'

/** A party's download: the terms, each move, and the hash of the last one. */
export type HistoryDocument = { terms: unknown; entries: readonly Entry[]; head: string }

/** The hash of a value; none of what has no canonical form, such as a number beyond all bounds. */
const tryHash = (value: unknown): string | undefined => {
  try {
    return hashJson(value)
  } catch {
    return undefined
  }
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const isStatus = (value: unknown): value is Status => statuses.some(status => status === value)
const isRole = (value: unknown): value is Role => roles.some(role => role === value)

const findFault = (entry: Entry, before: Entry | undefined, prev: string | undefined): string | undefined => {
  const { seq, from, to, role, at } = entry
  if (seq !== (before?.seq ?? 0) + 1) return 'does not follow in number'
  if (prev === undefined || entry.prev !== prev) return 'does not hold the hash of what is before it'
  if (!isStatus(to) || !isRole(role)) return 'names no state or role there is'
  if (!isoTime.test(at)) return 'names no time'
  if (!before) return from === null && to === 'published' ? undefined : 'does not begin with publishing'
  if (!isStatus(before.to) || from !== before.to) return 'does not begin where the one before ended'
  const isChange = to === before.to && role === 'publisher' && canChange(to)
  if (!isChange && !allowedMoves(before.to, role).includes(to)) return `is no move that its ${role} may make`
  return at < before.at ? 'is older than the one before' : undefined
}

/**
 * What is wrong with a history, each as a sentence; none for a whole one. Needs nothing but the document: whoever has it can
 * tell that no move was left out, added, changed or put elsewhere since its head was made known.
 */
export const findHistoryFaults = ({ terms, entries, head }: HistoryDocument): string[] => {
  const faults: string[] = []
  let prev = tryHash(terms)
  let before: Entry | undefined
  for (const [n, entry] of entries.entries()) {
    const fault = findFault(entry, before, prev)
    const number = Number.isInteger(entry.seq) ? entry.seq : n + 1
    if (fault !== undefined) faults.push(`Entry ${number} ${fault}.`)
    prev = tryHash(entry)
    before = entry
  }
  if (entries.length === 0) faults.push('There is no entry.')
  if (prev !== head) faults.push('The head is not the hash of the last entry.')
  return faults
}
