import { collection } from '../../../kernel/collection.ts'
import type { Tx } from '../../../ports/store/port.ts'

/** Activity of an account, as far as it counts for its score. Sats are whole. */
export type Activity = {
  /** Id of the account. */
  id: string
  /** Calls that were paid for. */
  calls: number
  /** Sats the house got for them. */
  spent_sats: number
  /** Sats from others, without what it paid them back. */
  earned_sats: number
  proofs: number
  sales: number
  /** Sales that it fulfilled. */
  fulfilled: number
  /** Time of its last act that counted. */
  last_act_at: string | null
}

export type ResidentActs = Partial<Pick<Activity, 'calls' | 'spent_sats' | 'proofs' | 'fulfilled'>>

const activitiesIn = collection<Activity>({
  name: 'proof.activity',
  bounded: 'One for each account.',
})

export const readActivity = async (tx: Pick<Tx, 'collection'>, account: string): Promise<Activity> =>
  (await activitiesIn(tx).get(account)) ?? {
    id: account,
    calls: 0,
    spent_sats: 0,
    earned_sats: 0,
    proofs: 0,
    sales: 0,
    fulfilled: 0,
    last_act_at: null,
  }

/** Counts acts of an account, in the transaction that does them. An act of nothing counts as one of today. */
export const countActs = async (tx: Tx, account: string, acts: ResidentActs, now: Date): Promise<void> => {
  const activity = await readActivity(tx, account)
  await activitiesIn(tx).put({
    ...activity,
    calls: activity.calls + (acts.calls ?? 0),
    spent_sats: activity.spent_sats + (acts.spent_sats ?? 0),
    proofs: activity.proofs + (acts.proofs ?? 0),
    fulfilled: activity.fulfilled + (acts.fulfilled ?? 0),
    last_act_at: now.toISOString(),
  })
}

/** Counts what others did to an account, which is no act of its own. */
export const countDeals = async (
  tx: Tx,
  account: string,
  { earned_sats, sales }: { earned_sats: number; sales: number },
): Promise<void> => {
  if (earned_sats === 0 && sales === 0) return
  const activity = await readActivity(tx, account)
  await activitiesIn(tx).put({
    ...activity,
    earned_sats: activity.earned_sats + earned_sats,
    sales: activity.sales + sales,
  })
}
