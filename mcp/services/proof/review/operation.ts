import { collection as declareCollection } from '../../../kernel/collection.ts'
import { ToolError } from '../../../kernel/error.ts'
import type { Json, Tx } from '../../../ports/store/port.ts'
import { sha256 } from './decision.ts'

type Operation = { id: string; digest: string; answer: Json; until: string }

const keptMs = 86_400_000
const collection = 'proof.reviews'
const indexes = [{ name: 'until', fields: ['until'] }] as const
const maxPruned = 50

const open = declareCollection<Operation>({
  name: collection,
  indexes,
  archive: { afterHours: 1 },
  budget: {
    what: 'answers under an operation_id',
    network: { rows: 1000, bytes: 8 << 20 },
    allBytes: 64 << 20,
    ends: 'Each is dropped after a day.',
  },
})

/** An id of a caller's own stands for one artifact: `who` tells callers apart. */
const operationKey = (who: string, operation: string): string => sha256(`${who}\n${operation}`)

/** The answer that an operation had within the last day. Throws `conflict` when it was for another artifact. */
export const findOperation = async (
  tx: Pick<Tx, 'collection'>,
  { who, operation, digest, now }: { who: string; operation: string; digest: string; now: Date },
): Promise<Json | undefined> => {
  const earlier = await open(tx).get(operationKey(who, operation))
  if (!earlier || earlier.until <= now.toISOString()) return undefined
  if (earlier.digest === digest) return earlier.answer
  throw new ToolError('conflict', 'operation_id stands for another artifact.', {
    reason: 'operation_conflict',
    hint: 'Take a new operation_id for each artifact.',
  })
}

/** Remembers an answer for a day, and forgets some that are older. */
export const saveOperation = async (
  tx: Tx,
  {
    who,
    operation,
    digest,
    now,
    answer,
  }: { who: string; operation: string; digest: string; now: Date; answer: Json },
): Promise<void> => {
  const operations = open(tx)
  const { rows } = await operations.find({
    index: 'until',
    where: { until: { lte: now.toISOString() } },
    limit: maxPruned,
  })
  for (const { id } of rows) await operations.delete(id)
  const until = new Date(now.getTime() + keptMs).toISOString()
  await operations.put({ id: operationKey(who, operation), digest, answer, until })
}
