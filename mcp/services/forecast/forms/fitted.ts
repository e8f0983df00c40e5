import shipped from './fitted.json' with { type: 'json' }

/** The fitted numbers of the forms, with what they were measured on. */
export type Fitted = typeof shipped

/** The numbers that this program comes with. */
export const fitted: Fitted = shipped

/** A number that went into an answer, with how many cases it was measured on where it was. */
export type Parameter = { name: string; value: number; n: number | null; source: string }

export type FittedName = keyof Fitted['parameters']
export type DefaultName = keyof Fitted['defaults']
export type SkillName = keyof Fitted['skill']

/** A fitted number as an answer shows it. */
export const toFittedParameter = ({ parameters }: Fitted, name: FittedName): Parameter => {
  const { value, n, unit } = parameters[name]
  return { name, value, n, source: `fitted: ${unit}` }
}

/** A number that is chosen and not measured, as an answer shows it. */
export const toDefaultParameter = ({ defaults }: Fitted, name: DefaultName): Parameter => {
  const { value, reason } = defaults[name]
  return { name, value, n: null, source: `default: ${reason}` }
}

/** A number that the caller gave, or that follows from the caller's numbers. */
export const toCallerParameter = (name: string, value: number, n: number | null = null): Parameter => ({
  name,
  value: Number(value.toPrecision(6)),
  n,
  source: 'yours',
})

/** Brier score of a form and of the best constant of the same questions. */
export type FormSkill = { n: number; brier: number; constant: number; note: string }

export const toSkill = ({ skill, source, note }: Fitted, name: SkillName): FormSkill => {
  const { n, brier, constant, only } = skill[name]
  return { n, brier, constant, note: [only, source, note].filter(text => text).join('. ') }
}
