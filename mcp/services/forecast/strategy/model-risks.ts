import { z } from 'zod'
import { type Asking, withHalf } from '../../../lib/asking.ts'
import { trimmedMean } from '../../../lib/log-odds.ts'
import { median } from '../../../lib/median.ts'
import { holdsQuote } from '../../../lib/text/quote.ts'
import type { LlmPart } from '../../../ports/llm/port.ts'
import { type Document, type Material, toSourceParts } from '../model/retrieve.ts'
import type { Risk, StrategyOption } from './assess.ts'

export const lenses = ['premortem', 'outside', 'rival'] as const
export type Lens = (typeof lenses)[number]

/** Questions to the model: one for the searches, one for each lens, one that puts together what they found. */
export const maxRiskQuestions = lenses.length + 2

const maxRisks = 5
const text = (max: number) => z.string().min(1).max(max)

const Plan = z.object({
  queries: z
    .array(z.string().min(2).max(200))
    .min(1)
    .max(3)
    .describe('Searches that would find how such options came out'),
})

/** Findings of a lens; impacts are shares of what is at stake where no option has values. */
const toFoundSchema = (options: readonly StrategyOption[], isShare: boolean) =>
  z.object({
    risks: z
      .array(
        z.object({
          option: z.int().min(1).max(options.length).describe('Number of the option'),
          factor: text(200).describe('What may go wrong with this very option'),
          likelihood: z.number().min(0.001).max(0.999).describe('Probability that it does'),
          impact: z
            .number()
            .min(0)
            .max(isShare ? 1 : 1e12)
            .describe(
              isShare
                ? 'Share of what is at stake that it costs'
                : 'What it costs, in the unit of the values',
            ),
          source_id: z.string().max(10).describe('Id of the source that tells of it; empty for none'),
          quote: z.string().max(300).describe('Its very words, copied; empty for none'),
        }),
      )
      .max(12)
      .describe('Key risks of each option, beside the outcomes and risks that are given'),
    scores: z
      .array(
        z.object({
          option: z.int().min(1).max(options.length).describe('Number of the option'),
          score: z
            .number()
            .min(0)
            .max(1)
            .describe('How far it reaches the goals if none of its risks comes true'),
        }),
      )
      .length(options.length)
      .refine(
        scores => new Set(scores.map(({ option }) => option)).size === scores.length,
        'name an option twice',
      )
      .describe('One for each option'),
  })

type Found = z.output<ReturnType<typeof toFoundSchema>>['risks'][number]

const Grouped = z.object({
  risks: z
    .array(
      z.object({
        factor: text(200).describe('The risk in one phrase'),
        early_warning: text(300).describe('What shows it early'),
        mitigation: text(300).describe('What can be done about it'),
        of: z.array(z.string().max(10)).min(1).max(10).describe('Ids of what was found that say the same'),
      }),
    )
    .max(4 * maxRisks)
    .describe('Key risks of all options, those of one option together only'),
})

const planner = `You prepare a choice between options for those who look for risks. Say what to search for. Do not choose.`

const rules =
  'Name risks of the option itself, no truisms. Take the numbers from sources where they give some, and quote those.'

const prompts: Readonly<Record<Lens, string>> = {
  premortem: `You hold a premortem: each option was taken, and it failed. Tell what it failed of. ${rules}`,
  outside: `You look at options from the outside: leave the story aside. Name what such options mostly fail of, and how often. ${rules}`,
  rival: `You look at options as those who lose by them: competitors, partners, staff, authorities. Tell how they, or plain bad luck, would
spoil each option. ${rules}`,
}

const grouper = `You put together risks that others found. Join what says the same of one option, drop what is no risk of its option, and keep
the weightiest. Add none, and change no number.`

/** A quote counts where its source holds it. */
const toSource = ({ source_id, quote }: Found, documents: readonly Document[]) => {
  const document = documents.find(({ id }) => id === source_id)
  return document && holdsQuote(document.text, quote) ? [{ url: document.url, quote }] : []
}

