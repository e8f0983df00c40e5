import { expect, test } from 'vitest'
import { checkAgainstSchema, findSchemaFault } from '../../mcp/lib/json-schema.ts'

const mismatch = (schema: object | boolean, value: unknown) => {
  expect(findSchemaFault(schema)).toBeUndefined()
  return checkAgainstSchema(schema as never, value)?.mismatch
}

test.each([
  [{ type: 'integer' }, 3, null],
  [{ type: 'integer' }, 3.5, 'the result is number, not integer'],
  [{ type: ['string', 'null'] }, null, null],
  [{ multipleOf: 0.1 }, 0.3, null],
  [{ multipleOf: 0.1 }, 0.35, 'the result is no multiple of 0.1'],
  [{ exclusiveMinimum: 0 }, 0, 'the result is not above 0'],
  [{ maxLength: 2 }, '👍👍', null],
  [{ minLength: 3 }, '👍👍', 'the result has fewer than 3 characters'],
  [{ enum: [{ a: 1, b: [2] }, 7] }, { b: [2], a: 1 }, null],
  [{ enum: [{ a: 1 }, 7] }, '7', 'the result is none of enum'],
  [{ const: null }, 0, 'the result is not the const'],
  [{ uniqueItems: true }, [{ a: 1 }, { a: 1 }], 'the result holds an item twice'],
  [{ contains: { const: 2 } }, [1, 2], null],
  [{ contains: { const: 2 } }, [1], 'the result holds no item that is asked for'],
  [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], 'the result.1 is not allowed'],
  [{ required: ['a'] }, {}, 'the result.a is missing'],
  [{ required: ['toString'] }, {}, 'the result.toString is missing'],
  [{ properties: { a: { minimum: 2 } } }, { a: 1 }, 'the result.a is below 2'],
  [{ additionalProperties: false, properties: { a: true } }, { b: 1 }, 'the result.b is not allowed'],
  [{ anyOf: [{ type: 'string' }, { minimum: 3 }] }, 2, 'the result matches none of anyOf'],
  [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, 'the result does not match exactly one of oneOf'],
  [{ not: { type: 'null' } }, null, 'the result is what it must not be'],
  [false, 1, 'the result is not allowed'],
] as const)('%j against %j', (schema, value, expected) => expect(mismatch(schema, value)).toBe(expected))

test.each([
  [{ pattern: '(a+)+$' }, 'holds pattern, which is not checked here'],
  [{ $ref: '#' }, 'holds $ref, which is not checked here'],
  [{ items: [{ type: 'string' }] }, 'holds something that is no schema'],
  [{ required: 'a' }, 'has no valid required'],
])('%j is refused', (schema, fault) => expect(findSchemaFault(schema)).toBe(fault))

const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))

test.each([
  ['a long enum over many items', { items: { enum: many(5000, at => at) } }, many(100_000, () => 4999)],
  [
    'many branches over many items',
    { items: { anyOf: [...many(400, () => ({ type: 'null' })), { type: 'integer' }] } },
    many(100_000, () => 1),
  ],
  [
    'a large value that is compared again and again',
    { anyOf: many(400, () => ({ const: {} })) },
    Object.fromEntries(many(100_000, at => [`a${at}`, at])),
  ],
])('%s: given up, and nobody knows', (_, schema, value) => {
  expect(findSchemaFault(schema)).toBeUndefined()
  expect(checkAgainstSchema(schema as never, value)).toBeUndefined()
})
