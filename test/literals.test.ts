import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { expect, test } from 'vitest'

const tops = ['app', 'mcp', 'store', 'a2a-adapter', 'rest-adapter', 'web', 'cli', 'connect']
const sources = tops
  .flatMap(top => (readdirSync(top, { recursive: true }) as string[]).map(file => join(top, file)))
  .filter(file => file.endsWith('.ts') && !file.endsWith('.d.ts'))

const maxLines = 60

type Node = { type: string; start: number; end: number } & Record<string, unknown>

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

const children = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

const factTypes = new Set([
  'ArrayExpression',
  'ObjectExpression',
  'Property',
  'Identifier',
  'Literal',
  'UnaryExpression',
])

/** True for what is written out to the last leaf. Code for browsers and sandboxes, which templates hold, is none of it. */
const isWrittenOut = (node: Node): boolean => {
  if (!factTypes.has(node.type)) return false
  if (node.type === 'Property')
    return isNode(node.value) && node.value.type !== 'Identifier' && isWrittenOut(node.value)
  return node.type !== 'Identifier' && children(node).every(isWrittenOut)
}

const findLong = (file: string, text: string): string[] => {
  const lineOf = (place: number) => text.slice(0, place).split('\n').length
  const visit = (node: Node): string[] => {
    if (node.end - node.start < maxLines) return []
    if (!/^(Array|Object)Expression$/.test(node.type) || !isWrittenOut(node))
      return children(node).flatMap(visit)
    const lines = lineOf(node.end) - lineOf(node.start) + 1
    return lines > maxLines
      ? [`${file}:${lineOf(node.start)} has ${lines} lines of facts: they belong into data/*.json`]
      : []
  }
  return visit(parseSync(file, text).program as unknown as Node)
}

test('facts are data: no literal of the product has more than 60 lines', () => {
  expect(sources.length).toBeGreaterThan(1000)
  expect(sources.flatMap(file => findLong(file, readFileSync(file, 'utf8')))).toEqual([])
})

test('a literal of 61 lines is seen, whatever it stands in', () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, nth) => `  { row: [${nth}, -1, 'a'] },\n`).join('')
  expect(findLong('a.ts', `export const rows = new Map([\n${rows(59)}] as const)`)).toHaveLength(1)
  expect(findLong('a.ts', `const pick = () => ({ rows: [\n${rows(59)}] })`)).toHaveLength(1)
  expect(findLong('a.ts', `const rows = [\n${rows(58)}]`)).toEqual([])
})
