import { expect, test } from 'vitest'
import { openCallHistory } from '../../mcp/kernel/call-history.ts'
import { openRecentCalls } from '../../mcp/kernel/recent-calls.ts'

const call = (code: string, ms: number, reason?: string) => ({
  service: 'shop',
  tool: 'dime',
  channel: 'rest' as const,
  caller: undefined,
  price: undefined,
  receipt: undefined,
  ms,
  code,
  reason,
})

const openAt = (start: string) => {
  let now = new Date(start)
  const history = openCallHistory(() => now)
  return { history, at: (time: string) => (now = new Date(time)) }
}

test('counts calls of 24 hours by hour, and tells what was refused from what failed', () => {
  const { history, at } = openAt('2026-11-27T09:30:00Z')
  history.note(call('ok', 5))
  history.note(call('internal', 5))
  at('2026-11-28T08:59:00Z')
  history.note(call('payment_required', 5, 'limit_per_day'))
  history.note(call('invalid_input', 5))
  const hours = history.hours()
  expect(hours).toHaveLength(24)
  expect(hours[0]).toMatchObject({ hour: '2026-11-27T09:00:00.000Z', calls: 2, failed: 1, refused: 0 })
  expect(hours[1]).toMatchObject({ calls: 0, p50: null })
  expect(hours[23]).toMatchObject({ hour: '2026-11-28T08:00:00.000Z', calls: 2, failed: 0, refused: 2 })
  expect(history.refusals()).toEqual([
    { service: 'shop', reason: 'internal', calls: 1 },
    { service: 'shop', reason: 'limit_per_day', calls: 1 },
    { service: 'shop', reason: 'invalid_input', calls: 1 },
  ])
  at('2026-11-28T09:00:00Z')
  expect(history.tools()).toEqual([expect.objectContaining({ calls: 2, refused: 2 })])
  at('2026-11-30T09:00:00Z')
  expect([history.tools(), history.refusals()]).toEqual([[], []])
})

test('says within which time half and 95 of 100 were answered, right to a fifth', () => {
  const { history } = openAt('2026-11-28T08:00:00Z')
  for (let ms = 1; ms <= 1000; ms++) history.note(call('ok', ms))
  const [{ p50 = 0, p95 = 0 } = {}] = history.tools()
  expect(Number(p50)).toBeGreaterThanOrEqual(490)
  expect(Number(p50)).toBeLessThanOrEqual(610)
  expect(Number(p95)).toBeGreaterThanOrEqual(930)
  expect(Number(p95)).toBeLessThanOrEqual(1150)
})

test('takes times of any length', () => {
  const { history } = openAt('2026-11-28T08:00:00Z')
  for (const ms of [0, 0.01, 1e9]) history.note(call('ok', ms))
  expect(history.tools()[0]).toMatchObject({ calls: 3, p50: 0.1 })
})

test('finds the last 2,000 calls by their ids, and keeps what failed by an exception beyond them', () => {
  const { note, find } = openRecentCalls(() => new Date('2026-11-28T08:00:00Z'))
  const cause = new Error('no route to http://user:hunter2@db.internal')
  note({ ...call('internal', 5), ref: 'ref-1', request: 'fault', cause })
  for (let at = 0; at < 2100; at++) note({ ...call('ok', 5), request: `request-${at}` })
  expect(find('request-2099')).toHaveLength(1)
  expect(find('request-50')).toEqual([])
  expect(find('ref-1')).toEqual([expect.objectContaining({ code: 'internal', request: 'fault' })])
  expect(find().map(({ ref }) => ref)).toEqual(['ref-1'])
  expect(find()[0]?.cause).toContain('no route to')
  expect(find()[0]?.cause).not.toContain('hunter2')
})
