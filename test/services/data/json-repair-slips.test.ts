import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repair } from '../../../mcp/lib/json-repair/repair.ts'
import jsonRepair from '../../../mcp/services/data/json-repair.ts'
import { runs } from '../../stress.ts'
import { startData } from './run.ts'

const typesOf = (text: string) => repair(text).fixes.map(({ type }) => type)

describe.each<[what: string, text: string, value: unknown]>([
  ['a code with a leading zero as text', '{zip: 01067, n: 0.5}', { zip: '01067', n: 0.5 }],
  ['a quote after a number', '{"a": 12", "b": 3}', { a: 12, b: 3 }],
  ['a quote after a literal', '{"a": true", "b": null"}', { a: true, b: null }],
  ['a value without its opening quote', '{"a": x \\"y\\" z", "b": 1}', { a: 'x "y" z', b: 1 }],
  [
    'a key without its opening quote',
    '{"a": "x", b": "y", first name": "z"}',
    { a: 'x', b: 'y', 'first name': 'z' },
  ],
  ['a key that swallowed its colon', '{"city:"Oslo", "n": 1}', { city: 'Oslo', n: 1 }],
  [
    'a missing colon before any kind of value',
    '{"a""x","b"[1],"c"{"d" 2},"e" true}',
    { a: 'x', b: [1], c: { d: 2 }, e: true },
  ],
  ['a missing colon after a bare key', "{name 'Ada'}", { name: 'Ada' }],
  ['quotes written twice', '{""a"": ""x"", "b": ""y"}', { a: 'x', b: 'y' }],
  ['an empty string before a missing comma', '{"a":"""b":1}', { a: '', b: 1 }],
  ['quotes at the end of a string', '["she said "no"", "and left"]', ['she said "no"', 'and left']],
  ['a bracket at the end of an inner quote', '["say "[hi]" now", 2]', ['say "[hi]" now', 2]],
  ['a brace at the end of an inner quote', '{"a": "x "y}" z", "b": 1}', { a: 'x "y}" z', b: 1 }],
  ['a bracket between two quotes', '["a"]", "b"]', ['a"]', 'b']],
  ['words before a key', '{"a": 1, NOTE "b": 2}', { a: 1, b: 2 }],
  ['words after the last value', '{"a": "x", "b": "y" done}', { a: 'x', b: 'y' }],
  ['arrays in a row under one key', '{"a": [1], [2, 3], "b": 4}', { a: [1, 2, 3], b: 4 }],
  ['a bracket too many inside an array', '[{"a": 1}}, {"b": 2}]', [{ a: 1 }, { b: 2 }]],
  ['a number before a missing brace', '[{"a": 1{"a": 2}]', [{ a: 1 }, { a: 2 }]],
  ['brackets of lines after an open string', '{"a": ["x\n]\n}', { a: ['x'] }],
  ['a fence after an open string', '{"a": "x}```', { a: 'x' }],
  ['a comment before the next string', '["x, /* y */ "z"]', ['x', 'z']],
  ['a comment in the only line', '{"a": {"b": 1 // c }, "d": 2}', { a: { b: 1 }, d: 2 }],
  ['braces that belong to bare text', '{a: words{in braces}more, b: 1}', { a: 'words{in braces}more', b: 1 }],
  ['a call around one value', 'callback("x");', 'x'],
  ['an escaped string', '\\"it \\\\"works\\\\"\\"', 'it "works"'],
  ['text cut inside an escape', '{"a": "x\\u00', { a: 'x' }],
  ['text cut after a key', '{"a": 1, "b"', { a: 1, b: null }],
  ['a tuple in a fence', 'So:\n```python\n(1, 2)\n```', [1, 2]],
  ['JSON after a numbered line', '(1) As you asked:\n```json\n{"a": 1}\n```', { a: 1 }],
  ['fences inside an array', '[```json\n{"a": 1}\n```, ```json\n{"b": 2}\n```]', [{ a: 1 }, { b: 2 }]],
  [
    'a fence inside an object',
    '{"list": [```json {"a": [1, 2]}```], "n": 3}',
    { list: [{ a: [1, 2] }], n: 3 },
  ],
  ['a fence inside a fence', '```json\n{"a": ```json\n[1]\n```}\n```', { a: [1] }],
  ['a missing quote before a colon', '{"a: 1, "b": 2}', { a: 1, b: 2 }],
  ['a missing quote before the only colon', '{"key:value}', { key: 'value' }],
  ['a missing quote before a colon and a list', '{"a: [1, 2], "b": 3}', { a: [1, 2], b: 3 }],
  ['a missing opening quote before commas', '{"a": one, two.", "b": 1}', { a: 'one, two.', b: 1 }],
  ['JSON inside a string', '{"a": "{"b": [1, "x"]}", "c": 2}', { a: { b: [1, 'x'] }, c: 2 }],
  ['JSON in a fence inside a string', '{"a": "```json {"b": [{"c": 1}]}```"}', { a: { b: [{ c: 1 }] } }],
  ['quotes inside a key', '{"k"e"y": "value"}', { 'k"e"y': 'value' }],
  ['an object that goes on with an empty key', '{"a": 1}, "": 2}', { a: 1, '': 2 }],
])('json-repair reads %s', (_, text, value) => {
  test(JSON.stringify(text), () => {
    const repaired = repair(text)
    expect(repaired).toMatchObject({ valid: false, repaired: true })
    expect(repaired.result).toEqual(value)
    expect(repaired.fix_count).toBeGreaterThan(0)
  })
})

