import type { Index } from './index.ts'

const checkName = (what: string, name: unknown): void => {
  if (typeof name === 'string' && /^[\x21-\x7e]{1,64}$/.test(name)) return
  throw new Error(`${what} name ${JSON.stringify(name)}: must be 1 to 64 visible ASCII characters`)
}

const checkIndex = (collection: string, index: Index): void => {
  checkName(`${collection}: index`, index.name)
  const place = `${collection}: index "${index.name}"`
  const { fields } = index
  const named = fields.length > 0 && fields.every(field => typeof field === 'string' && field !== '')
  if (!named) throw new Error(`${place}: needs at least one field`)
  if (new Set(fields).size < fields.length) throw new Error(`${place}: names a field twice`)
  if (index.unique && index.words) throw new Error(`${place}: words cannot be unique`)
}

const shape = (indexes: readonly Index[]): string =>
  JSON.stringify(indexes.map(i => [i.name, i.fields, i.unique === true, i.words === true]).sort())

/**
 * Checks a declaration of indexes, against the earlier one of the same collection where there is one: it may be left
 * out or repeated in any order, not changed. Returns the one that counts. Throws an Error that says what is wrong.
 */
export const declared = (
  collection: string,
  indexes: readonly Index[] | undefined,
  before: readonly Index[] | undefined,
): readonly Index[] | undefined => {
  checkName('collection', collection)
  if (indexes === undefined) return before
  for (const index of indexes) checkIndex(collection, index)
  const names = indexes.map(({ name }) => name)
  const twice = names.find((name, position) => names.indexOf(name) !== position)
  if (twice !== undefined) throw new Error(`${collection}: index "${twice}" is declared twice`)
  if (before === undefined) return indexes
  if (shape(before) === shape(indexes)) return before
  throw new Error(
    `${collection}: was declared with other indexes before; declare them once, or repeat the same`,
  )
}
