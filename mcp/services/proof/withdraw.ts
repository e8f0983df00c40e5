import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account/caller.ts'
import { loadBalance, toWalletBook } from './account/wallet.ts'
import { toWithdrawalOut, WithdrawalOut } from './withdrawal.ts'

const cleanInvoice = (text: string): string => text.toLowerCase().replace(/^lightning:/, '')

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
  needs: ['store', 'books', 'lightning'],
  price: free,
  auth: ['bearer'],
  async check({ store, lightning, caller }, { invoice }) {
    await requireAccount(store, caller)
    // What clients of a person may spend has limits; what leaves for good is for the person.
    if (caller?.balance?.spender !== undefined)
      throw new ToolError(
        'forbidden',
        'Sats of a person leave on the page of their balance, /auth/balance.',
        {
          reason: 'person_only',
        },
      )
    await lightning.read(cleanInvoice(invoice))
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
}).run(async ({ commit, books, lightning, caller }, input) => {
  const invoice = cleanInvoice(input.invoice)
  const payable = await lightning.read(invoice)
  return commit(async tx => {
    const { id } = await requireAccount(tx, caller)
    const withdrawal = await books.withdrawSats(tx, lightning, {
      ...payable,
      book: toWalletBook(id),
      invoice,
    })
    const { available } = await loadBalance(tx, books, id)
    return { ...toWithdrawalOut(withdrawal), balance_sats: available }
  })
})
