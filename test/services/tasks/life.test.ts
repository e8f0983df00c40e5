import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findHistoryFaults } from '../../../mcp/services/tasks/history.ts'
import { accountOf, arbiter, evidence, newTask, refused, startTown, type Town } from './town.ts'

const hour = 3_600_000
const day = 24 * hour

let town: Town
let n = 100
beforeAll(async () => {
  town = await startTown()
})
afterAll(() => town.stop())

/** Two wallets of their own for a test. */
const pair = () => ({ publisher: accountOf(++n), by: accountOf(++n) })

/** Lets time go by, and what is due happen. */
const passes = (ms: number) => {
  town.later(ms)
  return town.settle()
}

const statusOf = async (account: string, task_id: string) =>
  (await town.ask(account, 'get_task', { task_id })).status

test('a task goes from publishing to payment, and every micro-dollar is where it belongs', async () => {
  const { publisher, by } = pair()
  const { ask } = town
  await town.fund(publisher, 20_000_000n)
  const { task_id, payment } = await ask(publisher, 'publish_task', newTask)
  expect(payment).toMatchObject({ status: 'pending', bounty_usd: '10.00', fee_usd: '0.50' })
  await ask(by, 'register_worker', { kind: 'human', name: 'Ada', skills: ['photos'] })
  await ask(by, 'apply_to_task', { task_id, message: 'I am next door.' })
  expect(await ask(publisher, 'list_applications', { task_id })).toMatchObject({
    applications: [{ executor_id: by, state: 'pending', reputation: { score: 50, tier: 'New' } }],
  })
  const assigned = await ask(publisher, 'assign_worker', { task_id, executor_id: by })
  expect(assigned).toMatchObject({
    status: 'accepted',
    payment: { status: 'escrowed', in_escrow_usd: '10.50' },
  })
  expect(await town.balance(publisher)).toBe(9_500_000n)
  await ask(by, 'start_work', { task_id })
  const { submission_id } = await ask(by, 'submit_work', { task_id, evidence, notes: 'Done.' })
  expect(await ask(publisher, 'get_submission', { submission_id })).toMatchObject({
    verdict: 'pending',
    evidence: [{ type: 'text_response', value: 'It is open.' }],
  })
  expect(await ask(publisher, 'approve_submission', { submission_id, rating_score: 90 })).toMatchObject({
    status: 'completed',
    due: null,
    payment: { status: 'completed', released_usd: '10.00', fee_taken_usd: '0.50', in_escrow_usd: '0.00' },
  })
  expect([await town.balance(publisher), await town.balance(by)]).toEqual([9_500_000n, 10_000_000n])
  expect(await ask(by, 'get_worker', { executor_id: by })).toMatchObject({
    completed: 1,
    approved: 1,
    approval_rate: 1,
    on_time_rate: 1,
    avg_rating: 90,
    earned_usd: '10.00',
    reputation: { n: 1 },
  })
  expect(await ask(by, 'get_balance')).toMatchObject({
    available_usd: '10.00',
    events: [{ kind: 'release', task_id, reference: null, amount_usd: '10.00' }],
  })
  const { events } = await ask(publisher, 'task_payment', { task_id })
  expect(events.map(event => event.amount_usd)).toEqual(['10.50', '-10.50'])
})

test('its history is whole, signed, and of the moves that were made', async () => {
  const { publisher, by } = pair()
  const { task_id, submission_id } = await town.taskIn('submitted', { publisher, by })
  await town.ask(publisher, 'approve_submission', { submission_id, notes: 'Thank you.' })
  const history = await town.ask(publisher, 'get_history', { task_id })
  const { entries, terms, head, signature } = history as unknown as {
    entries: { from: string; to: string; actor: string; reason: string }[]
    terms: object
    head: string
    signature: string
  }
  expect(entries.map(({ from, to, actor }) => [from, to, actor])).toEqual([
    [null, 'published', publisher],
    ['published', 'accepted', publisher],
    ['accepted', 'in_progress', by],
    ['in_progress', 'submitted', by],
    ['submitted', 'completed', publisher],
  ])
  expect(findHistoryFaults({ terms, entries, head } as never)).toEqual([])
  expect(await town.ask(undefined, 'verify_history', { terms, entries, head, signature })).toEqual({
    whole: true,
    signed: true,
    faults: [],
  })
  const forged = entries.map(entry => ({ ...entry, reason: 'x' }))
  expect(
    await town.ask(undefined, 'verify_history', { terms, entries: forged, head, signature }),
  ).toMatchObject({
    whole: false,
  })
  const { task_id: other } = await town.taskIn('published')
  const { head: otherHead } = await town.ask(undefined, 'get_history', { task_id: other })
  expect(
    await town.ask(undefined, 'verify_history', { terms, entries, head: otherHead, signature }),
  ).toMatchObject({ whole: false, signed: false })
})

