import type { strengths } from '../consult/estimate.ts'

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
export type Rule = {
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
  /** Share of the log-odds of the confidence that is kept; 1 moves nothing. */
  readonly keep: number
}

const says = (...words: readonly string[]) => {
  const pattern = new RegExp(`\\b(?:${words.join('|')})\\b`, 'i')
  return ({ claim, evidence, assumptions }: Audited) =>
    [claim, ...evidence.map(({ text }) => text), ...assumptions].some(text => pattern.test(text))
}

const supporting = ({ evidence }: Audited) => evidence.filter(({ direction }) => direction === 'supports')

/** Known forms of failure, by the form of the claim and of what speaks for it. Each moves the confidence by a factor that is shown. */
export const rules: readonly Rule[] = [
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
    keep: 0.9,
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
    keep: 0.85,
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
    keep: 0.6,
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
    keep: 0.85,
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
    keep: 0.9,
  },
  {
    id: 'absolute',
    bias: 'overconfidence',
    applies: says(
      'always',
      'never',
      'certain(?:ly)?',
      'guaranteed?',
      'impossible',
      'no doubt',
      'inevitabl[ey]',
      'everyone',
      'nobody',
    ),
    failure: 'A single exception makes it false.',
    mechanism: 'Words without exception claim more than any evidence shows.',
    likelihood: 'high',
    warning: 'A first exception is explained away.',
    counter: 'One counterexample is enough; the evidence cannot rule it out.',
    attacks: 'claim',
    check: 'Search for one exception.',
    cost: 'minutes',
    changes: 'One exception.',
    keep: 0.75,
  },
  {
    id: 'plan',
    bias: 'planning fallacy',
    applies: says(
      'deadline',
      'on time',
      'on schedule',
      'on budget',
      'launch',
      'deliver(?:ed)?',
      'ship(?:ped)?',
      'finish(?:ed)?',
      'complete[d]?',
      'migrat(?:e|ion)',
      'roadmap',
    ),
    failure: 'It takes longer, or costs more, than planned.',
    mechanism: 'Plans are made of the steps that are seen; delays come from those that are not.',
    likelihood: 'high',
    warning: 'The first milestone slips and the last date stays.',
    counter: 'How long did the last three of the kind take, against their plans?',
    attacks: 'warrant',
    check: 'Compare plan and outcome of the last three like projects.',
    cost: 'hours',
    changes: 'Like projects that took half as long again.',
    keep: 0.75,
  },
  {
    id: 'cause',
    bias: 'correlation as cause',
    applies: says(
      'because',
      'causes?',
      'caused',
      'leads? to',
      'due to',
      'drives?',
      'results? in',
      'thanks to',
    ),
    failure: 'The cause is another, and acting on this one changes nothing.',
    mechanism: 'Two things that move together may share a cause, or be the wrong way round.',
    likelihood: 'medium',
    warning: 'The effect appears where the cause is absent.',
    counter: 'A third thing may move both; what would be seen then is the same.',
    attacks: 'warrant',
    check: 'Find a case with the cause and without the effect, or the other way round.',
    cost: 'hours',
    changes: 'Cases where one is without the other.',
    keep: 0.85,
  },
  {
    id: 'trend',
    bias: 'extrapolation',
    applies: says(
      'continue[sd]?',
      'trend',
      'keeps? growing',
      'grow(?:s|ing|th)?',
      'momentum',
      'exponential(?:ly)?',
      'double[sd]?',
    ),
    failure: 'The trend bends before it gets there.',
    mechanism: 'Growth meets a limit that the past does not show.',
    likelihood: 'medium',
    warning: 'The rate falls while the level still rises.',
    counter: 'What limit would it meet, and how far is that?',
    attacks: 'warrant',
    check: 'Plot the rate of change, not the level.',
    cost: 'minutes',
    changes: 'A rate that falls.',
    keep: 0.85,
  },
  {
    id: 'survivors',
    bias: 'survivorship',
    applies: says(
      'successful',
      'winners?',
      'best companies',
      'top performers?',
      'survivors?',
      'success stor(?:y|ies)',
    ),
    failure: 'Those who did the same and failed are not in the sample.',
    mechanism: 'Only what survived can be looked at.',
    likelihood: 'medium',
    warning: 'No failed case is among the examples.',
    counter: 'How many did the same and are gone?',
    attacks: 'grounds',
    check: 'Look for those who did the same and failed.',
    cost: 'hours',
    changes: 'As many failures as successes.',
    keep: 0.8,
  },
  {
    id: 'conjunction',
    bias: 'conjunction fallacy',
    applies: ({ claim }) => (claim.match(/\b(?:and|as well as|while also)\b/gi)?.length ?? 0) >= 2,
    failure: 'One of its parts fails, and with it the whole.',
    mechanism: 'Each part may be likely, and all together are not.',
    likelihood: 'medium',
    warning: 'People defend one part when another is attacked.',
    counter: 'Multiply the chances of the parts.',
    attacks: 'claim',
    check: 'State the confidence in each part by itself, and multiply.',
    cost: 'minutes',
    changes: 'A product far below the confidence.',
    keep: 0.85,
  },
  {
    id: 'vague',
    bias: 'unfalsifiable',
    applies: says(
      'soon',
      'significant(?:ly)?',
      'substantial(?:ly)?',
      'major',
      'eventually',
      'likely',
      'could',
      'might',
      'may',
    ),
    failure: 'Nobody can tell afterwards whether it held.',
    mechanism: 'Words without a number or a date fit most outcomes.',
    likelihood: 'medium',
    warning: 'Two people who agree on the facts differ on whether it came true.',
    counter: 'What would have to be seen for it to be false?',
    attacks: 'claim',
    check: 'Replace the word by a number and a date.',
    cost: 'minutes',
    changes: 'A version with number and date that nobody wants to sign.',
    keep: 0.95,
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
    keep: 0.8,
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
    keep: 0.95,
  },
]
