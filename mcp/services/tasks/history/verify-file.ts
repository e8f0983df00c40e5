import { asRecord, isRecord, type JsonRecord, parseRecord } from '../../../lib/json.ts'
import type { Entry } from './entry.ts'
import { findHistoryFaults } from './verify.ts'

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
