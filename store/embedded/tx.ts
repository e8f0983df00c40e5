import { declared } from '../declaration.ts'
import type { Index, Tx } from '../index.ts'
import { jsonText, nameText } from '../row.ts'
import { collectionOf, type Run } from './collection.ts'
import { type State, type Table, tableOf } from './state.ts'

/** The verbs of a transaction, or of the store itself, run through `run`. `declare` hears of new declarations. */
export const txOf = (
  state: State,
  run: Run,
  declare: (table: Table, indexes: readonly Index[]) => void,
  now: () => Date,
): Tx => ({
  collection: (name, indexes) => {
    const known = declared(name, indexes, state.tables.get(name)?.declared)
    const table = tableOf(state, name)
    if (known && known !== table.declared) declare(table, known)
    return collectionOf(table, run)
  },
  claim: (key, until) =>
    run.write(undefined, view => {
      const time = until.getTime()
      if (Number.isNaN(time)) throw new Error(`claim "${key}": until must be a valid date`)
      const held = view.claimedUntil(nameText('a claim key', key))
      if (held !== undefined && held > now().getTime()) return false
      view.claim(key, time)
      return true
    }),
  append: (topic, payload) =>
    run.write(undefined, view =>
      view.append(nameText('a topic', topic), jsonText(`topic "${topic}"`, payload)),
    ),
})
