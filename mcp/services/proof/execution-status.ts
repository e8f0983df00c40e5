import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { priceTier, rates, type Tier, tiers } from './execution/tiers.ts'

const keepRefusal = (problem: unknown): ToolError => {
  if (problem instanceof ToolError) return problem
  throw problem
}

const explain = ({ message, extra }: ToolError): string => `${message} ${extra.hint ?? ''}`.trim()

export default tool({
  name: 'execution_status',
  title: 'What can run here',
  description:
    'Says whether execute works on this machine, what keeps code apart from it, what code may import, what each tier allows and costs, and whether browse has a browser. Free.',
  keywords: ['packages', 'version', 'python', 'sandbox', 'installed', 'chromium'],
  input: z.object({}),
  output: z.object({
    available: z.boolean().describe('Whether code can be run'),
    reason: z.string().nullable().describe('Why it cannot'),
    runner: z.string().nullable().describe('What holds the code: bubblewrap, landlock or container'),
    python: z.string().nullable().describe('Version of Python'),
    isolates: z
      .record(z.string(), z.union([z.string(), z.boolean()]))
      .nullable()
      .describe('What keeps code apart from the machine'),
    modes: z.array(z.string()).describe('Kinds of code that are taken'),
    modules: z.array(z.string()).describe('What restrictive code may import'),
    tiers: z
      .array(
        z.object({
          tier: z.int().describe('Its number'),
          name: z.string().describe('Its name'),
          timeout_seconds: z.number().describe('Wall time'),
          memory_mb: z.int().describe('Memory'),
          cpus: z.number().describe('Share of processors'),
          price_sats: z.int().describe('The most that a restrictive run costs'),
          price_permissive_sats: z.int().describe('The most that a permissive run costs'),
        }),
      )
      .describe('What a run may use'),
    rates: z
      .object({
        start_sats: z.number().describe('For a run'),
        cpu_second_sats: z.number().describe('For a second of a processor'),
        gb_second_sats: z.number().describe('For a gigabyte that is held for a second'),
        mb_sats: z.number().describe('For each megabyte that goes in or comes out, begun ones too'),
      })
      .describe(
        'What a restrictive run costs for what it uses, up to the price of its tier; three times that for a permissive one',
      ),
    browser: z
      .object({
        available: z.boolean().describe('Whether pages can be shown; text of pages needs no browser'),
        reason: z.string().nullable().describe('Why they cannot'),
        version: z.string().nullable().describe('Version of Chromium'),
        isolates: z
          .record(z.string(), z.string())
          .nullable()
          .describe('What keeps pages apart from the machine'),
      })
      .describe('What browse has for screenshots and steps'),
  }),
  needs: ['sandboxes'],
  wants: ['browsers'],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['free'] },
  rest: { routes: ['GET /execution/status'] },
  examples: [{}],
  summary: ({ available, runner, reason }) => (available ? `Code runs in ${runner}.` : `${reason}`),
}).run(async ({ sandboxes, browsers }) => {
  const [sandbox, browser] = await Promise.all([
    sandboxes.get().catch(keepRefusal),
    browsers?.get().catch(keepRefusal),
  ])
  const isThere = !(sandbox instanceof ToolError)
  const facts = isThere ? sandbox.facts : undefined
  const browserFacts = browser instanceof ToolError ? undefined : browser?.facts
  return {
    available: isThere,
    reason: isThere ? null : explain(sandbox),
    runner: facts?.runner ?? null,
    python: facts?.python ?? null,
    isolates: facts?.isolates ?? null,
    modes: [...(facts?.modes ?? [])],
    modules: [...(facts?.modules ?? [])].sort(),
    tiers: tiers.map(({ name, seconds, memoryMb, cpus }, tier) => ({
      tier,
      name,
      timeout_seconds: seconds,
      memory_mb: memoryMb,
      cpus,
      price_sats: Number(priceTier(tier as Tier, false).amount),
      price_permissive_sats: Number(priceTier(tier as Tier, true).amount),
    })),
    rates: {
      start_sats: rates.start,
      cpu_second_sats: rates.cpuSecond,
      gb_second_sats: rates.gigabyteSecond,
      mb_sats: rates.bytes,
    },
    browser: {
      available: browserFacts !== undefined,
      reason: browser instanceof ToolError ? explain(browser) : null,
      version: browserFacts?.version ?? null,
      isolates: browserFacts?.isolates ?? null,
    },
  }
})
