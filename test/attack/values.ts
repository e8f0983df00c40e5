import fc from 'fast-check'

export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
}

/** Text that programs stumble over: by its letters, by its length, or by what it means to somebody. */
export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\u{e0041}\u{e0042}\u{e007f}',
  '\u202e\u2066abc\u2069',
  'e\u0301'.repeat(200),
  '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}',
  '\ufeff',
  '\r\nSet-Cookie: a=b',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../../../../etc/passwd',
  '%2e%2e%2f',
  'file:///etc/passwd',
  'http://127.0.0.1:1/',
  'http://[::1]:1/',
  'http://[::ffff:127.0.0.1]/',
  'http://0x7f.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://192.0.2.1:0/',
  'http://user:secret@198.51.100.7/',
  'http://a..b/',
  `http://${'a.'.repeat(200)}invalid/`,
  'javascript:alert(1)',
  'data:text/html,<script>1</script>',
  '<script>alert(1)</script>',
  '{{7*7}}$'.concat('{7*7}'),
  "' OR 1=1 --",
  '-0',
  '1e999',
  'NaN',
  '9'.repeat(400),
  '2026-02-30T25:61:61Z',
  '+275760-09-13T00:00:00.001Z',
  'xn--',
  'xn--a-ecp.ru',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(126)}a`,
  '0x',
  `0x${'f'.repeat(64)}`,
  `0x${'0'.repeat(40)}`,
  '((((((((((a+)+)+)+)+)+)+)+)+)+)!',
  'a'.repeat(70_000),
  'ab '.repeat(30_000),
  '[['.repeat(5000),
]

const nest = (depth: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = wrap(value)
  return value
}

const hostileThings: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  -(2 ** 63),
  1e308,
  [],
  {},
  [[]],
  [null],
  { a: null },
  { length: 1e9 },
  { toString: null },
  JSON.parse('{"then":1}'),
  { toJSON: 'x' },
  nest(70, inner => [inner]),
  nest(3000, inner => ({ a: inner })),
  Array.from({ length: 2000 }, (_, at) => at),
  Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`k${at}`, at])),
]

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 2, arbitrary: fc.string({ maxLength: 60, unit: 'binary' }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 300, unit: 'grapheme' }) },
)

export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.constantFrom(...hostileThings),
  fc.jsonValue({ maxDepth: 4 }),
)

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  email: fc.constantFrom('ada@example.com', 'a@b.invalid', 'ada@xn--a.invalid'),
  uri: fc.constantFrom('https://example.com/', 'http://shop.invalid/a?b=c#d', 'http://192.0.2.7/'),
  'date-time': fc.constantFrom('2026-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'),
}

const words = fc.constantFrom(
  'example.com',
  'shop.invalid',
  'https://example.com/',
  'base',
  'GPTBot',
  '192.0.2.1',
  '2001:db8::1',
  `0x${'1'.repeat(40)}`,
  `0x${'a'.repeat(64)}`,
  'BE0403170701',
  'Ada',
  '1',
)

const matching = (pattern: string): fc.Arbitrary<string> | undefined => {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' })
  } catch {
    return undefined
  }
}

const textFor = ({ pattern, format, minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<string> => {
  if (format !== undefined && formats[format]) return formats[format]
  const matches = pattern === undefined ? undefined : matching(pattern)
  if (matches) return fc.oneof(matches, words)
  const lengths = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, 200)) }
  return fc.oneof(words, fc.string({ ...lengths, unit: 'grapheme' }))
}

const numberFor = ({ minimum, maximum }: Schema, isWhole: boolean): fc.Arbitrary<number> => {
  const min = Math.max(minimum ?? -10, -1e9)
  const max = Math.max(min, Math.min(maximum ?? 1000, 1e9))
  return isWhole
    ? fc.integer({ min: Math.ceil(min), max: Math.max(Math.ceil(min), Math.floor(max)) })
    : fc.double({ min, max, noNaN: true })
}

export type Resolve = (ref: string) => Schema

/** Values that a schema mostly allows; past a depth of six anything. */
export const fitting = (schema: Schema, resolve: Resolve, depth = 0): fc.Arbitrary<unknown> => {
  if (depth > 6) return fc.constant(null)
  const deeper = (inner: Schema) => fitting(inner, resolve, depth + 1)
  if (schema.$ref !== undefined) return deeper(resolve(schema.$ref))
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum && schema.enum.length > 0) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices && choices.length > 0) return fc.oneof(...choices.map(deeper))
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object' || schema.properties) {
    const fields = Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, deeper(inner)])
    const requiredKeys = (schema.required ?? []).filter(name => schema.properties?.[name])
    return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys })
  }
  if (type === 'array') return fc.array(deeper(schema.items ?? {}), { maxLength: 4 })
  if (type === 'string') return textFor(schema)
  if (type === 'integer' || type === 'number') return numberFor(schema, type === 'integer')
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  return fc.jsonValue({ maxDepth: 2 })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const replaceAt = (value: unknown, at: number, put: unknown): unknown => {
  if (!isObject(value)) return put
  const names = Object.keys(value)
  const name = names[at % Math.max(1, names.length)]
  if (name === undefined) return { [(JSON.stringify(put) ?? '').slice(0, 20)]: put }
  const inner = value[name]
  return { ...value, [name]: isObject(inner) && at % 3 === 0 ? replaceAt(inner, at >> 2, put) : put }
}

/** A value with one thing wrong: a field of another kind, one too many, or one too few. */
export const spoilt = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(value, fc.nat(40), hostile, fc.nat(9)).map(([good, at, bad, way]) => {
    if (!isObject(good) || way > 7) return bad
    if (way > 5) return { ...good, [typeof bad === 'string' ? bad.slice(0, 50) : 'extra']: bad }
    if (way > 4) return Object.fromEntries(Object.entries(good).filter((_, index) => index !== at % 3))
    return replaceAt(good, at, bad)
  })

/** JSON text of a value, and what of it breaks on its way: bytes, not values. */
export const bodyText: (value: fc.Arbitrary<unknown>) => fc.Arbitrary<Buffer> = value =>
  fc.tuple(value, fc.nat(39), fc.nat(10_000)).map(([whole, way, at]) => {
    const json = JSON.stringify(whole) ?? 'null'
    const cutAt = at % Math.max(1, json.length)
    const bytes = Buffer.from(json)
    if (way === 0) return bytes.subarray(0, cutAt)
    if (way === 1) return Buffer.concat([bytes, Buffer.from('}]garbage')])
    if (way === 2)
      return Buffer.concat([bytes.subarray(0, cutAt), Buffer.from([0xff, 0xc0, 0x80]), bytes.subarray(cutAt)])
    if (way === 3) return Buffer.from(`\ufeff${json}`)
    if (way === 4)
      return Buffer.from(
        json.replace('{', '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}},'),
      )
    if (way === 5) return Buffer.from(json.replace(/^\{("(?:[^"\\]|\\.)*"):/, '{$1:1,$1:'))
    if (way === 6) return Buffer.from('['.repeat(200_000))
    if (way === 7) return Buffer.from(`{"a":${'9'.repeat(5000)}e${at}}`)
    if (way === 8) return Buffer.from(json, 'utf16le')
    if (way === 9) return Buffer.from(`// comment\n${json},`)
    if (way === 10) return Buffer.from(`{"a":"${'x'.repeat(1_100_000)}"}`)
    return bytes
  })
