import { noBasis } from '../../../lib/no-basis.ts'
import {
  type Fitted,
  type FormSkill,
  type Parameter,
  type SkillName,
  fitted as shipped,
  toCallerParameter,
  toDefaultParameter,
  toFittedParameter,
  toSkill,
} from './fitted.ts'
import {
  chanceOfNone,
  chanceOfRank,
  chanceOfRise,
  chanceOfSeasonalRise,
  chooseScale,
  openCount,
  openWalk,
  rateInterval,
  seasonDays,
  yearlyDeviation,
} from './laws.ts'
import type { CompleteForm, CompleteLevel } from './schema.ts'

/** Answer of a form on the event that it describes. */
export type FormAnswer = {
  /** The event in words, so that a caller sees what was computed. */
  event: string
  probability: number
  /** 80 % interval of the value at the close; null where the form has no value. */
  valueInterval: [number, number] | null
  /** 80 % interval of the probability from what is not known of the rate; null where none was counted. */
  rateInterval: [number, number] | null
  parameters: Parameter[]
  skill: FormSkill
  notChecked: string[]
}

/** Values below which a series says nothing. */
export const minSeries = 8
const sideWords = { '>': 'above', '>=': 'at or above', '<': 'below', '<=': 'at or below' } as const
const isUpper = (is: keyof typeof sideWords): boolean => is === '>' || is === '>='

const requireSeries = (series: readonly number[], path: string): void => {
  if (series.length < minSeries)
    throw noBasis(
      path,
      `has ${series.length} values, and ${minSeries} are needed`,
      'Give a longer series, or the value with its volatility.',
    )
  if (new Set(series).size === 1)
    throw noBasis(path, 'never moves, so that nothing can be computed from it', 'Give a series that moves.')
}

type Case<kind extends CompleteForm['kind']> = (
  form: Extract<CompleteForm, { kind: kind }>,
  days: number,
  fitted: Fitted,
) => Omit<FormAnswer, 'skill'> & { skill: SkillName }

const answerChange: Case<'change'> = ({ series, step_days, seasonal, traded, is }, days, fitted) => {
  if (traded)
    throw noBasis(
      'form.traded',
      'says a traded asset, and the direction of its price is not foreseeable: measured, such answers were worse than one half',
      'Ask for a level with its volatility, or give the price of a market on the question.',
    )
  requireSeries(series, 'form.series')
  if (seasonal && (series.length - 1) * step_days < seasonDays - step_days)
    throw noBasis(
      'form.series',
      'covers less than the year that a season needs',
      'Give a year or more, or seasonal: false.',
    )
  const rise = seasonal
    ? chanceOfSeasonalRise(series, step_days, days, fitted.parameters.season_shrink.value)
    : chanceOfRise(series, step_days, days, fitted.parameters.drift_sd.value)
  const lead = fitted.parameters.min_lead.value
  if (!seasonal && Math.abs(rise.chance - 0.5) <= lead)
    throw noBasis(
      'form.series',
      `leaves a probability within ${lead} of one half, where such answers had no skill`,
      'Give a longer series with a clearer drift, seasonal: true where it has a season, or a market price.',
    )
  return {
    event: `The value at the close is ${is === '>' ? 'higher' : 'lower'} than the last of the series.`,
    probability: is === '>' ? rise.chance : 1 - rise.chance,
    valueInterval: rise.interval,
    rateInterval: null,
    parameters: [
      toCallerParameter('series', series.at(-1) ?? 0, series.length),
      ...('drift' in rise
        ? [
            toFittedParameter(fitted, 'drift_sd'),
            toCallerParameter('drift', rise.drift),
            toFittedParameter(fitted, 'min_lead'),
          ]
        : [toFittedParameter(fitted, 'season_shrink'), toCallerParameter('memory', rise.memory)]),
    ],
    skill: seasonal ? 'season' : 'change',
    notChecked: ['whether the series is right, and its last value that of now'],
  }
}

const openLevel = ({ series, step_days, value, volatility }: CompleteLevel) => {
  if (series !== undefined) {
    requireSeries(series, 'form.series')
    const scale = chooseScale(series)
    return {
      walk: { value: series.at(-1) ?? 0, scale, deviation: yearlyDeviation(series, step_days, scale) },
      n: series.length,
    }
  }
  if (value === undefined || volatility === undefined || value <= 0)
    throw noBasis(
      'form',
      'a level needs a series, or a value above zero with its volatility',
      'Give form.series, or form.value and form.volatility (implied where options trade).',
    )
  return { walk: { value, scale: chooseScale([value]), deviation: volatility }, n: null }
}

