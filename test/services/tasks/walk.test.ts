import { expect, test } from 'vitest'
import { tasksIn } from '../../../mcp/services/tasks/task.ts'
import { onBothEngines } from '../../payment/ledger-engines.ts'
import { randomFrom } from '../../random.ts'
import { runs } from '../../stress.ts'
import { accountOf, arbiter, evidence, newTask, refused, startTown, type Town } from './town.ts'

type Model = {
  id: string
  publisher: number
  worker: number
  status: string
  bounty: bigint
  fee: bigint
  paid: bigint
  feePaid: bigint
  funded: boolean
  rounds: number
  submission: string
  dispute: string
  applied: Set<number>
  /** Who gave it up, and may not have it again. */
  left: Set<number>
}

const people = 12

/** The money of the town as it should be: plain sums, moved by what was answered. */
const openModel = () => {
  const balances = Array.from({ length: people }, () => 0n)
  let fees = 0n
  const tasks: Model[] = []
  const add = (who: number, amount: bigint) => {
    balances[who] = (balances[who] ?? 0n) + amount
  }
  const pay = (task: Model, amount: bigint, isLast: boolean) => {
    const fee = isLast ? task.fee - task.feePaid : (task.fee * amount) / task.bounty
    task.paid += amount
    task.feePaid += fee
    fees += fee
    add(task.worker, amount)
  }
  const end = (task: Model, status: string, percent: bigint) => {
    task.status = status
    if (!task.funded) return
    const unpaid = task.bounty - task.paid
    if (percent > 0n) pay(task, (unpaid * percent) / 100n, percent === 100n)
    add(task.publisher, task.bounty + task.fee - task.paid - task.feePaid)
  }
  return { balances, tasks, add, pay, end, fees: () => fees }
}

type World = { town: Town; model: ReturnType<typeof openModel>; pick: (below: number) => number }

const account = (n: number) => accountOf(n + 1)

/** Kinds of operations; those that move a task on come more often. */
const likelyKinds = [0, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 7, 8, 8, 9, 9, 10, 11]

/** Who acts: most often one who may, now and then anybody. */
const pickActor = (task: Model | undefined, kind: number, pick: (below: number) => number): number => {
  if (!task || kind <= 2 || pick(4) === 0) return pick(people)
  if (kind === 3 || kind === 6 || kind === 7 || kind === 11) return task.publisher
  if (kind === 10) return pick(2) === 0 ? task.publisher : Math.max(0, task.worker)
  return Math.max(0, task.worker)
}

