import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { type Asking, withHalf } from '../../../lib/asking.ts'
import { trimmedMean } from '../../../lib/log-odds.ts'
import { median } from '../../../lib/median.ts'
import { holdsQuote } from '../../../lib/text/quote.ts'
import type { LlmPart } from '../../../ports/llm/port.ts'
import type { Option, ScenarioOutcome } from './decide.ts'

/** Question in words, for a model to put into numbers. */
export type Question = {
  question?: string | undefined
  goal?: string | undefined
  context?: string | undefined
}

export const decisionViews = ['inside', 'outside', 'premortem'] as const
export type DecisionView = (typeof decisionViews)[number]

/** Questions that a decision in words takes: one for its frame, one for each view. */
export const maxDecisionQuestions = 1 + decisionViews.length
export const maxTokens = 3000

const maxValue = 1e12
const text = (max: number) => z.string().min(1).max(max)

const Frame = z
  .object({
    unit: text(40).describe('Unit of all values, such as USD or points'),
    options: z
      .array(
        z.object({
          name: text(100).describe('Name of the option, in the words of the question'),
          reversible: z.boolean().nullable().describe('Whether it can be undone; null where that is unknown'),
        }),
      )
      .max(6)
      .describe('Two or more options; none where the question has no options to choose from'),
    scenarios: z
      .array(text(100))
      .max(6)
      .describe(
        'What may happen, whichever option is taken: they exclude each other, and one of them happens',
      ),
    assumptions: z.array(text(300)).max(20).describe('What you had to assume'),
    missing: z.array(text(300)).max(10).describe('What one would have to know for better numbers'),
  })
  .superRefine(({ options, scenarios }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (options.length === 1) refuse('options', 'needs two options')
    if (options.length > 0 && scenarios.length === 0) refuse('scenarios', 'needs a scenario')
    if (new Set(options.map(({ name }) => name)).size < options.length) refuse('options', 'names must differ')
    if (new Set(scenarios).size < scenarios.length) refuse('scenarios', 'must differ')
  })

type Frame = z.output<typeof Frame>

/** The numbers of one view: a cell for each option in each scenario. */
const toNumbersSchema = ({ options, scenarios }: Frame) =>
  z
    .object({
      reason: text(400).describe('What the numbers rest on'),
      cells: z
        .array(
          z.object({
            option: z.int().min(1).max(options.length).describe('Number of the option'),
            scenario: z.int().min(1).max(scenarios.length).describe('Number of the scenario'),
            p: z.number().min(0).max(1).describe('Probability of the scenario; those of an option sum to 1'),
            value: z.number().min(-maxValue).max(maxValue).describe('What the option is worth then'),
            quote: z
              .string()
              .max(200)
              .describe('Very words of the data that give p or value; empty for an estimate'),
          }),
        )
        .describe('One for each option in each scenario'),
    })
    .superRefine(({ cells }, context) => {
      const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['cells'], message })
      const pairs = new Set(cells.map(({ option, scenario }) => `${option} ${scenario}`))
      if (pairs.size < cells.length || pairs.size < options.length * scenarios.length)
        refuse('needs each option in each scenario, once')
      for (const [index, { name }] of options.entries()) {
        const total = cells.reduce((sum, { option, p }) => (option === index + 1 ? sum + p : sum), 0)
        if (Math.abs(total - 1) > 0.001) refuse(`p sums to ${total} for ${name}, not 1`)
      }
    })

type Numbers = z.output<ReturnType<typeof toNumbersSchema>>
type Cell = Numbers['cells'][number]

const framer = `You take apart a decision that somebody describes: which options there are, and what may happen. You do not choose, and give no
numbers. Take only options that the data hold. A scenario is a state of the world, not a result of an option.`

const rules = `Use numbers that the data give, and quote the words that give them; estimate the others. Give a scenario the same probability for
all options, unless an option changes it.`

const prompts: Readonly<Record<DecisionView, string>> = {
  inside: `You put a decision into numbers from what is specific to it: who acts, what is known, what is under way. ${rules}`,
  outside: `You put a decision into numbers from the outside: leave the story aside, and ask how such scenarios came out for others who
stood before such options, and what those were worth then. ${rules}`,
  premortem: `You put a decision into numbers after a premortem: each option was taken and went badly. Ask what went wrong, how likely
that was, and what it cost, before you write a number. ${rules}`,
}

const scales: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, bn: 1e9, '%': 0.01 }
const numeral = /(\d[\d,]*(?:\.\d+)?)\s?(k|m|bn|%)?(?![\p{L}\d])/giu

/** True when a text has a number in figures. */
const holdsNumber = (quote: string, wanted: number): boolean =>
  [...quote.matchAll(numeral)].some(([, digits = '', scale = '']) => {
    const value = Number(digits.replaceAll(',', '')) * (scales[scale.toLowerCase()] ?? 1)
    return Math.abs(value - Math.abs(wanted)) <= 1e-9 * Math.max(1, value)
  })

/** Probabilities of views, as one: the trimmed mean of their log-odds. What all of them call impossible stays so. */
const poolChances = (chances: readonly number[]): number =>
  chances.every(p => p === 0) ? 0 : trimmedMean(chances)

