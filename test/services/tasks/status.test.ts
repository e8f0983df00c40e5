import { describe, expect, test } from 'vitest'
import { checkMove } from '../../../mcp/services/tasks/task/check-move.ts'
import {
  a2aStates,
  allowedMoves,
  isFinal,
  type Role,
  roles,
  type Status,
  statuses,
  systemMove,
} from '../../../mcp/services/tasks/task/status.ts'

/** Every pair that is a move, written out a second time: from, to, by whom. */
const moves = `
published accepted publisher
published cancelled publisher
published expired system
accepted in_progress assigned
accepted cancelled publisher
accepted cancelled assigned
accepted expired system
in_progress submitted assigned
in_progress cancelled assigned
in_progress expired system
submitted verifying publisher
submitted completed publisher
submitted completed system
submitted in_progress publisher
submitted cancelled assigned
verifying completed publisher
verifying in_progress publisher
verifying disputed assigned
verifying expired system
disputed completed arbiter
disputed completed system
disputed cancelled arbiter
`
  .trim()
  .split('\n')

const now = new Date('2026-11-22T12:00:00.000Z')
const before = '2026-11-22T11:00:00.000Z'
const after = '2026-11-22T13:00:00.000Z'

const tryMove = (status: Status, to: Status, role: Role, due: string | null) => {
  try {
    checkMove({ status, due }, to, role, now)
    return { ok: true }
  } catch (error) {
    const { code, extra } = error as { code: string; extra: { reason?: string; params?: object } }
    return { code, reason: extra.reason, params: extra.params }
  }
}

const matrix = statuses.flatMap(from => statuses.flatMap(to => roles.map(role => ({ from, to, role }))))

test('the matrix has nine states, nine states and five roles', () => {
  expect(matrix).toHaveLength(9 * 9 * 5)
})

describe.each(statuses)('from %s', from => {
  const rows = matrix.filter(row => row.from === from)

  test.each(rows)('to $to by $role', ({ to, role }) => {
    const dueNow = isFinal(from) ? null : before
    const dueLater = isFinal(from) ? null : after
    const isMove = moves.includes(`${from} ${to} ${role}`)
    const params = { from, to, allowed: allowedMoves(from, role) }
    if (role === 'other') {
      for (const due of [dueNow, dueLater])
        expect(tryMove(from, to, role, due)).toMatchObject({ code: 'forbidden', reason: 'not_a_party' })
      return
    }
    if (!isMove) {
      for (const due of [dueNow, dueLater])
        expect(tryMove(from, to, role, due)).toEqual({
          code: 'conflict',
          reason: 'illegal_transition',
          params,
        })
      return
    }
    const [inTime, outOfTime] = role === 'system' ? [dueNow, dueLater] : [dueLater, dueNow]
    expect(tryMove(from, to, role, inTime)).toEqual({ ok: true })
    expect(tryMove(from, to, role, outOfTime)).toEqual({
      code: 'conflict',
      reason: role === 'system' ? 'too_early' : 'time_over',
      params,
    })
  })
})

test('there is no move beside those that are written out', () => {
  const found = matrix.filter(({ from, to, role }) => allowedMoves(from, role).includes(to))
  expect(found.map(({ from, to, role }) => `${from} ${to} ${role}`).sort()).toEqual([...moves].sort())
})

test('the last three are final, and each other one ends by itself in exactly one way', () => {
  expect(statuses.filter(isFinal)).toEqual(['completed', 'expired', 'cancelled'])
  for (const status of statuses) {
    const bySystem = allowedMoves(status, 'system')
    expect(bySystem).toHaveLength(isFinal(status) ? 0 : 1)
    expect(systemMove(status)).toBe(bySystem[0])
  }
})

test('from each state that is not final, each final state that money needs can be reached', () => {
  const reachable = (from: Status, seen = new Set<Status>()): Set<Status> => {
    if (seen.has(from)) return seen
    seen.add(from)
    for (const role of roles) for (const to of allowedMoves(from, role)) reachable(to, seen)
    return seen
  }
  for (const status of statuses.filter(status => !isFinal(status)))
    expect([...reachable(status)].filter(isFinal).length).toBeGreaterThanOrEqual(2)
})

test('each state has its name in A2A', () => {
  expect(Object.keys(a2aStates)).toEqual([...statuses])
  expect(a2aStates).toMatchObject({ published: 'submitted', expired: 'failed', cancelled: 'canceled' })
})
