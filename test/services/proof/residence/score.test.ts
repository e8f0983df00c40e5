import { expect, test } from 'vitest'
import { type Activity, computeScore } from '../../../../mcp/services/proof/residence.ts'
import { recompute } from './recompute.ts'

const day = 86_400_000
const createdAt = new Date('2026-01-01T00:00:00.000Z')
const after = (days: number) => new Date(createdAt.getTime() + days * day)

const activity = (more: Partial<Activity> = {}): Activity => ({
  id: 'a',
  calls: 0,
  spent_sats: 0,
  earned_sats: 0,
  proofs: 0,
  sales: 0,
  fulfilled: 0,
  last_act_at: null,
  ...more,
})

const score = (more: Partial<Activity>, days: number, memoryKeys = 0) =>
  computeScore({ activity: activity(more), memoryKeys, createdAt, now: after(days) })

test('an account that did nothing has nothing, however long it is there', () => {
  for (const days of [0, 29, 30, 400]) {
    const answer = score({}, days)
    expect(answer).toMatchObject({ score: 0, tier: 'newcomer', next_tier: { tier: 'resident', at: 20 } })
    expect(recompute(answer)).toEqual({ score: 0, tier: 'newcomer' })
  }
})

test('all caps together are 100, and nothing above them counts or shows', () => {
  const most = {
    calls: 1023,
    spent_sats: 102_300,
    earned_sats: 102_300,
    proofs: 31,
    sales: 10,
    fulfilled: 10,
  }
  const full = score({ ...most, last_act_at: after(300).toISOString() }, 300, 31)
  expect(full).toMatchObject({ score: 100, tier: 'anchor', next_tier: null })
  const more = { ...most, calls: 1e9, spent_sats: 1e12, earned_sats: 1e12, proofs: 1e6 }
  const over = score({ ...more, last_act_at: after(3000).toISOString() }, 3000, 1000)
  expect(over).toEqual(full)
})

test('tiers begin at 20, 45 and 75 points', () => {
  const all = { spent_sats: 102_300, earned_sats: 102_300, proofs: 31, calls: 1023, sales: 10, fulfilled: 10 }
  const at = (points: number) => {
    // 95 points, less one for each thirty idle days.
    const answer = score({ ...all, last_act_at: after(300).toISOString() }, 300 + 30 * (95 - points))
    return [answer.score, answer.tier]
  }
  expect(at(75)).toEqual([75, 'anchor'])
  expect(at(74)).toEqual([74, 'established'])
  expect(at(45)).toEqual([45, 'established'])
  expect(at(44)).toEqual([44, 'resident'])
  expect(at(20)).toEqual([20, 'resident'])
  expect(at(19)).toEqual([19, 'newcomer'])
})

test('a point is lost for each thirty idle days, and age counts to the last act only', () => {
  const acts = { calls: 1023, last_act_at: after(60).toISOString() }
  expect(score(acts, 60).score).toBe(27)
  expect(score(acts, 89).score).toBe(27)
  expect(score(acts, 90).score).toBe(26)
  expect(score(acts, 60 + 30 * 27).score).toBe(0)
  expect(score(acts, 60 + 30 * 50).score).toBe(0)
})

test('conduct is the share of sales that were fulfilled, and few sales show little', () => {
  const conduct = (sales: number, fulfilled: number) =>
    score({ sales, fulfilled }, 0).components.find(({ name }) => name === 'conduct')?.points
  expect([conduct(0, 0), conduct(1, 1), conduct(10, 10), conduct(10, 5), conduct(40, 10)]).toEqual([
    0, 1, 10, 5, 2.5,
  ])
})

test('any activity can be recomputed from the answer alone', () => {
  let seed = 5
  const random = (below: number) => {
    seed = (1_664_525 * seed + 1_013_904_223) % 2 ** 32
    return Math.floor((seed / 2 ** 32) * below)
  }
  for (let nth = 0; nth < 2000; nth++) {
    const sales = random(30)
    const days = random(900)
    const answer = score(
      {
        calls: random(2 ** random(14)),
        spent_sats: random(2 ** random(20)),
        earned_sats: random(2 ** random(20)),
        proofs: random(50),
        sales,
        fulfilled: random(sales + 1),
        last_act_at: after(random(days + 1)).toISOString(),
      },
      days,
      random(50),
    )
    expect(recompute(answer)).toEqual({ score: answer.score, tier: answer.tier })
  }
})
