import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import { reviewSettings } from './review/config.ts'

export default tool({
  name: 'known_bad',
  keywords: ['blacklist', 'blocklist', 'scam', 'fraud', 'malicious', 'sanctioned'],
  title: 'List known-bad addresses',
  description:
    'Lists the addresses that every review here rejects, with the reason. Use it to check a counterparty by yourself. Free.',
  input: z.object({
    address: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hex digits')
      .optional()
      .describe('Only this address'),
  }),
  output: z.object({
    addresses: z
      .array(
        z.object({
          address: z.string().describe('The address'),
          chain_id: z.number().int().nullable().describe('Its chain; null for all'),
          reason: z.string().describe('Why'),
        }),
      )
      .describe('At most 1,000 of them'),
    count: z.number().int().describe('How many match'),
  }),
  needs: [reviewSettings.knownBad],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['review'] },
  rest: { routes: ['GET /review/known-bad'] },
  examples: [{}],
  summary: ({ count }) => `${countText(count, 'known-bad address')}.`,
}).run(async ({ knownBad }, { address }) => {
  const matches = knownBad.filter(
    entry => address === undefined || entry.address.toLowerCase() === address.toLowerCase(),
  )
  return {
    addresses: matches
      .slice(0, 1000)
      .map(({ address, chain_id, reason }) => ({ address, chain_id: chain_id ?? null, reason })),
    count: matches.length,
  }
})
