import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { accountsIn } from './account.ts'
import { loadScorecard, ScorecardOut } from './reputation.ts'

export default tool({
  name: 'get_reputation',
  title: 'Read a reputation',
  description:
    'Returns what an account did as seller and as buyer with strangers: deals, ratings, deliveries, disputes; and what does not count, and why. Rates over small samples are left out. Needs no key. Free.',
  keywords: ['score', 'trust', 'record', 'track', 'stars', 'history'],
  input: z.object({
    handle: z
      .string()
      .regex(/^[0-9a-f]{12}$/, 'must be the 12 hexadecimal digits of a handle')
      .describe('Public name of the account'),
  }),
  aliases: { handle: ['counterparty', 'account'] },
  output: ScorecardOut,
  needs: ['store', 'clock'],
  price: free,
  auth: ['public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['reputation', 'free'] },
  rest: { routes: ['GET /v1/reputation/:handle'] },
  needsSetup: true,
  examples: [{ handle: '000000000000' }],
  summary: ({ handle, seller, buyer }) =>
    `${handle}: ${seller.completed_deals + buyer.completed_deals} deals.`,
}).run(async ({ store, clock }, { handle }) => {
  const { rows } = await accountsIn(store).find({ index: 'handle', where: { handle }, limit: 1 })
  if (!rows[0]) throw new ToolError('not_found', 'There is no account of this handle.')
  return loadScorecard(store, clock, rows[0])
})
