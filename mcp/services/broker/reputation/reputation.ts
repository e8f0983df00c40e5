import type { Tx } from '../../../ports/index.ts'

/** What an account did on one side of the market; counts only, so that reading costs nothing. */
export type Facet = {
  completed_deals: number
  rated: number
  score_sum: number
  scores: [number, number, number, number, number]
  delivery_said: number
  delivered: number
  disputed: number
  /** Deals by category. */
  categories: Record<string, number>
}

/** `id` is the account. */
export type Reputation = { id: string; seller: Facet; buyer: Facet }

/** One pair of accounts that dealt; counts distinct counterparties. */
export type Pair = { id: string }

export const emptyFacet = (): Facet => ({
  completed_deals: 0,
  rated: 0,
  score_sum: 0,
  scores: [0, 0, 0, 0, 0],
  delivery_said: 0,
  delivered: 0,
  disputed: 0,
  categories: {},
})

export const reputationsIn = (tx: Tx) => tx.collection<Reputation>('broker.reputations')

const pairs = { name: 'broker.pairs', indexes: [{ name: 'account', fields: ['account'] }] } as const

export const pairsIn = (tx: Tx) => tx.collection<Pair & { account: string }>(pairs.name, pairs.indexes)

/** The counts of an account; zeros for one without deals. */
export const reputationOf = async (tx: Tx, account: string): Promise<Reputation> =>
  (await reputationsIn(tx).get(account)) ?? { id: account, seller: emptyFacet(), buyer: emptyFacet() }
