import { z } from 'zod'
import { PaymentRequired, ToolError } from '../../mcp/kernel/error.ts'
import { identify, type Service, service } from '../../mcp/kernel/service.ts'
import { type AnyTool, free, tool, usd } from '../../mcp/kernel/tool.ts'
import type { Gate } from '../../mcp/payment/charge.ts'
import { x402 } from '../../mcp/payment/dialects/x402/x402.ts'
import { askingFor, rawPayment, toReport } from '../payment/x402.ts'

const hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const

const base = (name: string) => ({
  name,
  title: `Tool ${name}`,
  description: `The fixture ${name}.`,
  needs: [],
  price: free,
  hints,
})

/** Answers with its input, so that tests see what a message came to. */
const echo = (name: string, fields: z.core.$ZodLooseShape, facts: object = {}): AnyTool =>
  tool({
    ...base(name),
    input: z.object(fields),
    output: z.object({ tool: z.string(), input: z.record(z.string(), z.unknown()) }),
    a2a: {},
    examples: [{}],
    ...facts,
  }).run(async (_, input) => ({ tool: name, input }))

export const lookup = echo(
  'dns-lookup',
  {
    domain: z.string(),
    depth: z.int().optional(),
    deep: z.boolean().optional(),
    chain: z.string().optional(),
  },
  {
    a2a: { text: ['dns-lookup <domain>'], tags: ['dns'] },
    examples: [{ domain: 'a.example' }, { domain: 'b.example' }],
  },
)
const discover = echo(
  'discover',
  { capability: z.string() },
  { a2a: { text: ['discover:<capability>'] }, examples: [{ capability: 'web' }] },
)
const deal = echo(
  'open-deal',
  { id: z.string(), words: z.string() },
  { a2a: { skill: 'deal', text: ['deal <id> says <words>'] }, examples: [{ id: '1', words: 'hi' }] },
)
const manage = echo('manage', { action: z.string().optional(), input: z.object({ a: z.int() }).optional() })
const heard = echo('listen', { text: z.string().optional() }, { a2a: { text: ['help'] } })

const failing = tool({
  ...base('fail'),
  input: z.object({ code: z.string() }),
  output: z.object({}),
  a2a: {},
  examples: [{ code: 'not_found' }],
}).run(async (_, { code }) => {
  if (code === 'stranger') throw new Error('password=hunter2')
  throw new ToolError(code as 'not_found', `It failed with ${code}.`, {
    ...(code === 'too_many_requests' && { retryAfter: 7 }),
    ...(code === 'unauthenticated' && { headers: { 'WWW-Authenticate': 'Bearer realm="fixture"' } }),
  })
})

export const slow = {
  started: 0,
  aborted: 0,
  finish: (): void => undefined,
}

const waiting = tool({
  ...base('wait'),
  input: z.object({}),
  output: z.object({ done: z.boolean() }),
  a2a: {},
  examples: [{}],
  timeoutMs: 20_000,
}).run(
  ({ signal }) =>
    new Promise((resolve, reject) => {
      slow.started++
      slow.finish = () => resolve({ done: true })
      signal.addEventListener('abort', () => {
        slow.aborted++
        reject(signal.reason)
      })
    }),
)

export const runs = { paid: 0 }

export const paid = tool({
  ...base('consult'),
  price: usd('3'),
  settle: 'before',
  input: z.object({ question: z.string() }),
  output: z.object({ answer: z.string() }),
  a2a: { tags: ['paid'] },
  examples: [{ question: 'why?' }],
  summary: ({ answer }) => `The answer is ${answer}.`,
}).run(async (_, { question }) => {
  if (question === 'break') throw new ToolError('upstream', 'The oracle is away.')
  runs.paid++
  return { answer: `${question} because` }
})

/** A service with text templates, two bearer keys, a slow tool and a paid one. */
export const fixture: Service = service({
  label: 'H',
  slug: 'fixture',
  name: 'Fixture',
  description: 'A service for tests.',
  version: '1.2.3',
  interfaces: [{ binding: 'JSONRPC', path: '/', version: '1.0' }],
  card: {
    path: '/.well-known/agent-card.json',
    inputModes: ['text/plain', 'application/json'],
    outputModes: ['application/json'],
    extensions: [{ uri: '/extensions/own/v1', description: 'One of its own.' }],
  },
  auth: ['public'],
  identify: {
    bearer: identify({ needs: [] }).run(async (_, { value }) => {
      proofs.count++
      return value === 'ada' || value === 'bob' ? { id: `fixture:${value}`, via: 'bearer' } : undefined
    }),
  },
  tools: [heard, lookup, discover, deal, manage, failing, waiting, paid],
  fallback: 'listen',
})

/** How often a credential was proven. */
export const proofs = { count: 0 }

export const required = {
  x402Version: 2,
  error: 'Payment required',
  resource: { url: 'a2a://fixture/consult' },
  accepts: [{ scheme: 'exact', network: 'eip155:8453', amount: '3000000', payTo: '0x01' }],
}

/** A gate that takes each nonce once and keeps what it saw. */
export const fixtureGate = (): Gate & { seen: unknown[] } => {
  const used = new Set<string>()
  const seen: unknown[] = []
  return {
    seen,
    members: ['x402/payment', 'x402.payment.payload'],
    extensions: [],
    isPayable: () => true,
    findQuote: async () => undefined,
    findPayment: async () => undefined,
    hasPayment: evidence => rawPayment(evidence) !== undefined,
    async charge({ evidence, service: { slug }, tool: { name } }, work) {
      const payment = rawPayment(evidence)
      if (payment === undefined)
        throw new PaymentRequired(askingFor({ ...required, resource: { url: `a2a://${slug}/${name}` } }))
      seen.push(payment)
      const nonce =
        typeof payment === 'string' ? payment : (payment as { payload: { nonce: string } }).payload.nonce
      const refused = {
        success: false,
        errorReason: 'nonce_already_used',
        transaction: '',
        network: 'eip155:8453',
      }
      if (used.has(nonce))
        throw new PaymentRequired(askingFor({ ...required, error: 'nonce_already_used' }), 'Used.', {
          payment: refused,
          parts: x402.report(refused),
        })
      used.add(nonce)
      const receipt = {
        id: 'r1',
        method: 'test',
        network: 'eip155:8453',
        transaction: '0xabc',
        payer: '0x02',
      }
      const parts = toReport(receipt)
      return {
        answer: await work({ receipt, parts, seal: async () => undefined, decline: async () => undefined }),
        receipt,
        parts,
      }
    },
  }
}
