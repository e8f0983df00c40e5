import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { tool, usd } from '../../../kernel/tool.ts'
import { cut } from '../../../lib/text/cut.ts'
import { freeTier } from '../free-tier.ts'
import { skillPorts, untrustedMark } from '../skill.ts'
import { BundlePart, runPart } from './part.ts'

type Facts<I extends z.ZodObject> = {
  name: string
  title: string
  description: string
  argument: string & keyof z.output<I>
  input: I
  price: string
  /** The skills it is made of and what each is given. */
  parts: Readonly<Record<string, (input: z.output<I>) => object>>
  target: (input: z.output<I>) => string
  tags: readonly string[]
  keywords: readonly string[]
  examples: readonly [z.input<I>, ...z.input<I>[]]
}

const partMs = 15_000

/** A tool that runs several skills on one subject for one price. A part that fails leaves the others; only when all fail is it an error. */
export const bundle = <I extends z.ZodObject>({ parts, argument, target, ...facts }: Facts<I>) => {
  const names = Object.keys(parts)
  return tool({
    name: facts.name,
    title: facts.title,
    description: facts.description,
    keywords: facts.keywords,
    input: facts.input,
    output: z.object({
      bundle: z.literal(facts.name).describe('The bundle that answered'),
      input: z.string().describe('The argument as it was given'),
      untrusted: untrustedMark,
      parts: z
        .object(Object.fromEntries(names.map(name => [name, BundlePart.describe(`What ${name} found`)])))
        .describe('What each part found'),
      ok_count: z.number().int().describe('Parts that worked'),
      failed: z.array(z.string()).describe('Parts that failed'),
      fetched_at: z.iso.datetime().describe('When the answer was made, UTC'),
      duration_ms: z.number().int().describe('Milliseconds the work took'),
    }),
    needs: ['clock', 'cache'],
    wants: skillPorts,
    price: usd(facts.price, 'solana'),
    free: { ...freeTier, weight: () => names.length },
    limits: [
      { perMinute: 10, per: 'client' },
      { perMinute: 10, per: target as never },
    ],
    settle: 'after',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    a2a: { text: [`${facts.name} <${argument}>`], tags: facts.tags },
    rest: { routes: [`GET /${facts.name}`], value: argument },
    examples: facts.examples as never,
    summary: ({ ok_count: okCount }) => `${okCount} of ${names.length} parts answered.`,
    timeoutMs: 45_000,
  }).run(async (ctx, args) => {
    const input = args as z.output<I>
    const began = performance.now()
    const fetchedAt = ctx.clock.now().toISOString()
    const runNamedPart = async (name: string) => {
      const part = await runPart(ctx, name, parts[name]?.(input) ?? {}, partMs)
      return [name, part] as const
    }
    const results = await Promise.all(names.map(runNamedPart))
    const failed = results.filter(([, { ok }]) => !ok)
    const [first] = failed
    if (first && failed.length === names.length)
      throw new ToolError('upstream', `No part of ${facts.name} worked: ${first[1].error?.message}`, {
        retryable: failed.some(([, { error }]) => error?.retryable),
      })
    return {
      bundle: facts.name,
      input: cut(String((args as Record<string, unknown>)[argument]), 200),
      untrusted: true as const,
      parts: Object.fromEntries(results) as never,
      ok_count: names.length - failed.length,
      failed: failed.map(([name]) => name),
      fetched_at: fetchedAt,
      duration_ms: Math.round(performance.now() - began),
    }
  })
}
