import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { keyPrefix, profileSetup, requireAccount, Setup } from './account.ts'
import { loadCredits, toUsd } from './money.ts'

export default tool({
  name: 'get_account',
  title: 'Look at the account',
  description:
    'Returns your account: handle, credits, what is on hold, and what is still to be set up. Free.',
  keywords: ['left', 'balance', 'status', 'overview', 'remaining', 'missing'],
  input: z.object({}),
  output: z.object({
    account_id: z.string().describe('Id of the account'),
    handle: z.string().describe('Its public name'),
    key_preview: z.string().describe('First characters of the key'),
    credits: z
      .object({
        total: z.number().int().describe('All credits'),
        held: z.number().int().describe('On hold for open negotiations'),
        available: z.number().int().describe('What can be spent'),
      })
      .describe('Balance in credits; one is 0.0005 USD'),
    balance_usd: z.string().describe('The total in USD'),
    funded: z.boolean().describe('Whether credits ever came in'),
    granted_domain: z.string().nullable().describe('Domain whose grant was taken'),
    account_setup_required: Setup,
    created_at: z.iso.datetime().describe('When it was opened'),
  }),
  needs: ['store', 'ledger', 'keys'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['account', 'free'] },
  rest: { routes: ['GET /v1/account'] },
  examples: [{}],
  summary: ({ handle, credits }) => `${handle} has ${credits.available} credits to spend.`,
}).run(async ctx => {
  const { store, ledger, keys, caller } = ctx
  const account = await requireAccount(store, caller)
  const credits = await loadCredits(store, ledger, account.id)
  return {
    account_id: account.id,
    handle: account.handle,
    key_preview: await keys.preview(store, { prefix: keyPrefix, holder: account.id }),
    credits,
    balance_usd: toUsd(credits.total),
    funded: account.funded,
    granted_domain: account.granted_domain,
    account_setup_required: profileSetup(account, ctx),
    created_at: account.created_at,
  }
})
