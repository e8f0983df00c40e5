import { createHash, randomBytes } from 'node:crypto'
import type { Dialect } from '../../mcp/payment/dialect.ts'
import type { Account } from '../../mcp/payment/ledger/account.ts'
import { credits } from '../../mcp/payment/ledger/amount.ts'
import type { Ledger } from '../../mcp/payment/ledger/index.ts'
import type { FindResult, PaymentMethod } from '../../mcp/payment/method.ts'

const sha = (hex: string) => createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex')

/** Money that its payer moves before the call: an invoice whose preimage shows that it was paid. */
export const openInvoices = () => {
  const invoices = new Map<string, string>()
  let blockReason: string | undefined
  const find: PaymentMethod['find'] = async ({ data }): Promise<FindResult> => {
    const hash = sha(String(data.preimage))
    if (!invoices.has(hash))
      return { state: 'failed', reason: 'unreadable', detail: 'no invoice has this preimage' }
    return { state: 'settled', transaction: hash, payer: `bolt11:${hash}`, log: `bolt11:${hash}` }
  }
  const method: PaymentMethod = {
    id: 'invoice',
    kind: 'bolt11',
    network: 'test:invoices',
    name: 'invoices',
    moves: 'payer',
    takes: ({ unit, terms }) => unit !== 'credit' && terms?.kind === undefined,
    async offer({ price }, rates) {
      const { amount, rate } = await rates.convert(price, 'sat')
      const preimage = randomBytes(32).toString('hex')
      invoices.set(sha(preimage), preimage)
      const extra = { hash: sha(preimage), ...(rate && { rate }) }
      const words = `${amount} sat by invoice`
      const terms = { asset: 'sat', payTo: 'node', amount, words, maxTimeoutSeconds: 60, extra }
      return { method: 'invoice', kind: 'bolt11', network: 'test:invoices', ...terms }
    },
    identify: ({ data }) => `bolt11|${sha(String(data.preimage))}`,
    verify: async attempt =>
      ({ ok: (await find(attempt, {} as never)).state === 'settled', payer: '' }) as never,
    settle: async (attempt, offer) => (await find(attempt, offer)) as never,
    find,
    refund: async (_id, _payer, _amount, to) =>
      to === undefined ? { state: 'needs', what: 'bolt11' } : { state: 'sent', transaction: to },
    blocked: async () => blockReason,
    close: async () => undefined,
  }
  const pay = (hash: string) => invoices.get(hash) ?? ''
  const block = (reason?: string) => {
    blockReason = reason
  }
  return { method, pay, block }
}

/** Money in our own book: held with the record, captured when it is paid, released when it fails. */
export const openBalance = (ledger: Ledger): PaymentMethod => {
  const toAccount = (data: Readonly<Record<string, unknown>>): Account => `user:${String(data.account)}`
  return {
    id: 'balance',
    kind: 'account',
    network: 'test:book',
    name: 'balance',
    moves: 'book',
    takes: ({ terms }) => terms?.kind === undefined,
    async offer({ price }, rates) {
      const { amount } = await rates.convert(price, 'sat')
      const terms = {
        asset: 'sat',
        payTo: 'house',
        amount,
        words: `${amount} sat of a balance`,
        maxTimeoutSeconds: 60,
      }
      return { method: 'balance', kind: 'account', network: 'test:book', ...terms, extra: {} }
    },
    identify: ({ data }) => `account|${String(data.account)}|${String(data.nonce)}`,
    verify: async ({ data }) => ({ ok: true, payer: toAccount(data) }),
    settle: async () => ({ state: 'failed', reason: 'settlement_failed' }),
    find: async () => ({ state: 'unused' }),
    refund: async id => ({ state: 'credited', entry: `refund:${id}` }),
    book: {
      unit: 'credit',
      hold: async (tx, id, { data }, { amount }) => {
        const until = new Date(Date.now() + 3600_000)
        await ledger.hold(tx, {
          id,
          unit: 'credit',
          account: toAccount(data),
          amount: credits(BigInt(amount)),
          until,
        })
      },
      capture: (tx, id) => ledger.capture(tx, id, { to: 'house:sales' }),
      release: (tx, id) => ledger.release(tx, id),
      entry: id => `capture:${id}`,
      available: async () => ({ amount: '0', words: '0 sat' }),
    },
    close: async () => undefined,
  }
}

/** A wire of its own: `Authorization: Test <base64 JSON of an attempt>`. */
export const testDialect: Dialect = {
  id: 'test',
  ask: offers => ({
    challenges: offers.map(({ kind, amount }) => `Test kind="${kind}", amount="${amount}"`),
    meta: { 'test/offers': offers },
    a2a: { 'test.offers': offers },
  }),
  read({ headers }) {
    const [, text] = /^Test (.+)$/.exec(headers.authorization ?? '') ?? []
    if (text === undefined) return []
    try {
      const { kind, network, proof, ...data } = JSON.parse(Buffer.from(text, 'base64').toString())
      return [{ dialect: 'test', kind, network, accepted: undefined, proof: [proof], data }]
    } catch {
      return [{ unreadable: 'Authorization' }]
    }
  },
  report: payment => ({ headers: { 'Test-Receipt': JSON.stringify(payment) } }),
}

/** The header that pays in the test dialect. */
export const testHeader = (attempt: object) =>
  `Test ${Buffer.from(JSON.stringify(attempt)).toString('base64')}`
