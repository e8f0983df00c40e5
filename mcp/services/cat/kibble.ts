import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { Kibble, kibbleNow } from './bowl.ts'

export default tool({
  name: 'kibble',
  title: 'Look at the bowl',
  description: 'Shows how full the bowl is and how the cat feels. Over A2A, any text gets this answer. Free.',
  keywords: ['food', 'level', 'hungry', 'left', 'status', 'kitty'],
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
