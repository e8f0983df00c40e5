import { describe, expect, test } from 'vitest'
import { percentByFindings } from '../../../mcp/services/tasks/dispute.ts'
import { opened } from '../../opened.ts'
import { accountOf, arbiter, newTask, refused, startTown } from './town.ts'

const town = opened(startTown)

let number = 100
const people = () => ({ publisher: accountOf(++number), by: accountOf(++number) })

describe('a kill fee', () => {
  test('is shown before publishing, and nothing by default', async () => {
    const terms = { bounty_usd: '10.00' }
    expect(await town.ask(undefined, 'calculate_fee', terms)).toMatchObject({
      kill_fee_usd: '0.00',
      kill_fee_total_usd: '0.00',
    })
    expect(await town.ask(undefined, 'calculate_fee', { ...terms, kill_fee_percent: 20 })).toMatchObject({
      kill_fee_usd: '2.00',
      kill_fee_total_usd: '2.10',
    })
    expect(await town.ask(accountOf(1), 'publish_task', newTask)).toMatchObject({ kill_fee_percent: 0 })
  })

  test('is paid when the publisher cancels after the assignment, and counts neither for nor against the worker', async () => {
    const sides = people()
    const { task_id } = await town.taskIn('accepted', { ...sides, more: { kill_fee_percent: 20 } })
    const before = await town.balance(sides.publisher)
    const cancelled = await town.ask(sides.publisher, 'cancel_task', { task_id })
    expect(cancelled).toMatchObject({
      status: 'cancelled',
      payment: { released_usd: '2.00', fee_taken_usd: '0.10', refunded_usd: '8.40', in_escrow_usd: '0.00' },
    })
    expect(await town.balance(sides.by)).toBe(2_000_000n)
    expect((await town.balance(sides.publisher)) - before).toBe(8_400_000n)
    expect(await town.ask(undefined, 'get_worker', { executor_id: sides.by })).toMatchObject({
      earned_usd: '2.00',
      abandoned: 0,
      completed: 0,
      reputation: { n: 0 },
    })
  })

  test('is not paid before the assignment, nor to a worker who gives up, nor by the clock', async () => {
    const more = { kill_fee_percent: 100 }
    const open = people()
    const published = await town.taskIn('published', { ...open, more })
    expect(await town.ask(open.publisher, 'cancel_task', { task_id: published.task_id })).toMatchObject({
      payment: { released_usd: '0.00' },
    })
    for (const end of ['abandon_task', 'expire']) {
      const sides = people()
      const { task_id } = await town.taskIn('accepted', { ...sides, more })
      if (end === 'expire') {
        town.later(25 * 3_600_000)
        await town.settle()
      } else await town.ask(sides.by, end, { task_id })
      expect(await town.balance(sides.by)).toBe(0n)
    }
  })

  test.each([-1, 101, 0.5, '20'])('of %j is no kill fee', async kill_fee_percent => {
    const problem = await refused(town.ask(accountOf(1), 'publish_task', { ...newTask, kill_fee_percent }))
    expect(problem).toMatchObject({ code: 'invalid_input', issues: [{ path: 'kill_fee_percent' }] })
  })

  test('needs money that is held', async () => {
    const input = { ...newTask, escrow: 'direct', kill_fee_percent: 10 }
    expect(await refused(town.ask(accountOf(1), 'publish_task', input))).toMatchObject({
      issues: [{ path: 'kill_fee_percent' }],
    })
  })
})

describe('who decides a dispute', () => {
  const place = { location_lat: 39.7817, location_lng: -89.6501, evidence_required: ['photo_geo'] }
  const photo = (lat: number, letter: string) => ({
    type: 'photo_geo',
    url: `https://files.example.org/${letter}.jpg`,
    sha256: letter.repeat(64),
    content_type: 'image/jpeg',
    geo: { lat, lng: -89.6501 },
  })

  const disputed = async (arbiter_mode: string, evidence: object[]) => {
    const sides = people()
    const more = { ...place, arbiter_mode }
    const { task_id } = await town.taskIn('in_progress', { ...sides, more })
    const { submission_id } = await town.ask(sides.by, 'submit_work', { task_id, evidence })
    const notes = 'It is another door.'
    await town.ask(sides.publisher, 'reject_submission', { submission_id, notes, severity: 'major' })
    const reason = 'The photo shows the door and its number.'
    const { dispute_id } = await town.ask(sides.by, 'open_dispute', { submission_id, reason })
    return { ...sides, task_id, dispute_id }
  }
  const decide = (dispute_id: string) =>
    town.ask(arbiter, 'resolve_dispute', { dispute_id, verdict: 'refund', reason: 'Nothing of it was done.' })
  let letter = 0
  const next = () => 'abcdef0123456789'[letter++ % 16] ?? 'a'
  const [near, far] = [39.7817, 41]

  test('manual: an arbiter; undecided, it is split evenly', async () => {
    const one = await disputed('manual', [photo(near, next())])
    expect(await decide(one.dispute_id)).toMatchObject({ verdict: 'refund' })
    const other = await disputed('manual', [photo(near, next())])
    town.later(8 * 86_400_000)
    await town.settle()
    expect(await town.balance(other.by)).toBe(5_000_000n)
  })

  test.each([
    ['all checks pass', [near, near], 10_000_000n],
    ['one of two fails', [near, far], 5_000_000n],
    ['all fail', [far, far], 0n],
  ])('auto: at once, by the checks: %s; an arbiter is not asked', async (_, lats, paid) => {
    const { by, dispute_id, task_id } = await disputed(
      'auto',
      lats.map(lat => photo(lat, next())),
    )
    expect(await refused(decide(dispute_id))).toMatchObject({ code: 'conflict', reason: 'time_over' })
    await town.settle()
    expect(await town.balance(by)).toBe(paid)
    expect(await town.ask(by, 'get_dispute', { dispute_id })).toMatchObject({
      state: 'resolved',
      resolved_by: 'system',
      resolution: 'decided by the checks of the evidence',
    })
    expect(await town.escrow(task_id)).toBe(0n)
  })

  test('hybrid: an arbiter first, then the checks', async () => {
    const one = await disputed('hybrid', [photo(near, next())])
    await town.settle()
    expect(await decide(one.dispute_id)).toMatchObject({ verdict: 'refund' })
    const other = await disputed('hybrid', [photo(near, next())])
    town.later(8 * 86_400_000)
    await town.settle()
    expect(await town.balance(other.by)).toBe(10_000_000n)
  })

  test('nothing that a check could say leaves it at half', () => {
    expect(percentByFindings({ findings: [] })).toBe(50)
    const unknown = { evidence: 0, check: 'timestamp', result: 'unknown', detail: '' } as const
    expect(percentByFindings({ findings: [unknown] })).toBe(50)
    const pass = { evidence: 0, check: 'place', result: 'pass', detail: '' } as const
    const fail = { evidence: 1, check: 'time', result: 'fail', detail: '' } as const
    expect(percentByFindings({ findings: [pass, fail, { ...fail, evidence: 2 }] })).toBe(33)
  })
})
