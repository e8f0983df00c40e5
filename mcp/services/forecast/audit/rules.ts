/** Likelihood ratios of the strengths that callers may name. */
export const strengths = { weak: 1.5, moderate: 3, strong: 8 } as const

export type Ground = {
  text: string
  direction: 'supports' | 'opposes'
  strength: keyof typeof strengths
  source?: string | undefined
}

export type Audited = {
  claim: string
  evidence: readonly Ground[]
  assumptions: readonly string[]
  confidence: number | undefined
  hasBaseRate: boolean
}

/** A way in which claims of this form are known to fail, with what shows it early and what is to be done about it. */
export type AuditRule = {
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
export const auditRules: readonly AuditRule[] = [
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