export type PooledOutcome = ScenarioOutcome & {
  scenario: string
  /** Its probability stands in words of the caller. */
  isGiven: boolean
  /** Lowest and highest probability among the views. */
  range: [low: number, high: number]
  /** Words of the caller that give the probability or the value; null for an estimate. */
  quote: string | null
}

/** Pools what views say of one cell. A number that the caller gave, as a quote shows, is taken as it was given. */
const poolCell = (cells: readonly Cell[], scenario: string, given: string): PooledOutcome => {
  const quoted = cells.filter(({ quote }) => holdsQuote(given, quote))
  const stating = (part: 'p' | 'value') => quoted.filter(cell => holdsNumber(cell.quote, cell[part]))
  const [chances, values] = [stating('p'), stating('value')]
  const all = cells.map(({ p }) => p)
  return {
    scenario,
    p: poolChances(chances.length > 0 ? chances.map(({ p }) => p) : all),
    value: median((values.length > 0 ? values : cells).map(({ value }) => value)),
    isGiven: chances.length > 0,
    range: [Math.min(...all), Math.max(...all)],
    quote: (chances[0] ?? values[0])?.quote ?? null,
  }
}

/** Scales probabilities so that they sum to 1. Those that were given stay as they are, where that leaves room for the others. */
const normalize = <outcome extends ScenarioOutcome>(
  outcomes: readonly outcome[],
  isGiven: (outcome: outcome) => boolean = () => false,
): outcome[] => {
  const sum = (part: readonly outcome[]): number => part.reduce((total, { p }) => total + p, 0)
  const given = sum(outcomes.filter(isGiven))
  const others = sum(outcomes.filter(outcome => !isGiven(outcome)))
  const [fixed, scale] =
    others > 0 && given <= 1 ? [1, (1 - given) / others] : [1 / (given + others), 1 / (given + others)]
  return outcomes.map(outcome => ({ ...outcome, p: outcome.p * (isGiven(outcome) ? fixed : scale) }))
}

export type Structured = {
  unit: string
  options: (Omit<Option, 'outcomes'> & { outcomes: PooledOutcome[] })[]
  /** The options as each view has them. */
  views: { view: DecisionView; reason: string; options: Option[] }[]
  assumptions: string[]
  missing: string[]
}

/**
 * The decision in numbers, as views of a model guess them and as they are pooled. Throws `invalid_input` where the question holds no
 * options.
 */
export const structureQuestion = async (
  { ask }: Asking,
  { question, goal, context }: Question,
): Promise<Structured> => {
  const parts: LlmPart[] = Object.entries({ question, goal, context }).flatMap(([label, data]) =>
    data === undefined ? [] : [{ label, data }],
  )
  const frame = await ask(framer, ['Take this decision apart.', ...parts], Frame, { maxTokens })
  if (frame.options.length === 0) {
    const message = 'holds no options to choose from'
    throw new ToolError('invalid_input', `question: ${message}.`, {
      issues: [{ path: 'question', message }],
      hint: 'Name two options at least, or send them as options with outcomes.',
      params: { missing: frame.missing },
    })
  }
  const number = (names: readonly string[]) => names.map((name, n) => `${n + 1}. ${name}`).join('\n')
  const content: LlmPart[] = [
    `Put this decision into numbers. The unit of values stands in the data.`,
    ...parts,
    { label: 'unit', data: frame.unit },
    { label: 'options', data: number(frame.options.map(({ name }) => name)) },
    { label: 'scenarios', data: number(frame.scenarios) },
  ]
  const schema = toNumbersSchema(frame)
  const answered = await withHalf(
    decisionViews.map(async view => ({
      view,
      ...(await ask(prompts[view], content, schema, { maxTokens, temperature: 0.7 })),
    })),
  )
  const given = [question, goal, context].join('\n')
  /** Lists views of one option in one scenario. */
  const cellsFor = (numbers: readonly Numbers[], index: number, at: number): Cell[] =>
    numbers.flatMap(({ cells }) =>
      cells.filter(cell => cell.option === index + 1 && cell.scenario === at + 1),
    )
  const toOption = <outcome>({ name, reversible }: Frame['options'][number], outcomes: outcome[]) => ({
    name,
    ...(reversible !== null && { reversible }),
    outcomes,
  })
  return {
    unit: frame.unit,
    options: frame.options.map((option, index) => {
      const pooled = frame.scenarios.map((scenario, at) =>
        poolCell(cellsFor(answered, index, at), scenario, given),
      )
      return toOption(
        option,
        normalize(pooled, ({ isGiven }) => isGiven),
      )
    }),
    views: answered.map(numbers => ({
      view: numbers.view,
      reason: numbers.reason,
      options: frame.options.map((option, index) => {
        const outcomes = frame.scenarios.flatMap((scenario, at) =>
          cellsFor([numbers], index, at).map(({ p, value }): ScenarioOutcome => ({ scenario, p, value })),
        )
        return toOption(option, normalize(outcomes))
      }),
    })),
    assumptions: frame.assumptions,
    missing: frame.missing,
  }
}
