import { clip, expit, logit, pool } from '../../lib/log-odds.ts'
import { round4 } from './record/canonical.ts'

/** Likelihood ratios of the strengths that callers may name. */
const strengths = { weak: 1.5, moderate: 3, strong: 8 } as const

type Ground = {
  text: string
  direction: 'supports' | 'opposes'
  strength: keyof typeof strengths
  source?: string | undefined
}

type Audited = {
  claim: string
  evidence: readonly Ground[]
  assumptions: readonly string[]
  confidence: number | undefined
  hasBaseRate: boolean
}

/** A way in which claims of this form are known to fail, with what shows it early and what is to be done about it. */
type AuditRule = {
  readonly id: string
  readonly bias: string
  readonly applies: (audited: Audited) => boolean
  readonly failure: string
  readonly mechanism: string
  readonly likelihood: 'low' | 'medium' | 'high'
  readonly warning: string
  readonly counter: string
  readonly attacks: 'claim' | 'grounds' | 'warrant' | 'confidence'
  readonly check: string
  readonly cost: 'minutes' | 'hours' | 'days'
  readonly changes: string
}

const supporting = ({ evidence }: Audited) => evidence.filter(({ direction }) => direction === 'supports')

/** The checklist: known ways in which reasoning fails, by what was given with a claim and what was not. None looks at its words. */
const auditRules: readonly AuditRule[] = [
  {
    id: 'no_base_rate',
    bias: 'base-rate neglect',
    applies: ({ hasBaseRate }) => !hasBaseRate,
    failure: 'The case is judged by its own story, and cases like it mostly come out otherwise.',
    mechanism: 'Without a reference class the first number is that of the story.',
    likelihood: 'medium',
    warning: 'Nobody can say how often the like has happened.',
    counter: 'How often did claims like this hold? No class is given.',
    attacks: 'confidence',
    check: 'Count like cases, and give base_rate with events and n.',
    cost: 'hours',
    changes: 'A class with a rate far from the confidence.',
  },
  {
    id: 'one_sided',
    bias: 'confirmation bias',
    applies: audited =>
      supporting(audited).length > 0 && audited.evidence.every(({ direction }) => direction === 'supports'),
    failure: 'What speaks against it was not looked for.',
    mechanism: 'Evidence was gathered to support the claim; its absence elsewhere says nothing.',
    likelihood: 'medium',
    warning: 'No opposing fact is written down anywhere.',
    counter: 'The same evidence would be found if the claim were false and only its support were gathered.',
    attacks: 'grounds',
    check: 'Spend an hour to find the strongest fact against it, by somebody who doubts it.',
    cost: 'hours',
    changes: 'One opposing fact of at least moderate strength.',
  },
  {
    id: 'no_evidence',
    bias: 'assertion',
    applies: ({ evidence }) => evidence.length === 0,
    failure: 'The claim stands on nothing that was written down.',
    mechanism: 'A confidence without grounds is that of whoever speaks.',
    likelihood: 'high',
    warning: 'Asked why, people repeat the claim.',
    counter: 'No ground is given; the claim and its opposite are alike.',
    attacks: 'grounds',
    check: 'Write down three observations that would be different if it were false.',
    cost: 'minutes',
    changes: 'Any observation that is less probable if the claim is false.',
  },
  {
    id: 'single_ground',
    bias: 'single point of failure',
    applies: audited => supporting(audited).length === 1,
    failure: 'One fact carries the whole claim.',
    mechanism: 'If that fact is wrong or means something else, nothing is left.',
    likelihood: 'medium',
    warning: 'All arguments lead back to one source.',
    counter: 'Take the only ground away, and the claim stands on nothing.',
    attacks: 'grounds',
    check: 'Verify that fact with a second, independent source.',
    cost: 'hours',
    changes: 'A second source that does not agree.',
  },
  {
    id: 'unsourced',
    bias: 'hearsay',
    applies: audited =>
      supporting(audited).length > 1 && supporting(audited).every(({ source }) => source === undefined),
    failure: 'The grounds cannot be checked, and may have one origin.',
    mechanism: 'Facts that repeat one report are counted as several.',
    likelihood: 'medium',
    warning: 'Nobody can name where a fact comes from.',
    counter: 'These grounds may be one report that was repeated.',
    attacks: 'grounds',
    check: 'Name the source of each ground, and see which share one.',
    cost: 'minutes',
    changes: 'Two grounds with one origin.',
  },
  {
    id: 'very_sure',
    bias: 'overconfidence',
    applies: ({ confidence }) => confidence !== undefined && (confidence >= 0.95 || confidence <= 0.05),
    failure: 'It is wrong more often than one time in twenty.',
    mechanism: 'What people are 95 % sure of comes out otherwise more often than they say.',
    likelihood: 'medium',
    warning: 'Nobody would bet nineteen to one.',
    counter: 'Would you take the other side at these odds?',
    attacks: 'confidence',
    check: 'Look at ten earlier claims of the same confidence by the same people.',
    cost: 'hours',
    changes: 'More than one miss among them.',
  },
  {
    id: 'assumed',
    bias: 'hidden assumption',
    applies: ({ assumptions }) => assumptions.length === 0,
    failure: 'Something that everybody took for granted does not hold.',
    mechanism: 'No assumption is written down, so that none is watched.',
    likelihood: 'medium',
    warning: 'A surprise is met with "of course we had assumed …".',
    counter: 'What must be true for the grounds to carry the claim? Nothing is named.',
    attacks: 'warrant',
    check: 'List three things that must be true, and who would notice if they were not.',
    cost: 'minutes',
    changes: 'One of them that is not.',
  },
]

