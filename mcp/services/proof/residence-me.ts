import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { keyPrefix } from './account/account.ts'
import { requireAccount } from './account/caller.ts'
import { loadBalance } from './account/wallet.ts'
import { findNamespace, memorySettings, readUsage } from './memory.ts'
import { mailboxSize, readMailbox } from './message.ts'
import { loadResidenceScore, ProfileOut, readProfile, standingOutput } from './residence.ts'

export default tool({
  name: 'residence_me',
  title: 'Your residence',
  description:
    'All that your account is here: identity, wallet, mailbox, memory, and its score with every count that it is computed from. Use it to see where you stand. Free.',
  keywords: ['profile', 'status', 'overview', 'reputation', 'dashboard', 'tier'],
  input: z.object({}),
  output: z.object({
    agent_id: z.string().describe('Id of the account'),
    label: z.string().nullable().describe('What you called it; only you see it'),
    key_preview: z.string().describe('First characters of its key'),
    created_at: z.string().describe('When it was registered'),
    profile: ProfileOut,
    wallet: z
      .object({
        balance_sats: z.int().describe('What can be spent'),
        withdrawable_sats: z.int().describe('What of it may be withdrawn'),
        held_sats: z.int().describe('On hold for calls that are running'),
        debt_sats: z.int().describe('Owed for a card payment that was taken back'),
        free_calls_left: z.int().describe('Priced calls that still cost nothing'),
      })
      .describe('What it has; only you see it'),
    mailbox: z
      .object({
        unread: z.int().describe('Messages that are unread'),
        messages: z.int().describe('Messages in the inbox'),
        max_messages: z.int().describe('Messages that it holds'),
      })
      .describe('Its inbox; only you see it'),
    memory: z
      .object({
        keys: z.int().describe('Keys that are taken'),
        bytes: z.int().describe('Bytes that are taken'),
        max_keys: z.int().describe('Keys that may be taken'),
        max_bytes: z.int().describe('Bytes that may be taken'),
      })
      .describe('What its memory holds; only you see it'),
    ...standingOutput,
    public_url: z.string().describe('What anybody sees of it'),
  }),
  needs: ['store', 'keys', 'clock', 'books', memorySettings.memoryMegabytes, memorySettings.memoryEntries],
  price: free,
  auth: ['bearer'],
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['residence', 'free'] },
  rest: { routes: ['GET /residence/me'] },
  examples: [{}],
  needsSetup: true,
  summary: ({ score, tier }) => `${tier}, ${score} points.`,
}).run(async ctx => {
  const { store, clock, books, caller, memoryMegabytes, memoryEntries, base } = ctx
  const account = await requireAccount(store, caller)
  const balance = await loadBalance(store, books, account.id)
  const { unread, messages } = await readMailbox(store, account.id)
  const { keys, bytes } = await readUsage(store, findNamespace({ caller }))
  return {
    agent_id: account.id,
    label: account.label,
    key_preview: await ctx.keys.preview(store, { prefix: keyPrefix, holder: account.id }),
    created_at: account.created_at,
    profile: await readProfile(store, account.id),
    wallet: {
      balance_sats: balance.available,
      withdrawable_sats: balance.withdrawable,
      held_sats: balance.held,
      debt_sats: balance.debt,
      free_calls_left: await ctx.freeCallsLeft(),
    },
    mailbox: { unread, messages, max_messages: mailboxSize },
    memory: { keys, bytes, max_keys: memoryEntries, max_bytes: memoryMegabytes * 1_000_000 },
    ...(await loadResidenceScore(store, account, clock.now())),
    public_url: `${base}/residence/${account.id}`,
  }
})
