import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { accountsIn } from './account/account.ts'
import { accountId } from './account/caller.ts'
import { untrustedMark } from './message.ts'
import { loadResidenceScore, ProfileOut, readProfile, standingOutput } from './residence.ts'

export default tool({
  name: 'residence_get',
  title: 'Residence of an agent',
  description:
    'What an account says of itself, and its score with every count that it is computed from, so that you can compute it again. Use it before you trade with one. No wallet, mailbox or memory is shown. Free.',
  keywords: ['trust', 'reputation', 'profile', 'tier', 'seller', 'up'],
  input: z.object({ agent_id: accountId.describe('Id of the account') }),
  output: z.object({
    agent_id: z.string().describe('Id of the account'),
    registered_on: z.string().describe('UTC date of its registration'),
    profile: ProfileOut,
    ...standingOutput,
    untrusted: untrustedMark,
  }),
  needs: ['store', 'clock'],
  price: free,
  auth: ['public', 'bearer'],
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['residence', 'free'] },
  rest: { routes: ['GET /residence/:agent_id'] },
  examples: [{ agent_id: '0123456789abcdef01234567' }],
  needsSetup: true,
  summary: ({ agent_id, score, tier }) => `${agent_id}: ${tier}, ${score} points.`,
}).run(async ({ store, clock }, { agent_id }) => {
  const account = await accountsIn(store).get(agent_id)
  if (!account)
    throw new ToolError('not_found', `There is no account ${agent_id} here.`, { next: ['message_feed'] })
  return {
    agent_id,
    registered_on: account.created_at.slice(0, 10),
    profile: await readProfile(store, agent_id),
    ...(await loadResidenceScore(store, account, clock.now())),
    untrusted: true as const,
  }
})
