import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { services } from '../../app/services.ts'
import { echo } from '../../mcp/kernel/echo.ts'
import type { ToolError } from '../../mcp/kernel/error.ts'
import { checkInput } from '../../mcp/kernel/pipeline/check.ts'

const shape = {
  name: z.string().optional(),
  hosts: z.array(z.string().max(10)).max(3).optional(),
  deep: z
    .object({ lists: z.array(z.array(z.int()).max(2)).max(4) })
    .nullish()
    .default(null),
  options: z.record(z.string(), z.int()).optional(),
}
const schema = z.object(shape).strict()

const refusal = (value: unknown): ToolError => {
  try {
    checkInput(schema, value)
  } catch (cause) {
    return cause as ToolError
  }
  throw new Error('the value is taken')
}

const strangers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`field${n}`, 1]))

describe('a refusal', () => {
  test('names each wrong field, known and unknown', () => {
    const { message, extra } = refusal({ name: 1, other: 2 })
    expect(extra.issues?.map(({ path }) => path).sort()).toEqual(['name', 'other'])
    expect(message).toContain('other: There is no such field.')
    expect(message).not.toContain('more')
  })

  test('says which object a field belongs in, only where it is missing from there', () => {
    expect(refusal({ lists: [] }).message).toBe('lists: There is no such field here; it belongs in deep.')
    expect(refusal({ deep: { lists: [] }, toString: 1, constructor: 1 }).message).not.toContain('belongs')
    expect(refusal({ ...strangers(100), lists: [] }).extra.issues?.[0]?.message).toBe(
      'There is no such field.',
    )
  })

  test('names the field that holds half a surrogate pair, in a text, a list, or a name within it', () => {
    const message = 'holds half a surrogate pair, which is no character'
    for (const [path, value] of Object.entries({
      name: 'cut \ud83d',
      hosts: ['a', '\udc00'],
      options: { 'a\ud83d': 1 },
    }))
      expect(refusal({ [path]: value }).extra.issues).toEqual([{ path, message }])
    expect(checkInput(schema, { name: 'whole \ud83d\ude00' })).toMatchObject({ name: 'whole 😀' })
  })

  test('lists twenty of ninety thousand unknown fields and counts the rest once', () => {
    const error = refusal({ name: 1, ...strangers(90_000) })
    expect(error.extra.issues).toHaveLength(20)
    expect(error.message.match(/and \d+ more/g)).toEqual(['and 89995 more'])
    expect(JSON.stringify(error.toProblem()).length).toBeLessThan(4_000)
  })

  test('puts only what it lists into words', () => {
    let checks = 0
    const counting = z.object({ all: z.array(z.int({ error: () => `wrong ${++checks}` })).max(900) }).strict()
    expect(() => checkInput(counting, { all: Array(900).fill('x') })).toThrow(/and 895 more/)
    expect(checks).toBe(20)
  })

  test('cuts long keys and takes control characters out of them', () => {
    const { message, extra } = refusal({ ['a'.repeat(100_000)]: 1, 'line\nbreak\u001b[31m\u202e': 2 })
    const [long = '', odd = ''] = (extra.issues ?? []).map(({ path }) => path)
    expect(long).toBe(`${'a'.repeat(64)}…`)
    expect(odd).toBe('line\ufffdbreak\ufffd[31m\ufffd')
    expect(message.length).toBeLessThan(300)
  })

  test('of a list that is too long does not look at its entries', () => {
    let checks = 0
    const entry = z.unknown().refine(() => ++checks > 0)
    const watching = z.object({ list: z.array(entry).max(3), map: z.record(z.string(), entry) }).strict()
    expect(() => checkInput(watching, { list: Array(400_000).fill(1), map: {} })).toThrow(
      /^list: .*at most 3/,
    )
    expect(() => checkInput(watching, { list: [], map: strangers(1_001) })).toThrow(/^map: .*at most 1000/)
    expect(checks).toBe(0)
    checkInput(watching, { list: [1, 2, 3], map: { a: 1 } })
    expect(checks).toBe(4)
  })

  test('finds the list that is too long wherever it lies', () => {
    expect(refusal({ deep: { lists: [[1], [1, 2, 3]] } }).extra.issues?.[0]?.path).toBe('deep.lists.1')
    expect(refusal({ hosts: ['a', 'b', 'c', 'd'] }).extra.issues?.[0]?.path).toBe('hosts')
  })

  test('is small for every tool, whatever it is sent', () => {
    const long = Array(20_000).fill({ x: 'y'.repeat(20) })
    for (const { input } of services.flatMap(({ tools }) => tools)) {
      const fields = Object.fromEntries(Object.keys(input.shape).map(name => [name, long]))
      try {
        checkInput(input, { ...strangers(1_000), ...fields })
        throw new Error('taken')
      } catch (cause) {
        const error = cause as ToolError
        expect(error.code).toBe('invalid_input')
        expect(JSON.stringify(error.toProblem()).length).toBeLessThan(8_000)
      }
    }
  })
})

test('a quote never ends within a pair and keeps plain words', () => {
  expect(echo('plain wörds ☕')).toBe('plain wörds ☕')
  expect(echo('😀😀', 3)).toBe('😀\ufffd…')
})
