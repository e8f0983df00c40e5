import { ToolError } from '../kernel/error.ts'
import type { LightningNode as Node } from '../ports/lightning/lightning.ts'
import { invoicePrefixes } from '../ports/lightning/networks.ts'
import type { Lightning as Payouts } from '../ports/lightning/port.ts'
import { spendLog } from './gate/spent.ts'

/** The node that invoices are paid from, opened when it is first needed. */
export type PayoutNode = { network: string; open: () => Promise<Node> }

/** Time an invoice must have left, so that a payment on its way still meets it. */
const minLeftMs = 120_000

const refuse = (detail: string): never => {
  const message = detail
  throw new ToolError('invalid_input', `The invoice ${detail}.`, {
    issues: [{ path: 'invoice', message }],
    hint: 'Make a new invoice over a whole number of sats, good for ten minutes or more.',
  })
}

/** The port `lightning`: sats out of the node of the operator. */
export const openLightningPayouts = (
  { network, open }: PayoutNode,
  now: () => Date = () => new Date(),
): Payouts => ({
  network,
  async read(text) {
    const { decodeInvoice } = await import('../ports/lightning/bolt11.ts')
    const invoice = await Promise.resolve()
      .then(() => decodeInvoice(text))
      .catch(() => refuse('is no Lightning invoice (BOLT 11)'))
    const { msat, paymentHash, expiresAt } = invoice
    const prefix = invoicePrefixes[network]
    if (prefix !== undefined && invoice.currency !== prefix) return refuse(`is not one of ${network}`)
    if (msat === undefined) return refuse('names no amount')
    if (msat % 1000n !== 0n) return refuse('is not over a whole number of sats')
    if (expiresAt.getTime() - now().getTime() < minLeftMs)
      return refuse('is expired, or about to: two minutes must be left')
    const { node, paysItself, pay } = await open()
    if (!pay)
      throw new ToolError('unavailable', 'The Lightning node here is there to receive only.', {
        hint: 'Ask the operator.',
      })
    if (!paysItself && invoice.node === node) return refuse('is one of our own node')
    return { msat, paymentHash, expiresAt }
  },
  spend: (tx, paymentHash, by) => spendLog(tx, `bolt11:${paymentHash}`, by),
  async pay(invoice) {
    const node = await open()
    if (!node.pay) throw new ToolError('unavailable', 'The Lightning node here is there to receive only.')
    return node.pay(invoice)
  },
  find: async invoice => (await open()).find?.(invoice),
})
