import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import type { Ports } from '../../ports/index.ts'
import { requireAccount } from './account/caller.ts'
import { loadBalance } from './account/wallet.ts'
import { setAside } from './withdrawal/money.ts'
import {
  maxWithdrawalSats,
  minWithdrawalSats,
  newWithdrawal,
  toWithdrawalOut,
  WithdrawalOut,
  withdrawalsIn,
} from './withdrawal/withdrawal.ts'

const badAmount = (sats: bigint) => {
  const message = `must be over ${minWithdrawalSats} to ${maxWithdrawalSats} sats, is over ${sats}`
  return new ToolError('invalid_input', `invoice ${message}.`, { issues: [{ path: 'invoice', message }] })
}

/** An invoice that can be paid out. Throws `invalid_input` where its amount cannot. */
const readInvoice = async (lightning: Ports['lightning'], text: string) => {
  const invoice = text.toLowerCase().replace(/^lightning:/, '')
  const { msat, paymentHash, expiresAt } = await lightning.read(invoice)
  const amount = msat / 1000n
  if (amount < BigInt(minWithdrawalSats) || amount > BigInt(maxWithdrawalSats)) throw badAmount(amount)
  return { invoice, sats: Number(amount), paymentHash, expiresAt }
}

const usedInvoice = () =>
  new ToolError('conflict', 'This invoice was used before.', {
    reason: 'invoice_used',
    hint: 'Make a new invoice over the same amount.',
  })

export default tool({
  name: 'withdraw',
  title: 'Withdraw sats',
  description:
    'Pays a Lightning invoice of yours, over 5,000 to 1,000,000 sats, from your balance within a minute. Only what came over Lightning or was earned out of that may leave. A fee of 100 sats; nothing where it fails.',
  keywords: ['cash', 'payout', 'send'],
  input: z.object({
    invoice: z
      .string()
      .max(2000)
      .regex(/^(?:lightning:)?ln[a-z0-9]+$/i, 'must be a Lightning invoice (BOLT 11)')
      .describe('Invoice (BOLT 11) over whole sats, good for ten minutes or more'),
  }),
  output: WithdrawalOut.extend({ balance_sats: z.int().describe('What you have left') }),
  needs: ['store', 'clock', 'books', 'lightning'],
  price: free,
  auth: ['bearer'],
  async check({ store, lightning, caller }, { invoice }) {
    await requireAccount(store, caller)
    await readInvoice(lightning, invoice)
  },
  limits: [
    { perMinute: 10, per: 'client' },
    { perDay: 50, per: 'client' },
  ],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  a2a: { tags: ['account', 'money'] },
  rest: { routes: ['POST /withdraw'], status: 202 },
  examples: [{ invoice: 'lnbcrt50u1p0example' }],
  needsSetup: true,
  summary: ({ sats, withdrawal_id }) => `${sats} sats are on their way as ${withdrawal_id}.`,
}).run(async ({ commit, clock, books, lightning, caller }, input) => {
  const { invoice, sats, paymentHash, expiresAt } = await readInvoice(lightning, input.invoice)
  const id = randomBytes(12).toString('hex')
  return commit(async tx => {
    const account = await requireAccount(tx, caller)
    const now = clock.now().toISOString()
    const order = { id, account: account.id, invoice, payment_hash: paymentHash, sats }
    const withdrawal = newWithdrawal({ ...order, expires_at: expiresAt.toISOString() }, now)
    await setAside(tx, books, withdrawal)
    if (!(await lightning.spend(tx, paymentHash, `withdrawal:${id}`))) throw usedInvoice()
    await withdrawalsIn(tx).insert(withdrawal)
    const { available } = await loadBalance(tx, books, account.id)
    return { ...toWithdrawalOut(withdrawal), balance_sats: available }
  })
})
