import { describe, expect, test } from 'vitest'
import { repair } from '../../../mcp/lib/json-repair/repair.ts'

const fixTypes = (text: string) => repair(text).fixes.map(({ type }) => type)
const warningCodes = (text: string) => repair(text).warnings.map(({ code }) => code)

describe.each<[what: string, text: string, value: unknown]>([
  ['a key without a value before another', '{"a", "b": 2}', { a: null, b: 2 }],
  ['a set of two', '{"a", "b"}', ['a', 'b']],
  ['thousands with a comma', '{"a": 1,000, "b": 2}', { a: '1,000', b: 2 }],
  ['thousands with a blank', '{"a": 10 000}', { a: '10 000' }],
  ['a number and a key of digits', '{"a": 1,200: 5}', { a: 1, 200: 5 }],
  ['a time of the day', '{"t": 10:30, "u": 23:59:59}', { t: '10:30', u: '23:59:59' }],
  ['unquoted keys', '{a: 1, $b_2: 2}', { a: 1, $b_2: 2 }],
  ['single quotes with an apostrophe inside', "{'a': 'it's ok', 'b': 'don't'}", { a: "it's ok", b: "don't" }],
  ['smart quotes', '{“a”: “b”, ‘c’: ‘d’}', { a: 'b', c: 'd' }],
  ['backticks', '{`a`: `b`}', { a: 'b' }],
  ['a trailing comma', '{"a": [1, 2,],}', { a: [1, 2] }],
  ['a missing comma', '{"a": "x" "b": [1 2 3]}', { a: 'x', b: [1, 2, 3] }],
  ['a missing comma at a line break', '{"a": "b"\n"c": "d"}', { a: 'b', c: 'd' }],
  ['doubled and leading commas', '[,1,,2]', [1, 2]],
  ['semicolons', '{"a": 1; "b": 2}', { a: 1, b: 2 }],
  ['a missing colon', '{"a" 1}', { a: 1 }],
  ['arrows and equal signs', '{"a" => 1, "b" = 2}', { a: 1, b: 2 }],
  ['a missing value', '{"a":, "b": 1}', { a: null, b: 1 }],
  ['comments of three kinds', '{/* x */"a": 1 // y\n,# z\n"b": 2}', { a: 1, b: 2 }],
  ['an ellipsis', '[1, 2, ...]', [1, 2]],
  ['Python literals', "{'a': True, 'b': None, 'c': (1, 2)}", { a: true, b: null, c: [1, 2] }],
  ['a Python set', "{'a', 'b'}", ['a', 'b']],
  ['Python string prefixes', "{u'a': b'c'}", { a: 'c' }],
  ['three quotes', '{"a": """x "y" z"""}', { a: 'x "y" z' }],
  ['JavaScript literals', '{"a": undefined, "b": NaN, "c": -Infinity}', { a: null, b: null, c: null }],
  ['joined strings', '{"a": "b" + "c"}', { a: 'bc' }],
  [
    'Mongo wrappers',
    '{"_id": ObjectId("ab"), "n": NumberLong(5), "d": ISODate("2020-01-01")}',
    { _id: 'ab', n: 5, d: '2020-01-01' },
  ],
  ['a constructor', '{"a": new Date("2020")}', { a: '2020' }],
  [
    'a call with several arguments',
    '{"d": datetime.datetime(2024, 1, 1), "x": 1}',
    { d: 'datetime.datetime(2024, 1, 1)', x: 1 },
  ],
  ['unquoted text', '{a: hello world, b: 2024-01-05 10:00}', { a: 'hello world', b: '2024-01-05 10:00' }],
  ['an unquoted URL', '{"u": http://x.y/z?a=1, "b": 2}', { u: 'http://x.y/z?a=1', b: 2 }],
  ['a number with a word', '{"a": 12 apples, "b": 5 }', { a: '12 apples', b: 5 }],
  ['numbers of other languages', '[007, 0x1F, .5, 5., +1, 1_000, 10n]', ['007', 31, 0.5, 5, 1, 1000, 10]],
  ['unescaped quotes', '{"a": "he said "hi" to me"}', { a: 'he said "hi" to me' }],
  ['an unescaped quote before a comma', '{"a": "he said "hi", and left"}', { a: 'he said "hi", and left' }],
  ['unescaped quotes with brackets', '{"a": "use {"x"} here", "b": 1}', { a: 'use {"x"} here', b: 1 }],
  ['a line break in a string', '{"a": "one\ntwo\tthree"}', { a: 'one\ntwo\tthree' }],
  ['escapes nobody knows', '{"a": "C:\\data\\x41\\u{1F600}\\\'"}', { a: "C:\\dataA😀'" }],
  ['a missing closing quote', '{"a": "foo, "b": 2}', { a: 'foo', b: 2 }],
  ['a missing closing quote at a line break', '{\n "a": "foo,\n "b": 2\n}', { a: 'foo', b: 2 }],
  ['a missing closing quote at the end', '{"list": ["a", "b", "c]}', { list: ['a', 'b', 'c'] }],
  ['a missing closing bracket', '{"a": [1, 2}', { a: [1, 2] }],
  ['a missing closing brace', '[{"a": 1]', [{ a: 1 }]],
  ['a missing brace between objects', '[{"a": 1, {"b": 2}]', [{ a: 1 }, { b: 2 }]],
  ['an array that a key ends', '{"a": [1, 2, "b": 3}', { a: [1, 2], b: 3 }],
  ['a wrong closing bracket', '{"a": 1]', { a: 1 }],
  ['keys in square brackets', '["a": 1, "b": 2]', { a: 1, b: 2 }],
  ['a missing brace in an array', '["a": 1, "b": "x"}]', [{ a: 1, b: 'x' }]],
  ['a missing brace in an inner array', '[["a": 1}], 2]', [[{ a: 1 }], 2]],
  ['a backtick that an apostrophe closes', '{`a`: `it is\', "b": 1}', { a: 'it is', b: 1 }],
  [
    'a quote and the rest of its sentence',
    '{"a": "see "this" for more. Then go.}',
    { a: 'see "this" for more. Then go.' },
  ],
  ['a quoted word before the closing quote', '["one, "two" ", "three"]', ['one, "two" ', 'three']],
  ['an unclosed string that is joined', '"one +\n "two"', 'onetwo'],
  ['a bracket too many', '{"a": 1}}', { a: 1 }],
  ['an object closed too early', '{"a": {"b": 1}}, "c": 2}', { a: { b: 1 }, c: 2 }],
  ['missing outer brackets', '"a": 1, "b": 2', { a: 1, b: 2 }],
  ['a missing opening bracket', '1, 2, 3]', [1, 2, 3]],
  ['text cut in a string', '{"text": "Hello, wor', { text: 'Hello, wor' }],
  ['text cut in a key', '{"a": 1, "b', { a: 1 }],
  ['text cut after a colon', '{"a": 1, "b":', { a: 1, b: null }],
  ['text cut in a literal', '[1, tr', [1, true]],
  ['text cut in a number', '{"a": 1.', { a: 1 }],
  ['a code fence in prose', 'Sure!\n```json\n{"a": 1}\n```\nHope it helps [see docs]', { a: 1 }],
  ['a code fence that a string runs into', '```json\n{"a": "foo\n```\nprose', { a: 'foo' }],
  ['prose around', 'Here you go: {"a": [1, 2]} Hope this "helps"', { a: [1, 2] }],
  ['a citation before it', 'According to [1], the JSON: {"a": 1}', { a: 1 }],
  ['JSONP', 'callback({"a": 1});', { a: 1 }],
  ['an assignment', 'const x = {"a": 1};', { a: 1 }],
  ['a guard against hijacking', ')]}\',\n{"a": 1}', { a: 1 }],
  ['one value a line', '{"a": 1}\n{"a": 2}\n{"a": 3}', [{ a: 1 }, { a: 2 }, { a: 3 }]],
  ['log lines', 'INFO {"a": 1}\nINFO {"b": 2}', [{ a: 1 }, { b: 2 }]],
  ['escaped JSON', '{\\"a\\": \\"b\\"}', { a: 'b' }],
  ['JSON in bare quotes', '"{"a": 1}"', { a: 1 }],
  ['a byte order mark', '\ufeff{"a": 1}', { a: 1 }],
  ['special whitespace', '{\u00a0"a":\u200b1}', { a: 1 }],
  ['a lone literal', 'None', null],
])('json-repair reads %s', (_, text, value) => {
  test(JSON.stringify(text), () => {
    const result = repair(text)
    expect(result).toMatchObject({ valid: false, repaired: true, result: value })
    expect(result.fix_count).toBeGreaterThan(0)
    expect(JSON.parse(result.json ?? '')).toEqual(value)
  })
})

