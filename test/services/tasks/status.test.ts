import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkMove } from '../../../mcp/services/tasks/move-task.ts'
import {
  a2aStates,
  allowedMoves,
  isFinal,
  type Role,
  roles,
  type Status,
  statuses,
  systemMove,
} from '../../../mcp/services/tasks/task.ts'
import { onBothEngines } from '../../payment/ledger-engines.ts'
import { sample } from '../../stress.ts'
import { accountOf, arbiter, evidence, newTask, refused, startTown, type Town } from './town.ts'

/**
 * Every pair that is a move, written out a second time: from, to, by whom, by which tool, and what it does with the money. `deposit`
 * puts it into escrow, `-` leaves it where it lies; a number ends the task and is the part of the unpaid bounty that the worker gets,
 * in per cent, with its part of the fee; all the rest goes back.
 */
const table = `
published accepted publisher assign_worker deposit
published cancelled publisher cancel_task 0
published expired system - 0
accepted in_progress assigned start_work -
accepted cancelled publisher cancel_task 30
accepted published assigned abandon_task -
accepted cancelled assigned abandon_onchain 0
accepted expired system - 0
in_progress submitted assigned submit_work -
in_progress published assigned abandon_task -
in_progress cancelled assigned abandon_paid 0
in_progress expired system - 0
submitted verifying publisher reject_major -
submitted completed publisher approve_submission 100
submitted completed system - 100
submitted in_progress publisher request_more_info -
submitted in_progress publisher reject_minor -
submitted disputed publisher open_dispute -
submitted published assigned abandon_task -
submitted cancelled assigned abandon_paid 0
verifying completed publisher approve_submission 100
verifying in_progress publisher request_more_info -
verifying in_progress publisher reject_minor -
verifying disputed assigned open_dispute -
verifying expired system - 0
disputed completed arbiter resolve_release 100
disputed completed arbiter resolve_split 35
disputed completed system - 50
disputed cancelled arbiter resolve_refund 0
`
  .trim()
  .split('\n')
  .map(line => {
    const [from, to, role, act, money] = line.split(' ') as [Status, Status, Role, string, string]
    return { from, to, role, act, money }
  })

const moves = [...new Set(table.map(({ from, to, role }) => `${from} ${to} ${role}`))]

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
  const allowed = matrix.filter(({ from, to, role }) => allowedMoves(from, role).includes(to))
  expect(allowed.map(({ from, to, role }) => `${from} ${to} ${role}`).sort()).toEqual([...moves].sort())
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

/** What of a task's money lies where, in millionths. */
type Money = { held: bigint; released: bigint; refunded: bigint; fee: bigint }

const bounty = 9_970_000n
const feeBps = 333
/** Rounded up to the millionth, so that nothing divides evenly. */
const wholeFee = (bounty * BigInt(feeBps) + 9_999n) / 10_000n
const deposit = bounty + wholeFee
const purse = 100_000_000n
const day = 86_400_000

/** The worker gets `part` of the bounty, and the house what of the fee belongs to it: all that is left with the last part. */
const pay = (money: Money, part: bigint): Money => {
  const isLast = part === bounty - money.released
  const fee = isLast ? wholeFee - money.fee : (wholeFee * part) / bounty
  return {
    ...money,
    held: money.held - part - fee,
    released: money.released + part,
    fee: money.fee + fee,
  }
}

/** What a line of the table does with money. */
const settle = (before: Money, what: string, isAssigned: boolean): Money => {
  if (what === '-') return before
  if (what === 'deposit') return { ...before, held: deposit }
  const unpaid = bounty - before.released
  const paid = isAssigned ? pay(before, (unpaid * BigInt(what)) / 100n) : before
  return { ...paid, held: 0n, refunded: paid.held }
}

const toMicro = (usd: unknown): bigint => {
  const [whole = '0', cents = ''] = String(usd).split('.')
  return BigInt(whole + cents.padEnd(6, '0'))
}

