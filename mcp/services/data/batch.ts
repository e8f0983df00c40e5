import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Context, tool, usd } from '../../kernel/tool.ts'
import { cut } from '../../lib/text/cut.ts'
import { BundlePart, runPart, skillsIn } from './bundle/part.ts'
import { timesPrice } from './bundle/times-price.ts'
import { freeTier } from './free-tier.ts'
import { readFields, shaping } from './shape.ts'
import { skillPorts, untrustedMark } from './skill.ts'

const maxInputs = 20
const atOnce = 4
const partMs = 25_000

const noSkill = (id: string, ids: readonly string[]) =>
  new ToolError('invalid_input', `run: there is no skill "${id.slice(0, 64)}".`, {
    issues: [{ path: 'run', message: `must be one of ${ids.join(', ')}` }],
  })

const findSkill = ({ service }: Pick<Context<never>, 'service'>, id: string) => {
  const skills = skillsIn(service)
  const skill = skills.find(({ name }) => name === id)
  if (skill) return skill
  throw noSkill(
    id,
    skills.map(({ name }) => name),
  )
}

export default tool({
  name: 'batch',
  title: 'Run one skill on many inputs',
  description:
    'Runs one data skill on up to 20 inputs at once; an input that fails leaves the others. Costs the number of inputs times the price of the skill; free over A2A and MCP, where each input counts as a call.',
  keywords: ['domains', 'list', 'multiple', 'bulk', 'several'],
  input: z.object({
    run: z.string().max(64).describe('Id of the skill to run, such as dns-lookup'),
    inputs: z
      .array(z.string().max(100_000))
      .min(1)
      .max(maxInputs)
      .describe('What the skill is run on, 1 to 20: domains, URLs, addresses …'),
    options: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('Further input of the skill, the same for all, such as {"chain": "base"}'),
    fields: shaping.fields.describe('Only these fields of each answer, as a,b'),
    max_tokens: shaping.max_tokens.describe('Cut each answer to about so many tokens'),
  }),
  output: z.object({
    skill: z.string().describe('The skill that ran'),
    untrusted: untrustedMark.optional(),
    count: z.number().int().describe('Number of inputs'),
    ok_count: z.number().int().describe('Inputs that worked'),
    failed_count: z.number().int().describe('Inputs that failed'),
    results: z
      .array(BundlePart.extend({ input: z.string().describe('The input, cut at 200 characters') }))
      .describe('One entry per input, in the same order'),
    fetched_at: z.iso.datetime().describe('When the answer was made, UTC'),
    duration_ms: z.number().int().describe('Milliseconds the work took'),
  }),
  needs: ['clock', 'cache'],
  wants: skillPorts,
  price: usd('0.002', 'solana'),
  check(ctx, { run, options, fields = options.fields }) {
    const skill = findSkill(ctx, run)
    if (typeof fields === 'string') readFields(fields, Object.keys(skill.own.shape))
  },
  quote: (ctx, { run, inputs }) => timesPrice(findSkill(ctx, run).price, inputs.length),
  free: {
    ...freeTier,
    weight: ({ inputs }: { inputs: string[] }) => inputs.length,
  },
  limits: [{ perMinute: 20, per: 'client' }],
  settle: 'after',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { tags: ['batch'] },
  rest: { routes: ['POST /batch'] },
  examples: [{ run: 'dns-lookup', inputs: ['example.com', 'example.org'] }],
  summary: ({ ok_count: okCount, count, skill }) => `${skill}: ${okCount} of ${count} inputs answered.`,
  timeoutMs: 120_000,
}).run(async (ctx, { run: id, inputs, options, fields, max_tokens: maxTokens }) => {
  const began = performance.now()
  const fetchedAt = ctx.clock.now().toISOString()
  const skill = findSkill(ctx, id)
  const wanted = {
    ...(fields !== undefined && { fields }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
  }
  const results: (z.output<typeof BundlePart> & { input: string })[] = []
  let next = 0
  const work = async () => {
    for (let at = next++; at < inputs.length; at = next++) {
      const input = inputs[at] ?? ''
      const partInput = { ...options, ...wanted, [skill.argument]: input }
      const part = await runPart(ctx, id, partInput, partMs)
      results[at] = { input: cut(input, 200), ...part }
      ctx.progress(results.filter(Boolean).length, inputs.length)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const okCount = results.filter(({ ok }) => ok).length
  const [first] = results
  if (okCount === 0 && first?.error)
    throw new ToolError(
      first.error.code === 'invalid_input' ? 'invalid_input' : 'upstream',
      `No input worked: ${first.error.message}`,
      {
        ...(first.error.code === 'invalid_input'
          ? { issues: [{ path: 'inputs', message: first.error.message }] }
          : { retryable: results.some(({ error }) => error?.retryable) }),
      },
    )
  const durationMs = Math.round(performance.now() - began)
  return {
    skill: id,
    ...(skill.untrusted && { untrusted: true as const }),
    count: inputs.length,
    ok_count: okCount,
    failed_count: inputs.length - okCount,
    results,
    fetched_at: fetchedAt,
    duration_ms: durationMs,
  }
})