describe('money', () => {
  const ends: [
    string,
    'released' | 'refunded' | 'split',
    (task: Awaited<ReturnType<Town['taskIn']>>, who: ReturnType<typeof pair>) => Promise<unknown>,
    Parameters<Town['taskIn']>[0],
  ][] = [
    [
      'cancelled when assigned',
      'refunded',
      ({ task_id }, { publisher }) => town.ask(publisher, 'cancel_task', { task_id }),
      'accepted',
    ],
    [
      'approved after a rejection',
      'released',
      ({ submission_id }, { publisher }) => town.ask(publisher, 'approve_submission', { submission_id }),
      'verifying',
    ],
    [
      'decided for the worker',
      'released',
      ({ dispute_id }) =>
        town.ask(arbiter, 'resolve_dispute', {
          dispute_id,
          verdict: 'release',
          reason: 'It is the right door.',
        }),
      'disputed',
    ],
    [
      'decided for the publisher',
      'refunded',
      ({ dispute_id }) =>
        town.ask(arbiter, 'resolve_dispute', {
          dispute_id,
          verdict: 'refund',
          reason: 'It is the wrong door.',
        }),
      'disputed',
    ],
    [
      'decided for both',
      'split',
      ({ dispute_id }) =>
        town.ask(arbiter, 'resolve_dispute', {
          dispute_id,
          verdict: 'split',
          split_percent: 50,
          reason: 'Half of it was done.',
        }),
      'disputed',
    ],
    ['not begun in time', 'refunded', () => passes(25 * hour), 'accepted'],
    ['not done in time', 'refunded', () => passes(25 * hour), 'in_progress'],
    ['not reviewed in time', 'released', () => passes(49 * hour), 'submitted'],
    ['not disputed in time', 'refunded', () => passes(8 * day), 'verifying'],
    ['not decided in time', 'split', () => passes(8 * day), 'disputed'],
  ]
  test.each(ends)('of a task that is %s is %s', async (_, what, end, state) => {
    const who = pair()
    const task = await town.taskIn(state, who)
    const before = {
      publisher: await town.balance(who.publisher),
      by: await town.balance(who.by),
      fees: await town.fees(),
    }
    expect(await town.escrow(task.task_id)).toBe(10_500_000n)
    await end(task, who)
    const part = { released: 10_000_000n, refunded: 0n, split: 5_000_000n }[what]
    const fee = part / 20n
    expect(await town.escrow(task.task_id)).toBe(0n)
    expect((await town.balance(who.by)) - before.by).toBe(part)
    expect((await town.fees()) - before.fees).toBe(fee)
    expect((await town.balance(who.publisher)) - before.publisher).toBe(10_500_000n - part - fee)
  })

  test('is paid in parts, and the rest with the approval', async () => {
    const { publisher, by } = pair()
    const { task_id, submission_id } = await town.taskIn('submitted', { publisher, by })
    const pay = (amount_usd: string, more: object = {}) =>
      town.ask(publisher, 'release_payment', { task_id, amount_usd, ...more })
    expect(await pay('3.333333')).toMatchObject({ status: 'partial_released', released_usd: '3.333333' })
    expect(await refused(pay('3.333333', { unpaid_usd: '10.00' }))).toMatchObject({ reason: 'already_paid' })
    expect(await refused(pay('6.666667'))).toMatchObject({ reason: 'too_much' })
    await pay('3.333333', { unpaid_usd: '6.666667' })
    expect(await town.ask(publisher, 'approve_submission', { submission_id })).toMatchObject({
      payment: { released_usd: '10.00', fee_taken_usd: '0.50', refunded_usd: '0.00', in_escrow_usd: '0.00' },
    })
    expect(await town.balance(by)).toBe(10_000_000n)
    expect(await town.escrow(task_id)).toBe(0n)
  })

  test('that was paid in parts stays paid when the rest goes back', async () => {
    const { publisher, by } = pair()
    const { task_id } = await town.taskIn('in_progress', { publisher, by })
    await town.ask(publisher, 'release_payment', { task_id, amount_usd: '4' })
    expect(await town.ask(by, 'abandon_task', { task_id })).toMatchObject({
      payment: { released_usd: '4.00', fee_taken_usd: '0.20', refunded_usd: '6.30', in_escrow_usd: '0.00' },
    })
  })

  test('on top is a bonus, once the task is completed', async () => {
    const { publisher, by } = pair()
    const { task_id, submission_id } = await town.taskIn('submitted', { publisher, by })
    const bonus = () => town.ask(publisher, 'send_bonus', { task_id, amount_usd: '1.5' })
    expect(await refused(bonus())).toMatchObject({ reason: 'not_completed' })
    await town.ask(publisher, 'approve_submission', { submission_id })
    await bonus()
    expect(await town.balance(by)).toBe(11_500_000n)
  })

  test('that is not there assigns nobody', async () => {
    const { publisher, by } = pair()
    const { task_id } = await town.ask(publisher, 'publish_task', newTask)
    await town.ask(by, 'register_worker', { kind: 'agent', name: 'Bob' })
    await town.ask(by, 'apply_to_task', { task_id })
    const problem = await refused(town.ask(publisher, 'assign_worker', { task_id, executor_id: by }))
    // Without a way to pay, the escrow itself says what is missing.
    expect(['conflict', 'unavailable']).toContain(problem.code)
    expect(await statusOf(publisher, task_id)).toBe('published')
    await town.fund(publisher, 10_500_000n)
    await town.ask(publisher, 'assign_worker', { task_id, executor_id: by })
    expect(await town.balance(publisher)).toBe(0n)
  })
})

