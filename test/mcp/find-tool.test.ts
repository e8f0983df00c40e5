import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { buildCatalogue } from '../../mcp/server/catalogue.ts'
import { openSearch } from '../../mcp/server/search.ts'

/** A question, and the tools of which each answers it. */
type Question = { query: string; tools: readonly string[] }

const { entries } = buildCatalogue(services)
const search = openSearch(entries)

const findNames = (question: string): string[] => search(question).map(({ listed }) => listed.name)

const readQuestions = (name: string): Question[] =>
  readFileSync(new URL(`./questions/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Question)

/**
 * `seen` was measured while keywords and weights were chosen, `unseen` was written aside and measured once they stood. `older` is
 * what people typed, in few words and many moods, when each tool had up to fifty keywords.
 */
test.each([
  ['seen', 167, 0.95],
  ['unseen', 146, 0.95],
  ['older', 587, 0.89],
] as const)('the questions that are %s find their tool among the first three', (name, count, share) => {
  const questions = readQuestions(name)
  expect(questions).toHaveLength(count)
  const listed = new Set(entries.map(entry => entry.listed.name))
  expect(questions.flatMap(({ tools }) => tools).filter(tool => !listed.has(tool))).toEqual([])
  const missed = questions.flatMap(({ query, tools }) => {
    const results = findNames(query).slice(0, 3)
    return tools.some(tool => results.includes(tool)) ? [] : [{ query, tools, results }]
  })
  expect(missed.length > count * (1 - share) ? missed : []).toEqual([])
})

test('a slip of the finger is read as the nearest word, which counts less than what is written', () => {
  expect(findNames('whois lokup')[0]).toBe('data_whois-rdap')
  expect(findNames('validte email adress').slice(0, 3)).toContain('data_verify-email')
})

test.each([
  ['prove that I deleted a record', 'proof_prove'],
  ['prove a deletion', 'proof_prove'],
  ['remember a note for later', 'proof_memory_store'],
  ['pick the best candidate for my job', 'tasks_assign_worker'],
  ['look at submitted work', 'tasks_get_submission'],
  ['review submitted work and pay the worker', 'tasks_approve_submission'],
  ['how long do jobs usually take', 'tasks_task_analytics'],
  ['how fast are tasks done', 'tasks_task_analytics'],
])(
  'an act is found by its noun and its verb alike, and how long asks for a duration: %s',
  (question, tool) => {
    expect(findNames(question).slice(0, 3)).toContain(tool)
  },
)

test('two words of a name may be written as one', () => {
  expect(findNames('dnslookup example.com')[0]).toBe('data_dns-lookup')
  expect(findNames('ipgeo')[0]).toBe('data_ip-geo')
})

test('a value is read as what it is', () => {
  expect(findNames('ada@example.com').slice(0, 3)).toContain('data_verify-email')
  expect(findNames('where is 192.0.2.7').slice(0, 3)).toContain('data_ip-geo')
})

test('what says nothing finds nothing', () => {
  for (const question of ['', '?!', '🐈', 'qqqqxxxx']) expect(findNames(question)).toEqual([])
})

test('a question may be long, and is answered the same way each time', () => {
  const question = `${'lorem ipsum dolor '.repeat(15)}dns records`.slice(0, 300)
  expect(findNames(question)).toEqual(findNames(question))
  expect(findNames('dns records')[0]).toBe('data_dns-lookup')
})
