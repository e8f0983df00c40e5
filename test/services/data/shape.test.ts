import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shape } from '../../../mcp/services/data/shape.ts'

const answer = () => ({
  url: 'https://example.com/',
  items: Array.from({ length: 100 }, (_, n) => ({ n, text: `entry ${n} ${'x'.repeat(40)}` })),
  text: 'word '.repeat(500),
  count: 100,
})

describe('shaping an answer', () => {
  test('leaves it alone when nothing is asked', () => {
    expect(shape(answer(), 'items', {})).toEqual({
      fields: answer(),
      truncated: false,
      next: null,
      tokens: null,
      warnings: [],
    })
  })

  test('gives only the fields that are named, and refuses others by name', () => {
    expect(shape(answer(), 'items', { fields: 'url, count' }).fields).toEqual({
      url: 'https://example.com/',
      count: 100,
    })
    expect(() => shape(answer(), 'items', { fields: 'url,nonsense' })).toThrow(/nonsense/)
    expect(() => shape(answer(), 'items', { fields: ' ' })).toThrow(/fields/)
  })

  test('pages a list with after until it ends, without loss', () => {
    const seen: number[] = []
    for (let after: number | null = 0; after !== null; ) {
      const page = shape(answer(), 'items', { max_tokens: 400, after })
      seen.push(...(page.fields.items as { n: number }[]).map(({ n }) => n))
      after = page.next
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, n) => n))
  })

  test('pages a text without cutting a character in two', () => {
    const text = '😀é'.repeat(300)
    let read = ''
    for (let after: number | null = 0; after !== null; ) {
      const page = shape({ text }, 'text', { max_tokens: 60, after })
      read += page.fields.text
      after = page.next
    }
    expect(read).toBe(text)
  })

  test('warns that an answer without pages has none', () => {
    expect(shape({ count: 1 }, undefined, { after: 5 }).warnings).toMatchObject([{ code: 'not_paged' }])
  })

  test('never grows an answer, keeps its fields, and says when it cut, whatever the answer', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.jsonValue()),
        fc.integer({ min: 50, max: 400 }),
        (fields, maxTokens) => {
          const before = JSON.stringify(fields)
          const shaped = shape(fields, undefined, { max_tokens: maxTokens })
          expect(JSON.stringify(fields)).toBe(before)
          expect(Object.keys(shaped.fields)).toEqual(Object.keys(fields))
          expect(JSON.stringify(shaped.fields).length).toBeLessThanOrEqual(before.length)
          if (before.length / 4 <= maxTokens) expect(shaped.fields).toEqual(fields)
          else expect(shaped.truncated).toBe(true)
        },
      ),
    )
  })

  test('cuts a long answer to about the tokens asked for', () => {
    const { tokens, truncated } = shape(answer(), 'items', { max_tokens: 500 })
    expect(truncated).toBe(true)
    expect(tokens).toBeLessThan(620)
  })
})
