import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { withJsonRead } from '../../mcp/kernel/pipeline/json-text.ts'

const schema = z.object({
  any: z.json().optional(),
  counts: z.record(z.string(), z.int()).optional(),
  list: z.array(z.object({ more: z.looseObject({}).nullish() })).optional(),
  either: z.union([z.string(), z.looseObject({})]).optional(),
  choice: z.union([z.array(z.int()), z.record(z.string(), z.int())]).optional(),
})

describe('JSON as text', () => {
  test.each<[string, object, object]>([
    ['an open object', { counts: ' {"a": 1}' }, { counts: { a: 1 } }],
    ['a list, and an open object in it', { list: '[{"more": "{}"}]' }, { list: [{ more: '{}' }] }],
    ['a field of an object in a list', { list: [{ more: '{"b": [2]}' }] }, { list: [{ more: { b: [2] } }] }],
    ['one of two that take no text', { choice: '[1]' }, { choice: [1] }],
  ])('is read where a field takes %s', (_, sent, read) => {
    expect(withJsonRead(schema, sent)).toEqual(read)
  })

  test.each<[string, object]>([
    ['the field takes text', { either: '{"a": 1}' }],
    ['the field takes any JSON', { any: '{"a": 1}' }],
    ['it is no JSON', { counts: '{"a": 1' }],
    ['it is deeper than a body may be', { counts: `{"a":${'['.repeat(101)}${']'.repeat(101)}}` }],
    ['it holds more values than a body may', { counts: `{"a":[${'1,'.repeat(40_000)}1]}` }],
    ['no schema knows the field', { other: '{}' }],
  ])('stays text where %s', (_, sent) => {
    expect(withJsonRead(schema, sent)).toBe(sent)
  })
})
