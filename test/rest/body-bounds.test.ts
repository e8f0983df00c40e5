import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { services } from '../../app/services.ts'
import { boundsOfBody } from '../../mcp/kernel/body-bounds.ts'
import { bodyBounds } from '../../mcp/kernel/http.ts'
import { findExcess } from '../../mcp/lib/json-bounds.ts'

const countValues = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 1
  // An empty list counts as if it held something.
  const own = Object.keys(value).length === 0 ? 2 : 1
  return Object.values(value).reduce((sum: number, one) => sum + countValues(one), own)
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

describe('what a JSON text holds', () => {
  test('is found as it is parsed, whatever the strings are', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(12), fc.nat(4), (value, space, depth) => {
        const text = Buffer.from(JSON.stringify(value, undefined, space % 3))
        expect(findExcess(text, { values: Number.POSITIVE_INFINITY, depth }) === 'depth').toBe(
          depthOf(value) > depth,
        )
        const bounds = { values: countValues(value), depth: 100 }
        expect(findExcess(text, bounds)).toBeUndefined()
      }),
    )
  })

  test('is found behind long strings, wherever their quotes are', () => {
    const piece = fc.constantFrom('\\', '"', '[', ',', 'é', 'x'.repeat(62), 'x'.repeat(70))
    fc.assert(
      fc.property(fc.array(fc.array(piece).map(pieces => pieces.join(''))), strings => {
        const text = Buffer.from(JSON.stringify(strings))
        const values = countValues(strings)
        expect(findExcess(text, { values, depth: 1 })).toBeUndefined()
        if (strings.length > 0) expect(findExcess(text, { values: values - 1, depth: 1 })).toBe('values')
      }),
    )
  })

  test('many values and deep ones are found before their end', () => {
    expect(findExcess(Buffer.from('[1,1,1,1'), { values: 4, depth: 9 })).toBe('values')
    expect(findExcess(Buffer.from('[[[[['), { values: 99, depth: 4 })).toBe('depth')
    expect(findExcess(Buffer.from('["[[[[\\"[[,,,,,,"]'), { values: 4, depth: 4 })).toBeUndefined()
  })
})

describe('the bounds of a body', () => {
  test('follow from the schema, and never refuse what it takes', () => {
    const schema = z.object({
      name: z.string().max(50),
      note: z.string().trim().max(20).nullish(),
      tags: z.array(z.string().max(10)).max(3).default([]),
      kind: z.enum(['a', 'bb']).or(z.literal('ccc')),
      at: z.tuple([z.number(), z.boolean()]).optional(),
      more: z
        .record(z.string(), z.int())
        .refine(() => true)
        .optional(),
    })
    expect(boundsOfBody(schema)).toEqual(bodyBounds)
    const bounded = schema.omit({ more: true })
    const { bytes } = boundsOfBody(bounded)
    expect(bytes).toBeLessThan(20_000)
    const widest = JSON.stringify({
      name: '\u0000'.repeat(50),
      note: '\u0000'.repeat(20),
      tags: Array(3).fill('\u0000'.repeat(10)),
      kind: 'ccc',
      at: [-Number.MAX_VALUE, false],
    })
    expect(Buffer.byteLength(widest)).toBeLessThanOrEqual(bytes - (16 << 10))
  })

  test('every example of every tool fits, and no list that a tool takes has more values than any body may', () => {
    const tools = services.flatMap(({ tools }) => tools)
    for (const tool of tools) {
      const bounds = boundsOfBody(tool.input)
      for (const example of tool.examples ?? []) {
        const text = Buffer.from(JSON.stringify(example))
        expect(text.length, tool.name).toBeLessThanOrEqual(bounds.bytes)
        expect(findExcess(text, bounds), tool.name).toBeUndefined()
      }
    }
    const register = services
      .find(({ slug }) => slug === 'proof')
      ?.tools.find(({ name }) => name === 'register')
    expect(register && boundsOfBody(register.input).bytes).toBeLessThan(32_768)
  })
})
