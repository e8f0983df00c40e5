import { z } from 'zod'
import { type Service, service } from '../mcp/kernel/service.ts'
import { type AnyTool, free, tool } from '../mcp/kernel/tool.ts'

/**
 * The facts of one small tool, the same for us and for a peer; each tool has schemas of its own, as real ones do. A
 * hundred of them stay just under the byte budget of a tool list.
 */
export const measureTool = (name: string) => ({
  name,
  title: 'Measure',
  description: 'Repeats a text and counts it. Free.',
  input: z.object({
    text: z.string().min(1).max(200).describe('The text'),
    times: z.int().min(1).max(9).default(1).describe('How often'),
  }),
  output: z.object({ text: z.string().describe('The text'), length: z.int().describe('Its length') }),
})

export const toolNames = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `measure_${String(at + 1).padStart(3, '0')}`)

export const repeat = ({ text, times }: { text: string; times: number }) => {
  const whole = text.repeat(times)
  return { text: whole, length: whole.length }
}

/** The session that a peer with sessions gives its one client. */
export const sessionId = 'bench-session'

/** What every call of the benchmark asks. */
export const input = { text: 'A cat sat on a mat. ', times: 3 }

const declare = (name: string): AnyTool => {
  const facts = measureTool(name)
  return tool({
    ...facts,
    needs: [],
    price: free,
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    a2a: {},
    examples: [input],
    summary: ({ text }) => text,
  }).run(async (_, input) => repeat(input))
}

/** A service of `count` small tools. */
export const fixtureService = (count: number): Service => {
  const names = toolNames(count)
  return service({
    label: 'A',
    slug: 'measure',
    name: 'Measure',
    description: 'Small tools to measure a server with.',
    version: '1.0.0',
    interfaces: [{ binding: 'JSONRPC', path: '/a2a', version: '1.0' }],
    card: {
      path: '/.well-known/agent-card.json',
      inputModes: ['text/plain', 'application/json'],
      outputModes: ['text/plain', 'application/json'],
    },
    auth: ['public'],
    tools: names.map(declare),
    fallback: names[0] ?? '',
  })
}
