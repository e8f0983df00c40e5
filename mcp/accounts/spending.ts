import { collection, deleteRows } from '../kernel/collection.ts'
import { clean } from '../lib/text/clean.ts'
import { dayMs } from '../lib/time.ts'
import { formatUsd } from '../lib/usd.ts'
import type { Clock } from '../ports/clock/port.ts'
import type { Spend, Spending, SpendingRefusal } from '../ports/payment/port.ts'
import type { Store } from '../ports/store/port.ts'
import { toWallet } from './account.ts'
import { requireUsd } from './amount.ts'
import { limitsIn, type SpendingLimits } from './limits.ts'

/** Characters of a client's name that a refusal repeats: they are a stranger's words. */
const maxName = 60

/** A client's spending on one UTC day, with holds for calls under way, in millionths of a dollar. */
export type SpentDay = { id: string; day: string; spent: string }

/** One call that a client paid. `id` is that of the receipt. */
export type ClientSpend = {
  id: string
  grant: string
  client: string
  service: string
  tool: string
  amount: string
  day: string
}

const dayIndexes = [{ name: 'day', fields: ['day'] }]

export const spentDaysIn = collection<SpentDay>({
  name: 'accounts.spent_days',
  indexes: dayIndexes,
  bounded: 'One for each client and day with a paid call.',
})

export const clientSpendsIn = collection<ClientSpend>({
  name: 'accounts.spends',
  bounded: 'One for each client that paid.',
})

/** The UTC day of an instant, `2026-01-31`. */
export const toDay = (at: Date): string => at.toISOString().slice(0, 10)

export const toDayId = (grant: string, day: string): string => `${grant} ${day}`

type Deps = { clock: Clock; page(): string }

const words = (refused: Pick<SpendingRefusal, 'reason'>, limits: SpendingLimits, spent: bigint): string => {
  const { per_call, per_day, services } = limits
  const name = clean(limits.client.name, maxName) ?? 'This client'
  if (refused.reason === 'limit_service')
    return `${name} may pay ${services?.join(', ') || 'no service'} only`
  if (refused.reason === 'limit_per_day')
    return `${name} may spend ${per_day} USD a UTC day and has spent ${formatUsd(spent)} USD`
  return `${name} may spend ${per_call} USD a call`
}

/** True when a call is past a limit; the first that it is past, from the one that asks least. */
const findLimit = (
  { per_call, per_day, services }: SpendingLimits,
  { service, amount }: Spend,
  spent: bigint,
): SpendingRefusal['reason'] | undefined => {
  if (services && !services.includes(service)) return 'limit_service'
  if (per_call !== null && amount > requireUsd(per_call)) return 'limit_per_call'
  if (per_day !== null && spent + amount > requireUsd(per_day)) return 'limit_per_day'
  return undefined
}

/**
 * Limits that people set for their clients, counted in a row per grant and UTC day within the transaction that holds the money: they
 * are exact however many calls come at once, and what is released is free again.
 */
export const openSpending = ({ clock, page }: Deps): Spending => ({
  async take(tx, spend) {
    const { id, spender: grant, account, service, tool, amount } = spend
    const ownLimits = await limitsIn(tx).get(grant)
    // A grant that is over, or that was never given limits, spends nothing.
    const limits =
      ownLimits && toWallet(ownLimits.account) === account
        ? ownLimits
        : { ...nothing, id: grant, client: ownLimits?.client ?? nothing.client }
    const day = toDay(clock.now())
    const dayId = toDayId(grant, day)
    const spent = BigInt((await spentDaysIn(tx).get(dayId))?.spent ?? '0')
    const reason = findLimit(limits, spend, spent)
    if (reason) {
      const price = formatUsd(amount)
      const detail = `${reason}: ${words({ reason }, limits, spent)}; ${service}.${tool} costs ${price} USD. Nothing was charged. The limit is changed at ${page()}.`
      const { per_call, per_day, services } = limits
      const limit = { limit_per_call: per_call, limit_per_day: per_day, limit_service: services }[reason]
      const params = { limit, price, unit: 'USD', change_at: page() }
      return {
        reason,
        detail,
        params: reason === 'limit_per_day' ? { ...params, spent: formatUsd(spent) } : params,
      }
    }
    await spentDaysIn(tx).put({ id: dayId, day, spent: String(spent + amount) })
    await clientSpendsIn(tx).put({
      id,
      grant,
      client: limits.client.name,
      service,
      tool,
      amount: String(amount),
      day,
    })
    return undefined
  },
  async giveBack(tx, id, amount) {
    const spend = await clientSpendsIn(tx).get(id)
    if (!spend) return
    const all = BigInt(spend.amount)
    const back = amount ?? all
    if (back === all) await clientSpendsIn(tx).delete(id)
    else await clientSpendsIn(tx).put({ ...spend, amount: String(all - back) })
    const row = await spentDaysIn(tx).get(toDayId(spend.grant, spend.day))
    if (!row) return
    await spentDaysIn(tx).put({ ...row, spent: String(BigInt(row.spent) - back) })
  },
})

const nothing: SpendingLimits = {
  id: '',
  account: '',
  client: { id: '', name: 'This client' },
  per_call: '0.00',
  per_day: '0.00',
  services: null,
  updated_at: '',
}

const keptDays = 2

/** Forgets what was spent on days that no limit asks for any more. */
export const sweepSpentDays = async ({
  store,
  clock,
  signal,
}: {
  store: Store
  clock: Clock
  signal: AbortSignal
}): Promise<void> => {
  const where = { day: { lt: toDay(new Date(clock.now().getTime() - keptDays * dayMs)) } }
  await deleteRows(spentDaysIn(store), { index: 'day', where }, signal)
}
