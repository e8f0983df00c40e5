import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { ensureAccount, keyPrefix } from './account.ts'

export default tool({
  name: 'make_key',
  title: 'Make a key',
  keywords: ['api', 'access', 'credential', 'token', 'create', 'session'],
  description:
    'Makes a key that stands for your wallet where nothing can sign, as in an MCP client, and returns it once. A wallet has one: making another ends the one before. Sign this call. Free.',
  input: z.object({}),
  output: z.object({
    account_id: z.string().describe('The account it stands for'),
    api_key: z.string().describe('Shown this once; send it as Authorization: Bearer'),
  }),
  needs: ['store', 'clock', 'keys'],
  price: free,
  secret: true,
  limits: [{ perMinute: 10, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  rest: { routes: ['POST /api/v1/auth/keys'], status: 201 },
  examples: [{}],
  summary: ({ account_id }) => `A key of ${account_id}.`,
}).run(({ commit, clock, keys, caller }) =>
  commit(async tx => {
    const now = clock.now()
    const { id: holder } = await ensureAccount(tx, caller.id, now)
    const { api_key } = await keys.rotate(tx, { prefix: keyPrefix, holder, now })
    return { account_id: holder, api_key }
  }),
)
