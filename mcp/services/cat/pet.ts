import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { kibbleNow, purrs } from './bowl.ts'
import { Purr, unpaidPurr } from './feeding.ts'

export default tool({
  name: 'pet',
  title: 'Pet the cat',
  description: 'Pets the cat and returns a purr and its mood. Use it to say hello; nothing changes. Free.',
  keywords: ['stroke', 'cuddle', 'touch', 'play', 'scratch', 'kitten'],
  input: z.object({}),
  output: Purr,
  needs: ['store', 'clock'],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['cat', 'free'] },
  rest: { routes: ['GET /api/pet'] },
  examples: [{}],
  summary: ({ purr, mood, kibble }) => `${purr} The cat is ${mood}; the bowl is at ${kibble}%.`,
}).run(async ({ store, clock }) => {
  const state = await kibbleNow(store, clock.now())
  return { kind: 'pet' as const, purr: purrs[state.mood], ...state, ...unpaidPurr }
})
