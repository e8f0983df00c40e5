import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  type Entry,
  findHistoryFaults,
  type HistoryDocument,
  hashJson,
  nextEntry,
} from '../../../mcp/services/tasks/history.ts'
import type { Role, Status } from '../../../mcp/services/tasks/task.ts'

const terms = { task_id: 'task_1', title: 'A photo of the bridge', bounty_usd: '5.00' }

const build = (): HistoryDocument => {
  const moves: [Status | null, Status, string, Role][] = [
    [null, 'published', 'p', 'publisher'],
    ['published', 'accepted', 'p', 'publisher'],
    ['accepted', 'in_progress', 'w', 'assigned'],
    ['in_progress', 'submitted', 'w', 'assigned'],
    ['submitted', 'completed', 'system', 'system'],
  ]
  let head = hashJson(terms)
  const entries = moves.map(([from, to, actor, role], n) => {
    const at = `2026-11-22T12:00:0${n}.000Z`
    const entry = nextEntry(head, n + 1, { from, to, actor, role, at, reason: `because ${n}` })
    head = hashJson(entry)
    return entry
  })
  return { terms, entries, head }
}

const change = (index: number, more: Partial<Entry>) => {
  const document = build()
  const entries = document.entries.map((entry, n) => (n === index ? { ...entry, ...more } : entry))
  return { ...document, entries }
}

test('a history as it was made is whole', () => expect(findHistoryFaults(build())).toEqual([]))

describe('a history shows that', () => {
  const { entries, head } = build()
  const cases: [string, HistoryDocument][] = [
    ['a reason was changed', change(2, { reason: 'another' })],
    ['an actor was changed', change(1, { actor: 'x' })],
    ['the last entry was changed', change(4, { at: '2026-11-23T00:00:00.000Z' })],
    ['an entry was left out', { terms, entries: entries.filter((_, n) => n !== 2), head }],
    ['the end was left out', { terms, entries: entries.slice(0, 4), head }],
    ['two entries changed places', { terms, entries: [...entries].reverse(), head }],
    ['the terms were changed', { terms: { ...terms, bounty_usd: '50.00' }, entries, head }],
    ['it is empty', { terms, entries: [], head: hashJson(terms) }],
  ]
  test.each(cases)('%s', (_, document) => expect(findHistoryFaults(document)).not.toEqual([]))

  test('a chain that was hashed anew has another head, and may hold no move that is none', () => {
    const document = build()
    let last = hashJson(terms)
    const forged = document.entries.map((entry, n) => {
      const next = { ...entry, ...(n === 4 && { role: 'assigned' as const, actor: 'w' }), prev: last }
      last = hashJson(next)
      return next
    })
    expect(last).not.toBe(document.head)
    expect(findHistoryFaults({ terms, entries: forged, head: last })).toEqual([
      'Entry 5 is no move that its assigned may make.',
    ])
  })
})

test('another program with sorted keys and SHA-256 finds the same head', () => {
  const { entries, head } = build()
  const program = `
import sys, json, hashlib
for entry in json.load(sys.stdin):
    text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
print(hashlib.sha256(text.encode()).hexdigest())`
  const [last] = entries.slice(-1)
  const sorted = JSON.stringify(Object.fromEntries(Object.entries(last ?? {}).sort()))
  expect(createHash('sha256').update(sorted).digest('hex')).toBe(head)
  let python: string
  try {
    python = execFileSync('python3', ['-c', program], { input: JSON.stringify(entries), encoding: 'utf8' })
  } catch {
    return
  }
  expect(python.trim()).toBe(head)
})
