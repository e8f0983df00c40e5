import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { services } from '../../app/services.ts'
import { checkInput } from '../../mcp/kernel/pipeline/check.ts'

const schema = z
  .object({
    name: z.string(),
    word: z.string().optional(),
    kind: z.enum(['a', 'b']).optional(),
    limit: z.int().default(5),
    flag: z.boolean().optional(),
    since: z.iso.datetime().optional(),
    open: z.string().nullable().optional(),
    nothing: z.null().optional(),
    inner: z.object({ word: z.string().optional(), kind: z.enum(['a', 'b']).optional() }).optional(),
    list: z.array(z.object({ limit: z.int().optional() })).optional(),
    map: z.record(z.string(), z.object({ flag: z.boolean().optional() })).optional(),
    either: z.union([z.object({ kind: z.literal('x'), at: z.int().optional() }), z.string()]).optional(),
    step: z.preprocess(value => value, z.object({ limit: z.int().optional() })).optional(),
  })
  .strict()

const read = (value: object, onlyReads = false) => checkInput(schema, { name: 'n', ...value }, { onlyReads })

describe('an optional field that says nothing is absent', () => {
  test.each(['word', 'kind', 'limit', 'flag', 'since', 'inner', 'list', 'map', 'either', 'step'])(
    'null for %s',
    name => expect(read({ [name]: null })).toEqual({ name: 'n', limit: 5 }),
  )

  test.each(['kind', 'limit', 'flag', 'since', 'inner', 'list', 'map', 'step'])('empty text for %s', name =>
    expect(read({ [name]: '' })).toEqual({ name: 'n', limit: 5 }),
  )

  test('also inside of objects, lists, maps and alternatives', () => {
    const value = {
      inner: { word: null, kind: '' },
      list: [{ limit: null }, { limit: 2 }],
      map: { one: { flag: '' } },
      either: { kind: 'x', at: null },
      step: { limit: null },
    }
    const before = structuredClone(value)
    expect(read(value)).toEqual({
      name: 'n',
      limit: 5,
      inner: {},
      list: [{}, { limit: 2 }],
      map: { one: {} },
      either: { kind: 'x' },
      step: {},
    })
    expect(value).toEqual(before)
  })

  test('null stays where the schema takes it', () =>
    expect(read({ open: null, nothing: null })).toEqual({ name: 'n', limit: 5, open: null, nothing: null }))

  test('empty text that a field takes stays, unless it filters what a tool only reads', () => {
    expect(read({ word: '' })).toMatchObject({ word: '' })
    expect(read({ word: '', inner: { word: '' } }, true)).toEqual({ name: 'n', limit: 5, inner: {} })
  })
})

describe('what must be there is refused by name', () => {
  test.each([null, undefined])('%s for a required field', value =>
    expect(() => checkInput(schema, { name: value })).toThrow(/name/),
  )
  test('a field that there is not, whatever it says', () =>
    expect(() => read({ strange: null })).toThrow(/strange/))
  test('a value that is wrong and not empty', () => expect(() => read({ kind: ' ' })).toThrow(/kind/))
})

describe('every tool of the eight services', () => {
  const tools = services.flatMap(({ slug, tools }) =>
    tools.map(tool => ({ name: `${slug}.${tool.name}`, tool })),
  )
  test.each(tools)('$name takes null for each optional field', ({ tool }) => {
    const [example] = tool.examples
    const optional = Object.entries(tool.input.shape as Record<string, z.ZodType>).filter(
      ([name, field]) => !(name in example) && field._zod.optin !== undefined,
    )
    const nulls = Object.fromEntries(optional.map(([name]) => [name, null]))
    const parsed = checkInput(tool.input, { ...example, ...nulls })
    expect(Object.keys(parsed)).toEqual(expect.arrayContaining(Object.keys(checkInput(tool.input, example))))
  })
})
