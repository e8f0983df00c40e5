import { collection } from '../../../kernel/collection.ts'
import type { Tx } from '../../../ports/store/port.ts'

/** Last signature of a witness: a checkpoint, and its line. */
export type Cosignature = { id: string; size: number; note: string; line: string; cosigned_at: string }

export const cosignaturesIn = collection<Cosignature>({
  name: 'proof.cosignatures',
  indexes: [
    { name: 'size', fields: ['size'] },
    { name: 'note', fields: ['note'] },
  ],
  bounded: 'One for each witness that the operator names.',
})

/** The lines of witnesses under a checkpoint, or under the last one that any has cosigned. Undefined where there are none. */
export const listCosignatures = async (
  store: Pick<Tx, 'collection'>,
  note: string | undefined,
): Promise<{ note: string; lines: string[] } | undefined> => {
  const cosignatures = cosignaturesIn(store)
  const wanted = note ?? (await cosignatures.find({ index: 'size', order: 'desc', limit: 1 })).rows[0]?.note
  if (wanted === undefined) return undefined
  const { rows } = await cosignatures.find({ index: 'note', where: { note: wanted } })
  return rows.length === 0 ? undefined : { note: wanted, lines: rows.map(({ line }) => line) }
}