const answerLevel: Case<'level'> = (form, days, fitted) => {
  const { threshold, is, when } = form
  const { walk, n } = openLevel(form)
  const path = openWalk({ ...walk, factor: fitted.parameters.level_scale.value }, days)
  const above = path.chanceAbove(threshold)
  const reaching = path.chanceOfReaching(threshold, isUpper(is) ? 'up' : 'down')
  const atClose = isUpper(is) ? above : 1 - above
  return {
    event:
      when === 'at'
        ? `The value at the close is ${sideWords[is]} ${threshold}.`
        : `The value is ${sideWords[is]} ${threshold} at least once until the close.`,
    probability: when === 'at' ? atClose : reaching,
    valueInterval: path.interval(),
    rateInterval: null,
    parameters: [
      toCallerParameter('value', walk.value, n),
      toCallerParameter('threshold', threshold),
      toCallerParameter('deviation_a_year', walk.deviation, n),
      toFittedParameter(fitted, 'level_scale'),
      ...(n === null
        ? []
        : [toDefaultParameter(fitted, 'short_days'), toDefaultParameter(fitted, 'long_days')]),
    ],
    skill: when === 'at' ? 'level_at' : 'level_until',
    notChecked: ['value and volatility: they are yours', 'news that moves the value at one stroke'],
  }
}

const answerCount: Case<'count'> = ({ events, exposure_days, threshold, is }, days, fitted) => {
  const count = openCount({ events, exposureDays: exposure_days }, days)
  const atLeast = count.atLeast(is === '>=' || is === '<' ? threshold : Math.floor(threshold) + 1)
  return {
    event: `The count from now to the close is ${sideWords[is]} ${threshold}.`,
    probability: isUpper(is) ? atLeast : 1 - atLeast,
    valueInterval: count.interval(),
    rateInterval: null,
    parameters: [
      toCallerParameter('events', events, events),
      toCallerParameter('expected', count.mean),
      toDefaultParameter(fitted, 'prior_events'),
    ],
    skill: 'count',
    notChecked: ['whether the rate stays what it was'],
  }
}

const answerRate = (
  { kind, events, n, period_days }: Extract<CompleteForm, { kind: 'event' | 'state' }>,
  days: number,
  fitted: Fitted,
): ReturnType<Case<'event'>> => {
  const periods = period_days === undefined ? 1 : days / period_days
  const none = chanceOfNone({ events, n }, periods)
  const [low, high] = rateInterval({ events, n }, periods)
  return {
    event:
      kind === 'event'
        ? 'It happens at least once by the close.'
        : 'The state, which ended so many times, lasts until the close.',
    probability: kind === 'event' ? 1 - none : none,
    valueInterval: null,
    rateInterval: kind === 'event' ? [low, high] : [1 - high, 1 - low],
    parameters: [
      toCallerParameter('events', events, n),
      toCallerParameter('periods_to_close', periods),
      toDefaultParameter(fitted, 'prior_events'),
    ],
    skill: 'rate',
    notChecked: ['whether the cases counted are like this one', 'whether the rate stays what it was'],
  }
}

const answerRank: Case<'rank'> = ({ rate_of_moving, period_days }, days, fitted) => ({
  event: 'The rank at the close is as high as now, or higher.',
  probability: chanceOfRank(rate_of_moving, period_days === undefined ? 1 : days / period_days),
  valueInterval: null,
  rateInterval: null,
  parameters: [toCallerParameter('rate_of_moving', rate_of_moving), toDefaultParameter(fitted, 'rank_moved')],
  skill: 'rank',
  notChecked: ['whether it moves as often as it did'],
})

const answerPrice: Case<'price'> = ({ market_price }) => ({
  event: 'The question as it is asked comes true.',
  probability: market_price,
  valueInterval: null,
  rateInterval: null,
  parameters: [toCallerParameter('market_price', market_price)],
  skill: 'price',
  notChecked: ['the market: its price, its volume, and that it asks the same question'],
})

const answers: { [kind in CompleteForm['kind']]: Case<kind> } = {
  price: answerPrice,
  change: answerChange,
  level: answerLevel,
  count: answerCount,
  event: answerRate,
  state: answerRate,
  rank: answerRank,
}

/** Computes the form of a question that closes in so many days. Throws `invalid_input` with reason `no_basis` where it has nothing to say. */
export const answerForm = (form: CompleteForm, days: number, fitted: Fitted = shipped): FormAnswer => {
  const answer = (answers[form.kind] as Case<CompleteForm['kind']>)(form as never, days, fitted)
  const skill = toSkill(fitted, answer.skill)
  if (skill.brier > skill.constant)
    throw noBasis(
      'form.kind',
      'names a form that had no skill when it was last measured',
      'Give a market price.',
    )
  return { ...answer, skill }
}