describe('json-repair', () => {
  test('leaves valid JSON as it is', () => {
    const text = ' {"b": [1, 2.50, "\\u00e9"], "a": {}, "code": "```js\\nx\\n```"}\n'
    expect(repair(text)).toMatchObject({
      valid: true,
      repaired: false,
      json: text,
      fixes: [],
      fix_count: 0,
      confidence: 1,
    })
    expect(repair(text).result).toEqual(JSON.parse(text))
  })

  test('tells where each fix was made', () => {
    const { fixes } = repair('{\n  "a": 1,\n  b: 2,\n}')
    expect(fixes).toEqual([
      { type: 'unquoted-key', message: 'Quotes were put around a key.', offset: 14, line: 3, column: 3 },
      { type: 'trailing-comma', message: expect.any(String), offset: 18, line: 3, column: 7 },
    ])
  })

  test('gives places of escaped JSON in the text that was sent', () => {
    const text = '{\\"a\\": True}'
    const keyword = repair(text).fixes.find(({ type }) => type === 'keyword')
    expect(keyword?.offset).toBe(text.indexOf('True'))
  })

  test('keeps __proto__ as an ordinary key', () => {
    const { result } = repair('{"__proto__": {"x": 1},}')
    expect(Object.keys(result as object)).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  test('warns of duplicate keys and keeps the last', () => {
    const result = repair('{"a": 1, "a": 2}')
    expect(result).toMatchObject({ valid: true, result: { a: 2 }, data_loss: true })
    expect(result.warnings).toMatchObject([{ code: 'duplicate_key', offset: 9 }])
  })

  test('warns of digits that a number cannot hold', () => {
    const text = '{"n": 12345678901234567890, "ok": 9007199254740992}'
    expect(warningCodes(text)).toEqual(['precision'])
    expect(repair(text).json).toBe(text)
  })

  test('puts null for a number out of range', () => {
    expect(repair('[1e999]')).toMatchObject({ valid: true, result: [null], data_loss: true })
  })

  test('leaves a string that holds JSON and says so', () => {
    const text = JSON.stringify('{"a":1}')
    expect(repair(text)).toMatchObject({ valid: true, result: '{"a":1}', fix_count: 0 })
    expect(warningCodes(text)).toEqual(['nested_json'])
  })

  test.each([
    ['', 'empty'],
    [' \n', 'empty'],
    ['hello there', 'no_json'],
    ['I think { is a bracket', 'no_json'],
  ])('finds nothing in %j', (text, code) => {
    expect(repair(text)).toMatchObject({
      valid: false,
      repaired: false,
      result: null,
      json: null,
      confidence: 0,
    })
    expect(warningCodes(text)).toEqual([code])
  })

  test('says that a cut text has lost data, and that a comma has not', () => {
    expect(repair('{"a": "b').data_loss).toBe(true)
    expect(repair('{"a": "b",}').data_loss).toBe(false)
  })

  test('trusts a comma more than a guess about quotes, and that more than a cut', () => {
    const [comma, quote, cut] = ['[1,]', '["a "b" c"]', '["a'].map(text => repair(text).confidence)
    expect(comma).toBe(1)
    expect(quote).toBeLessThan(comma ?? 0)
    expect(cut).toBeLessThan(quote ?? 0)
  })

  test('names the fix for prose and fence', () => {
    expect(fixTypes('See:\n```json\n[1]\n```\nBye')).toEqual(['text-before', 'code-fence', 'text-after'])
  })
})
