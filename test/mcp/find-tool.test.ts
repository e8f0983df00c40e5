import { expect, test } from 'vitest'
import { buildCatalogue } from '../../mcp/server/catalogue.ts'
import { openSearch } from '../../mcp/server/search/search.ts'
import { services } from '../../services.ts'
import { lastQuestions, laterQuestions } from './later-questions.ts'
import {
  fourthQuestions,
  furtherQuestions,
  ownQuestions,
  type Question,
  thirdQuestions,
} from './questions.ts'
import { unseenQuestions } from './unseen-questions.ts'

const { entries } = buildCatalogue(services)
const search = openSearch(entries)

const findNames = (question: string): string[] => search(question).map(({ listed }) => listed.name)

const misses = (questions: readonly Question[]) =>
  questions.flatMap(([question, ...names]) => {
    const results = findNames(question).slice(0, 3)
    return names.some(name => results.includes(name)) ? [] : [{ question, names, results }]
  })

test('every tool that a question expects is there', () => {
  const listed = entries.map(entry => entry.listed.name)
  const all = [
    ...[ownQuestions, furtherQuestions, thirdQuestions, fourthQuestions, unseenQuestions, lastQuestions],
    ...laterQuestions,
  ].flat()
  expect(all.flatMap(([, ...names]) => names).filter(name => !listed.includes(name))).toEqual([])
})

test.each([
  ['that the keywords were written with', ownQuestions],
  ['that came afterwards', furtherQuestions],
  ['with slips of the finger', thirdQuestions],
  ['that came last', fourthQuestions],
])('nineteen of twenty questions %s find their tool among the first three', (_, questions) => {
  expect(questions).toHaveLength(60)
  const missed = misses(questions)
  expect(missed.length > 3 ? missed : []).toEqual([])
})

test.each(laterQuestions.map((questions, nth) => ({ nth, questions })))(
  'nineteen of twenty questions of later set $nth find their tool among the first three',
  ({ questions }) => {
    expect(questions).toHaveLength(60)
    const missed = misses(questions)
    expect(missed.length > 3 ? missed : []).toEqual([])
  },
)

test('nineteen of twenty questions of the last set, which nothing was tuned with, find their tool', () => {
  expect(lastQuestions).toHaveLength(60)
  const missed = misses(lastQuestions)
  expect(missed.length > 3 ? missed : []).toEqual([])
})

test('nine of ten questions that nothing was tuned with find their tool among the first three', () => {
  const missed = misses(unseenQuestions)
  expect(missed.length > unseenQuestions.length / 10 ? missed : []).toEqual([])
})

test.each([
  ['who am I selling to? what am I selling', 'broker_my_listings'],
  ['sign up', 'broker_register_account'],
  ['is the page author named', 'data_url-metadata'],
])('%s: finds %s', (question, name) => {
  expect(findNames(question).slice(0, 3)).toContain(name)
})

test('a word put together of two is read as both, and a guess counts less than what is written', () => {
  expect(findNames('Gasgebühren gerade')[0]).toBe('data_gas-tracker')
  expect(findNames('domaindossier')).toContain('data_domain-report')
})

test('what says nothing finds nothing', () => {
  for (const question of ['', '?!', '🐈', 'qqqqxxxx']) expect(findNames(question)).toEqual([])
})

test('a question may be long, and is answered the same way each time', () => {
  const question = `${'lorem ipsum dolor '.repeat(15)}dns records`.slice(0, 300)
  expect(findNames(question)).toEqual(findNames(question))
  expect(findNames('dns records')[0]).toBe('data_dns-lookup')
})
