import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type CheckStatus,
  checkIds,
  decideVerdict,
  listReasons,
  rules,
  type Verdict,
} from '../../../mcp/services/gateway/check/check.ts'
import { runs } from '../../stress.ts'

const order: Record<Verdict, number> = { GO: 0, HOLD: 1, STOP: 2 }
const status = fc.constantFrom<CheckStatus>('pass', 'fail', 'unknown', 'not_applicable')
const check = fc.record({ id: fc.constantFrom(...checkIds), status })
const required = [
  'price_known',
  'max_cost_known',
  'commercial_rights',
  'economic_authority',
  'freshness',
] as const

test('no added check ever moves a verdict towards GO', () => {
  fc.assert(
    fc.property(fc.array(check, { minLength: 1 }), check, (checks, added) => {
      const [before, after] = [decideVerdict(checks), decideVerdict([...checks, added])]
      expect(order[after]).toBeGreaterThanOrEqual(order[before])
    }),
    { numRuns: runs(2000) },
  )
})

test('no worse status of a check ever moves a verdict towards GO', () => {
  const worse: CheckStatus[] = ['pass', 'unknown', 'fail']
  fc.assert(
    fc.property(fc.array(check, { minLength: 1 }), fc.nat(), fc.constantFrom(1, 2), (checks, at, to) => {
      const chosen = at % checks.length
      const next = checks.map((one, n) => (n === chosen ? { ...one, status: worse[to] as CheckStatus } : one))
      const wasGood = ['pass', 'not_applicable'].includes(checks[chosen]?.status ?? '')
      if (wasGood) expect(order[decideVerdict(next)]).toBeGreaterThanOrEqual(order[decideVerdict(checks)])
    }),
  )
})

test('all pass is GO; nothing at all holds; a hard failure beside an unknown stops', () => {
  expect(decideVerdict(checkIds.map(id => ({ id, status: 'pass' })))).toBe('GO')
  expect(decideVerdict([])).toBe('HOLD')
  expect(
    decideVerdict([
      { id: 'price_known', status: 'unknown' },
      { id: 'tls_valid', status: 'fail' },
    ]),
  ).toBe('STOP')
})

test.each(required)('%s unknown holds, whatever else passes', id => {
  const checks = checkIds.map(other => ({
    id: other,
    status: other === id ? ('unknown' as const) : ('pass' as const),
  }))
  expect(decideVerdict(checks)).toBe('HOLD')
  expect(listReasons(checks)).toEqual([`${id}_unknown`])
})

test.each(Object.entries(rules).filter(([, { fail }]) => fail === 'STOP'))(
  '%s failed stops, whatever else passes',
  id => {
    expect(
      decideVerdict(checkIds.map(other => ({ id: other, status: other === id ? 'fail' : 'pass' }))),
    ).toBe('STOP')
  },
)

test('what decides is named first', () => {
  expect(
    listReasons([
      { id: 'price_known', status: 'unknown' },
      { id: 'tls_valid', status: 'fail' },
      { id: 'freshness', status: 'pass' },
    ]),
  ).toEqual(['tls_valid_failed', 'price_known_unknown'])
})

test('what failed is named before what is unknown, whatever either does', () => {
  expect(
    listReasons([
      { id: 'destination_safe', status: 'unknown' },
      { id: 'price_known', status: 'unknown' },
      { id: 'domain_age', status: 'fail' },
      { id: 'card_valid', status: 'fail' },
    ]),
  ).toEqual(['card_valid_failed', 'domain_age_failed', 'destination_safe_unknown', 'price_known_unknown'])
})
