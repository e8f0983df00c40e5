import { ToolError } from '../../../kernel/error.ts'
import { toNetwork } from '../../../kernel/origin.ts'
import { openShares } from '../../../lib/shares.ts'
import type { Invoice, LightningNode } from '../../../ports/lightning/lightning.ts'

/** `client` is the network address of the asker, whose network has a share of all. */
type Order = { asker: string; client: string; request: string; msat: bigint; memo: string }

type Waiting = Invoice & { asker: string; client: string }

/** Unpaid invoices that one asker may have at a time, and that all networks share. */
const maxForOne = 20
const maxInAll = 20_000

/** Seconds in which an invoice can be paid, and how many of them must be left for it to be shown again. */
const expirySeconds = 600
const minSecondsLeft = 120

/**
 * Invoices that wait to be paid. The same asker is shown the same one for the same call, and has a few at most: each costs
 * the node something, whoever asks. A network with many askers has no more than it leaves to others. Throws `unavailable` past that.
 */
export const openInvoices = (create: LightningNode['createInvoice'], now: () => Date, all = maxInAll) => {
  const shares = openShares(all, toNetwork)
  const waiting = new Map<string, Waiting>()
  const counts = new Map<string, number>()
  const making = new Map<string, Promise<Invoice>>()

  const remove = (key: string, { asker, client }: Waiting) => {
    waiting.delete(key)
    shares.giveBack(client)
    const left = (counts.get(asker) ?? 1) - 1
    if (left > 0) counts.set(asker, left)
    else counts.delete(asker)
  }
  const forgetExpired = () => {
    // In the order in which they were made, and so in that in which they end.
    for (const [key, invoice] of waiting) {
      if (invoice.expiresAt > now()) return
      remove(key, invoice)
    }
  }
  const make = async (key: string, { asker, client, msat, memo }: Order): Promise<Invoice> => {
    const invoice = await create({ msat, memo, expirySeconds }).catch(error => {
      shares.giveBack(client)
      throw error
    })
    const before = waiting.get(key)
    if (before) remove(key, before)
    waiting.set(key, { ...invoice, asker, client })
    counts.set(asker, (counts.get(asker) ?? 0) + 1)
    return invoice
  }

  return {
    async open(order: Order): Promise<Invoice> {
      forgetExpired()
      const key = JSON.stringify([order.asker, order.request, String(order.msat)])
      const before = waiting.get(key)
      if (before && before.expiresAt.getTime() - now().getTime() >= minSecondsLeft * 1000) return before
      const underWay = making.get(key)
      if (underWay) return underWay
      if ((counts.get(order.asker) ?? 0) >= maxForOne || !shares.take(order.client))
        throw new ToolError('unavailable', 'Too many Lightning invoices wait to be paid. Pay one, or wait.', {
          retryAfter: expirySeconds,
        })
      const invoice = make(key, order).finally(() => making.delete(key))
      making.set(key, invoice)
      return invoice
    },
    /** A paid invoice is shown to nobody again. */
    close(paymentHash: string): void {
      for (const [key, invoice] of waiting) if (invoice.paymentHash === paymentHash) remove(key, invoice)
    },
  }
}
