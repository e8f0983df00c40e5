import { z } from 'zod'
import { PaymentRequired } from '../../mcp/kernel/error.ts'
import { type AnyTool, free, tool, usd } from '../../mcp/kernel/tool.ts'
import type { Gate } from '../../mcp/payment/charge.ts'
import { hints } from '../call/fixture.ts'
import { askingFor, rawPayment, toReport } from '../payment/x402.ts'

const still = { ...hints, readOnly: true, idempotent: true }

/** Answers with its input, whose fields have every type a query string can carry. */
export const echo = tool({
  name: 'echo',
  title: 'Echo',
  description: 'Answers with its input.',
  input: z.object({
    id: z.int().optional().describe('A whole number'),
    ratio: z.number().optional().describe('A number'),
    on: z.boolean().optional().describe('A flag'),
    words: z.array(z.string()).optional().describe('Texts'),
    sizes: z.array(z.int()).optional().describe('Whole numbers'),
    size: z.enum(['s', 'm']).optional().describe('One of two'),
    text: z.string().optional().describe('Text'),
    either: z.union([z.number(), z.string()]).optional().describe('A number or text'),
    maybe: z.number().nullable().optional().describe('A number or null'),
    box: z.object({ x: z.number() }).optional().describe('An object'),
    at: z.iso.datetime().optional().describe('A time'),
  }),
  output: z.looseObject({}),
  needs: [],
  price: free,
  hints: still,
  rest: { routes: ['GET /echo', 'GET /echo/:id', 'PUT /echo/:id', 'GET /pair/:size-:text'] },
  examples: [{ id: 1 }],
}).run(async (_, input) => input)

/** Runs until it is let go or aborted, and tells what became of it. */
export const patient = (more: object = {}) => {
  const state = { started: 0, aborted: 0, letGo: () => {} }
  const slow: AnyTool = tool({
    name: 'slow',
    title: 'Slow',
    description: 'Takes its time.',
    input: z.object({ name: z.string().default('x').describe('Anything') }),
    output: z.object({ done: z.boolean() }),
    needs: ['store'],
    price: free,
    hints,
    examples: [{}],
    ...more,
  }).run(async ({ signal }) => {
    state.started++
    await new Promise<void>(resolve => {
      state.letGo = resolve
      signal.addEventListener('abort', () => {
        state.aborted++
        resolve()
      })
    })
    return { done: true }
  })
  return { slow, state }
}

/** Costs something, unless asked for free over REST. */
export const dear = tool({
  name: 'dear',
  title: 'Dear',
  description: 'Costs 0.10 USD.',
  input: z.object({ what: z.string().default('x').describe('Anything') }),
  output: z.object({ what: z.string() }),
  needs: ['store'],
  price: usd('0.10'),
  free: { flag: true, perMinute: 2 },
  hints,
  rest: { routes: ['GET /dear', 'POST /dear'], status: 201 },
  examples: [{ what: 'tea' }],
}).run(async (_, { what }) => ({ what }))

export const quote = {
  x402Version: 2,
  error: 'PAYMENT-SIGNATURE header is required',
  resource: { url: 'x', description: 'ümlaut', mimeType: 'application/json' },
  accepts: [{ scheme: 'exact', network: 'eip155:8453', amount: '100000' }],
}

/** A gate that quotes until any payment comes, and keeps what it was asked. */
export const tollGate = () => {
  const resources: string[] = []
  const gate: Gate = {
    members: ['x402/payment', 'x402.payment.payload'],
    extensions: [],
    isPayable: () => true,
    findQuote: async () => undefined,
    findPayment: async () => undefined,
    hasPayment: evidence => rawPayment(evidence) !== undefined,
    async charge({ evidence, resource }, work) {
      const payment = rawPayment(evidence)
      resources.push(resource)
      if (payment === undefined)
        throw new PaymentRequired(askingFor({ ...quote, resource: { url: resource } }))
      const receipt = {
        id: 'r1',
        method: 'test',
        network: 'eip155:8453',
        transaction: '0xabc',
        payer: String(payment),
      }
      const parts = toReport(receipt)
      return {
        answer: await work({ receipt, parts, seal: async () => {}, decline: async () => undefined }),
        receipt,
        parts,
      }
    },
  }
  return { gate, resources }
}
