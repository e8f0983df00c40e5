import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Role, Status } from '../task/status.ts'

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
