import type { Decision } from './decide.ts'

export const styles = ['short', 'concise', 'normal', 'detailed', 'comprehensive'] as const

export type Style = (typeof styles)[number]

const sentenceCounts: Readonly<Record<Style, number>> = {
  short: 1,
  concise: 2,
  normal: 4,
  detailed: 8,
  comprehensive: 100,
}

const plain = (value: number): string => String(Number(value.toPrecision(6)))

const criterionWords = {
  expected_value: 'the highest expected value',
  worst_case: 'the best worst case',
  expected_shortfall: 'the best mean of its worst tenth',
  minimax_regret: 'the least possible regret',
  growth: 'the fastest growth of the bankroll',
} as const

/** The decision in sentences, as many as the style has. */
export const toSummary = (decision: Decision, unit: string | undefined, style: Style): string => {
  const { recommendation, criterion, options, margin, flips, by_criterion: byCriterion, notes } = decision
  const chosen = options.find(({ name }) => name === recommendation)
  const worth = (value: number) => `${plain(value)}${unit === undefined ? '' : ` ${unit}`}`
  const others = byCriterion.filter(({ option }) => option !== recommendation)
  const [flip] = flips
  const sentences = [
    `${recommendation} has ${criterionWords[criterion]}.`,
    ...(chosen
      ? [
          `It is worth ${worth(chosen.expected_value)} on average, ${worth(chosen.worst)} at worst and ${worth(chosen.best)} at best.`,
        ]
      : []),
    ...notes,
    ...(options.length > 1
      ? [
          `On average it is ${worth(Math.abs(margin))} ${margin < 0 ? 'below' : 'above'} the best of the others.`,
        ]
      : []),
    ...(flip
      ? [
          `With ${flip.scenario}${flip.option === null ? '' : ` of ${flip.option}`} at a probability of ${plain(flip.flips_at)} instead of ${plain(flip.p)}, ${flip.to} would be as good.`,
        ]
      : ['No change of a single probability turns the choice.']),
    ...others.map(({ criterion, option }) => `By ${criterion.replaceAll('_', ' ')} it would be ${option}.`),
  ]
  return sentences.slice(0, sentenceCounts[style]).join(' ')
}
