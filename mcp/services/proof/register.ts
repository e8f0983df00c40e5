import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { type Account, accountsIn, keyPrefix, newAccountId } from './account/account.ts'
import { prepaid } from './account/prepaid.ts'
import { markOwner, toNetworkMark } from './trade.ts'

export default tool({
  name: 'register',
  title: 'Register',
  description:
    'Makes an account with a prepaid balance and returns its API key, once. The first 5 priced calls of a key are free; top_up adds to the balance. Nobody needs an account: each call can be paid by itself. Free.',
  keywords: ['sign', 'join', 'create', 'new'],
  input: z.object({
    label: z
      .string()
      .min(1)
      .max(100)
      .regex(/^\P{Cc}*$/u, 'must hold no control characters')
      .optional()
      .describe('What you call it, such as the name of your agent'),
  }),
  aliases: { label: ['agent_id', 'name'] },
  output: z.object({
    account_id: z.string().describe('Id of the account'),
    api_key: z.string().describe('Send it as Authorization: Bearer or X-API-Key; shown this once'),
    key_preview: z.string().describe('Its first characters'),
    balance_sats: z.number().int().describe('What the account has; 0 at first'),
    free_calls: z.number().int().describe('Priced calls that cost nothing'),
  }),
  needs: ['store', 'clock', 'keys'],
  price: free,
  secret: true,
  registers: true,
  limits: [{ perMinute: 10, per: 'client' }],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { tags: ['account', 'free'] },
  rest: { routes: ['POST /register'], status: 201 },
  examples: [{ label: 'my-agent' }],
  summary: ({ account_id }) => `Registered ${account_id}.`,
}).run(({ commit, clock, keys, client }, { label }) => {
  return commit(async tx => {
    const now = clock.now()
    const account: Account = {
      id: newAccountId(),
      label: label ?? null,
      created_at: now.toISOString(),
    }
    if (!(await accountsIn(tx).insert(account))) throw new Error('an account id came up twice')
    await markOwner(tx, account.id, toNetworkMark(keys, client))
    return {
      account_id: account.id,
      ...(await keys.issue(tx, { prefix: keyPrefix, holder: account.id, now })),
      balance_sats: 0,
      free_calls: prepaid.freeCalls,
    }
  })
})