onBothEngines(engine => {
  let town: Town
  let clean: () => unknown
  beforeAll(async () => {
    const place = await engine.place()
    clean = place.clean
    town = await startTown({ store: await place.open() }, { feeBps })
  })
  afterAll(async () => {
    await town?.stop()
    await clean?.()
  })

  let number = 1000

  /** A task between two new wallets, and what can be done with it by its tools. */
  const begin = async (when: 'now' | 'later') => {
    const people = {
      publisher: accountOf(++number),
      assigned: accountOf(++number),
      other: accountOf(++number),
      arbiter,
    }
    const { publisher, assigned } = people
    await town.fund(publisher, purse)
    const fees = await town.fees()
    for (const worker of [assigned, people.other])
      await town.ask(worker, 'register_worker', { kind: 'human', name: 'Worker' })
    const terms = { ...newTask, bounty_usd: '9.97', kill_fee_percent: 30, deposit: when }
    const { task_id } = await town.ask(publisher, 'publish_task', terms)
    await town.ask(assigned, 'apply_to_task', { task_id })
    const ids = { submission_id: 'sub_0', dispute_id: 'dsp_0' }
    const notes = 'It is another door.'
    const inputs: Record<string, () => [tool: string, input: object]> = {
      assign_worker: () => ['assign_worker', { task_id, executor_id: assigned }],
      start_work: () => ['start_work', { task_id }],
      submit_work: () => ['submit_work', { task_id, evidence }],
      approve_submission: () => ['approve_submission', { submission_id: ids.submission_id }],
      request_more_info: () => ['request_more_info', { submission_id: ids.submission_id, notes }],
      reject_minor: () => [
        'reject_submission',
        { submission_id: ids.submission_id, notes, severity: 'minor' },
      ],
      reject_major: () => [
        'reject_submission',
        { submission_id: ids.submission_id, notes, severity: 'major' },
      ],
      open_dispute: () => [
        'open_dispute',
        { submission_id: ids.submission_id, reason: 'The photo shows the door and its number.' },
      ],
      ...Object.fromEntries(
        (['release', 'refund', 'split'] as const).map(verdict => [
          `resolve_${verdict}`,
          (): [string, object] => [
            'resolve_dispute',
            {
              dispute_id: ids.dispute_id,
              verdict,
              reason: 'So it was agreed by both.',
              ...(verdict === 'split' && { split_percent: 35 }),
            },
          ],
        ]),
      ),
      cancel_task: () => ['cancel_task', { task_id }],
      abandon_task: () => ['abandon_task', { task_id }],
    }
    const act = async (role: keyof typeof people, name: string) => {
      const [tool, input] = inputs[name.replace('_paid', '_task')]?.() ?? ['', {}]
      const answer = await town.ask(people[role], tool, input)
      if (name === 'submit_work') ids.submission_id = answer.submission_id
      if (name === 'open_dispute') ids.dispute_id = answer.dispute_id
    }
    /** What the task says of its money, once ledger, balances and fees have said the same. */
    const readMoney = async (): Promise<Money> => {
      const payment = await town.ask(publisher, 'task_payment', { task_id })
      const read = (field: string) => toMicro(payment[field])
      const money = {
        held: read('in_escrow_usd'),
        released: read('released_usd'),
        refunded: read('refunded_usd'),
        fee: read('fee_taken_usd'),
      }
      const deposited = read('deposited_usd')
      expect(money.held + money.released + money.refunded + money.fee).toBe(deposited)
      expect([0n, deposit]).toContain(deposited)
      expect({
        held: await town.escrow(task_id),
        released: await town.balance(assigned),
        refunded: (await town.balance(publisher)) + deposited - purse,
        fee: (await town.fees()) - fees,
      }).toEqual(money)
      return money
    }
    const lastMove = async () => {
      const { entries } = await town.ask(publisher, 'get_history', { task_id })
      return (entries as { from: Status; to: Status; role: Role }[]).at(-1)
    }
    return { people, task_id, acts: Object.keys(inputs), act, readMoney, lastMove }
  }

  type Case = Awaited<ReturnType<typeof begin>>

  const ways: Readonly<Partial<Record<Status, readonly (readonly [keyof Case['people'], string])[]>>> = {
    accepted: [['publisher', 'assign_worker']],
    in_progress: [['assigned', 'start_work']],
    submitted: [['assigned', 'submit_work']],
    verifying: [['publisher', 'reject_major']],
    disputed: [['assigned', 'open_dispute']],
  }

  const passClock = async () => {
    town.later(40 * day)
    await town.settle()
  }

  /** A task as far as one of the nine states; `part` is paid as soon as there is work to pay for. */
  const reach = async (state: Status, when: 'now' | 'later', part?: string): Promise<Case> => {
    const given = await begin(when)
    const goal = state === 'completed' ? 'submitted' : state
    for (const status of statuses.slice(0, isFinal(goal) ? 2 : statuses.indexOf(goal) + 1)) {
      for (const [role, name] of ways[status] ?? []) await given.act(role, name)
      if (status === 'in_progress' && part !== undefined)
        await town.ask(given.people.publisher, 'release_payment', {
          task_id: given.task_id,
          amount_usd: part,
        })
    }
    if (state === 'completed') await given.act('publisher', 'approve_submission')
    if (state === 'cancelled') await given.act('publisher', 'cancel_task')
    if (state === 'expired') await passClock()
    return given
  }

  const parted: readonly Status[] = ['in_progress', 'submitted', 'verifying', 'disputed']
  // Given up, a task opens again; it ends where a part was paid, and where the chain holds the money for one worker (chain-escrow.test.ts).
  const rows = table.flatMap(row => [
    ...(/^abandon_(?:paid|onchain)$/.test(row.act)
      ? []
      : [
          { ...row, when: 'later' as const, part: undefined },
          { ...row, when: 'now' as const, part: undefined },
        ]),
    ...(parted.includes(row.from) && row.act !== 'abandon_task'
      ? [{ ...row, when: 'later' as const, part: '1.370001' }]
      : []),
  ])

  // The moves are the same on each engine; PostgreSQL shows that they are written there.
  const moved = engine.name === 'embedded' ? rows : sample(rows, 15)
  const tried = engine.name === 'embedded' ? statuses : sample(statuses, 2)

  test.each(moved)(
    '$from to $to by $role ($act, deposit $when, $part paid before) moves the money as the table says',
    async row => {
      const { from, to, role, act, money: what, when, part } = row
      const given = await reach(from, when, part)
      const empty: Money = { held: 0n, released: 0n, refunded: 0n, fee: 0n }
      const start = when === 'now' || from !== 'published' ? { ...empty, held: deposit } : empty
      const before = part === undefined ? start : pay(start, toMicro(part))
      expect(await given.readMoney()).toEqual(before)
      // The clock does nothing before its time.
      await town.settle()
      expect(await given.readMoney()).toEqual(before)
      if (role === 'system') await passClock()
      else await given.act(role as keyof Case['people'], act)
      expect(await given.lastMove()).toMatchObject({ from, to, role })
      const after = settle(before, what, from !== 'published')
      expect(await given.readMoney()).toEqual(after)
      if (!isFinal(to)) await passClock()
      expect(isFinal((await given.lastMove())?.to ?? to)).toBe(true)
      const { held, released, refunded, fee } = await given.readMoney()
      const wasFunded = start.held > 0n || what === 'deposit'
      expect([held, released + refunded + fee]).toEqual([0n, wasFunded ? deposit : 0n])
    },
  )

  test.each(tried)('what is no move of a task that is %s moves no money, whoever tries', async status => {
    const given = await reach(status, 'now')
    const before = await given.readMoney()
    const last = await given.lastMove()
    expect(last?.to).toBe(status)
    let attempts = 0
    for (const role of ['publisher', 'assigned', 'other', 'arbiter'] as const)
      for (const name of given.acts) {
        if (table.some(row => row.from === status && row.role === role && row.act === name)) continue
        const problem = await refused(given.act(role, name))
        expect([role, name, problem.code]).toEqual([
          role,
          name,
          expect.stringMatching(/^(conflict|forbidden|not_found)$/),
        ])
        expect(await given.lastMove()).toEqual(last)
        attempts += 1
      }
    const legal = table.filter(
      ({ from, role, act }) => from === status && role !== 'system' && given.acts.includes(act),
    ).length
    expect(attempts).toBe(4 * given.acts.length - legal)
    expect(await given.readMoney()).toEqual(before)
    if (!isFinal(status)) await passClock()
    expect((await given.readMoney()).held).toBe(0n)
  })
})
