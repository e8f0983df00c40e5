import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseLenientJson, repair } from '../../../mcp/lib/json-repair/repair.ts'
import { runs } from '../../stress.ts'

/** A decision about a quote looks ahead four times at most, 128 characters each time. */
const maxSteps = (text: string) => 1000 + text.length * 4 * 128

const size = 20_000
const fill = (unit: string, length = size) => unit.repeat(Math.ceil(length / unit.length))

const hostile = [
  '" , «',
  '" «',
  '[',
  '{',
  '"',
  "'",
  '(',
  '}',
  '\\"',
  '{\\"',
  '",',
  '"\n',
  '" ',
  '","',
  '"a"+',
  '["a" b',
  'a" b ',
  '/*',
  '//',
  '#\n',
  '```',
  '```json\n{"',
  '```json\n{"a":"x\n```\n',
  'a(',
  'Date(',
  '{"a":',
  '["a":',
  '{"a":[1,"a":',
  '{"a"',
  '{"a"}',
  '{}x',
  '{a',
  '{a b',
  '"""',
  "u'",
  '...',
  '\u200b',
  '\u2028',
  '{"a":"x}',
  '{"a":"x",\n',
  '{"a":"x\n"b":',
  ' word {',
  ': ',
  '1 ',
  '-',
  '0x',
  '1e',
  'tru ',
  '{"a": "b" c ',
  ']}',
  '[}',
  '{]',
  '\\',
  '\\u',
  '[1,',
  '"}',
  '"}x',
  '\ud800',
  '{"a":1 b',
  '#}',
  '//]',
  '{"a":1 //}',
  '""a"":',
  '"""a',
  '{a "b ',
  'a "b": ',
  'word{a}',
  'a{b{',
  'null"',
  '1"',
  '},1',
  '"}\n',
  '"]`',
  '/**/"',
  '{"a":[],[1],',
]

describe('json-repair on hostile text', () => {
  test.each(hostile)(
    'takes twice the steps for twice as much of %j',
    unit => {
      for (const before of ['', '["', '{"a": ', '{"a": "']) {
        const text = before + fill(unit)
        const { steps, json } = repair(text)
        expect(steps).toBeLessThan(maxSteps(text))
        expect(repair(before + fill(unit, 2 * size)).steps).toBeLessThan(2.2 * steps + 1000)
        if (json !== null) JSON.parse(json)
      }
    },
    20_000,
  )

  test('drops what is nested deeper than 500 levels, also in valid JSON', () => {
    const text = `${'['.repeat(5000)}1${']'.repeat(5000)}`
    const result = repair(text)
    expect(result).toMatchObject({ valid: true, repaired: true, data_loss: true })
    expect(JSON.stringify(result.result)).toBe(`${'['.repeat(500)}null${']'.repeat(500)}`)
  })

  test('reads a long key again once, not once for every array around it', () => {
    const text = `${'[1,'.repeat(400)}"${'k'.repeat(size)}": 1`
    expect(repair(text).steps).toBeLessThan(text.length * 5)
  })

  test('keeps 500 levels', () => {
    const text = `${'['.repeat(500)}${']'.repeat(500)}`
    expect(repair(text)).toMatchObject({ valid: true, fix_count: 0, json: text })
  })

  test('lists 1,000 fixes and counts them all', () => {
    const { fixes, fix_count: fixCount } = repair(`[${"'a',".repeat(5000)}]`)
    expect(fixes).toHaveLength(1000)
    expect(fixCount).toBe(5001)
  })
})

const pieces = fc.constantFrom(
  ...'{}[](),:;"\'`\\/#+-. \n\t01e“”',
  ...[
    'true',
    'None',
    'nul',
    'abc',
    '```',
    '/*',
    '*/',
    '//',
    '...',
    '"a":',
    '\\"',
    '\\u00',
    '\ufeff',
    'Date(',
    '"""',
    '12',
    '😀',
  ],
)
const mess = fc.array(pieces, { maxLength: 60 }).map(parts => parts.join(''))

describe('json-repair, for any text', () => {
  test('never throws, and its JSON is its result', () => {
    fc.assert(
      fc.property(fc.oneof(mess, fc.string({ unit: 'binary' })), text => {
        const { json, result, repaired, valid, steps } = repair(text)
        expect(steps).toBeLessThan(maxSteps(text))
        expect(json !== null).toBe(repaired || valid)
        if (json !== null && !valid) expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(result)))
      }),
      { numRuns: runs(3000) },
    )
  })

  test('the lenient reader reads valid JSON as JSON.parse does, without a fix', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.integer({ min: 0, max: 3 }), (compact, indent) => {
        const text = JSON.stringify(JSON.parse(compact), null, indent)
        const { cursor, value } = parseLenientJson(text)
        expect(cursor.fixes).toEqual([])
        expect(value).toEqual(JSON.parse(text))
      }),
      { numRuns: runs(2000) },
    )
  })

  test('the lenient reader reads strings of quotes, brackets and commas without a fix when they are escaped', () => {
    const word = fc.array(pieces, { maxLength: 8 }).map(parts => parts.join(''))
    const value = fc.oneof(
      fc.dictionary(word, word),
      fc.array(word),
      fc.array(fc.dictionary(word, fc.array(word))),
    )
    fc.assert(
      fc.property(value, value => {
        const { cursor, value: result } = parseLenientJson(JSON.stringify(value))
        expect(cursor.fixes).toEqual([])
        expect(result).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: runs(2000) },
    )
  })

  test.each(['"["', '"```{"', '"{}"', '"{\'a\': 1}"', '"[1]"', '"```"', '"a\\\\"', '" {\\"a\\": 1} "'])(
    'the lenient reader reads the lone string %s without a fix',
    text => {
      const { cursor, value } = parseLenientJson(text)
      expect(cursor.fixes).toEqual([])
      expect(value).toBe(JSON.parse(text))
    },
  )

  test('every beginning of a JSON text keeps the values before the cut', () => {
    const whole = '{"a": [1, "two", {"b": null}], "c": "text, with {brackets}", "d": true}'
    for (let length = 1; length < whole.length; length++) {
      const { result } = repair(whole.slice(0, length))
      if (length > 15) expect((result as { a: unknown[] }).a.slice(0, 2)).toEqual([1, 'two'])
    }
  })
})