test.each([
  'Here is {"a": 1}',
  '{"a": 1} and more',
  '{"a": [1, 2}, 3]',
  '{"a": ]5}',
  'One {"a": 1} two {"b": 2} three',
  'Sure:\n```json\n{"a": 1}\n```\nBye.',
  '{"a": 1, NOTE "b": 2}',
])('json-repair tells of a loss where text is dropped: %s', text => {
  expect(repair(text).data_loss).toBe(true)
})

test.each([
  '["hello, world]',
  '{"a": "first, b: "second"}',
  '{"a": "first, "b: "second", "c": 3}',
  '{"a": [1, "x "y"] z"]}',
])('json-repair doubts a string that may have swallowed its neighbours: %s', text => {
  const { result, data_loss: dataLoss, confidence } = repair(text)
  expect({ result, data_loss: dataLoss, isLow: confidence <= 0.5 }).toMatchObject({
    data_loss: true,
    isLow: true,
  })
})

test.each([
  '["say "hi" to him"]',
  '{"a": "it is "so" they say", "b": 1}',
  '{"a": "x}',
  '```json\n{"a": 1}\n```',
  '[```json {"a": 1}```]',
  '{"a": 1}}]',
  'f({"a": 1});',
  "{'a': 1,} // x",
])('json-repair tells of no loss where only marks are dropped: %s', text => {
  expect(repair(text).data_loss).toBe(false)
})

test('json-repair says that dropped words may be a loss, and a dropped quote is none', () => {
  expect(typesOf('{"a": 1, NOTE "b": 2}')).toEqual(['stray-text'])
  expect(repair('{"a": 1, NOTE "b": 2}').data_loss).toBe(true)
  expect(typesOf('{"a": 12", "b": 3}')).toEqual(['stray-quote'])
  expect(repair('{"a": 12", "b": 3}').data_loss).toBe(false)
})

