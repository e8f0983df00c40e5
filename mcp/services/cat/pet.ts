import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { kibbleNow, purrs } from './bowl.ts'
import { Purr, unpaidPurr } from './feeding.ts'

export default tool({
  name: 'pet',
  title: 'Pet the cat',
  description: 'Pets the cat and returns a purr and its mood. Use it to say hello; nothing changes. Free.',
  keywords: [
    'say hello to the cat',
    'cat mood',
    'make the cat purr',
    'touch the cat',
    'tickle',
    'play with the cat',
    'stroke',
    'cuddle',
    'pat',
    'purr',
    'mood',
    'hello cat',
    'kitty',
    'Katze streicheln',
    'caresser le chat',
    'acariciar al gato',
    'accarezzare il gatto',
    'kat aaien',
    '摸猫',
    '猫をなでる',
    'なでる',
    '撫でる',
    '고양이 쓰다듬기',
    'acariciar o gato',
    'be nice to the cat',
  ],
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
