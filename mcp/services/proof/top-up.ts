import { z } from 'zod'
import { paidBy, sats as satsPrice, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account/caller.ts'
import { loadBalance, toWalletBook } from './account/wallet.ts'

/** Sats that one top-up may add. */
const minSats = 100
const maxSats = 5_000_000

export default tool({
  name: 'top_up',
  title: 'Top up the balance',
  description:
    'Adds sats to the balance of your account; the call costs what it adds. The answer to the call without payment is an invoice (L402) and, where a rate is stated, an x402 quote: pay one and repeat the call. For cards there is top_up_by_card.',
  keywords: ['deposit', 'fund', 'credit', 'buy', 'recharge', 'lightning'],
  input: z.object({
    sats: z.number().int().min(minSats).max(maxSats).describe('Sats to add, 100 to 5,000,000'),
  }),
  aliases: { sats: ['amount', 'amount_sats'] },
  output: z.object({
    account_id: z.string().describe('Id of the account'),
    added_sats: z.number().int().describe('What was paid'),
    balance_sats: z.number().int().describe('What can be spent now'),
    receipt: z.string().describe('Id of the receipt, at /receipts/{id}'),
  }),
  needs: ['store', 'books'],
  price: satsPrice('1000'),
  settle: 'before',
  prepaid: false,
  credits: true,
  async check({ store, caller }) {
    await requireAccount(store, caller)
  },
  quote: (_, { sats }) => satsPrice(String(sats)),
  auth: ['bearer'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { tags: ['account'] },
  rest: { routes: ['POST /topup'] },
  examples: [{ sats: 1000 }],
  needsSetup: true,
  summary: ({ added_sats, balance_sats }) => `Added ${added_sats} sats; the balance is ${balance_sats} sats.`,
}).run(({ commit, books, caller, receipt }, { sats }) => {
  const { id, method } = paidBy(receipt)
  return commit(async tx => {
    const account = await requireAccount(tx, caller)
    await books.credit(tx, {
      id: `topup:${id}`,
      book: toWalletBook(account.id),
      value: BigInt(sats) * 1000n,
      source: `world:proof-${method}`,
      memo: `top_up by ${method}`,
    })
    const { available } = await loadBalance(tx, books, account.id)
    return { account_id: account.id, added_sats: sats, balance_sats: available, receipt: id }
  })
})
