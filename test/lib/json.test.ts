import { describe, expect, test } from 'vitest'
import { asList, asRecord, isRecord, parseJson, parseRecord } from '../../mcp/lib/json.ts'

describe('a record', () => {
  test.each([[{}], [{ a: 1 }], [Object.create(null)]])('is %j', value => {
    expect(isRecord(value)).toBe(true)
    expect(asRecord(value)).toBe(value)
  })

  test.each([[null], [undefined], [[]], [[{}]], ['{}'], [7], [true], [() => ({})]])('is not %j', value => {
    expect(isRecord(value)).toBe(false)
    expect(asRecord(value)).toEqual({})
  })
})

test('a list is what is one, else empty', () => {
  expect(asList([1, 2])).toEqual([1, 2])
  for (const value of [null, undefined, 'ab', { length: 2 }]) expect(asList(value)).toEqual([])
})

test.each([
  ['{"a":1}', { a: 1 }, { a: 1 }],
  ['[{}]', [{}], undefined],
  ['null', null, undefined],
  ['"{}"', '{}', undefined],
  ['{"a":', undefined, undefined],
  ['', undefined, undefined],
])('the text %j', (text, value, record) => {
  expect(parseJson(text)).toEqual(value)
  expect(parseRecord(text)).toEqual(record)
})
