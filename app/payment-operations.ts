import { auditCards, creditCardPayment } from '../mcp/accounts/card-audit.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import type { Evidence } from '../mcp/kernel/http.ts'
import { type Daily, takeDaily } from '../mcp/kernel/pipeline/daily.ts'
import { type Limits, overLimit } from '../mcp/kernel/pipeline/limits.ts'
import { canonicalAddress } from '../mcp/lib/chain-address.ts'
import { type AuditReport, auditPayments } from '../mcp/payment/gate/audit.ts'
import { claimReceipt } from '../mcp/payment/gate/claim.ts'
import { openIncoming, type Unexplained } from '../mcp/payment/gate/incoming.ts'
import type { OpenGate } from '../mcp/payment/gate/open.ts'
import { listOwed, refund } from '../mcp/payment/gate/owed.ts'
import {
  type Destination,
  type PayerProof,
  refundText,
  refundToPayer,
} from '../mcp/payment/gate/payer-refund.ts'
import { loadReceipt, type PublicReceipt } from '../mcp/payment/gate/receipt.ts'
import type { PaymentRow } from '../mcp/payment/gate/record.ts'
import { listSales } from '../mcp/payment/gate/sales.ts'
import type { BalanceAccount } from '../mcp/payment/ledger/account.ts'
import type { PaymentMethod } from '../mcp/payment/method.ts'
import type { Card } from '../mcp/ports/card/port.ts'
import type { Clock } from '../mcp/ports/clock/port.ts'
import type { Ledger } from '../mcp/ports/payment/port.ts'
import type { Store } from '../mcp/ports/store/port.ts'

type Options = {
  store: Store
  methods: readonly PaymentMethod[]
  limits: Limits
  clock: Clock
  /** Reads who pays, for refunds that payers ask for. */
  gate?: Pick<OpenGate, 'provenRecords'> | undefined
  ledger?: Ledger | undefined
  /** The processor of cards, where they are taken. */
  card?: Card | undefined
  /** The balance of whoever sent an API key; undefined where there is none. */
  identify?: (evidence: Evidence) => Promise<BalanceAccount | undefined>
  /** Refunds on chains that payers may start in a day, all together. Default: none. */
  chainRefundsPerDay?: number
  /** Told of money that was given back. */
  onRefund?: ((row: PublicReceipt) => void) | undefined
}

/** The audit in both ways: what is recorded, and what came to the till. */
export type MoneyReport = AuditReport & { unexplained: Unexplained[] }

/** Target of a refund, and the signature of the wallet that paid, where that is the proof. */
type RefundRequest = { to: string; signature?: string | undefined }

/** A smart account's signature is checked on its chain: guesses must not cost a call each. */
const claimsPerMinute = 10

const refundsPerMinute = 10

/** Of one address on a chain: each costs us the gas of a transfer. */
const payerRefundsPerDay = 5

const unprovenError = (id: string): ToolError =>
  new ToolError('unauthenticated', 'A refund is for whoever paid.', {
    hint: `Send the header that the paid call had: Authorization with L402 <token>:<preimage> or Payment, or PAYMENT-SIGNATURE of x402 version 2. Or sign "${refundText(id)}" with the wallet that paid, as {"to": "payer", "signature"}.`,
    headers: { 'WWW-Authenticate': 'L402 realm="refund", Payment realm="refund"' },
    params: { message: refundText(id) },
  })

const noAccount = (): ToolError =>
  new ToolError('unauthenticated', 'A refund to a balance needs the key of its account.', {
    hint: 'Send it as X-API-Key beside the Authorization of the payment, or name an invoice: {"to": "lnbc…"}.',
  })

