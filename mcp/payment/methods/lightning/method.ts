import { ToolError } from '../../../kernel/error.ts'
import { dayMs } from '../../../lib/time.ts'
import type { LightningNode } from '../../../ports/lightning/lightning.ts'
import { invoicePrefixes } from '../../../ports/lightning/networks.ts'
import { toPaymentHash } from '../../../ports/lightning/preimage.ts'
import type { Attempt, FindResult, PaymentMethod } from '../../method.ts'
import { openInvoices } from './invoices.ts'

type Options = {
  /** `lightning:mainnet`, `lightning:regtest`. */
  network: string
  /** Opens the node, with the first price. */
  open: () => Promise<LightningNode>
  now?: () => Date
}

/** Millisatoshis. */
const decimals = 3

/** How long an invoice can be paid, with some more for a payment on its way. */
const expiryMs = 3_600_000

/** Time an invoice must have left, so that a payment on its way still meets it. */
const minRefundMs = 60_000

const words = (msat: string): string => `${msat.replace(/000$/, '')} sat over Lightning`

const readInvoice = async (text: string) => {
  const { decodeInvoice } = await import('../../../ports/lightning/bolt11.ts')
  try {
    return decodeInvoice(text)
  } catch (cause) {
    throw new ToolError('invalid_input', 'A refund over Lightning goes to an invoice (BOLT 11).', { cause })
  }
}

/**
 * Payments over Lightning, in sats. The payer pays an invoice of ours, and the preimage is the proof: only the node that was paid
 * and whoever paid it have it, so nobody is asked. Each invoice pays one call once.
 */
export const openLightningMethod = ({ network, open, now = () => new Date() }: Options): PaymentMethod => {
  let opening: Promise<LightningNode> | undefined
  const node = (): Promise<LightningNode> => {
    opening ??= open().catch(error => {
      opening = undefined
      throw error
    })
    return opening
  }
  const invoices = openInvoices(order => node().then(opened => opened.createInvoice(order)), now)

  const find = async ({ data: { paymentHash, preimage } }: Attempt): Promise<FindResult> => {
    const hash = toPaymentHash(String(preimage))
    if (hash === undefined || hash !== paymentHash)
      return { state: 'failed', reason: 'unreadable', detail: 'the preimage is not that of the invoice' }
    invoices.close(hash)
    return { state: 'settled', transaction: hash, payer: `bolt11:${hash}`, log: `bolt11:${hash}` }
  }

  return {
    id: 'lightning',
    kind: 'bolt11',
    network,
    name: 'lightning',
    moves: 'payer',
    takes: ({ unit, terms }) => unit === 'sat' && (terms?.kind === undefined || terms.kind === 'bolt11'),
    async offer({ request, price, asker, client, title }, rates) {
      const { amount, rate } = await rates.convert(price, 'sat')
      const msat = `${amount}000`
      const terms = {
        method: 'lightning',
        kind: 'bolt11',
        network,
        asset: 'BTC',
        payTo: (await node()).node,
        amount: msat,
        decimals,
        words: words(msat),
      }
      // Only a whole call is worth an invoice: a probe hears the price in words.
      if (request === null) return { ...terms, maxTimeoutSeconds: 60, extra: { ...(rate && { rate }) } }
      const { invoice, paymentHash, expiresAt } = await invoices.open({
        asker,
        client,
        request,
        msat: BigInt(msat),
        memo: title,
      })
      const maxTimeoutSeconds = Math.floor((expiresAt.getTime() - now().getTime()) / 1000)
      return { ...terms, maxTimeoutSeconds, extra: { invoice, paymentHash, ...(rate && { rate }) } }
    },
    identify: ({ data }) => `bolt11|${String(data.paymentHash)}`,
    verify: async attempt => {
      const status = await find(attempt)
      return status.state === 'settled'
        ? { ok: true, payer: status.payer }
        : { ok: false, reason: 'unreadable' }
    },
    settle: async attempt => {
      const status = await find(attempt)
      return status.state === 'unused' ? { state: 'failed', reason: 'settlement_failed' } : status
    },
    find,
    async refund(_id, _payer, amount, to) {
      if (to === undefined) return { state: 'needs', what: 'bolt11' }
      const invoice = await readInvoice(to)
      if (invoice.msat !== BigInt(amount))
        throw new ToolError('invalid_input', `The invoice must be over exactly ${words(amount)}.`)
      const { pay } = await node()
      if (!pay)
        throw new ToolError('unavailable', 'This node pays no invoices.', {
          hint: 'Pay the invoice from another wallet, and note it beside the receipt.',
        })
      const paid = await pay(to)
      if (paid.state === 'failed') return paid
      return { state: 'sent', transaction: invoice.paymentHash }
    },
    async readRefundTo(amount, to) {
      const invoice = await readInvoice(to)
      const refuse = (detail: string) => {
        throw new ToolError('invalid_input', `The invoice ${detail}.`, {
          issues: [{ path: 'to', message: detail }],
          hint: `Make an invoice over exactly ${words(amount)} that is good for ten minutes.`,
        })
      }
      const prefix = invoicePrefixes[network]
      if (prefix !== undefined && invoice.currency !== prefix) refuse(`is not one of ${network}`)
      if (invoice.msat !== BigInt(amount)) refuse(`must be over exactly ${words(amount)}`)
      if (invoice.expiresAt.getTime() - now().getTime() < minRefundMs)
        refuse('is expired, or about to: a minute must be left')
      const { node: own, paysItself } = await node()
      if (!paysItself && invoice.node === own) refuse('is one of our own node')
      return `bolt11:${invoice.paymentHash}`
    },
    toWords: words,
    async incoming(after) {
      const time = now().getTime()
      const since = after === undefined ? time - dayMs : Date.parse(after)
      const { received, node: payTo } = await node()
      const paid = (await received?.(new Date(since))) ?? []
      const transfers = paid.map(({ paymentHash, msat, at }) => ({
        log: `bolt11:${paymentHash}`,
        transaction: paymentHash,
        asset: 'BTC',
        payTo,
        payer: `bolt11:${paymentHash}`,
        amount: String(msat),
        at,
      }))
      // An invoice may be paid for as long as it is good, and is listed by when it was made.
      return { upTo: new Date(time - 2 * expiryMs).toISOString(), transfers, isMore: false }
    },
    close: async () => (await opening)?.close(),
  }
}