const describeOption = (
  { name, summary, outcomes = [], risks = [] }: StrategyOption,
  index: number,
): string =>
  [
    `${index + 1}. ${name}${summary ? `: ${summary}` : ''}`,
    ...outcomes.map(({ name, probability, value }) => `   outcome ${name}: ${probability}, worth ${value}`),
    ...risks.map(({ factor, likelihood, impact }) => `   risk ${factor}: ${likelihood}, costs ${impact}`),
  ].join('\n')

type Choice = {
  question: string
  options: readonly StrategyOption[]
  goals: readonly { name: string; weight: number }[]
}

/**
 * Lets lenses of a model that do not see each other look for the key risks of each option, in sources and from the outside, and joins
 * what they found: likelihoods by the trimmed mean of log-odds, impacts by the median. A quote that its source does not hold is dropped.
 */
export const findRisks = async (
  { ask }: Asking,
  { question, options, goals }: Choice,
  retrieveFor: (queries: readonly string[]) => Promise<Material>,
) => {
  const isShare = !options.every(({ outcomes }) => outcomes?.length)
  const content: LlmPart[] = [
    { label: 'question', data: question },
    { label: 'options', data: options.map(describeOption).join('\n') },
    ...(goals.length > 0
      ? [{ label: 'goals', data: goals.map(({ name, weight }) => `${name}, weight ${weight}`).join('\n') }]
      : []),
  ]
  const { queries } = await ask(planner, content, Plan)
  const { documents, failures } = await retrieveFor(queries)
  const sources = toSourceParts(documents)
  const schema = toFoundSchema(options, isShare)
  const answered = await withHalf(
    lenses.map(async lens => ({
      lens,
      // What somebody wrote on a page does not reach the outside view.
      ...(await ask(prompts[lens], lens === 'outside' ? content : [...content, ...sources], schema, {
        temperature: 0.7,
      })),
    })),
  )
  const found = new Map(
    answered
      .flatMap(({ lens, risks }) => risks.map(risk => ({ ...risk, lens })))
      .map((risk, n) => [`R${n + 1}`, risk]),
  )
  const { risks } =
    found.size === 0
      ? { risks: [] }
      : await ask(
          grouper,
          [
            ...content,
            {
              label: 'found',
              data: [...found]
                .map(([id, { option, factor }]) => `${id}, option ${option}: ${factor}`)
                .join('\n'),
            },
          ],
          Grouped,
        )
  const taken = new Set<string>()
  const byOption = options.map((): Risk[] => [])
  for (const { factor, early_warning, mitigation, of } of risks) {
    const option = found.get(of.find(id => found.has(id) && !taken.has(id)) ?? '')?.option ?? 0
    const members = [...new Set(of)].flatMap(id => {
      const risk = found.get(id)
      if (!risk || risk.option !== option || taken.has(id)) return []
      taken.add(id)
      return [risk]
    })
    if (members.length === 0) continue
    byOption[option - 1]?.push({
      factor,
      likelihood: trimmedMean(members.map(({ likelihood }) => likelihood)),
      impact: median(members.map(({ impact }) => impact)),
      mitigation,
      found: {
        early_warning,
        lenses: [...new Set(members.map(({ lens }) => lens))],
        sources: members.flatMap(member => toSource(member, documents)),
      },
    })
  }
  return {
    risks: byOption.map(risks =>
      risks
        .sort((one, other) => other.likelihood * other.impact - one.likelihood * one.impact)
        .slice(0, maxRisks),
    ),
    /** How far each option reaches the goals, where no numbers say so. */
    scores: options.map((_, index) =>
      median(
        answered.flatMap(({ scores }) =>
          scores.flatMap(({ option, score }) => (option === index + 1 ? [score] : [])),
        ),
      ),
    ),
    failures,
  }
}
