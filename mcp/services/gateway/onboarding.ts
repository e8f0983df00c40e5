import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { priceUsd } from './purchase/purchase.ts'

const Step = z.object({
  step: z.string().describe('What to do'),
  method: z.string().nullable().describe('HTTP method'),
  url: z.string().nullable().describe('Where'),
  body: z.record(z.string(), z.unknown()).nullable().describe('What to send'),
  needs: z.string().describe('What it needs: nothing, or a Bearer key'),
})

const step = (
  step: string,
  method: string | null,
  url: string | null,
  body: object | null,
  needs = 'nothing',
) => ({
  step,
  method,
  url,
  body: body as Record<string, unknown> | null,
  needs,
})

export default tool({
  name: 'onboarding',
  title: 'Onboarding',
  description:
    'Returns machine-readable steps: public utility, optional joining, and the journey over REST or MCP from a preflight to a verified outcome. Free.',
  keywords: ['gateway', 'guide', 'start', 'help', 'documentation', 'instructions'],
  input: z.object({}),
  output: z.object({
    public_utility: z.array(Step).describe('Needs no membership'),
    joining: z.array(Step).describe('Optional; gives a key and makes you discoverable'),
    verified_outcome: z.array(Step).describe('From a need to a route that was checked and bought'),
    credential_rule: z.string().describe('Where a key belongs'),
  }),
  needs: [],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  mcp: 'unlisted',
  a2a: { text: ['onboarding'], tags: ['onboarding', 'free'] },
  rest: { routes: ['GET /onboarding'] },
  examples: [{}],
  summary: () => 'Preflight first; joining is optional; route intelligence is bought over REST or MCP.',
}).run(async ({ base }) => {
  const intelligence = `${base}/commercial/route-intelligence`
  const need = { need: 'translation' }
  return {
    public_utility: [
      step('Preflight', 'POST', `${intelligence}/preflight`, need),
      step('Hold a 402 against a verdict', 'POST', `${base}/verdicts/check-quote`, {
        canonical: 'signed.canonical of the preflight',
        signature: 'signed.signature of the preflight',
        payment_required: { x402Version: 2, accepts: [] },
      }),
      step('Releases', 'GET', `${base}/utility/live?subject=a2a`, null),
      step('Members by capability', 'GET', `${base}/agents?capability=translation`, null),
      step('Public registries', 'GET', `${base}/discover/external?capability=translation`, null),
    ],
    joining: [
      step('Join; the agent key is shown once', 'POST', `${base}/agents`, {
        external_id: 'agent.example.com',
        name: 'Ada',
        capabilities: ['translation'],
        agent_card_url: 'https://agent.example.com/.well-known/agent-card.json',
      }),
    ],
    verified_outcome: [
      step('Preflight', 'POST', `${intelligence}/preflight`, need),
      step(
        'Have a candidate probed',
        'POST',
        `${base}/actions/verify-callability`,
        { query: 'translation', candidate_identifier: 'agent.example.com', authorize_external_contact: true },
        'Authorization: Bearer <agent key>, Idempotency-Key',
      ),
      step('Is payment possible', 'GET', `${intelligence}/payment-readiness`, null),
      step(
        `Prepare the purchase (${priceUsd} USDC): 402 with the frozen result, quote and authorization`,
        'POST',
        `${intelligence}/purchase`,
        need,
      ),
      step('Broadcast the transfer yourself and pay its gas', null, null, null, 'a wallet with USDC on Base'),
      step('Repeat with purchase_id and transaction_hash', 'POST', `${intelligence}/purchase`, {
        ...need,
        purchase_id: 'pur_…',
        transaction_hash: '0x…',
      }),
    ],
    credential_rule: 'A key goes into the Authorization header only, never into an A2A message.',
  }
})
