import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { choose, compileSkills } from '../../a2a-adapter/skills/choose.ts'
import { readAnswer, readWords } from '../../a2a-adapter/skills/words.ts'
import { services } from '../../app/services.ts'
import { threadSeconds } from '../processor-time.ts'

type Read = { name: string; input: Record<string, unknown> } | undefined

/** `service|sentence|operation|what is read of its input`, by hand from the descriptions of the operations; `-` starts nothing. */
const load = (name: string): { slug: string; sentence: string; expected: Read }[] =>
  readFileSync(new URL(`sentences/${name}.txt`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map(line => {
      const [slug = '', sentence = '', name = '', input = ''] = line.split('|')
      return { slug, sentence, expected: name === '-' ? undefined : { name, input: JSON.parse(input) } }
    })

const skills = new Map(services.map(service => [service.slug, compileSkills(service)]))

const read = (slug: string, sentence: string): Read => {
  const own = skills.get(slug)
  if (!own) throw new Error(`there is no service "${slug}"`)
  const message = { messageId: 'm', role: 'user', parts: [{ text: sentence }] } as const
  const choice = own.texts.silent ? readWords(own.grammar(), sentence) : choose(own, message, [])
  if ('nearest' in choice || ('refusal' in choice && choice.refusal)) return undefined
  return { name: choice.tool.name, input: choice.input }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Another operation, or a value that the sentence does not say. */
const isWrong = (got: Read, expected: Read): boolean =>
  got !== undefined &&
  (got.name !== expected?.name ||
    Object.entries(got.input).some(([field, value]) => !isSame(value, expected.input[field])))

/**
 * Sets of sentences, and the share of them that is read in full. The grammar was made with the first three; "fresh" and "asked" were written
 * beforehand in other words, and "traps" are negations, conditions, plain questions and two requests at once.
 */
const sets = { built: 0.95, measured: 0.95, unseen: 0.95, fresh: 0.65, asked: 0.55, traps: 1 }

describe.each(Object.entries(sets))('of the sentences of the set "%s"', (set, share) => {
  const results = load(set).map(row => ({ ...row, got: read(row.slug, row.sentence) }))

  test('none starts another operation, or one with values that it does not say', () => {
    expect(results.filter(({ got, expected }) => isWrong(got, expected))).toEqual([])
  })

  test(`${share * 100} in a hundred are read in full`, () => {
    const sizeOf = (value: Read) => Object.keys(value?.input ?? {}).length
    const missed = results.filter(
      ({ got, expected }) => got?.name !== expected?.name || sizeOf(got) !== sizeOf(expected),
    )
    expect(1 - missed.length / results.length, JSON.stringify(missed, null, 1)).toBeGreaterThanOrEqual(share)
  })
})

test('a text that is not read to its end starts nothing, and an answer stays whole', () => {
  const own = skills.get('cat')
  const pet = 'pet the cat'
  expect(read('cat', pet)?.name).toBe('pet')
  expect(read('cat', `${pet} ${'and then '.repeat(30)} do not`)).toBeUndefined()
  expect(read('cat', `${pet}${' '.repeat(5000)}, no`)).toBeUndefined()
  const tool = services.flatMap(({ tools }) => tools).find(({ name }) => name === 'json-repair')
  const text = `{a: "${'x '.repeat(5000)}"}`
  expect(own && tool && readAnswer(tool, text)).toEqual({ json: text })
})

// A second is a hundred times what they take; read token by token against every schema they took 2 to 20.
test.each(
  Object.entries({
    words: 'alpha '.repeat(660),
    values: 'review_1 '.repeat(440),
    brackets: `${'a={ '.repeat(300)}${'}'.repeat(2700)}`,
    blanks: `review${' '.repeat(3980)}b`,
    digits: `${'1'.repeat(3990)}.x`,
    length: 'review this '.repeat(100_000),
  }),
)('%s without end cost no second of processor time', (_, text) => {
  const before = threadSeconds()
  for (const own of skills.values()) readWords(own.grammar(), text)
  expect(threadSeconds() - before).toBeLessThan(1)
})
