import { describe } from 'vitest'
import type { Store } from '../../store/index.ts'
import { claimTests } from './claims.ts'
import { collectionTests } from './collections.ts'
import { declarationTests } from './declarations.ts'
import { logTests } from './log.ts'
import { modelTests } from './model.ts'
import { pagingTests } from './paging.ts'
import { queryTests } from './queries.ts'
import { transactionTests } from './transactions.ts'
import { wordsTests } from './words.ts'

/** An empty place for a store. `open` opens it; an engine for one process is closed before it is opened again. */
export type Place = { open(): Promise<Store>; clean(): Promise<void> }

export type Engine = { name: 'embedded' | 'postgres'; place(): Promise<Place> }

/** Everything store/index.ts promises, as tests on one engine. */
export const storeSuite = (engine: Engine): void => {
  describe(`the ${engine.name} store`, () => {
    collectionTests(engine)
    declarationTests(engine)
    queryTests(engine)
    pagingTests(engine)
    wordsTests(engine)
    transactionTests(engine)
    claimTests(engine)
    logTests(engine)
    modelTests(engine)
  })
}
