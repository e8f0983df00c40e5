import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { dayMs } from '../../lib/time.ts'
import type { Tx } from '../../ports/index.ts'
import { accountsIn, keyPrefix } from './account/account.ts'
import { requireAccount } from './account/caller.ts'
import { emitEvent } from './event/event.ts'

/** Rotations of one account within 24 hours: each is an event that stays. */
const maxADay = 10

const takeRotation = async (tx: Tx, account: string, now: Date): Promise<void> => {
  const until = new Date(now.getTime() + dayMs)
  for (let nth = 0; nth < maxADay; nth++)
    if (await tx.claim(`broker rotation ${account} ${nth}`, until)) return
  throw new ToolError('too_many_requests', `A key is rotated ${maxADay} times within 24 hours at most.`, {
    reason: 'rotations_of_the_day',
    retryAfter: 3600,
    hint: 'The key you have still works.',
  })
}

export default tool({
  name: 'rotate_key',
  title: 'Rotate the API key',
  description:
    'Replaces the API key of your account. The new one is shown once; the old one stops working at once. Free.',
  keywords: ['leaked', 'lost', 'regenerate', 'reset', 'revoke', 'stolen'],
  input: z.object({}),
  output: z.object({
    api_key: z.string().describe('The new key, shown this once'),
    key_preview: z.string().describe('Its first characters'),
  }),
  needs: ['store', 'clock', 'keys'],
  price: free,
  auth: ['apiKey'],
  secret: true,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { tags: ['account', 'free'] },
  rest: { routes: ['POST /v1/account/keys/rotate'] },
  examples: [{}],
  summary: ({ key_preview }) => `The key is now ${key_preview}`,
}).run(({ commit, clock, keys, caller }) => {
  const api_key = keys.make(keyPrefix)
  const key_preview = `${api_key.slice(0, 8)}…`
  return commit(async tx => {
    const account = await requireAccount(tx, caller)
    await takeRotation(tx, account.id, clock.now())
    await accountsIn(tx).put({ ...account, key_hash: keys.hash(api_key), key_preview })
    await emitEvent(tx, [account.id], { kind: 'key_rotated' })
    return { api_key, key_preview }
  })
})
