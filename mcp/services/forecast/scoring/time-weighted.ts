/** A forecast of a question that stands from one time to the next forecast of it, or to its close. Times in milliseconds. */
export type StandingForecast = {
  readonly question: string
  readonly probability: number
  readonly outcome: 0 | 1
  readonly at: number
  readonly closesAt: number
}

/** The mean Brier score of a question over the time that it was open, each moment by the forecast that stood then. */
export const scoreQuestion = (forecasts: readonly StandingForecast[]): number | undefined => {
  const inOrder = forecasts.length < 2 ? forecasts : [...forecasts].sort((one, other) => one.at - other.at)
  let time = 0
  let total = 0
  for (let index = 0; index < inOrder.length; index++) {
    const forecast = inOrder[index]
    if (!forecast) break
    const { probability, outcome, at, closesAt } = forecast
    const until = Math.min(closesAt, inOrder[index + 1]?.at ?? closesAt)
    const span = Math.max(0, until - at)
    time += span
    total += span * (probability - outcome) ** 2
  }
  return time === 0 ? undefined : total / time
}

/** The mean over questions of their time-weighted Brier scores, as forecasting tournaments count it. Null without any. */
export const timeWeightedBrier = (forecasts: readonly StandingForecast[]): number | null => {
  const questions = new Map<string, StandingForecast | StandingForecast[]>()
  for (const forecast of forecasts) {
    const group = questions.get(forecast.question)
    // Most questions are forecast once: an array for each would cost more than the scores.
    if (group === undefined) questions.set(forecast.question, forecast)
    else if (Array.isArray(group)) group.push(forecast)
    else questions.set(forecast.question, [group, forecast])
  }
  let [count, sum] = [0, 0]
  for (const group of questions.values()) {
    const scored = scoreQuestion(Array.isArray(group) ? group : [group])
    if (scored === undefined) continue
    count++
    sum += scored
  }
  return count === 0 ? null : sum / count
}
