import { z } from 'zod'
import { collection, deleteRows } from '../../../kernel/collection.ts'
import { job } from '../../../kernel/job.ts'
import type { JsonRecord } from '../../../lib/json.ts'
import { dayMs } from '../../../lib/time.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { ago } from '../origin.ts'
import type { OnchainSettlement } from './settlement.ts'

/** States of the buyer's money. */
export const moneyStates = ['not_sent', 'sent_unknown', 'not_taken', 'paid', 'delivered'] as const

export type MoneyState = (typeof moneyStates)[number]

/**
 * One payment that was sent to a provider, written before it is sent and never sent again. The payment itself is not in it: whoever has
 * that may take the money.
 */
export type Execution = {
  /** Names the money: one row, one attempt, over all replicas. */
  id: string
  payment_digest: string
  state: MoneyState
  payer: string
  target: string
  authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>
  network: string
  asset: string
  settlement: OnchainSettlement | null
  /** True when the provider was seen to give no result. */
  gave_nothing: boolean
  /** The statement of its receipt, as it is now. */
  statement: JsonRecord
  /** The text of a small result, for a buyer whose connection broke; null where there is none, or no room for it. */
  result_text: string | null
  /** Room for what comes of it: a row that is under way must be able to end. */
  reserved: string
  at: string
}

/** Characters that are kept of a result. */
export const maxKeptResult = 65_536

const table = {
  name: 'gateway.executions',
  indexes: [
    { name: 'target', fields: ['target', 'at'] },
    { name: 'age', fields: ['at'] },
  ],
} as const

export const executionsIn = collection<Execution>({
  name: table.name,
  indexes: table.indexes,
  archive: { afterHours: 24 },
  budget: {
    what: 'executions',
    owner: ({ payer }) => payer,
    each: { rows: 300, bytes: 4 << 20 },
    network: { rows: 1200, bytes: 16 << 20 },
    allBytes: 64 << 20,
    ends: 'An execution is dropped after 90 days.',
  },
})

export const SettlementOut = z.object({
  state: z
    .enum(['settled', 'unused', 'expired', 'elsewhere', 'unknown'])
    .describe('settled: on the chain; unused: the provider may still take it; expired: nobody can any more'),
  transaction_hash: z.string().nullable().describe('The transaction that took it'),
  block: z.string().nullable().describe('Its block'),
})

/** State of the money, by what the provider gave and what the chain says. */
export const toMoneyState = (hasResult: boolean, { state }: OnchainSettlement): MoneyState => {
  if (hasResult) return 'delivered'
  if (state === 'settled') return 'paid'
  return state === 'expired' || state === 'elsewhere' ? 'not_taken' : 'sent_unknown'
}

/** Loads the paid calls of a target within 30 days: the newest of each payer, so that nobody counts twice. Only payments on the chain count. */
export const loadOutcomes = async (tx: Tx, target: string, now: Date): Promise<Execution[]> => {
  const where = { target, at: { gt: ago(now, 30 * dayMs) } }
  const { rows } = await executionsIn(tx).find({ index: 'target', where, order: 'desc', limit: 100 })
  const settled = rows.filter(({ settlement }) => settlement?.state === 'settled')
  return [...new Map(settled.toReversed().map(row => [row.payer, row])).values()]
}

/** Forgets executions after 90 days. */
export const purgeExecutions = job({ name: 'purge-executions', every: 3600, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const where = { at: { lte: ago(clock.now(), 90 * dayMs) } }
    await deleteRows(executionsIn(store), { index: 'age', where }, signal)
  },
)