describe('work that is sent back', () => {
  test('comes again three times, with a day to do it, and then is decided', async () => {
    const { publisher, by } = pair()
    const { task_id, submission_id } = await town.taskIn('submitted', { publisher, by })
    let id = submission_id
    town.later(40 * hour)
    for (let round = 1; round <= 3; round++) {
      await (round === 2
        ? town.ask(publisher, 'reject_submission', { submission_id: id, notes: 'Do this part again.' })
        : town.ask(publisher, 'request_more_info', { submission_id: id, notes: 'Which day?' }))
      expect(await town.ask(by, 'get_task', { task_id })).toMatchObject({
        status: 'in_progress',
        rounds_left: 3 - round,
      })
      town.later(23 * hour)
      await town.settle()
      ;({ submission_id: id } = await town.ask(by, 'submit_work', { task_id, evidence }))
    }
    const again = town.ask(publisher, 'request_more_info', { submission_id: id, notes: 'And now?' })
    expect(await refused(again)).toMatchObject({ code: 'conflict', reason: 'no_rounds_left' })
    expect(await refused(town.ask(publisher, 'approve_submission', { submission_id }))).toMatchObject({
      reason: 'superseded',
      params: { submission_id: id },
    })
    await town.ask(publisher, 'approve_submission', { submission_id: id })
    const { submissions } = await town.ask(by, 'list_submissions', { task_id })
    expect(submissions.map(({ verdict }) => verdict)).toEqual([
      'accepted',
      'more_info_requested',
      'rejected',
      'more_info_requested',
    ])
  })

  test('and not done again in time expires, with the money back', async () => {
    const { publisher, by } = pair()
    const { task_id, submission_id } = await town.taskIn('submitted', { publisher, by })
    await town.ask(publisher, 'request_more_info', { submission_id, notes: 'Which day?' })
    town.later(25 * hour)
    expect(await refused(town.ask(by, 'submit_work', { task_id, evidence }))).toMatchObject({
      reason: 'time_over',
    })
    await town.settle()
    expect(await statusOf(publisher, task_id)).toBe('expired')
    expect(await town.ask(by, 'get_worker', { executor_id: by })).toMatchObject({ abandoned: 1 })
  })
})

