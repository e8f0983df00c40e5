import { expect, test } from 'vitest'
import { z } from 'zod'
import { ToolError } from '../../mcp/kernel/error.ts'
import { checkToolInput } from '../../mcp/kernel/pipeline/check.ts'
import { free, tool } from '../../mcp/kernel/tool.ts'

const probe = tool({
  name: 'probe',
  title: 'Probe',
  description: 'Takes fields.',
  input: z.object({
    transaction_hash: z.string().length(4).optional(),
    max_tokens: z.int().optional(),
    inner: z.object({ limit: z.int(), payTo: z.int().optional() }).optional(),
    list: z.array(z.object({ max_age: z.int() })).optional(),
    either: z.union([z.string(), z.object({ kind: z.literal('a') })]).optional(),
    open: z.looseObject({ kind: z.string() }).optional(),
  }),
  aliases: { transaction_hash: ['hash', 'tx_id'], inner: ['part'] },
  output: z.object({}),
  needs: [],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  examples: [{}],
}).run(async () => ({}))

const refusal = (input: object) => {
  try {
    return checkToolInput(probe, input)
  } catch (error) {
    return error instanceof ToolError ? error.toProblem() : error
  }
}

test.each(['transaction_hash', 'transactionHash', 'transaction-hash', 'hash', 'tx_id', 'txId'])(
  'a field is known as %s',
  name => expect(checkToolInput(probe, { [name]: '0x12' })).toEqual({ transaction_hash: '0x12' }),
)

test.each([
  [{ txId: '0x' }, 'txId'],
  [{ maxTokens: 'many' }, 'maxTokens'],
  [{ part: { limit: 'x' } }, 'part.limit'],
  [{ max_tokens: 'many' }, 'max_tokens'],
  [{ maxToken: 1 }, 'maxToken'],
  [{ list: [{ maxAge: 'x' }] }, 'list.0.maxAge'],
  [{ inner: { limit: 1, limits: 2 } }, 'inner.limits'],
  [{ part: { limit: 1, limits: 2 } }, 'part.limits'],
  [{ list: [{ max_age: 1 }, { max_age: 1, age: 2 }] }, 'list.1.age'],
  [{ list: [{ max_age: 1, maxAge: 2 }] }, 'list.0.maxAge'],
  [{ either: { kind: 'a', b: 1 } }, 'either.b'],
])('what is wrong is named as it was sent: %j', (input, path) =>
  expect(refusal(input)).toMatchObject({ detail: expect.stringContaining(`${path}: `), issues: [{ path }] }),
)

test('fields within fields are taken in any case, too', () => {
  expect(checkToolInput(probe, { list: [{ max_age: 1, maxAge: 1 }], open: { kind: 'a', b: 1 } })).toEqual({
    list: [{ max_age: 1 }],
    open: { kind: 'a', b: 1 },
  })
  const list = [{ max_age: 1 }, { max_age: 2 }]
  expect(
    checkToolInput(probe, { list: [{ maxAge: 1 }, { 'max-age': 2 }], inner: { limit: 1, pay_to: 2 } }),
  ).toEqual({ list, inner: { limit: 1, payTo: 2 } })
})

test('one name is enough, and the same under two is no fault', () => {
  expect(refusal({ maxTokens: 1, max_tokens: 2 })).toMatchObject({
    issues: [{ path: 'max_tokens', message: 'send it under one name: maxTokens says something else' }],
  })
  expect(checkToolInput(probe, { maxTokens: 1, max_tokens: 1 })).toEqual({ max_tokens: 1 })
})