type BaseRate = { events: number; n: number; source: string }

type Step = { name: string; from: number; to: number; reason: string }

const counterStrength = { low: 'weak', medium: 'moderate', high: 'strong' } as const

/**
 * Moves a stated confidence by what was given with it: the class is pooled in, and opposing evidence counts by Bayes. Supporting
 * evidence does not count again: it is what the confidence was stated on.
 */
export const adjustConfidence = (
  confidence: number,
  evidence: readonly Pick<Ground, 'direction' | 'strength'>[],
  baseRate: BaseRate | undefined,
): Step[] => {
  const steps: Step[] = []
  let at = clip(confidence)
  const move = (name: string, to: number, reason: string) => {
    const next = clip(to)
    if (round4(next) !== round4(at)) steps.push({ name, from: round4(at), to: round4(next), reason })
    at = next
  }
  if (baseRate) {
    const rate = (baseRate.events + 0.5) / (baseRate.n + 1)
    const voices = [
      { probability: at, weight: 1 },
      { probability: rate, weight: 1 },
    ]
    move(
      'base_rate',
      pool(voices),
      `pooled in log-odds with ${baseRate.events} of ${baseRate.n} (${baseRate.source})`,
    )
  }
  const against = evidence.filter(({ direction }) => direction === 'opposes')
  const ratio = against.reduce((sum, { strength }) => sum - Math.log(strengths[strength]), 0)
  if (against.length > 0)
    move('opposing_evidence', expit(logit(at) + ratio), `a likelihood ratio of ${round4(Math.exp(ratio))}`)
  return steps
}

/** Goes through the checklist of reasoning for a claim: what it stands on, what is missing, and what to look at next. Whether it is true is not looked at. */
export const auditClaim = (
  input: {
    claim: string
    evidence: readonly Ground[]
    assumptions: readonly string[]
    confidence: number | undefined
  },
  baseRate: BaseRate | undefined,
) => {
  const audited: Audited = { ...input, hasBaseRate: baseRate !== undefined }
  const applying = auditRules.filter(({ applies }) => applies(audited))
  const { claim, evidence, assumptions, confidence } = input
  const steps = confidence === undefined ? [] : adjustConfidence(confidence, evidence, baseRate)
  const support = evidence.filter(({ direction }) => direction === 'supports')
  return {
    claim_map: {
      claim,
      grounds: support.map(({ text, strength, source }) => ({ text, strength, source: source ?? null })),
      opposing: evidence
        .filter(({ direction }) => direction === 'opposes')
        .map(({ text, strength, source }) => ({ text, strength, source: source ?? null })),
      warrants: support.map(({ text }) => `That "${text}" would be less probable if the claim were false.`),
      assumptions: [...assumptions],
    },
    failure_modes: applying.map(({ failure, mechanism, likelihood, warning }) => ({
      description: failure,
      mechanism,
      likelihood,
      early_warning: warning,
    })),
    counterarguments: [
      ...evidence
        .filter(({ direction }) => direction === 'opposes')
        .map(({ text, strength }) => ({ text, strength, attacks: 'claim' as const })),
      ...applying.map(({ counter, attacks, likelihood }) => ({
        text: counter,
        strength: counterStrength[likelihood],
        attacks,
      })),
    ],
    base_rate: baseRate ? { value: round4((baseRate.events + 0.5) / (baseRate.n + 1)), ...baseRate } : null,
    stated_confidence: confidence ?? null,
    confidence_adjustments: steps,
    adjusted_confidence: confidence === undefined ? null : (steps.at(-1)?.to ?? round4(clip(confidence))),
    biases: [...new Set(applying.map(({ bias }) => bias))],
    follow_up_checks: applying.map(({ check, cost, changes }) => ({ check, cost, would_change: changes })),
  }
}
