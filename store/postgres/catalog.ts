import { setTimeout as pause } from 'node:timers/promises'
import { checkDeclaration } from '../declaration.ts'
import { type Index, StoreFailure } from '../index.ts'
import type { Connections } from './connections.ts'
import { build, missing, readRelation } from './declare.ts'
import { Conflict } from './failure.ts'
import type { Relation } from './relation.ts'
import { queue } from './retry.ts'

export type Catalog = {
  /** Notes a declaration; an Error when it contradicts an earlier one of this process. */
  declare(collection: string, indexes: readonly Index[] | undefined): void
  /** The table and indexes of a collection, made and built before the promise resolves. */
  relation(collection: string): Promise<Relation>
  /** The tables were renamed by another replica: look again. */
  forget(): void
}

const maxAttempts = 10

/** Another version may have declared the same name otherwise. Any fields can be asked, but only its words are stored. */
const queryable = (declaredIndexes: readonly Index[], knownIndexes: readonly Index[]): Index[] => [
  ...declaredIndexes.map(index =>
    index.words ? (knownIndexes.find(({ name }) => name === index.name) ?? index) : index,
  ),
  ...knownIndexes.filter(({ name }) => !declaredIndexes.some(index => index.name === name)),
]

/** Knows where each collection lies. Tables and indexes are made on the first use of a collection. */
export const openCatalog = ({ askPlain, withPlain }: Connections, schema: string): Catalog => {
  const declarations = new Map<string, readonly Index[]>()
  const relations = new Map<string, Promise<Relation>>()
  const builtNames = new Set<string>()
  const oneAtATime = queue()

  const transaction = (collection: string, indexes: readonly Index[]) =>
    withPlain(async ask => {
      await ask('BEGIN')
      try {
        await build(ask, schema, collection, indexes)
        await ask('COMMIT')
      } catch (error) {
        await ask('ROLLBACK').catch(() => undefined)
        throw error
      }
    })

  const buildAgain = async (collection: string, indexes: readonly Index[]): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await oneAtATime(() => transaction(collection, indexes))
      } catch (error) {
        if (!(error instanceof Conflict)) throw error
        if (attempt >= maxAttempts)
          throw new StoreFailure(`${collection}: its indexes could not be built, the table is in use`, {
            cause: error,
          })
        await pause(Math.random() * 200)
      }
    }
  }

  const establish = async (collection: string): Promise<Relation> => {
    const declaredIndexes = declarations.get(collection) ?? []
    let storedRelation = await readRelation(askPlain, schema, collection)
    // Once per process: a version that declares the same name otherwise may run beside this one.
    const incomplete =
      !builtNames.has(collection) &&
      missing(collection, declaredIndexes, storedRelation?.indexes ?? []).length > 0
    if (!storedRelation || incomplete) {
      await buildAgain(collection, declaredIndexes)
      storedRelation = await readRelation(askPlain, schema, collection)
    }
    if (!storedRelation)
      throw new StoreFailure(`${collection}: its table is gone from the schema "${schema}"`)
    if (declarations.has(collection)) builtNames.add(collection)
    const { relation, indexes } = storedRelation
    return {
      schema,
      collection,
      table: `${schema}.${relation}`,
      indexes,
      queryable: queryable(declaredIndexes, indexes),
    }
  }

  return {
    declare: (collection, indexes) => {
      const before = declarations.get(collection)
      const now = checkDeclaration(collection, indexes, before)
      if (!now || now === before) return
      declarations.set(collection, now)
      relations.delete(collection)
    },
    relation: collection => {
      const existing = relations.get(collection)
      if (existing) return existing
      const relation = establish(collection)
      relations.set(collection, relation)
      relation.catch(() => relations.get(collection) === relation && relations.delete(collection))
      return relation
    },
    forget: () => relations.clear(),
  }
}
