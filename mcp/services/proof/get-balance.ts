import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { keyPrefix } from './account/account.ts'
import { requireAccount } from './account/caller.ts'
import { loadBalance } from './account/wallet.ts'

export default tool({
  name: 'get_balance',
  title: 'Read the balance',
  description: 'What your account has to spend, in sats, and how many free calls its key has left. Free.',
  keywords: ['credit', 'funds', 'remaining'],
  input: z.object({}),
  output: z.object({
    account_id: z.string().describe('Id of the account'),
    label: z.string().nullable().describe('What you called it'),
    key_preview: z.string().describe('First characters of its key'),
    balance_sats: z.number().int().describe('What can be spent'),
    withdrawable_sats: z
      .number()
      .int()
      .describe('What of it may be withdrawn: it came over Lightning, or was earned out of that'),
    held_sats: z.number().int().describe('On hold for calls that are running'),
    debt_sats: z
      .number()
      .int()
      .describe('Taken back of a card payment after it was spent; top-ups pay it first'),
    free_calls_left: z.number().int().describe('Priced calls that still cost nothing'),
  }),
  needs: ['store', 'keys', 'books'],
  price: free,
  auth: ['bearer'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['account', 'free'] },
  rest: { routes: ['GET /balance'] },
  examples: [{}],
  needsSetup: true,
  summary: ({ balance_sats, free_calls_left }) => `${balance_sats} sats, ${free_calls_left} free calls left.`,
}).run(async ctx => {
  const { store, books, caller } = ctx
  const account = await requireAccount(store, caller)
  const balance = await loadBalance(store, books, account.id)
  return {
    account_id: account.id,
    label: account.label,
    key_preview: await ctx.keys.preview(store, { prefix: keyPrefix, holder: account.id }),
    balance_sats: balance.available,
    withdrawable_sats: balance.withdrawable,
    held_sats: balance.held,
    debt_sats: balance.debt,
    free_calls_left: await ctx.freeCallsLeft(),
  }
})
