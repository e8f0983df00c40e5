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
  const inOrder = [...forecasts].sort((one, other) => one.at - other.at)
  let time = 0
  let total = 0
  inOrder.forEach(({ probability, outcome, at, closesAt }, index) => {
    const until = Math.min(closesAt, inOrder[index + 1]?.at ?? closesAt)
    const span = Math.max(0, until - at)
    time += span
    total += span * (probability - outcome) ** 2
  })
  return time === 0 ? undefined : total / time
}

/** The mean over questions of their time-weighted Brier scores, as forecasting tournaments count it. Null without any. */
export const timeWeightedBrier = (forecasts: readonly StandingForecast[]): number | null => {
  const questions = new Map<string, StandingForecast[]>()
  for (const forecast of forecasts) {
    const group = questions.get(forecast.question)
    if (group) group.push(forecast)
    else questions.set(forecast.question, [forecast])
  }
  const scores = [...questions.values()].flatMap(group => scoreQuestion(group) ?? [])
  return scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length
}
