import { negativeBinomialCdf, negativeBinomialQuantile } from '../../../lib/distributions.ts'
import { fitted } from './fitted.ts'

export type Counted = {
  events: number
  exposureDays: number
}

/**
 * The count of a window of days: negative binomial, with the mean of the counted rate. Its variance is that of the events
 * themselves and of the rate, which was counted over a limited exposure.
 */
export const openCount = ({ events, exposureDays }: Counted, days: number) => {
  const share = days / exposureDays
  const mean = (events + fitted.defaults.prior_events.value) * share
  const size = mean / share
  return {
    mean,
    size,
    /** The chance of at least so many. */
    atLeast: (count: number): number => 1 - negativeBinomialCdf(Math.ceil(count) - 1, mean, size),
    interval: (): [number, number] => [
      negativeBinomialQuantile(0.1, mean, size),
      negativeBinomialQuantile(0.9, mean, size),
    ],
  }
}
