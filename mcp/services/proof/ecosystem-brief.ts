import { z } from 'zod'
import { tool } from '../../kernel/tool.ts'
import { prices } from './prices.ts'
import { BriefOutput, readBrief } from './signals/brief.ts'
import { BasisOutput, plausibilityChecks, toBasis } from './signals/output.ts'
import { venues } from './signals/venues.ts'

export default tool({
  name: 'ecosystem_brief',
  title: 'Brief of all perpetuals',
  description:
    'Looks at all perpetuals of a venue: how many rise and fall, what is traded and open, where funding is extreme, who moves most. Use it for the state of the whole market in one answer. 40 sats.',
  keywords: ['overview', 'breadth', 'crypto', 'futures'],
  input: z.object({}),
  output: z.object({
    ...BriefOutput.shape,
    ...BasisOutput,
  }),
  needs: ['clock', venues],
  price: prices.ecosystemBrief,
  limits: [{ perMinute: 30, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { tags: ['markets'], text: ['ecosystem brief'] },
  rest: { routes: ['GET /brief'] },
  examples: [{}],
  summary: ({ text }) => text,
}).run(async ({ clock, venues }) => ({
  ...(await readBrief(venues.list, clock.now())),
  ...toBasis([], plausibilityChecks.slice(0, 1)),
}))