describe('nobody may', () => {
  const cases: [
    string,
    Parameters<Town['taskIn']>[0],
    (task: Awaited<ReturnType<Town['taskIn']>>, who: ReturnType<typeof pair>) => Promise<unknown>,
    object,
  ][] = [
    [
      'apply to a task of its own',
      'published',
      async ({ task_id }, { publisher }) => {
        await town.ask(publisher, 'register_worker', { kind: 'human', name: 'Me' })
        return town.ask(publisher, 'apply_to_task', { task_id })
      },
      { code: 'forbidden', reason: 'self_assignment' },
    ],
    [
      'apply to it with the same wallet on another chain',
      'published',
      async ({ task_id }, { publisher }) => {
        const twin = publisher.replace('8453', '42161')
        await town.ask(twin, 'register_worker', { kind: 'human', name: 'Me' })
        return town.ask(twin, 'apply_to_task', { task_id })
      },
      { code: 'forbidden', reason: 'self_assignment' },
    ],
    [
      'apply without being registered',
      'published',
      ({ task_id }) => town.ask(accountOf(999_999), 'apply_to_task', { task_id }),
      { code: 'precondition_required', reason: 'not_registered' },
    ],
    [
      'assign somebody who has not applied',
      'published',
      ({ task_id }, { publisher, by }) => town.ask(publisher, 'assign_worker', { task_id, executor_id: by }),
      { code: 'conflict', reason: 'no_application' },
    ],
    [
      'assign a task of somebody else',
      'published',
      ({ task_id }, { by }) => town.ask(by, 'assign_worker', { task_id, executor_id: by }),
      { code: 'forbidden', reason: 'not_a_party' },
    ],
    [
      'cancel what has begun',
      'in_progress',
      ({ task_id }, { publisher }) => town.ask(publisher, 'cancel_task', { task_id }),
      { code: 'conflict', params: { from: 'in_progress', to: 'cancelled', allowed: [] } },
    ],
    [
      'approve for the publisher',
      'submitted',
      ({ submission_id }, { by }) => town.ask(by, 'approve_submission', { submission_id }),
      { code: 'forbidden' },
    ],
    [
      'approve as a stranger',
      'submitted',
      ({ submission_id }) => town.ask(accountOf(77), 'approve_submission', { submission_id }),
      { code: 'not_found' },
    ],
    [
      'read the evidence as a stranger',
      'submitted',
      ({ submission_id }) => town.ask(accountOf(77), 'get_submission', { submission_id }),
      { code: 'not_found' },
    ],
    [
      'read a task under way as a stranger',
      'accepted',
      ({ task_id }) => town.ask(accountOf(77), 'get_task', { task_id }),
      { code: 'forbidden' },
    ],
    [
      'read it without saying who',
      'accepted',
      ({ task_id }) => town.ask(undefined, 'get_task', { task_id }),
      { code: 'forbidden' },
    ],
    [
      'read its money as a stranger',
      'accepted',
      ({ task_id }) => town.ask(accountOf(77), 'task_payment', { task_id }),
      { code: 'forbidden' },
    ],
    [
      'read its history as a stranger',
      'accepted',
      ({ task_id }) => town.ask(accountOf(77), 'get_history', { task_id }),
      { code: 'forbidden' },
    ],
    [
      'decide a dispute of its own',
      'disputed',
      ({ dispute_id }, { publisher }) =>
        town.ask(publisher, 'resolve_dispute', {
          dispute_id,
          verdict: 'refund',
          reason: 'Because I say so.',
        }),
      { code: 'forbidden', reason: 'own_dispute' },
    ],
    [
      'decide a dispute as a stranger',
      'disputed',
      ({ dispute_id }) =>
        town.ask(accountOf(77), 'resolve_dispute', {
          dispute_id,
          verdict: 'refund',
          reason: 'Because I say so.',
        }),
      { code: 'not_found' },
    ],
    [
      'dispute before a rejection',
      'submitted',
      ({ submission_id }, { by }) =>
        town.ask(by, 'open_dispute', { submission_id, reason: 'I want to be paid right now.' }),
      { code: 'conflict', params: { from: 'submitted', to: 'disputed' } },
    ],
    [
      'dispute for the publisher',
      'verifying',
      ({ submission_id }, { publisher }) =>
        town.ask(publisher, 'open_dispute', { submission_id, reason: 'I want it back right now.' }),
      { code: 'conflict' },
    ],
    [
      'rate before the end',
      'submitted',
      ({ task_id }, { publisher }) => town.ask(publisher, 'rate_worker', { task_id, score: 1 }),
      { code: 'conflict', reason: 'not_over' },
    ],
  ]
  test.each(cases)('%s', async (_, state, act, problem) => {
    const who = pair()
    const task = await town.taskIn(state, who)
    const before = await town.ask(who.publisher, 'get_task', { task_id: task.task_id })
    expect(await refused(act(task, who))).toMatchObject(problem)
    expect(await town.ask(who.publisher, 'get_task', { task_id: task.task_id })).toEqual(before)
  })

  test('decide a dispute as an arbiter who is a party to it, under any chain', async () => {
    for (const publisher of [arbiter, arbiter.replace('8453', '42161')]) {
      const { dispute_id } = await town.taskIn('disputed', { publisher, by: accountOf(++n) })
      const decide = town.ask(arbiter, 'resolve_dispute', {
        dispute_id,
        verdict: 'refund',
        reason: 'Because I say so.',
      })
      expect(['forbidden', 'not_found']).toContain((await refused(decide)).code)
    }
  })
})

