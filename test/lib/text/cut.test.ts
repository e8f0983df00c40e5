import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countCodePoints, cut, cutPoint, ellipsize } from '../../../mcp/lib/text/cut.ts'

const loneSurrogate = /\p{Surrogate}/u

describe('a text is cut between characters', () => {
  test.each([
    ['abc', 2, 'ab'],
    ['abc', 3, 'abc'],
    ['abc', 0, ''],
    ['a😀b', 2, 'a'],
    ['a😀b', 3, 'a😀'],
    ['ae\u0301b', 2, 'a'],
    ['ae\u0301b', 3, 'ae\u0301'],
    ['a👩‍👩‍👧b', 5, 'a'],
    ['a👩🏽b', 3, 'a'],
    ['a❤️b', 2, 'a'],
    ['🇧🇪🇳🇱', 6, '🇧🇪'],
    ['aक्षि', 3, 'a'],
  ])('%j at %i is %j', (text, max, start) => expect(cut(text, max)).toBe(start))

  test('the mark counts, and no space stands before it', () => {
    expect(ellipsize('ab cd', 5)).toBe('ab cd')
    expect(ellipsize('ab cde', 5)).toBe('ab c…')
    expect(ellipsize('ab  cdef', 5)).toBe('ab…')
    expect(ellipsize('😀😀', 3)).toBe('😀…')
  })

  test('a character without end is cut between code points', () => {
    const long = `x${'\u0301'.repeat(500)}`
    expect(cut(long, 200)).toHaveLength(200)
    expect(cut(`😀${'\u{e0100}'.repeat(500)}`, 200).length).toBeGreaterThan(190)
    expect(cut('👩‍👩‍👧', 3)).toBe('👩\u200d')
  })

  test('never in half a pair, never longer than asked, and nothing is lost that fits', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 80 })
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 200 }), (text, max) => {
        const start = cut(text, max)
        expect(start.length).toBeLessThanOrEqual(max)
        expect(text.startsWith(start)).toBe(true)
        expect(loneSurrogate.test(start)).toBe(false)
        if (text.length <= max) expect(start).toBe(text)
        expect(cutPoint(text, start.length)).toBe(start.length)
      }),
      { numRuns: 2000 },
    )
  })
})

test('code points are counted, pairs as one', () => {
  for (const text of ['', 'a', '😀', 'a😀b', '\ud83d', '\ude00\ud83d', 'e\u0301'])
    expect(countCodePoints(text)).toBe([...text].length)
})
