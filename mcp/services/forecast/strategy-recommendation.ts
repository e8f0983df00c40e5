import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Price, tool, usd } from '../../kernel/tool.ts'
import { noBasis } from '../../lib/no-basis.ts'
import { forecastSettings } from './config.ts'
import { refuse } from './consult/question.ts'
import { chooseMethod, modelPrice } from './model/plan.ts'
import { FailedSourcesOut, openReading, sourcesInput, toFailedSources } from './model/retrieve.ts'
import { assessOptions, recommendOption, type StrategyOption } from './strategy/assess.ts'
import { findRisks, maxRiskQuestions } from './strategy/model-risks.ts'

const arithmeticPrice: Price = {
  ...usd('0.02'),
  note: { hint: 'No model: your numbers by arithmetic.', params: { engine: 'arithmetic', basis: 'options' } },
}
const riskPrice = modelPrice('2', 'key risks of each option by three lenses', maxRiskQuestions)
const short = (max: number) => z.string().trim().min(1).max(max)
const share = (what: string) => z.number().min(0).max(1).describe(`${what}, 0 to 1`)
const amount = (what: string) => z.number().min(-1e12).max(1e12).describe(what)
const number = (what: string) => z.number().nullable().describe(`${what}; null without outcomes`)

const OptionInput = z.object({
  name: short(100).describe('Name of the option'),
  summary: short(1000).optional().describe('What it is'),
  outcomes: z
    .array(
      z.object({
        name: short(100).describe('Scenario; the same names in all options let regret be reckoned'),
        probability: share('Its probability'),
        value: amount('What it is worth, in one unit for all options'),
      }),
    )
    .max(10)
    .optional()
    .describe('How it may come out; probabilities sum to 1'),
  risks: z
    .array(
      z.object({
        factor: short(200).describe('What may go wrong, beside the outcomes'),
        likelihood: share('How likely'),
        impact: z.number().min(0).max(1e12).describe('What it would cost, in the same unit'),
        mitigation: short(300).optional().describe('What is done about it'),
      }),
    )
    .max(20)
    .optional()
    .describe('Risks'),
  goal_scores: z
    .record(z.string(), z.number().min(0).max(1))
    .optional()
    .describe('How far it reaches each goal, 0 to 1, by name of the goal'),
  metrics: z
    .record(z.string(), z.number())
    .optional()
    .describe('Numbers that constraints are judged by, by name'),
})

/** True where the numbers of a caller alone order the options. */
const isComparable = (options: readonly StrategyOption[]): boolean =>
  options.every(({ outcomes }) => outcomes?.length) ||
  options.every(({ goal_scores }) => Object.keys(goal_scores ?? {}).length > 0)

/** Refuses what cannot be reckoned, before anybody pays. */
const check = (options: readonly StrategyOption[], method: 'arithmetic' | 'model'): void => {
  const names = options.map(({ name }) => name)
  if (new Set(names).size < names.length) throw refuse('options', 'must have different names', 'same_name')
  for (const [index, { outcomes }] of options.entries()) {
    const total = outcomes?.reduce((sum, { probability }) => sum + probability, 0) ?? 1
    if (outcomes?.length && Math.abs(total - 1) > 0.001)
      throw refuse(`options.${index}.outcomes`, `have probabilities that sum to ${total}, not 1`, 'sum')
  }
  if (method === 'arithmetic' && !isComparable(options))
    throw noBasis(
      'options',
      'cannot be compared: each needs outcomes with values, or each needs goal_scores',
      'Give outcomes or goal_scores for every option, or ask a model with sources (method: "model").',
    )
}

/** The one goal that a model scores, where no numbers are given. */
const overall = 'overall'

const allViolate = () =>
  new ToolError('invalid_input', 'options: each violates a constraint; there is nothing to recommend.', {
    issues: [{ path: 'constraints', message: 'are violated by every option' }],
    reason: 'all_violate',
  })

type Input = {
  options: StrategyOption[]
  goals: { name: string; weight: number }[]
  constraints: {
    name: string
    metric?: string | undefined
    max?: number | undefined
    min?: number | undefined
  }[]
}