/** One operation, by one who may or may not do it; throws where town and model disagree about whether it goes. */
const step = async ({ town, model, pick }: World): Promise<void> => {
  const kind = likelyKinds[pick(likelyKinds.length)] ?? 0
  const task =
    model.tasks.length > 0
      ? model.tasks[model.tasks.length - 1 - pick(Math.min(3, model.tasks.length))]
      : undefined
  const who = pickActor(task, kind, pick)
  const attempt = async (may: boolean, name: string, input: object, by = account(who)) => {
    const answer = town.ask(by, name, input)
    if (may) return answer
    const problem = await refused(answer)
    expect(['conflict', 'forbidden', 'not_found', 'unavailable']).toContain(problem.code)
    return undefined
  }
  if (!task || kind === 0) {
    const cents = 1 + pick(5000)
    const bounty_usd = (cents / 100).toFixed(2)
    const { task_id } = await town.ask(account(who), 'publish_task', { ...newTask, bounty_usd })
    const bounty = BigInt(cents) * 10_000n
    model.tasks.push({
      id: String(task_id),
      publisher: who,
      worker: -1,
      status: 'published',
      bounty,
      fee: (bounty * 500n + 9999n) / 10_000n,
      paid: 0n,
      feePaid: 0n,
      funded: false,
      rounds: 0,
      submission: 'sub_0',
      dispute: 'dsp_0',
      applied: new Set(),
      left: new Set(),
    })
    return
  }
  const isPublisher = who === task.publisher
  const isWorker = who === task.worker
  const { id: task_id, submission: submission_id, status } = task
  switch (kind) {
    case 1:
    case 2: {
      const may = status === 'published' && !isPublisher && !task.applied.has(who) && !task.left.has(who)
      if (await attempt(may, 'apply_to_task', { task_id })) task.applied.add(who)
      return
    }
    case 3: {
      const worker = [...task.applied][pick(Math.max(1, task.applied.size))] ?? pick(people)
      const total = task.bounty + task.fee
      const may =
        isPublisher &&
        status === 'published' &&
        task.applied.has(worker) &&
        (task.funded || (model.balances[who] ?? 0n) >= total)
      if (await attempt(may, 'assign_worker', { task_id, executor_id: account(worker) })) {
        if (!task.funded) model.add(who, -total)
        Object.assign(task, { worker, status: 'accepted', funded: true })
      }
      return
    }
    case 4:
      if (await attempt(isWorker && status === 'accepted', 'start_work', { task_id }))
        task.status = 'in_progress'
      return
    case 5: {
      const done = await attempt(isWorker && status === 'in_progress', 'submit_work', { task_id, evidence })
      if (done) Object.assign(task, { status: 'submitted', submission: done.submission_id })
      return
    }
    case 6: {
      const may = isPublisher && (status === 'submitted' || status === 'verifying')
      if (await attempt(may, 'approve_submission', { submission_id })) model.end(task, 'completed', 100n)
      return
    }
    case 7: {
      const severity = pick(2) === 0 ? 'minor' : 'major'
      const may =
        isPublisher &&
        ((severity === 'major' && status === 'submitted') ||
          (severity === 'minor' && task.rounds < 3 && (status === 'submitted' || status === 'verifying')))
      if (await attempt(may, 'reject_submission', { submission_id, notes: 'It is not right.', severity }))
        Object.assign(
          task,
          severity === 'major' ? { status: 'verifying' } : { status: 'in_progress', rounds: task.rounds + 1 },
        )
      return
    }
    case 8: {
      const may = isWorker && status === 'verifying'
      const done = await attempt(may, 'open_dispute', {
        submission_id,
        reason: 'It is all there, look again.',
      })
      if (done) Object.assign(task, { status: 'disputed', dispute: done.dispute_id })
      return
    }
    case 9: {
      const split_percent = 1 + pick(99)
      const decision = {
        dispute_id: task.dispute,
        verdict: 'split',
        split_percent,
        reason: 'So it shall be.',
      }
      if (await attempt(status === 'disputed', 'resolve_dispute', decision, arbiter))
        model.end(task, 'completed', BigInt(split_percent))
      return
    }
    case 10: {
      const [name, may] =
        pick(2) === 0
          ? (['cancel_task', isPublisher && (status === 'published' || status === 'accepted')] as const)
          : (['abandon_task', isWorker && ['accepted', 'in_progress', 'submitted'].includes(status)] as const)
      if (!(await attempt(may, name, { task_id }))) return
      if (name === 'cancel_task' || task.paid > 0n) return model.end(task, 'cancelled', 0n)
      task.applied.delete(who)
      task.left.add(who)
      Object.assign(task, { status: 'published', worker: -1, rounds: 0 })
      return
    }
    default: {
      const cents = 1 + pick(500)
      const amount = BigInt(cents) * 10_000n
      const may =
        isPublisher &&
        ['in_progress', 'submitted', 'verifying'].includes(status) &&
        amount < task.bounty - task.paid
      const input = { task_id, amount_usd: (cents / 100).toFixed(2) }
      if (await attempt(may, 'release_payment', input)) model.pay(task, amount, false)
    }
  }
}

