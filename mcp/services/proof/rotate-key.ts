import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { dayMs } from '../../lib/time.ts'
import { accountsIn, makeKey } from './account/account.ts'
import { requireAccount } from './account/caller.ts'

/** Rotations of one account within 24 hours. */
const maxADay = 10

export default tool({
  name: 'rotate_key',
  title: 'Rotate the API key',
  description:
    'Replaces the API key of your account. The new one is shown once; the old one stops working at once. Balance and free calls stay. Free.',
  keywords: ['leaked', 'reset', 'revoke', 'change', 'renew', 'regenerate'],
  input: z.object({}),
  output: z.object({
    api_key: z.string().describe('The new key, shown this once'),
    key_preview: z.string().describe('Its first characters'),
  }),
  needs: ['store', 'clock', 'keys'],
  price: free,
  auth: ['bearer'],
  secret: true,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { tags: ['account', 'free'] },
  rest: { routes: ['POST /keys/rotate'] },
  examples: [{}],
  needsSetup: true,
  summary: ({ key_preview }) => `The key is now ${key_preview}`,
}).run(({ commit, clock, keys, caller }) => {
  const { api_key, ...key } = makeKey(keys)
  return commit(async tx => {
    const account = await requireAccount(tx, caller)
    const until = new Date(clock.now().getTime() + dayMs)
    let hasRoom = false
    for (let nth = 0; nth < maxADay && !hasRoom; nth++)
      hasRoom = await tx.claim(`proof rotation ${account.id} ${nth}`, until)
    if (!hasRoom)
      throw new ToolError('too_many_requests', `A key is rotated ${maxADay} times within 24 hours at most.`, {
        retryAfter: 3600,
        hint: 'The key you have still works.',
      })
    await accountsIn(tx).put({ ...account, ...key })
    return { api_key, key_preview: key.key_preview }
  })
})
