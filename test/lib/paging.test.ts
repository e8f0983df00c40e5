import { expect, test } from 'vitest'
import { z } from 'zod'
import { nextCursor, pageInput, pageQuery } from '../../mcp/lib/paging.ts'

const Input = z.object(pageInput('Things', { max: 50, preset: 10 }))

test('a page has the usual size unless another is asked for', () => {
  expect(Input.parse({})).toEqual({ limit: 10 })
  expect(Input.parse({ limit: 50, after: 'x' })).toEqual({ limit: 50, after: 'x' })
  expect(z.object(pageInput('Things')).parse({})).toEqual({ limit: 20 })
})

test.each([
  { limit: 0 },
  { limit: 51 },
  { limit: 1.5 },
  { limit: '5' },
  { after: 'x'.repeat(501) },
  { after: 7 },
])('refuses %j', input => expect(Input.safeParse(input).success).toBe(false))

test('the fields say what they count', () => {
  expect(z.toJSONSchema(Input)).toMatchObject({
    properties: {
      limit: { description: 'Things on a page, 1 to 50', maximum: 50 },
      after: { description: '"next" of the page before' },
    },
  })
  expect(nextCursor.safeParse(null).success).toBe(true)
})

test('the first page is asked for without a cursor', () => {
  expect(pageQuery({ limit: 5, after: undefined })).toStrictEqual({ limit: 5 })
  expect(pageQuery({ limit: 5, after: 'x' })).toStrictEqual({ limit: 5, after: 'x' })
})
