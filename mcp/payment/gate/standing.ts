import { dayMs } from '../../lib/time.ts'
import type { Store } from '../../ports/store/port.ts'
import { unexplainedIn } from './incoming.ts'
import { type PaymentState, paymentRows } from './record.ts'

/** Money that is not where it belongs yet, for probes and the operator: counts, and since when the oldest is pending. */
export type Standing = {
  pending: number
  /** Taken back by a chain for good after they were answered. */
  lost: number
  owed: number
  /** Of those, how many of the last 24 hours. */
  owed_today: number
  /** Transfers to the till that no record explains. */
  unexplained: number
  unexplained_today: number
  pending_since?: string
}

/** Standing of one network and tool; `amount` is in atomic units. */
export type StandingPart = {
  state: 'owed' | 'unexplained' | 'pending'
  network: string
  tool: string
  count: number
  amount: bigint
  since: string
}

/** Counts what is open, owed and unexplained; `parts` are the same by state, network and tool. */
export const loadStanding = async (
  store: Store,
  now: Date,
): Promise<{ standing: Standing; parts: readonly StandingPart[] }> => {
  const today = new Date(now.getTime() - dayMs).toISOString()
  const parts = new Map<string, StandingPart>()
  const add = (part: Omit<StandingPart, 'count' | 'amount'>, amount: string) => {
    const key = `${part.state} ${part.network} ${part.tool}`
    const before = parts.get(key) ?? { ...part, count: 0, amount: 0n }
    const since = part.since < before.since ? part.since : before.since
    parts.set(key, { ...before, since, count: before.count + 1, amount: before.amount + BigInt(amount) })
  }
  const count = async (state: PaymentState, name: 'owed' | 'pending') => {
    const found = { all: 0, today: 0, since: undefined as string | undefined }
    const rows = paymentRows(store)
    let after: string | undefined
    do {
      const query = { index: 'state', where: { state }, limit: 1000, ...(after !== undefined && { after }) }
      const page = await rows.find(query)
      for (const { network, service, tool, amount, created, updated, spentElsewhere } of page.rows) {
        if (spentElsewhere) continue
        found.all++
        if (updated >= today) found.today++
        if (found.since === undefined || created < found.since) found.since = created
        add({ state: name, network, tool: `${service}.${tool}`, since: created }, amount)
      }
      after = page.next
    } while (after !== undefined)
    return found
  }
  const pending = await count('pending', 'pending')
  const owed = await count('owed', 'owed')
  const refunding = await count('refunding', 'owed')
  const lost = await paymentRows(store).count({ index: 'state', where: { state: 'lost' } })
  const unexplained = { all: 0, today: 0 }
  for await (const { network, amount, at } of unexplainedIn(store, now)) {
    unexplained.all++
    if (at >= today) unexplained.today++
    add({ state: 'unexplained', network, tool: '', since: at }, amount)
  }
  return {
    standing: {
      pending: pending.all,
      lost,
      owed: owed.all + refunding.all,
      owed_today: owed.today + refunding.today,
      unexplained: unexplained.all,
      unexplained_today: unexplained.today,
      ...(pending.since !== undefined && { pending_since: pending.since }),
    },
    parts: [...parts.values()],
  }
}
