import type { Context } from '../../../kernel/tool.ts'
import type { Tx } from '../../../ports/store/port.ts'

/** Thrown to roll back what was only rehearsed. */
class RehearsalRollback extends Error {
  readonly answer: object
  constructor(answer: object) {
    super('a dry run writes nothing')
    this.answer = answer
  }
}

/** Commits `work`, or, for a dry run, does all of it, writes nothing, and answers what would have been. */
export const commitOr = async <R extends object>(
  { store, commit }: Context<'store'>,
  dryRun: boolean,
  work: (tx: Tx) => Promise<R>,
): Promise<R> => {
  if (!dryRun) return commit(work)
  try {
    return await store.transaction(async tx => {
      throw new RehearsalRollback(await work(tx))
    })
  } catch (error) {
    if (error instanceof RehearsalRollback) return error.answer as R
    throw error
  }
}
