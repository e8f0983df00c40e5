import { StoreFailure } from '../index.ts'
import type { Ask } from './connections.ts'

/** State of a schema during a move: half a copy, or a store that goes on elsewhere. `place` is the other one. */
export type Mark = { state: 'incomplete' | 'moved'; place: string }

/** The mark of a schema; undefined where it has none. */
export const readMark = async (ask: Ask, schema: string): Promise<Mark | undefined> => {
  const { rows } = await ask<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
    `${schema}.moving`,
  ])
  if (!rows[0]?.found) return undefined
  return (await ask<Mark>(`SELECT state, place FROM ${schema}.moving`)).rows[0]
}

/** Marks a schema, in place of all earlier marks. */
export const writeSchemaMark = async (ask: Ask, schema: string, mark: Mark | undefined): Promise<void> => {
  await ask(`CREATE TABLE IF NOT EXISTS ${schema}.moving (state text NOT NULL, place text NOT NULL)`)
  await ask(`DELETE FROM ${schema}.moving`)
  if (mark) await ask(`INSERT INTO ${schema}.moving VALUES ($1, $2)`, [mark.state, mark.place])
}

/** Throws a StoreFailure for a schema that holds half of a store, or one that goes on elsewhere. */
export const requireWholeSchema = async (ask: Ask, schema: string): Promise<void> => {
  const mark = await readMark(ask, schema)
  if (mark?.state === 'incomplete')
    throw new StoreFailure(
      `the schema "${schema}" holds an incomplete copy of ${mark.place}: run the same octagent migrate again, or drop the schema`,
      { lasting: true },
    )
  if (mark)
    throw new StoreFailure(
      `what the schema "${schema}" holds was moved to ${mark.place} and goes on there; to go back to what it was then: DROP TABLE ${schema}.moving`,
      { lasting: true },
    )
}
