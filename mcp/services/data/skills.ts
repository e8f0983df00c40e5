import { z } from 'zod'
import { exampleText } from '../../kernel/help.ts'
import { free, tool } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import { skillsIn } from './bundle/part.ts'
import { freeTier } from './free-tier.ts'
import type { Skill } from './skill.ts'

const schema = (what: string) => z.record(z.string(), z.unknown()).describe(what)

const Entry = z.object({
  id: z.string().describe('Skill id'),
  title: z.string().describe('What it does, in short'),
  description: z.string().describe('What it does, when to use it, what it costs'),
  argument: z.string().describe('The input field that the value of a text or query fills'),
  price: z
    .object({
      amount: z.string().describe('USD of one call beyond the free tiers'),
      unit: z.string().describe('Currency'),
      network: z.string().describe('Where it is paid by x402'),
    })
    .describe('Charged after success only'),
  free: z
    .object({
      per_minute: z.number().int().describe('Over A2A, over MCP and with free=1, per client'),
      ally_per_day: z.number().int().describe('With an ally key, in a UTC day'),
    })
    .describe('Calls that cost nothing'),
  cache_seconds: z.number().int().describe('How long an answer is kept for the next asker; 0: never'),
  example: z
    .object({
      input: schema('Input that works'),
      a2a: z.string().describe('The A2A text of it'),
      get: z.string().describe('The URL of it, within the free tier'),
    })
    .describe('A call that works'),
  inputSchema: schema('JSON Schema of the input'),
  outputSchema: schema('JSON Schema of the answer'),
})

const toJsonSchema = (type: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _, ...rest } = z.toJSONSchema(type, { io, unrepresentable: 'any' })
  return rest as Record<string, unknown>
}

const schemaCache = new WeakMap<Skill, ReturnType<typeof toSchemas>>()

const toSchemas = (skill: Skill) => ({
  inputSchema: toJsonSchema(skill.input, 'input'),
  outputSchema: toJsonSchema(skill.output, 'output'),
})

const toEntry = (skill: Skill, base: string): z.output<typeof Entry> => {
  const { name: id, title, description, argument, price, cacheSec: cacheSeconds } = skill
  const [input] = skill.examples
  const query = new URLSearchParams({ free: '1' })
  for (const [field, value] of Object.entries(input)) query.append(field, String(value))
  const schemas = schemaCache.get(skill) ?? toSchemas(skill)
  schemaCache.set(skill, schemas)
  return {
    id,
    title,
    description,
    argument,
    price: { amount: price.amount, unit: price.unit, network: price.network ?? 'solana' },
    free: { per_minute: freeTier.perMinute, ally_per_day: freeTier.keyed },
    cache_seconds: cacheSeconds,
    example: { input, a2a: exampleText(skill), get: `${base}/skills/${id}?${query}` },
    ...schemas,
  }
}

export default tool({
  name: 'skills',
  title: 'List the data skills',
  description:
    'The catalogue of the data skills: schemas, an example, price, free tiers and cache time of each. Free.',
  keywords: ['mail', 'server', 'nameservers', 'resolve', 'hostname', 'dig'],
  input: z.object({ id: z.string().max(64).optional().describe('Only this skill') }),
  output: z.object({
    count: z.number().int().describe('Number of skills listed'),
    skills: z.array(Entry).describe('The skills'),
  }),
  needs: [],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  mcp: false,
  rest: { routes: ['GET /skills'] },
  examples: [{}, { id: 'dns-lookup' }],
  summary: ({ count }) => `${countText(count, 'skill')}.`,
}).run(async ({ service, base }, { id }) => {
  const skills = skillsIn(service)
    .filter(({ name }) => id === undefined || name === id)
    .map(skill => toEntry(skill, base))
  return { count: skills.length, skills }
})