describe('json-repair gives back any document after one slip', () => {
  const word = fc.constantFrom(
    'Oslo',
    'a, b and c',
    'it is 5',
    'x: y',
    'see (3)',
    '{x}',
    '[1]',
    '',
    'Ünïcode 😀',
    '100%',
  )
  const text = fc.oneof(word, fc.constantFrom('say "hi"', 'C:\\temp', 'one\ntwo'))
  const key = fc.constantFrom('name', 'age', 'tags', 'first name', 'id', 'url')
  const documents = (leaf: fc.Arbitrary<unknown>) =>
    fc.letrec(tie => ({
      value: fc.oneof({ maxDepth: 3, withCrossShrink: true }, leaf, tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 4 }),
      object: fc.dictionary(key, tie('value'), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
    })).object
  const number = fc.constantFrom(0, 1, 42, -3.5, 1e10)
  const any = fc.oneof(text, number, fc.constantFrom(true, false, null))
  const plain = fc.oneof(word, number, fc.constantFrom(true, false, null))
  const indent = fc.constantFrom(0, 2)

  const slips: readonly [string, fc.Arbitrary<unknown>, (json: string) => string][] = [
    ['quotes that are not escaped', any, json => json.replaceAll('\\"', '"')],
    ['line breaks that are not escaped', any, json => json.replaceAll('\\n', '\n')],
    ['keys without quotes', any, json => json.replace(/"([a-z]+)":/g, '$1:')],
    ['single quotes', plain, json => json.replaceAll('"', "'")],
    ['smart quotes', plain, json => json.replace(/"([^"]*)"/g, '“$1”')],
    [
      'commas before closing brackets',
      plain,
      json => json.replace(/(?<=["\d\]}el])(\s*[\]}])(?=[^"]*(?:"[^"]*"[^"]*)*$)/g, ',$1'),
    ],
    ['no commas at the ends of lines', plain, json => json.replace(/,\n/g, '\n')],
    [
      'prose and a fence around it',
      any,
      json => `Here [as asked]:\n\`\`\`json\n${json}\n\`\`\`\nIt is {done}.`,
    ],
    ['a function around it', any, json => `load(${json});`],
    ['a comment above and below', any, json => `/* a */ ${json} // b`],
  ]

  test.each(slips)('%s', (_what, leaf, damage) => {
    fc.assert(
      fc.property(documents(leaf), indent, (value, spaces) => {
        const json = JSON.stringify(value, null, spaces)
        expect(repair(damage(json)).result, damage(json)).toEqual(JSON.parse(json))
      }),
      { numRuns: runs(400) },
    )
  })
})

describe('a long text', () => {
  let data: Awaited<ReturnType<typeof startData>>
  beforeAll(async () => {
    data = await startData()
  })
  afterAll(() => data.stop())

  const row = (nth: number) =>
    `{id: ${nth}, 'name': 'Item ${nth}', "tags": ["a" "b",], on: True, "__proto__": {"x": ${nth}}, note: "she said "hi" to me",}`

  test('is read in a worker, with the same answer', async () => {
    const json = `[${Array.from({ length: 3000 }, (_, nth) => row(nth)).join('\n')}`
    const { steps, warning_count: warningCount, ...expected } = repair(json)
    const answer = await data.ask('json-repair', { json })
    expect(answer).toMatchObject({ json: expected.json, fix_count: expected.fix_count, truncated: true })
    const result = (answer as { result: Record<string, unknown>[] }).result
    expect(result).toEqual(expected.result)
    expect(Object.keys(result[7] ?? {})).toContain('__proto__')
  })

  test('of nothing but open brackets is read too', async () => {
    expect(await data.ask('json-repair', { json: '[{'.repeat(100_000) })).toMatchObject({
      valid: false,
      repaired: true,
      data_loss: true,
    })
  })

  test('gives its entities with their places', async () => {
    const text = `${'word '.repeat(10_000)}ada@example.com`
    expect(await data.ask('text-entities', { text })).toMatchObject({
      emails: [{ email: 'ada@example.com', start: 50_000, end: 50_015 }],
      count: 1,
    })
  })
})

test('json-repair lists the first 20 fixes, and all with verbose', async () => {
  const json = `[${'{a: 1}, '.repeat(60)}`
  const run = async (verbose: boolean) =>
    (await jsonRepair.run({ clock: { now: () => new Date(0) } } as never, { json, verbose })) as {
      fixes: unknown[]
      fix_count: number
      truncated: boolean
    }
  const [short, whole] = [await run(false), await run(true)]
  expect(short).toMatchObject({ truncated: true, fix_count: whole.fix_count })
  expect(short.fixes).toEqual(whole.fixes.slice(0, 20))
  expect(whole).toMatchObject({ truncated: false })
  expect(whole.fixes).toHaveLength(whole.fix_count)
})
