import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { asRecord, isRecord, type JsonRecord, parseRecord } from '../../lib/json.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import type { Tx } from '../../ports/store/port.ts'
import { allowedMoves, canChange, type Role, roles, type Status, statuses } from './task.ts'

/**
 * One move of a task. `prev` is the SHA-256 (hexadecimal) of the entry before as canonical JSON (RFC 8785); of the first entry it
 * is that of the terms the task was published with, so that a history belongs to one task only.
 */
export type Entry = {
  seq: number
  from: Status | null
  to: Status
  /** Account of who moved it; `system` for the clock. */
  actor: string
  role: Role
  at: string
  reason: string
  prev: string
}

/** SHA-256 of a value as canonical JSON, hexadecimal. */
export const hashJson = (value: unknown): string =>
  createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest('hex')

/** The entry that follows; `head` is the hash of what it follows. */
export const nextEntry = (head: string, seq: number, move: Omit<Entry, 'seq' | 'prev'>): Entry => ({
  seq,
  from: move.from,
  to: move.to,
  actor: move.actor,
  role: move.role,
  at: move.at,
  reason: move.reason,
  prev: head,
})

/** An entry as it is stored. */
type HistoryRow = { id: string; task: string; seq: number; entry: Entry }

const table = { name: 'tasks.history', indexes: [{ name: 'task', fields: ['task', 'seq'] }] } as const

const historyIn = collection<HistoryRow>({
  name: table.name,
  indexes: table.indexes,
  archive: { afterHours: 24 },
  bounded: 'A few dozen for each task, and they go with it; tasks have a budget.',
})

/** Writes an entry; a second one with its number is the program's fault. */
export const appendHistory = async (tx: Tx, task: string, entry: Entry): Promise<void> => {
  const row = { id: `${task}.${entry.seq}`, task, seq: entry.seq, entry }
  if (!(await historyIn(tx).insert(row))) throw new Error(`${row.id}: this entry is there already`)
}

/** Every entry of a task, the first one first: a task has a few dozen at most. */
export const loadHistory = async (tx: Tx, task: string): Promise<Entry[]> => {
  const { rows } = await historyIn(tx).find({ index: 'task', where: { task }, limit: 1000 })
  return rows.map(({ entry }) => entry)
}

/** Drops every entry of a task. */
export const dropHistory = async (tx: Tx, task: string): Promise<void> => {
  const { rows } = await historyIn(tx).find({ index: 'task', where: { task }, limit: 1000 })
  for (const { id } of rows) await historyIn(tx).delete(id)
}

export const HistoryEntryOut = z.object({
  seq: z.number().int().describe('1, 2, 3 …'),
  from: z.enum(statuses).nullable().describe('State before; null for the first'),
  to: z.enum(statuses).describe('State after'),
  actor: z.string().describe('Account that moved it; system for the clock'),
  role: z.enum(roles).describe('What the actor is to the task'),
  at: z.string().describe('When'),
  reason: z.string().describe('Why'),
  prev: z.string().describe('SHA-256 of the entry before as canonical JSON; of the terms for the first'),
})

export const HistoryOut = z.object({
  task_id: z.string().describe('Id of the task'),
  terms: z.record(z.string(), z.unknown()).describe('What the first entry holds the hash of'),
  entries: z.array(HistoryEntryOut).describe('Every move, the first one first'),
  head: z.string().describe('SHA-256 of the last entry as canonical JSON (RFC 8785), hexadecimal'),
  signature: z
    .string()
    .describe(
      'Compact JWS (EdDSA) over task, number and head; keys at /.well-known/jwks.json of the service',
    ),
  untrusted: untrustedMark,
})

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

/** Verdict on a history that was kept as a file. */
export type HistoryVerdict = {
  /** Nothing is wrong with it, the signature included where there were keys. */
  valid: boolean
  /** True when the house signed this head; null where nobody said with which keys. */
  signed: boolean | null
  /** Faults, each as a sentence. */
  faults: string[]
  task_id: string
  entries: number
  /** State after the last entry, and when. */
  status: string
  at: string
}

const typ = 'task-history+jwt'

/** Finds a fault of the signature over a head; undefined where one of the keys made it for this very history. */
const findSignatureFault = async (
  signature: unknown,
  facts: { task_id: unknown; seq: unknown; head: unknown },
  keys: readonly unknown[],
): Promise<string | undefined> => {
  if (typeof signature !== 'string') return 'There is no signature.'
  const { compactVerify, createLocalJWKSet } = await import('jose')
  const verified = await compactVerify(signature, createLocalJWKSet({ keys: keys as never }), {
    algorithms: ['EdDSA'],
  }).catch(() => undefined)
  if (!verified || verified.protectedHeader.typ !== typ) return 'The signature is by none of the keys.'
  const claims = parseRecord(new TextDecoder().decode(verified.payload))
  const { head, task_id, seq } = claims ?? {}
  const isOfThis = head === facts.head && task_id === facts.task_id && seq === facts.seq
  return isOfThis ? undefined : 'The signature is that of another history, or of this one at another time.'
}

/**
 * Checks a history that `get_history` answered, asking nobody; with the keys of the house also who signed its head. Undefined for
 * what is no such answer.
 */
export const verifyHistoryFile = async (
  document: JsonRecord,
  keys?: readonly unknown[],
): Promise<HistoryVerdict | undefined> => {
  const { terms, entries, head, signature } = document
  if (!isRecord(terms) || !Array.isArray(entries) || !entries.every(isRecord) || typeof head !== 'string')
    return undefined
  const faults = findHistoryFaults({ terms, entries: entries as unknown as Entry[], head })
  if (document.task_id !== terms.task_id) faults.push('The terms are those of another task.')
  // It is shown on a terminal, so it may hold nothing that steers one.
  if (!/^[\w-]{1,64}$/.test(String(terms.task_id))) faults.push('The terms name no task.')
  const last = asRecord(entries.at(-1))
  const facts = { task_id: terms.task_id, seq: last.seq, head }
  const signatureFault = keys && (await findSignatureFault(signature, facts, keys))
  if (signatureFault !== undefined) faults.push(signatureFault)
  return {
    valid: faults.length === 0,
    signed: keys ? signatureFault === undefined : null,
    faults,
    task_id: String(terms.task_id),
    entries: entries.length,
    status: String(last.to),
    at: String(last.at),
  }
}
