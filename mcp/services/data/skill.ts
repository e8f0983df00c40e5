import { z } from 'zod'
import { usd } from '../../tool.ts'
import { Meta } from './meta.ts'

type Options = { price: string; openWorld: boolean; tags: readonly string[]; post?: true }

/**
 * The facts that all data skills share (spec §4.5): free over A2A and MCP and with `free=1`, else paid on Solana; the A2A
 * text is `<skill-id> <value>`. `argument` is the input field the value goes to; `post` adds a POST route for long text.
 */
export const skill = (id: string, argument: string, { price, openWorld, tags, post }: Options) => ({
  name: id,
  price: usd(price, 'solana'),
  free: { channels: ['a2a', 'mcp'] as const, flag: true, perMinute: 60 },
  settle: 'after' as const,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld },
  a2a: { text: [`${id} <${argument}>`], tags },
  rest: { routes: [`GET /skills/${id}`, ...(post ? [`POST /skills/${id}`] : [])] },
})

/** Result fields of every skill next to its own. */
export const answered = (id: string) => ({
  skill: z.literal(id).describe('The skill that answered'),
  input: z.string().describe('The argument as it was given, cut at 200 characters'),
  meta: Meta,
})

export const echo = (input: string): string => (input.length > 200 ? `${input.slice(0, 199)}…` : input)

/** At most 60 calls a minute by one client and about one host. */
export const politeTo = <Input>(host: (input: Input) => string) => [
  { perMinute: 60, per: 'client' as const },
  { perMinute: 60, per: host as (input: never) => string },
]
