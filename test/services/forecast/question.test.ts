import { describe, expect, test } from 'vitest'
import { estimate } from '../../../mcp/services/forecast/consult/decide.ts'
import { readNegation, readQuestion } from '../../../mcp/services/forecast/consult/question.ts'

const end = 'by 31 December 2027?'

describe('a question that denies', () => {
  test.each([
    [`Will a recession not begin ${end}`, `Will a recession begin ${end}`],
    [`Will no recession begin ${end}`, `Will any recession begin ${end}`],
    [`Won't a recession begin ${end}`, `will a recession begin ${end}`],
    [`Won’t a recession begin ${end}`, `will a recession begin ${end}`],
    [`Will there be no recession ${end}`, `Will there be any recession ${end}`],
    [`Will the United States avoid a recession ${end}`, `Will the United States have a recession ${end}`],
    ['Will 2027 end without a recession?', 'Will 2027 end with a recession?'],
    [`Will nobody land on Mars ${end}`, `Will anybody land on Mars ${end}`],
    [`Will no one land on Mars ${end}`, `Will anybody land on Mars ${end}`],
    [`Will neither France nor Spain join ${end}`, `Will either France or Spain join ${end}`],
    [`Is it the case that no rocket will fly ${end}`, `Is it the case that any rocket will fly ${end}`],
    [`Is it not true that a rocket will fly ${end}`, `Is it true that a rocket will fly ${end}`],
    [`Will none of the banks fail ${end}`, `Will any of the banks fail ${end}`],
    [`Will the launch fail to happen ${end}`, `Will the launch happen ${end}`],
    [`Isn't it over ${end}`, `Is it over ${end}`],
    [`Will the treaty never be signed ${end}`, `Will the treaty be signed ${end}`],
    [
      `Will the very large and much discussed bridge over the wide river not open ${end}`,
      `Will the very large and much discussed bridge over the wide river open ${end}`,
    ],
    [
      'Rates have risen. Will the bank not cut them by 2027-12-31?',
      'Rates have risen. Will the bank cut them by 2027-12-31?',
    ],
  ])('%s', (asked, positive) => {
    expect(readNegation(asked)).toEqual({ isNegated: true, positive })
  })
})

describe('a question that asks whether something happens', () => {
  test.each([
    `Will a recession begin no later than 31 December 2027?`,
    `Will not only France but also Spain join ${end}`,
    `Will at least 5 and not more than 9 members join ${end}`,
    `Will the government lose a no-confidence vote ${end}`,
    `Will there be a no deal exit ${end}`,
    `Will a film about Dr. No appear ${end}`,
    `Will the film "Not Okay" win ${end}`,
    `Will the bank cut rates (it has not in 2026) ${end}`,
    `Will the bank cut rates if inflation does not rise ${end}`,
    `If inflation does not rise, will the bank cut rates ${end}`,
    `The bank has not cut rates. Will it cut them ${end}`,
    `Will the bank that did not cut rates in 2026 cut them ${end}`,
    `Will it rain or not ${end}`,
    `Will the bank not fail to cut rates ${end}`,
    `Is it not true that no rocket will fly ${end}`,
    `Will the minister deny that no rocket will fly ${end}`,
    `Will Notion be sold ${end}`,
  ])('%s', asked => {
    expect(readNegation(asked)).toEqual({ isNegated: false, positive: asked })
  })
})

test('what happens and what does not happen sum to 1, however it is denied', () => {
  const chance = (question: string) =>
    estimate(
      readQuestion({ question }, new Date('2026-11-23T00:00:00Z')),
      { form: { kind: 'event', events: 12, n: 78, period_days: 365.25 } },
      { domain: 'general' },
    ).probability
  const happens = chance(`Will a recession begin in the United States ${end}`)
  expect(happens).not.toBe(0.5)
  for (const denied of [
    `Will no recession begin in the United States ${end}`,
    `Will the United States avoid a recession ${end}`,
    `Won’t a recession begin in the United States ${end}`,
    `Will there be no recession in the United States ${end}`,
  ])
    expect(chance(denied) + happens, denied).toBeCloseTo(1, 4)
})
