import { checkArchive, checkDeclaration } from '../declaration.ts'
import type { Index, Tx } from '../index.ts'
import { nameText, toJsonText } from '../row.ts'
import { openCollection, type VerbRunner } from './collection.ts'
import { ensureTable, type State, type Table } from './state.ts'

/** The verbs of a transaction, or of the store itself, run through `run`. `declare` hears of new declarations. */
export const openTx = (
  state: State,
  run: VerbRunner,
  declare: (table: Table, indexes: readonly Index[]) => void,
  now: () => Date,
): Tx => ({
  collection: (name, indexes, archive) => {
    const declaration = checkDeclaration(name, indexes, state.tables.get(name)?.declared)
    checkArchive(name, archive, state.tables.get(name)?.archive)
    const table = ensureTable(state, name)
    table.archive ??= archive
    if (declaration && declaration !== table.declared) declare(table, declaration)
    return openCollection(table, run)
  },
  claim: (key, until) =>
    run.write(undefined, view => {
      const time = until.getTime()
      if (Number.isNaN(time)) throw new Error(`claim "${key}": until must be a valid date`)
      const claimedUntil = view.claimedUntil(nameText('a claim key', key))
      if (claimedUntil !== undefined && claimedUntil > now().getTime()) return false
      view.claim(key, time)
      return true
    }),
  append: (topic, payload) =>
    run.write(undefined, view =>
      view.append(nameText('a topic', topic), toJsonText(`topic "${topic}"`, payload)),
    ),
})
