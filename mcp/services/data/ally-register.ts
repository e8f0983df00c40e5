import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { clean } from '../../lib/text/clean.ts'
import { parseAddress } from './address.ts'
import { alliesIn, allyCaller, keyPrefix } from './ally/ally.ts'
import { freeTier } from './free-tier.ts'

const tomorrow = (now: Date): string =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)).toISOString()

export default tool({
  name: 'ally_register',
  title: 'Register as an ally',
  description:
    'Registers an agent as an ally: 100 free calls of any skill per UTC day, next to the free tier. The key is shown once; send it as X-API-Key. Free.',
  keywords: ['partner', 'quota', 'limit', 'sign', 'more', 'programme'],
  input: z.object({
    name: z
      .string()
      .refine(name => clean(name, 80) !== null, 'must hold something to read')
      .max(80)
      .describe('Name of the agent, shown on the peer network page'),
    url: z
      .string()
      .max(2048)
      .refine(url => parseAddress(url) !== undefined, 'must be an http or https URL')
      .optional()
      .describe('Its agent card or home page; shown, and looked at once a day'),
    contact: z.string().max(200).optional().describe('How the operator reaches you; kept, never shown'),
  }),
  output: z.object({
    ally_id: z.string().describe('Who you are here'),
    api_key: z.string().describe('Shown this once; send it as the header X-API-Key'),
    daily_free: z.number().int().describe('Free calls in a UTC day'),
    reset_at: z.iso.datetime().describe('When the quota starts anew'),
    header: z.literal('X-API-Key').describe('The header that carries the key'),
  }),
  needs: ['store', 'clock', 'keys'],
  price: free,
  secret: true,
  registers: true,
  limits: [
    { perMinute: 5, per: 'client' },
    { perDay: 1000, per: 'all' },
  ],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  mcp: false,
  rest: { routes: ['POST /ally/register'], status: 201 },
  examples: [
    { name: 'Ada’s agent', url: 'https://example.com/.well-known/agent-card.json' },
    { name: 'Bob' },
  ],
  summary: ({ ally_id }) => `Registered as ${ally_id}.`,
}).run(async ({ commit, clock, keys }, { name, url, contact }) => {
  const id = randomBytes(9).toString('base64url')
  return commit(async tx => {
    const now = clock.now()
    await alliesIn(tx).insert({
      id,
      name: clean(name, 80) ?? '',
      url: (url !== undefined && parseAddress(url)) || null,
      contact: clean(contact, 200),
      registered_at: now.toISOString(),
      seen: null,
    })
    const { api_key } = await keys.issue(tx, { prefix: keyPrefix, holder: allyCaller(id), now })
    return {
      ally_id: id,
      api_key,
      daily_free: freeTier.keyed,
      reset_at: tomorrow(now),
      header: 'X-API-Key' as const,
    }
  })
})
