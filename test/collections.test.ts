import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { services } from '../app/services.ts'
import { withBudgets } from '../cli/budgets-page.ts'
import { computeRoom, listCollections } from '../mcp/kernel/collection.ts'
import { listTopics } from '../mcp/kernel/topic.ts'

const tops = ['app', 'mcp', 'a2a-adapter', 'rest-adapter', 'web', 'connect', 'cli']
const sources = [
  ...tops.flatMap(top => (readdirSync(top, { recursive: true }) as string[]).map(file => join(top, file))),
  ...readdirSync('.'),
].filter(file => file.endsWith('.ts') && !file.endsWith('.d.ts'))

/** What opens a collection of the store by itself: the declaration, the counters of budgets, and the row that a tool declares for its payment. */
const openers = ['mcp/kernel/collection.ts', 'mcp/kernel/allowance.ts', 'mcp/payment/gate/journal.ts']

/** What brings rows of earlier versions, as many as there were, to collections and forms that are declared elsewhere. */
const movers = ['mcp/accounts/move.ts', 'mcp/kernel/upgrade.ts']

test('no source opens a collection that it does not declare with a budget, or with why it needs none', () => {
  expect(sources.length).toBeGreaterThan(500)
  const raw = sources.filter(
    file =>
      ![...openers, ...movers].includes(file) && /\.\s*collection\s*[<(]/.test(readFileSync(file, 'utf8')),
  )
  expect(raw).toEqual([])
})

test('every declared collection is one that the tables show, under a name of its own', () => {
  expect(services).toHaveLength(8)
  const names = listCollections().flatMap(({ name }) => (name.startsWith('test.') ? [] : [name]))
  expect([...names].sort()).toEqual([...new Set(names)].sort())
  const declared = sources
    .filter(file => !openers.includes(file))
    .flatMap(file => [...readFileSync(file, 'utf8').matchAll(/= (?:collection|declareCollection)</g)])
  expect(names).toHaveLength(declared.length)
})

test('no source writes to a topic that it does not declare with a budget, or with why it needs none', () => {
  const writers = sources.filter(
    file =>
      file !== 'mcp/kernel/topic.ts' && /\b(?:tx|store)\s*\.\s*append\(/.test(readFileSync(file, 'utf8')),
  )
  expect(writers).toEqual([])
  const declared = sources
    .filter(file => file !== 'mcp/kernel/topic.ts')
    .flatMap(file =>
      [...readFileSync(file, 'utf8').matchAll(/= topic\(\{\s*name: '([^']+)'/g)].map(([, name]) => name),
    )
  const names = listTopics().flatMap(({ name }) => (name.startsWith('test.') ? [] : [name]))
  expect([...names].sort()).toEqual([...declared].sort())
  expect(names.length).toBeGreaterThan(3)
})

test('the totals of all collections leave room in a small store, and are whole in a large one', () => {
  const use = (maxBytes: number) => ({
    documents: 0,
    bytes: 0,
    maxBytes,
    archived: { documents: 0, bytes: 0 },
  })
  const totals = listCollections().reduce((sum, declaration) => {
    if ('budget' in declaration) return sum + (declaration.budget.fileBytes ? 0 : declaration.budget.allBytes)
    return 'allowances' in declaration
      ? sum + declaration.allowances.reduce((all, { allBytes }) => all + allBytes, 0)
      : sum
  }, 0)
  const small = 100 << 20
  expect(totals * computeRoom({ use: () => use(small) })).toBeCloseTo(0.8 * small, 0)
  expect(computeRoom({ use: () => use(64 * 2 ** 30) })).toBe(1)
  expect(computeRoom({ use: () => undefined })).toBe(1)
})

test('the tables of budgets in docs/operations.md are fresh', () => {
  const page = readFileSync('docs/operations.md', 'utf8')
  expect(withBudgets(page)).toBe(page)
})
