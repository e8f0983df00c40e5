import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { overlapInput } from '../../lib/key-overlap.ts'
import { keyPrefix, requireAccount } from './account.ts'
import { emitEvent } from './event.ts'

export default tool({
  name: 'rotate_key',
  title: 'Rotate the API key',
  description:
    'Replaces the API key of your account. The new one is shown once; the old one stops working at once, or after overlap_minutes. Free.',
  keywords: ['leaked', 'lost', 'regenerate', 'reset', 'revoke', 'stolen'],
  input: z.object(overlapInput),
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
}).run(({ commit, clock, keys, caller }, { overlap_minutes: overlapMinutes }) =>
  commit(async tx => {
    const { id: holder } = await requireAccount(tx, caller)
    const key = await keys.rotate(tx, { prefix: keyPrefix, holder, now: clock.now(), overlapMinutes })
    await emitEvent(tx, [holder], { kind: 'key_rotated' })
    return key
  }),
)
