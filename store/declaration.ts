import type { ArchivePolicy, Index } from './index.ts'

/** Half a year: what is to stay in memory for longer is not to be archived. */
const maxArchiveHours = 24 * 183

const checkName = (what: string, name: unknown): void => {
  if (typeof name === 'string' && /^[\x21-\x7e]{1,64}$/.test(name)) return
  throw new Error(`${what} name ${JSON.stringify(name)}: must be 1 to 64 visible ASCII characters`)
}

const checkIndex = (collection: string, index: Index): void => {
  checkName(`${collection}: index`, index.name)
  const place = `${collection}: index "${index.name}"`
  const { fields } = index
  const hasFields = fields.length > 0 && fields.every(field => typeof field === 'string' && field !== '')
  if (!hasFields) throw new Error(`${place}: needs at least one field`)
  if (new Set(fields).size < fields.length) throw new Error(`${place}: names a field twice`)
  if (index.unique && index.words) throw new Error(`${place}: words cannot be unique`)
}

const definition = ({ name, fields, unique, words }: Index): string =>
  JSON.stringify([name, fields, unique === true, words === true])

/** True when two indexes are the same in all that matters. */
export const isSameIndex = (a: Index, b: Index): boolean => definition(a) === definition(b)

/** True when two declarations say the same, in whatever order. */
export const isSameDeclaration = (a: readonly Index[], b: readonly Index[]): boolean =>
  JSON.stringify(a.map(definition).sort()) === JSON.stringify(b.map(definition).sort())

/** An Error where hours are none, or others than an earlier declaration of the same collection gave. */
export const checkArchive = (
  collection: string,
  archive: ArchivePolicy | undefined,
  before: ArchivePolicy | undefined,
): void => {
  if (archive === undefined || archive === before) return
  const { afterHours } = archive
  if (!Number.isInteger(afterHours) || afterHours < 0 || afterHours > maxArchiveHours)
    throw new Error(`${collection}: archive.afterHours must be a whole number from 0 to ${maxArchiveHours}`)
  if (before && before.afterHours !== afterHours)
    throw new Error(`${collection}: archive.afterHours was ${before.afterHours} before, and is ${afterHours}`)
}

/** Which declaration one was found to repeat: every use of a collection declares it. */
const repeats = new WeakMap<readonly Index[], readonly Index[]>()

/**
 * Checks a declaration of indexes, against the earlier one of the same collection where there is one: it may be left
 * out or repeated in any order, not changed. Returns the one that counts. Throws an Error that says what is wrong.
 */
export const checkDeclaration = (
  collection: string,
  indexes: readonly Index[] | undefined,
  before: readonly Index[] | undefined,
): readonly Index[] | undefined => {
  checkName('collection', collection)
  if (indexes === undefined || indexes === before) return before
  if (before !== undefined && repeats.get(indexes) === before) return before
  for (const index of indexes) checkIndex(collection, index)
  const names = indexes.map(({ name }) => name)
  const twice = names.find((name, position) => names.indexOf(name) !== position)
  if (twice !== undefined) throw new Error(`${collection}: index "${twice}" is declared twice`)
  if (before === undefined) return indexes
  if (isSameDeclaration(before, indexes)) {
    repeats.set(indexes, before)
    return before
  }
  throw new Error(
    `${collection}: was declared with other indexes before; declare them once, or repeat the same`,
  )
}
