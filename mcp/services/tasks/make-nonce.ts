import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'

export default tool({
  name: 'make_nonce',
  keywords: ['generate', 'create', 'replay'],
  title: 'Make a nonce',
  description:
    'Returns random text for the nonce of a signed request. Use it where a client cannot make its own. Nothing is kept until it is used. Free.',
  input: z.object({}),
  output: z.object({
    nonce: z.string().describe('128 random bits'),
    server_time: z.int().describe('The time here, in seconds since 1970, for created'),
    max_validity_seconds: z.int().describe('How long after created the signature may be good'),
  }),
  needs: ['clock'],
  price: free,
  limits: [{ perMinute: 120, per: 'client' }],
  auth: ['public'],
  hints: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
  a2a: { group: 'manage-tasks' },
  rest: { routes: ['GET /api/v1/auth/erc8128/nonce'] },
  examples: [{}],
  summary: ({ nonce }) => nonce,
}).run(async ({ clock }) => ({
  nonce: randomBytes(16).toString('base64url'),
  server_time: Math.floor(clock.now().getTime() / 1000),
  max_validity_seconds: 300,
}))
