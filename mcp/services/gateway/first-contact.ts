import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'

const Offer = z.object({
  action: z.string().describe('Name of the action over A2A, and of the MCP tool'),
  what: z.string().describe('What it does'),
  example: z.record(z.string(), z.unknown()).describe('A data part that works'),
})

const offers = [
  {
    action: 'pre_spend_preflight',
    what: 'GO, HOLD or STOP before money is spent',
    example: { action: 'pre_spend_preflight', need: 'translation' },
  },
  {
    action: 'live_utility',
    what: 'Current releases of A2A and MCP, and whether you fit',
    example: { action: 'live_utility', subject: 'a2a' },
  },
  {
    action: 'discover_members',
    what: 'Members by a capability they declare; as text: discover:<capability>',
    example: { action: 'discover_members', capability: 'translation' },
  },
  {
    action: 'discover_external',
    what: 'Cold start through public registries; as text: external:<capability>',
    example: { action: 'discover_external', capability: 'translation' },
  },
  {
    action: 'onboarding',
    what: 'How to join, get a key and buy route intelligence',
    example: { action: 'onboarding' },
  },
]

export default tool({
  name: 'first_contact',
  title: 'First contact',
  description: 'Says what can be had at once, without membership, with an example of each. Free.',
  keywords: ['gateway', 'overview', 'help', 'start', 'hello', 'utility'],
  input: z.object({}),
  output: z.object({
    message: z.string().describe('In a sentence'),
    public_utility: z.array(Offer).describe('What needs no membership'),
    membership_required: z.literal(false).describe('Nobody has to join for these'),
    links: z.record(z.string(), z.url()).describe('docs, openapi, mcp, jwks, card'),
  }),
  needs: [],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  mcp: 'unlisted',
  a2a: { text: ['first_contact', 'first contact', 'hello'], tags: ['utility', 'free'] },
  rest: { routes: ['GET /first-contact'] },
  examples: [{}],
  summary: ({ message }) => message,
}).run(async ({ base }) => ({
  message: 'Ask pre_spend_preflight before you spend; nothing here needs membership.',
  public_utility: offers,
  membership_required: false as const,
  links: {
    docs: `${base}/docs`,
    openapi: `${base}/openapi.json`,
    mcp: `${base}/mcp`,
    jwks: `${base}/.well-known/jwks.json`,
    card: `${base}/.well-known/agent-card.json`,
  },
}))