onBothEngines(engine => {
  const steps = engine.name === 'embedded' ? runs(20_000) : runs(4000, 600)

  test(`${steps} random operations of ${people} wallets leave each micro-dollar where the model has it`, async () => {
    const place = await engine.place()
    const store = await place.open()
    const town = await startTown({ store })
    const model = openModel()
    let paidIn = 0n
    for (let n = 0; n < people; n++) {
      await town.worker(n + 1)
      const amount = BigInt(50 + n * 100) * 1_000_000n
      await town.fund(account(n), amount)
      model.add(n, amount)
      paidIn += amount
    }
    const world = { town, model, pick: randomFrom(20_261_122).below }
    for (let done = 0; done < steps; done++) await step(world)

    const sums = { balances: 0n, escrows: 0n }
    for (let n = 0; n < people; n++) {
      const balance = await town.balance(account(n))
      expect(balance).toBe(model.balances[n])
      sums.balances += balance
    }
    const ends = new Set<string>()
    for (const { id, status, paid } of model.tasks) {
      const task = await tasksIn(store).get(id)
      const escrow = await town.escrow(id)
      sums.escrows += escrow
      expect(task?.status).toBe(status)
      expect(task?.funds.released).toBe(paid.toString())
      if (!task?.ended) continue
      ends.add(status)
      const { deposited, released, refunded, taken } = task.funds
      expect(escrow).toBe(0n)
      expect(BigInt(released) + BigInt(refunded) + BigInt(taken)).toBe(BigInt(deposited))
    }
    expect(await town.fees()).toBe(model.fees())
    expect(sums.balances + sums.escrows + model.fees()).toBe(paidIn)
    expect([...ends].sort()).toEqual(['cancelled', 'completed'])
    await town.stop()
    await store.close()
    await place.clean()
  })

  const race = async (
    title: string,
    moves: (town: Town, task: Awaited<ReturnType<Town['taskIn']>>) => (() => Promise<unknown>)[],
    state: Parameters<Town['taskIn']>[0],
    /** One move may follow upon the other: what was given up can be cancelled. */
    isReopened = false,
  ) => {
    test(`${title}: one wins, and the money moves once`, async () => {
      const place = await engine.place()
      const [one, other] = [await place.open(), engine.name === 'embedded' ? undefined : await place.open()]
      const town = await startTown({ store: one })
      const replica = other ? await startTown({ store: other, sign: town.world.ports.sign as never }) : town
      const publisher = accountOf(1)
      const by = accountOf(2)
      for (let turn = 0; turn < 5; turn++) {
        const task = await town.taskIn(state, { publisher, by })
        const before = (await town.balance(publisher)) + (await town.balance(by)) + (await town.fees())
        const answers = [...moves(town, task), ...moves(replica, task)].map(move => move())
        const results = await Promise.allSettled(answers)
        const won = results.filter(({ status }) => status === 'fulfilled').length
        expect([won, ...(isReopened ? [won - 1] : [])]).toContain(1)
        const held = await town.escrow(task.task_id)
        // Given up, it is open again, with its money where it was.
        expect(held).toBe((await tasksIn(one).get(task.task_id))?.ended ? 0n : 10_500_000n)
        const after = (await town.balance(publisher)) + (await town.balance(by)) + (await town.fees())
        expect(after - before + held).toBe(10_500_000n)
      }
      await town.stop()
      if (replica !== town) await replica.stop()
      await other?.close()
      await one.close()
      await place.clean()
    })
  }

  race(
    'approve twice',
    (town, { submission_id }) => [() => town.ask(accountOf(1), 'approve_submission', { submission_id })],
    'submitted',
  )
  race(
    'approve ∥ give up',
    (town, { submission_id, task_id }) => [
      () => town.ask(accountOf(1), 'approve_submission', { submission_id }),
      () => town.ask(accountOf(2), 'abandon_task', { task_id }),
    ],
    'submitted',
  )
  race(
    'cancel by the publisher ∥ give up',
    (town, { task_id }) => [
      () => town.ask(accountOf(1), 'cancel_task', { task_id }),
      () => town.ask(accountOf(2), 'abandon_task', { task_id }),
    ],
    'accepted',
    true,
  )
  race(
    'release ∥ refund by an arbiter',
    (town, { dispute_id }) =>
      (['release', 'refund'] as const).map(
        verdict => () =>
          town.ask(arbiter, 'resolve_dispute', { dispute_id, verdict, reason: 'So it shall be.' }),
      ),
    'disputed',
  )

  test('what is due is settled once, by however many replicas at once', async () => {
    const place = await engine.place()
    const store = await place.open()
    const town = await startTown({ store })
    const tasks: Awaited<ReturnType<Town['taskIn']>>[] = []
    for (let n = 0; n < 6; n++)
      tasks.push(await town.taskIn(n % 2 === 0 ? 'submitted' : 'disputed', { by: accountOf(50 + n) }))
    town.later(8 * 86_400_000)
    await Promise.all([town.settle(), town.settle(), town.settle()])
    for (const [n, { task_id }] of tasks.entries()) {
      expect(await town.escrow(task_id)).toBe(0n)
      expect(await town.balance(accountOf(50 + n))).toBe(n % 2 === 0 ? 10_000_000n : 5_000_000n)
    }
    await town.stop()
    await store.close()
    await place.clean()
  })
})
