import { isSameAddress } from '../../lib/usd-tokens.ts'
import type { Store } from '../../ports/store/port.ts'
import { audit as auditLedger, all as readAll } from '../ledger/audit.ts'
import type { Movement, PaymentMethod } from '../method.ts'
import { isSettled, type PaymentRow, paymentRows } from './record.ts'
import { spentIn } from './spent.ts'

/** Something that does not agree. `id` is the receipt of the payment, the log of a transfer, or empty for the ledger. */
export type AuditFault = {
  where: 'ledger' | 'records' | 'spent' | 'chain' | 'card'
  id: string
  detail: string
}

/** Sum of settled payments on one network; `total` is in atomic units, `words` as people read it. */
export type NetworkSum = { network: string; payments: number; total: string; words: string }

export type AuditReport = {
  /** Nothing disagrees. What could not be looked at is counted in `unchecked`. */
  ok: boolean
  ledger: { entries: number; postings: number; balances: number; holds: number }
  payments: { records: number; settled: number; refunded: number; networks: NetworkSum[] }
  spent: number
  chain: { checked: number; unchecked: number }
  faults: AuditFault[]
}

export type AuditOptions = {
  store: Store
  methods: readonly PaymentMethod[]
  /** True when the chains are asked; otherwise records are compared with the store alone. */
  chain: boolean
}

/** Transactions that are asked for at once: a public node refuses more. */
const atOnce = 4

const isRefunded = ({ state }: PaymentRow): boolean => state === 'refunded'

/** True for what a chain keeps for ever and a local one started anew has lost. */
export const isLocal = ({ offer }: PaymentRow): boolean => {
  const { extra } = JSON.parse(offer) as { extra?: { devnet?: boolean } }
  return extra?.devnet === true
}

const methodFor = (methods: readonly PaymentMethod[], row: PaymentRow): PaymentMethod | undefined =>
  methods.find(({ id, network }) => network === row.network && (row.method === '' || id === row.method))

/** Finds the fault of a record's incoming transfer, as the chain has it. */
const incomingFault = (row: PaymentRow, moved: readonly Movement[] | undefined): string | undefined => {
  if (!moved) return `${row.network} has no transaction ${row.transaction} that was carried out`
  const transfer = moved.find(({ log }) => log === row.log)
  if (!transfer) return `the transaction ${row.transaction} has no transfer ${row.log}`
  if (!isSameAddress(transfer.to, row.payTo))
    return `the transfer went to ${transfer.to}, not to ${row.payTo}`
  if (!isSameAddress(transfer.from, row.payer))
    return `the transfer came from ${transfer.from}, not from ${row.payer}`
  if (transfer.amount !== row.amount) return `the transfer moved ${transfer.amount}, not ${row.amount}`
  return undefined
}

const refundFault = (row: PaymentRow, moved: readonly Movement[] | undefined): string | undefined => {
  if (!moved) return `${row.network} has no refund ${row.refund} that was carried out`
  const isBack = ({ to, amount }: Movement) => isSameAddress(to, row.payer) && amount === row.amount
  return moved.some(isBack)
    ? undefined
    : `the refund ${row.refund} did not give ${row.amount} to ${row.payer}`
}

type Question = { row: PaymentRow; transaction: string; to: string; judge: typeof incomingFault }

/** Lists a record's questions to a chain. */
const listQuestions = (row: PaymentRow): Question[] => [
  ...(row.transaction ? [{ row, transaction: row.transaction, to: row.payTo, judge: incomingFault }] : []),
  ...(isRefunded(row) && row.refund
    ? [{ row, transaction: row.refund, to: row.payer, judge: refundFault }]
    : []),
]

/**
 * Goes through everything that money left in the store, and asks the chains for what they know of it: the ledger's sums,
 * floors and holds; a transfer for every settled payment, of its amount, from its payer, to its payee; no transfer spent
 * twice. Writes nothing. Throws only what the store throws.
 */
export const auditPayments = async ({ store, methods, chain }: AuditOptions): Promise<AuditReport> => {
  const faults: AuditFault[] = []
  const { faults: ofLedger, ...ledger } = await auditLedger(store)
  faults.push(...ofLedger.map(detail => ({ where: 'ledger' as const, id: '', detail })))

  const payments = { records: 0, settled: 0, refunded: 0 }
  const sums = new Map<string, { row: PaymentRow; count: number; total: bigint }>()
  const receiptsByLog = new Map<string, string>()
  const counted = { checked: 0, unchecked: 0 }

  const ask = async ({ row, transaction, to, judge }: Question): Promise<void> => {
    const method = methodFor(methods, row)
    // An entry of our own book, or an invoice, has no chain to ask.
    if (method && !method.movements) return
    const movements = await method?.movements?.(transaction, to).catch(() => null)
    if (!method || movements === null || (movements === undefined && isLocal(row))) {
      counted.unchecked++
      return
    }
    counted.checked++
    const detail = judge(row, movements)
    if (detail !== undefined) faults.push({ where: 'chain', id: row.receipt, detail })
  }

  const compare = async (row: PaymentRow): Promise<void> => {
    const report = (where: AuditFault['where'], detail: string) =>
      faults.push({ where, id: row.receipt, detail })
    payments.records++
    if (row.state === 'lost')
      report('records', 'the chain took its transfer back for good after it was answered')
    if (isRefunded(row)) payments.refunded++
    if (!isSettled(row) && !isRefunded(row)) return
    payments.settled++
    const key = `${row.network} ${row.asset}`
    const sum = sums.get(key) ?? { row, count: 0, total: 0n }
    sums.set(key, { row, count: sum.count + 1, total: sum.total + BigInt(row.amount) })
    if (row.log === null || row.transaction === null)
      return void report('records', `it is ${row.state} and names no transfer`)
    if (isRefunded(row) && row.refund === null) report('records', 'it is refunded and names no refund')
    if (row.spentElsewhere) return
    const before = receiptsByLog.get(row.log)
    // A record that changes while it is read comes twice.
    if (before !== undefined && before !== row.receipt)
      report('records', `the transfer ${row.log} paid ${before} before`)
    receiptsByLog.set(row.log, row.receipt)
    const spentRow = await spentIn(store).get(row.log)
    if (!spentRow) report('spent', `its transfer ${row.log} is not among the spent ones`)
    else if (spentRow.by !== `payment:${row.id}`)
      report('spent', `its transfer ${row.log} was spent by ${spentRow.by}`)
  }

  let questions: Promise<void>[] = []
  for await (const row of readAll(paymentRows(store), 'state')) {
    await compare(row)
    if (!chain || (!isSettled(row) && !isRefunded(row))) continue
    for (const question of listQuestions(row)) questions.push(ask(question))
    if (questions.length < atOnce) continue
    await Promise.all(questions)
    questions = []
  }
  await Promise.all(questions)

  let spentCount = 0
  for await (const { id, by, former } of readAll(spentIn(store), 'by')) {
    spentCount++
    if (former || !by.startsWith('payment:')) continue
    const row = await paymentRows(store).get(by.slice('payment:'.length))
    if (row?.log !== id)
      faults.push({ where: 'spent', id, detail: 'it was spent by a payment that does not name it' })
  }

  const networks = [...sums.values()].map(({ row, count, total }) => ({
    network: row.network,
    payments: count,
    total: String(total),
    words: methodFor(methods, row)?.toWords?.(String(total)) ?? `${total} of ${row.asset} on ${row.network}`,
  }))
  return {
    ok: faults.length === 0,
    ledger,
    payments: { ...payments, networks },
    spent: spentCount,
    chain: counted,
    faults,
  }
}
