import { declared } from '../declaration.ts'
import type { Tx } from '../index.ts'
import { jsonText, nameText } from '../row.ts'
import { collectionOf, type Run } from './collection.ts'
import { declareIndexes, type State, tableOf } from './state.ts'

/** The verbs of a transaction, or of the store itself, run through `run`. */
export const txOf = (state: State, run: Run, now: () => Date): Tx => ({
  collection: (name, indexes) => {
    const known = declared(name, indexes, state.tables.get(name)?.declared)
    const table = tableOf(state, name)
    if (known) declareIndexes(table, known)
    return collectionOf(table, run)
  },
  claim: (key, until) =>
    run.write(view => {
      const time = until.getTime()
      if (Number.isNaN(time)) throw new Error(`claim "${key}": until must be a valid date`)
      const held = view.claimedUntil(nameText('a claim key', key))
      if (held !== undefined && held > now().getTime()) return false
      view.claim(key, time)
      return true
    }),
  append: (topic, payload) =>
    run.write(view => view.append(nameText('a topic', topic), jsonText(`topic "${topic}"`, payload))),
})
