import { z } from 'zod'
import { PaymentRequired, ToolError } from '../../mcp/kernel/error.ts'
import { identify, type Service, service } from '../../mcp/kernel/service.ts'
import { type AnyTool, free, tool, usd } from '../../mcp/kernel/tool.ts'
import type { Gate } from '../../mcp/payment/charge.ts'
import { askingFor, rawPayment, toReport } from '../payment/x402.ts'

export const hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false }

const Empty = z.object({})

/** What the slow tool lived through, newest last. */
export const lives: { steps: number; aborted: boolean }[] = []

const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

const echo = tool({
  name: 'echo',
  title: 'Echo',
  description: 'Says a text again. Use it to see that the wire works. Free.',
  input: z.object({
    text: z.string().min(1).describe('What to say'),
    times: z.int().min(1).max(9).default(1).describe('How often'),
  }),
  output: z.object({
    said: z.string().describe('The text'),
    note: z.string().nullable().describe('Always null'),
    at: z.iso.datetime().describe('When'),
  }),
  needs: [],
  price: free,
  hints,
  examples: [{ text: 'hello' }],
}).run(async (_, { text, times }) => {
  const wide = {
    said: Array(times).fill(text).join(' '),
    note: null,
    at: '2026-07-28T00:00:00Z',
    secret: 'inner',
  }
  return wide
})

const slow = tool({
  name: 'slow',
  title: 'Slow',
  description: 'Takes its time and tells how far it is. Free.',
  input: z.object({ steps: z.int().min(0).max(200).describe('Steps of 50 ms') }),
  output: z.object({ steps: z.int().describe('Steps') }),
  needs: [],
  price: free,
  hints,
  examples: [{ steps: 0 }],
}).run(async ({ progress, signal }, { steps }) => {
  const life = { steps: 0, aborted: false }
  lives.push(life)
  signal.addEventListener('abort', () => {
    life.aborted = true
  })
  while (life.steps < steps && !signal.aborted) {
    await sleep(50)
    progress(++life.steps, steps, `step ${life.steps}`)
    progress(life.steps, steps, 'the same again')
  }
  return { steps: life.steps }
})

const burst = tool({
  name: 'burst',
  title: 'Burst',
  description: 'Tells of fifty steps at once and is done. Free.',
  input: Empty,
  output: z.object({ steps: z.int().describe('Steps') }),
  needs: [],
  price: free,
  hints,
  examples: [{}],
}).run(async ({ progress }) => {
  for (let step = 1; step <= 50; step++) progress(step)
  return { steps: 50 }
})

const stuck = tool({
  name: 'stuck',
  title: 'Stuck',
  description: 'Never ends by itself. Free.',
  input: Empty,
  output: Empty,
  needs: [],
  price: free,
  hints,
  timeoutMs: 150,
  examples: [{}],
}).run(() => new Promise<never>(() => {}))

const refuses = tool({
  name: 'refuses',
  title: 'Refuses',
  description: 'Always refuses, with a hint. Free.',
  input: Empty,
  output: Empty,
  needs: [],
  price: free,
  hints,
  examples: [{}],
}).run(async () => {
  throw new ToolError('conflict', 'The cat sleeps.', { hint: 'Come back later.', retryAfter: 7 })
})

const breaks = tool({
  name: 'breaks',
  title: 'Breaks',
  description: 'Has a bug. Free.',
  input: Empty,
  output: z.object({ ok: z.boolean().describe('Always') }),
  needs: [],
  price: free,
  hints,
  examples: [{}],
}).run(async () => {
  throw new Error('password=hunter2 at /srv/secret.ts')
})

const whoami = tool({
  name: 'whoami',
  title: 'Who am I',
  description: 'Tells who is calling. Needs a key. Free.',
  input: Empty,
  output: z.object({ id: z.string().describe('Who') }),
  needs: [],
  price: free,
  auth: ['bearer'],
  hints,
  examples: [{}],
}).run(async ({ caller }) => ({ id: caller?.id ?? 'nobody' }))

const paid = tool({
  name: 'paid',
  title: 'Paid',
  description: 'Answers for money. Use it to see how paying works. Costs 0.01 USDC on Base.',
  input: z.object({ text: z.string().describe('Anything') }),
  output: z.object({ text: z.string().describe('The same') }),
  needs: ['store'],
  price: usd('0.01'),
  hints: { ...hints, idempotent: false },
  examples: [{ text: 'a' }],
}).run(async (_, { text }) => ({ text }))

const hidden = tool({
  name: 'hidden',
  title: 'Hidden',
  description: 'Is not on MCP. Free.',
  input: Empty,
  output: Empty,
  needs: [],
  price: free,
  mcp: false,
  hints,
  examples: [{}],
}).run(async () => ({}))

export const labTools: readonly AnyTool[] = [slow, echo, burst, stuck, refuses, breaks, whoami, paid, hidden]

/** A service made of everything that can happen to a call. */
export const serviceOf = (slug: string, tools: readonly AnyTool[]): Service =>
  service({
    label: 'C',
    slug,
    name: `The ${slug}`,
    description: `A service named ${slug} that exists for tests.`,
    version: '1.2.3',
    interfaces: [{ binding: 'JSONRPC', path: '/a2a', version: '1.0' }],
    card: { path: '/.well-known/agent-card.json', inputModes: [], outputModes: [] },
    auth: ['public'],
    identify: {
      bearer: identify({ needs: ['store'] }).run(async (_, { value }) =>
        value === 'good' ? { id: 'ada', via: 'bearer' } : undefined,
      ),
    },
    tools,
    fallback: 'echo',
  })

export const lab = serviceOf('lab', labTools)

const offer = { scheme: 'exact', network: 'eip155:8453', amount: '10000', payTo: '0x00' }

/** A gate that takes any payment which says `good`, and remembers what it was asked. */
export const openGate = (): Gate & { asked: { resource: string; payment: unknown }[] } => {
  const asked: { resource: string; payment: unknown }[] = []
  return {
    asked,
    members: ['x402/payment', 'x402.payment.payload'],
    extensions: [],
    isPayable: () => true,
    findQuote: async () => undefined,
    findPayment: async () => undefined,
    hasPayment: evidence => rawPayment(evidence) !== undefined,
    async charge({ resource, evidence }, work) {
      const payment = rawPayment(evidence)
      asked.push({ resource, payment })
      const quote = {
        x402Version: 2,
        error: 'Payment required',
        resource: { url: resource },
        accepts: [offer],
      }
      if ((payment as { good?: boolean } | undefined)?.good !== true)
        throw new PaymentRequired(askingFor(quote))
      const receipt = {
        id: 'r1',
        method: 'test',
        network: 'eip155:8453',
        transaction: '0xabc',
        payer: '0xpayer',
      }
      const parts = toReport(receipt)
      return {
        answer: await work({ receipt, parts, seal: async () => {}, decline: async () => undefined }),
        receipt,
        parts,
      }
    },
  }
}
