import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { choose, compileSkills } from '../../a2a-adapter/skills/choose.ts'
import { readWords } from '../../a2a-adapter/skills/words.ts'
import { services } from '../../app/services.ts'

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

describe.each(['built', 'measured', 'unseen'])('of the sentences of the set "%s"', set => {
  const results = load(set).map(row => ({ ...row, got: read(row.slug, row.sentence) }))

  test('none starts another operation, or one with values that it does not say', () => {
    expect(results.filter(({ got, expected }) => isWrong(got, expected))).toEqual([])
  })

  test('95 in a hundred are read in full', () => {
    const sizeOf = (value: Read) => Object.keys(value?.input ?? {}).length
    const missed = results.filter(
      ({ got, expected }) => got?.name !== expected?.name || sizeOf(got) !== sizeOf(expected),
    )
    expect(missed.length / results.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(0.05)
  })
})