/** Operations of an operator on payments, and of a payer on receipts. */
export const openPaymentOperations = ({
  store,
  methods,
  limits,
  clock,
  gate,
  ledger,
  card,
  identify,
  chainRefundsPerDay = 0,
  onRefund,
}: Options) => {
  const now = () => clock.now()
  const incoming = openIncoming({ store, methods, now })

  const auditMoney = async (chain: boolean): Promise<MoneyReport> => {
    const unasked = chain ? await incoming.scan() : []
    const report = await auditPayments({ store, methods, chain })
    const unexplained = await incoming.list()
    const byCard =
      chain && card ? await auditCards({ store, card, now: now() }).catch(() => undefined) : undefined
    const cardFaults = (byCard?.faults ?? []).map(fault => ({ where: 'card' as const, ...fault }))
    const unaskedCards = chain && card && !byCard ? 1 : 0
    const { checked, unchecked } = report.chain
    return {
      ...report,
      ok: report.ok && unexplained.length === 0 && cardFaults.length === 0,
      faults: [...report.faults, ...cardFaults],
      chain: {
        checked: checked + (byCard?.checked ?? 0),
        unchecked: unchecked + unasked.length + unaskedCards,
      },
      unexplained,
    }
  }

  /** Counts a transfer that costs gas against those of its payer and of all payers in this UTC day, on all replicas. */
  const allow = async ({ network, payer }: PaymentRow): Promise<void> => {
    const counts = [
      [`payer refund ${network} ${canonicalAddress(payer)}`, payerRefundsPerDay, 'of one address '],
      ['payer refunds', chainRefundsPerDay, ''],
    ] as const
    const earlier: Daily[] = []
    for (const [owner, limit, whose] of counts) {
      const count = await takeDaily(store, clock, owner, { limit, uses: 1 })
      if (count.ok) {
        earlier.push(count)
        continue
      }
      for (const before of earlier) await before.giveBack()
      throw new ToolError(
        'too_many_requests',
        `${limit} refunds ${whose}on chains were sent today, as many as are.`,
        {
          reason: 'refunds_of_the_day',
          retryAfter: Math.ceil((Date.parse(count.quota.resetAt) - now().getTime()) / 1000),
          hint: `It stays owed: ask again after ${count.quota.resetAt}, or ask the operator.`,
        },
      )
    }
  }

  /** A refund, which is told once it is over and was not before. */
  const telling = async <R>(id: string, work: () => Promise<R>): Promise<R> => {
    const before = await loadReceipt(store, id)
    const result = await work()
    const after = onRefund && (await loadReceipt(store, id))
    if (after && before?.state !== 'refunded' && after.state === 'refunded') onRefund(after)
    return result
  }

  return {
    operator: {
      owed: () => listOwed(store, now(), methods),
      audit: auditMoney,
      unexplained: () => incoming.list(),
      /** Looks for transfers to the till that came since. */
      scan: () => incoming.scan(),
      /** Makes a transfer that nothing explains owed, or notes that it is the operator's `own`; resolves to the receipt, if there is one. */
      owe: async (id: string, own: boolean): Promise<string> => {
        if (own) {
          await incoming.own(id)
          return ''
        }
        return incoming.owe(id).catch(async (error: unknown) => {
          if (!card || !ledger || !(error instanceof ToolError) || error.code !== 'not_found') throw error
          if (await creditCardPayment({ store, ledger, card, now: now() }, id)) return ''
          throw error
        })
      },
      sales: (from: string, to: string) => listSales(store, methods, from, to),
      refund: (id: string, to?: string, served?: boolean) =>
        telling(id, () => refund(store, methods, id, now, to, served)),
    },
    receipts: {
      read: (id: string) => loadReceipt(store, id),
      claim: async (id: string, signature: string, address: string) => {
        const standing = await limits.take(`claim:${address}`, claimsPerMinute)
        if (!standing.ok) throw overLimit('Claiming receipts', standing)
        return claimReceipt({ store, methods, now }, id, signature, address)
      },
      refund: async (id: string, { to, signature }: RefundRequest, evidence: Evidence) => {
        const standing = await limits.take(`refund:${evidence.client}`, refundsPerMinute)
        if (!standing.ok) throw overLimit('Refunding receipts', standing)
        const records = gate?.provenRecords(evidence.payment) ?? []
        const proof: PayerProof = { records, signature: to === 'payer' ? signature : undefined }
        if (records.length === 0 && proof.signature === undefined) throw unprovenError(id)
        const deps = { store, methods, ledger, now, allow: chainRefundsPerDay > 0 ? allow : undefined }
        const give = (destination: Destination) =>
          telling(id, () => refundToPayer(deps, id, proof, destination))
        if (to === 'payer') return give({ kind: 'payer' })
        if (to !== 'balance') return give({ kind: 'invoice', invoice: to })
        const balance = await identify?.(evidence)
        if (!balance) throw noAccount()
        return give({ kind: 'balance', balance })
      },
    },
  }
}
