import { free, help, service, tool } from 'octagent'
import { z } from 'zod'

const greet = tool({
  name: 'greet',
  title: 'Greet somebody',
  description: 'Says hello to somebody by name. Free.',
  keywords: ['welcome', 'salute'],
  input: z.object({ name: z.string().min(1).max(100).describe('Who is greeted.') }),
  output: z.object({ greeting: z.string().describe('The words of it.') }),
  needs: [],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['greeting'] },
  rest: { routes: ['GET /api/greeting'] },
  examples: [{ name: 'Ada' }],
  summary: ({ greeting }) => greeting,
}).run((_, { name }) => ({ greeting: `Hello, ${name}.` }))

export default service({
  label: 'G',
  slug: 'greeter',
  name: 'Greeter',
  description: 'Says hello.',
  version: '0.1.0',
  license: 'MIT',
  interfaces: [{ binding: 'JSONRPC', path: '/', version: '1.0' }],
  card: {
    path: '/.well-known/agent-card.json',
    inputModes: ['text/plain', 'application/json'],
    outputModes: ['text/plain', 'application/json'],
  },
  auth: ['public'],
  tools: [help(), greet],
  fallback: 'help',
})