test('a stranger finds a task that is over gone, its parties read it', async () => {
  const { publisher, by } = pair()
  const { task_id } = await town.taskIn('accepted', { publisher, by })
  await town.ask(publisher, 'cancel_task', { task_id })
  expect(await refused(town.ask(undefined, 'get_task', { task_id }))).toMatchObject({ code: 'gone' })
  expect(await statusOf(by, task_id)).toBe('cancelled')
})

describe('bad input', () => {
  const cases: [string, object, string][] = [
    ['no bounty', { bounty_usd: undefined }, 'bounty_usd'],
    ['a bounty of 0', { bounty_usd: 0 }, 'bounty_usd'],
    ['a negative bounty', { bounty_usd: '-5' }, 'bounty_usd'],
    ['a bounty that is no number', { bounty_usd: 'NaN' }, 'bounty_usd'],
    ['NaN', { bounty_usd: Number.NaN }, 'bounty_usd'],
    ['a bounty of 1e9', { bounty_usd: 1e9 }, 'bounty_usd'],
    ['a bounty of 1e-7', { bounty_usd: 1e-7 }, 'bounty_usd'],
    ['seven digits after the point', { bounty_usd: '1.0000001' }, 'bounty_usd'],
    ['a deadline in the past', { deadline_hours: -1 }, 'deadline_hours'],
    ['a deadline too far', { deadline_hours: 721 }, 'deadline_hours'],
    ['no evidence', { evidence_required: [] }, 'evidence_required'],
    ['evidence twice', { evidence_required: ['photo', 'photo'] }, 'evidence_required'],
    ['evidence of no type', { evidence_required: ['smell'] }, 'evidence_required.0'],
    ['no category', { category: 'gardening' }, 'category'],
    ['half a place', { location_lat: 1 }, 'location_lng'],
    ['an unknown field', { bonus: 1 }, 'bonus'],
  ]
  test.each(cases)('%s is refused by its name', async (_, more, path) => {
    const problem = await refused(town.ask(accountOf(1), 'publish_task', { ...newTask, ...more }))
    expect(problem).toMatchObject({ code: 'invalid_input' })
    expect(problem.issues?.map(issue => issue.path)).toContain(path)
  })

  test('missing evidence is listed, each type', async () => {
    const { publisher, by } = pair()
    const more = { evidence_required: ['photo_geo', 'measurement', 'text_response'] }
    const { task_id } = await town.taskIn('in_progress', { publisher, by, more })
    const problem = await refused(town.ask(by, 'submit_work', { task_id, evidence }))
    expect(problem).toMatchObject({ code: 'invalid_input', reason: 'evidence_incomplete' })
    expect(problem.issues?.map(({ message }) => message)).toEqual([
      'photo_geo is required and missing',
      'measurement is required and missing',
    ])
    expect(await statusOf(by, task_id)).toBe('in_progress')
  })
})
