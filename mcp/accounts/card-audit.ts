import { ToolError } from '../kernel/error.ts'
import { dayMs } from '../lib/time.ts'
import type { Card, PaidCheckout } from '../ports/card/port.ts'
import type { Ledger } from '../ports/payment/port.ts'
import type { Store } from '../ports/store/port.ts'
import { applyCardEvent, type CardTopUp, cardTopUpsIn } from './card-top-ups.ts'

/** What the books and the processor of cards say differently; `id` is the payment, as the processor names it. */
export type CardFault = { id: string; detail: string }

/** How far back is looked: as long as the processor keeps what it can send again, and cards can be charged back. */
const days = 120

/** Minutes that an event may be on its way. */
const graceMs = 15 * 60_000

const dollars = (cents: number): string => `${(cents / 100).toFixed(2)} USD`

const sendAgain = 'Bring it there with octagent owe, or give the money back at the processor.'

/** What is wrong with a payment at the processor; undefined where an account has it. */
const findFault = (paid: PaidCheckout, topUp: CardTopUp | undefined): string | undefined => {
  const words = `${dollars(paid.cents)} were paid by card`
  if (!topUp)
    return `${words} for the order ${paid.order}, which is not here. Give the money back at the processor.`
  if (topUp.cents !== paid.cents || paid.currency !== 'usd')
    return `${words} (${paid.currency}) for an order over ${dollars(topUp.cents)}. Give the money back at the processor.`
  if (topUp.payment !== null && topUp.payment !== paid.payment)
    return `${words} for the order ${paid.order}, which another payment has paid. Give the money back at the processor.`
  if (topUp.state !== 'paid')
    return `${words}, and the account ${topUp.account} does not have it. ${sendAgain}`
  return undefined
}

/**
 * Compares what was paid by card with the top-ups, in both ways: each payment at the processor is in an account, and each top-up that
 * counts as paid was. Throws `upstream` where the processor does not answer.
 */
export const auditCards = async (
  { store, card, now }: { store: Store; card: Card; now: Date },
  since = new Date(now.getTime() - days * dayMs),
): Promise<{ checked: number; faults: CardFault[] }> => {
  const faults: CardFault[] = []
  const known = new Set<string>()
  const paid = await card.listPaid(since)
  for (const one of paid) {
    known.add(one.payment)
    if (now.getTime() - one.at.getTime() < graceMs) continue
    const detail = findFault(one, await cardTopUpsIn(store).get(one.order))
    if (detail !== undefined) faults.push({ id: one.payment, detail })
  }
  let after: string | undefined
  do {
    const page = await cardTopUpsIn(store).find({
      index: 'payment',
      limit: 500,
      ...(after !== undefined && { after }),
    })
    for (const { state, payment, created_at, cents, account } of page.rows)
      if (state === 'paid' && payment !== null && !known.has(payment) && new Date(created_at) >= since)
        faults.push({
          id: payment,
          detail: `The account ${account} has ${dollars(cents)} by card, and the processor knows of no such payment.`,
        })
    after = page.next
  } while (after !== undefined)
  return { checked: paid.length, faults }
}

/**
 * Brings a payment by card that no event has told of to its account, once, as the event would have. False for what the processor does not
 * know; throws `conflict` where the account has it, or where it is nobody's.
 */
export const creditCardPayment = async (
  { store, ledger, card, now }: { store: Store; ledger: Ledger; card: Card; now: Date },
  payment: string,
): Promise<boolean> => {
  const paid = (await card.listPaid(new Date(now.getTime() - days * dayMs))).find(
    one => one.payment === payment,
  )
  if (!paid) return false
  await store.transaction(async tx => {
    const topUp = await cardTopUpsIn(tx).get(paid.order)
    const fault = findFault(paid, topUp)
    if (fault === undefined) throw new ToolError('conflict', 'The account has this payment already.')
    if (topUp?.payment === payment || topUp?.payment === null)
      await applyCardEvent(tx, ledger, { kind: 'paid', ...paid })
    else throw new ToolError('conflict', fault)
  })
  return true
}