const assess = ({ options, goals, constraints }: Input) => {
  const wanted =
    goals.length > 0
      ? goals
      : [...new Set(options.flatMap(({ goal_scores = {} }) => Object.keys(goal_scores)))].map(name => ({
          name,
          weight: 1,
        }))
  const assessed = assessOptions(options, wanted, constraints)
  const recommendation = recommendOption(options, assessed)
  if (!recommendation) throw allViolate()
  return { assessed, recommendation }
}

export default tool({
  name: 'strategy_recommendation',
  title: 'Weigh options',
  description:
    'Compares 2 to 4 options by the numbers you give: expected value, downside, regret, goals, constraints; recommends one, and says what would reverse that. With a model and sources it finds key risks of each. Costs 0.02, or 2 with a model, USDC on Base; what cannot be compared is refused.',
  keywords: ['two', 'choose', 'between', 'decision', 'decide', 'pick'],
  input: z.object({
    question: short(2000).describe('What is to be decided'),
    options: z.array(OptionInput).min(2).max(4).describe('2 to 4 options'),
    goals: z
      .array(
        z.object({
          name: short(100).describe('Goal'),
          weight: z.number().gt(0).max(100).default(1).describe('Its weight'),
        }),
      )
      .max(10)
      .default([])
      .describe('What is to be reached'),
    constraints: z
      .array(
        z.object({
          name: short(200).describe('Constraint'),
          metric: short(100).optional().describe('The metric of the options that it bounds'),
          max: z.number().optional().describe('At most'),
          min: z.number().optional().describe('At least'),
        }),
      )
      .max(10)
      .default([])
      .describe('What must hold'),
    method: z
      .enum(['auto', 'arithmetic', 'model'])
      .default('auto')
      .describe('auto: a model where there is one with sources'),
    sources: sourcesInput.default([]).describe('Pages that a model reads'),
  }),
  aliases: { question: ['decision'] },
  output: z.object({
    question: z.string().describe('What is to be decided'),
    options: z
      .array(
        z.object({
          name: z.string().describe('Option'),
          summary: z.string().describe('What it is'),
          expected_value: number('Outcomes by probability, less the expected losses of the risks'),
          downside: number('Mean of the worst tenth of the outcomes'),
          max_regret: number('Largest loss against the best option in one scenario'),
          probability_success: number('Chance of an outcome worth more than nothing'),
          goal_score: z
            .number()
            .nullable()
            .describe('Goals reached, by weight; of a model less its risks; null without scores'),
          risks: z
            .array(
              z.object({
                factor: z.string().describe('Risk'),
                likelihood: z.number().describe('How likely'),
                impact: z.number().describe('What it would cost'),
                expected_loss: z.number().describe('Their product'),
                mitigation: z.string().nullable().describe('What is done about it'),
                found_by: z.enum(['caller', 'model']).describe('Who named it'),
                early_warning: z.string().nullable().describe('What shows it early; null for yours'),
                lenses: z
                  .array(z.string().describe('Lens'))
                  .nullable()
                  .describe('Lenses of the model that named it; null for yours'),
                sources: z
                  .array(
                    z.object({
                      url: z.string().describe('Address'),
                      quote: z.string().describe('Its very words'),
                    }),
                  )
                  .describe('Sources that tell of it'),
              }),
            )
            .describe('Key risk factors, the largest expected loss first'),
          constraint_check: z
            .array(
              z.object({
                constraint: z.string().describe('Constraint'),
                verdict: z.enum(['met', 'violated', 'unknown']).describe('By its metric'),
                detail: z.string().describe('Why'),
              }),
            )
            .describe('Constraints'),
          violates: z.boolean().describe('Whether it violates one; then it is not recommended'),
        }),
      )
      .describe('The options as they were assessed'),
    recommendation: z
      .object({
        option: z.string().describe('The option'),
        by: z.enum(['expected_value', 'goal_score']).describe('What decided'),
        why: z.string().describe('Why'),
        lead: z.number().nullable().describe('How far it is ahead of the next'),
        confidence: z.enum(['low', 'medium', 'high']).describe('How clear that is'),
        reversal_triggers: z.array(z.string().describe('A trigger')).describe('What would reverse it'),
      })
      .describe('What to do'),
    numbers_by: z
      .enum(['caller', 'model'])
      .describe('Whose outcomes or scores order the options; risks say it themselves'),
    without_found_risks: z
      .string()
      .nullable()
      .describe('What would be recommended without the risks that a model found; null without one'),
    failed_sources: FailedSourcesOut,
    cost: z
      .object({
        questions: z.int().describe('Questions to the model'),
        input_tokens: z.int().describe('Tokens that it read'),
        output_tokens: z.int().describe('Tokens that it wrote'),
      })
      .nullable()
      .describe('What the model took; null without one'),
    method: z.enum(['arithmetic', 'model']).describe('arithmetic: no model was asked'),
  }),
  needs: [],
  wants: ['llm', 'fetch', 'workers', forecastSettings.searchUrl],
  timeoutMs: 120_000,
  price: riskPrice,
  check: (ctx, input) => {
    const method = chooseMethod(ctx, input, 'arithmetic')
    check(input.options, method)
    if (isComparable(input.options)) assess(input)
  },
  quote: (ctx, input) => (chooseMethod(ctx, input, 'arithmetic') === 'model' ? riskPrice : arithmeticPrice),
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['decision', 'x402'] },
  rest: { routes: ['POST /expertise/strategy'] },
  examples: [
    {
      question: 'Build the parser or buy one?',
      options: [
        {
          name: 'build',
          outcomes: [
            { name: 'works', probability: 0.7, value: 100 },
            { name: 'fails', probability: 0.3, value: -60 },
          ],
          metrics: { weeks: 6 },
        },
        {
          name: 'buy',
          outcomes: [
            { name: 'works', probability: 0.95, value: 50 },
            { name: 'fails', probability: 0.05, value: -20 },
          ],
          risks: [{ factor: 'the vendor raises the price', likelihood: 0.3, impact: 20 }],
          metrics: { weeks: 1 },
        },
      ],
      constraints: [{ name: 'ready in two months', metric: 'weeks', max: 8 }],
    },
  ],
  summary: ({ recommendation }) => `${recommendation.option}: ${recommendation.why}`,
}).run(async (ctx, input) => {
  const { question, options, goals } = input
  const reading = openReading(ctx, input, 'arithmetic', 'a choice by a model')
  if (!reading) {
    const { assessed, recommendation } = assess(input)
    return {
      question,
      options: assessed,
      recommendation,
      numbers_by: 'caller' as const,
      without_found_risks: null,
      failed_sources: [],
      cost: null,
      method: 'arithmetic' as const,
    }
  }
  const found = await findRisks(reading.asking, { question, options, goals }, reading.retrieve)
  const isOwn = isComparable(options)
  const hasValues = options.every(({ outcomes }) => outcomes?.length)
  const scored = options.map(
    (option, index): StrategyOption => ({
      ...option,
      ...(!isOwn && {
        outcomes: undefined,
        goal_scores: { [overall]: found.scores[index] ?? 0 },
      }),
    }),
  )
  const wanted = isOwn ? input : { ...input, goals: [{ name: overall, weight: 1 }] }
  const before = assess({ ...wanted, options: scored })
  const { assessed, recommendation } = assess({
    ...wanted,
    options: scored.map((option, index) => ({
      ...option,
      ...(!hasValues && { riskShares: true }),
      risks: [...(option.risks ?? []), ...(found.risks[index] ?? [])],
    })),
  })
  const isTurned = before.recommendation.option !== recommendation.option
  return {
    question,
    options: assessed,
    recommendation: {
      ...recommendation,
      ...((isTurned || !isOwn) && { confidence: 'low' as const }),
      reversal_triggers: [
        ...(isTurned
          ? [`Without the risks that a model found, ${before.recommendation.option} would be better.`]
          : []),
        ...recommendation.reversal_triggers,
      ],
    },
    numbers_by: isOwn ? ('caller' as const) : ('model' as const),
    without_found_risks: before.recommendation.option,
    failed_sources: toFailedSources(found.failures),
    cost: reading.asking.cost(),
    method: 'model' as const,
  }
})
