import { betaQuantile, logGamma } from '../../../lib/distributions.ts'
import { fitted } from './fitted.ts'

/** How often something happened in n periods or cases. */
export type EventRate = { events: number; n: number }

/** The posterior of a rate under Jeffreys' prior. */
const toPosterior = ({ events, n }: EventRate): [a: number, b: number] => {
  const prior = fitted.defaults.prior_events.value
  return [events + prior, n - events + prior]
}

/**
 * The chance that nothing happens in so many periods: the mean of (1 − rate)^periods over the posterior of the rate. It falls with
 * every further period, and never below what a constant rate says.
 */
export const chanceOfNone = (rate: EventRate, periods: number): number => {
  const [a, b] = toPosterior(rate)
  return Math.exp(logGamma(b + periods) + logGamma(a + b) - logGamma(b) - logGamma(a + b + periods))
}

/** The chance of at least one event in so many periods at the ends of the 80 % interval of the rate. */
export const rateInterval = (rate: EventRate, periods: number): [low: number, high: number] => {
  const [a, b] = toPosterior(rate)
  const within = (share: number): number => 1 - (1 - betaQuantile(share, a, b)) ** periods
  return [within(0.1), within(0.9)]
}

/** A rank stays as high or higher where it does not move, and as often as not where it does. */
export const chanceOfRank = (rateOfMoving: number, periods: number): number => {
  const unmoved = (1 - rateOfMoving) ** periods
  return unmoved + (1 - unmoved) * fitted.defaults.rank_moved.value
}
