import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { Kibble, kibbleNow } from './bowl.ts'

export default tool({
  name: 'kibble',
  title: 'Look at the bowl',
  description:
    'Tells how full the bowl is and how the cat feels about it. Any text sent to the cat gets this answer. Free.',
  keywords: [
    'bowl level',
    'kibble left',
    'how is the cat',
    'food in the bowl',
    'how full is the bowl',
    'is the cat hungry',
    'food level',
    'does the cat need food',
    'ist die Katze hungrig',
    'le chat a faim',
    'tiene hambre el gato',
    'il gatto ha fame',
    '猫 お腹',
    '餌の残り',
    'is there food left',
    'o gato tem fome',
    'heeft de kat honger',
    'ist noch Futter da',
  ],
  input: z.object({}),
  output: Kibble,
  needs: ['store', 'clock'],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['cat', 'free'] },
  rest: { routes: ['GET /api/bowl'] },
  examples: [{}],
  summary: ({ kibble, mood }) => `The bowl is at ${kibble}% and the cat is ${mood}.`,
}).run(({ store, clock }) => kibbleNow(store, clock.now()))
