import fc from 'fast-check'
import { expect, test } from 'vitest'
import { repeatTasks } from '../../../mcp/services/tasks/repeat-task.ts'
import { onBothEngines } from '../../payment/ledger-engines.ts'
import { runs } from '../../stress.ts'
import { accountOf, newTask, refused, startTown, type Town } from './town.ts'

const hourMs = 3_600_000
const run = ({ store, clock, ledger }: Town) =>
  repeatTasks.run({ store, clock, ledger, signal: new AbortController().signal })

type Model = {
  id: string
  publisher: string
  total: bigint
  every: number
  next: number
  left: number
  published: number
  state: 'running' | 'done' | 'stopped'
}

type Move =
  | { kind: 'start'; by: number; cents: number; workers: number; every: number; count: number }
  | { kind: 'fund'; by: number; cents: number }
  | { kind: 'run'; hours: number; at_once: number }
  | { kind: 'stop' | 'cancel'; which: number }

const by = fc.nat({ max: 2 })
const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('start' as const),
      by,
      cents: fc.integer({ min: 100, max: 900 }),
      workers: fc.integer({ min: 1, max: 3 }),
      every: fc.integer({ min: 1, max: 6 }),
      count: fc.integer({ min: 2, max: 4 }),
    }),
    fc.record({ kind: fc.constant('fund' as const), by, cents: fc.integer({ min: 1, max: 4000 }) }),
    fc.record({
      kind: fc.constant('run' as const),
      hours: fc.integer({ min: 1, max: 9 }),
      at_once: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({ kind: fc.constantFrom('stop' as const, 'cancel' as const), which: fc.nat({ max: 20 }) }),
  ),
  { minLength: 8, maxLength: 24 },
)

onBothEngines(engine => {
  test('a walk of tasks that repeat keeps to plain sums: each time once, paid or stopped', async () => {
    const place = await engine.place()
    const store = await place.open()
    const town = await startTown({ store })
    let wallets = 900_000
    await fc.assert(
      fc.asyncProperty(moves, async steps => {
        const publishers = [0, 1, 2].map(() => accountOf(++wallets))
        const balances = new Map(publishers.map(account => [account, 0n]))
        const add = (account: string, amount: bigint) =>
          balances.set(account, (balances.get(account) ?? 0n) + amount)
        const series: Model[] = []
        /** Tasks in escrow, and what each holds. */
        const held = new Map<string, bigint>()

        const listOf = async (publisher: string) => {
          const answer = await town.ask(publisher, 'list_tasks', { role: 'publisher', limit: 100 })
          return answer.tasks as {
            task_id: string
            status: string
            series: { series_id: string; number: number } | null
            payment: { in_escrow_usd: string }
          }[]
        }

        for (const step of steps) {
          if (step.kind === 'fund') {
            const account = publishers[step.by] ?? ''
            await town.fund(account, BigInt(step.cents) * 10_000n)
            add(account, BigInt(step.cents) * 10_000n)
          } else if (step.kind === 'start') {
            const publisher = publishers[step.by] ?? ''
            const bounty = BigInt(step.cents) * 10_000n
            const total = (bounty + (bounty * 500n + 9_999n) / 10_000n) * BigInt(step.workers)
            const isPaid = (balances.get(publisher) ?? 0n) >= total
            const { task_id, created_at } = await town.ask(publisher, 'publish_task', {
              ...newTask,
              bounty_usd: (step.cents / 100).toFixed(2),
              workers: step.workers,
              deadline_hours: 700,
              deposit: isPaid ? 'now' : 'later',
            })
            const repeat = { every_hours: step.every, count: step.count }
            await town.ask(publisher, 'update_task', { task_id, repeat })
            if (isPaid) {
              add(publisher, -total)
              held.set(task_id, total)
            }
            const next = Date.parse(String(created_at)) + step.every * hourMs
            const { every, count } = step
            series.push({
              id: task_id,
              publisher,
              total,
              every,
              next,
              left: count - 1,
              published: 1,
              state: 'running',
            })
          } else if (step.kind === 'run') {
            town.later(step.hours * hourMs)
            const now = town.clock.now().getTime()
            const due = series
              .filter(({ state, next }) => state === 'running' && next <= now)
              .sort((one, other) => one.next - other.next || (one.id < other.id ? -1 : 1))
            const needs = (account: string) =>
              due.reduce((sum, one) => sum + (one.publisher === account ? one.total : 0n), 0n)
            // Where a balance covers but some, who comes first decides: then one job runs, in order.
            const isCovered = publishers.every(account => (balances.get(account) ?? 0n) >= needs(account))
            await Promise.all(Array.from({ length: isCovered ? step.at_once : 1 }, () => run(town)))
            for (const one of due) {
              if ((balances.get(one.publisher) ?? 0n) < one.total) {
                one.state = 'stopped'
                continue
              }
              add(one.publisher, -one.total)
              one.published += 1
              one.left -= 1
              if (one.left === 0) one.state = 'done'
              while (one.next <= now) one.next += one.every * hourMs
            }
            for (const publisher of publishers)
              for (const { task_id, series: place } of await listOf(publisher)) {
                const total = series.find(({ id }) => id === place?.series_id)?.total
                if (place && place.number > 1 && total !== undefined && !held.has(task_id))
                  held.set(task_id, total)
              }
          } else if (step.kind === 'stop') {
            const one = series[step.which % Math.max(1, series.length)]
            if (!one) continue
            const stop = town.ask(one.publisher, 'update_task', { task_id: one.id, stop_repeating: true })
            if (one.state === 'running') {
              await stop
              one.state = 'stopped'
            } else expect(await refused(stop)).toMatchObject({ reason: 'not_repeating' })
          } else {
            const open = [...held].filter(([, amount]) => amount > 0n)
            const [task_id, amount] = open[step.which % Math.max(1, open.length)] ?? []
            if (task_id === undefined || amount === undefined) continue
            let owner = ''
            for (const publisher of publishers)
              if ((await listOf(publisher)).some(task => task.task_id === task_id)) owner = publisher
            await town.ask(owner, 'cancel_task', { task_id })
            add(owner, amount)
            held.set(task_id, 0n)
          }
        }
        for (const publisher of publishers) {
          expect(await town.balance(publisher)).toBe(balances.get(publisher))
          const tasks = await listOf(publisher)
          for (const one of series.filter(each => each.publisher === publisher)) {
            const { repeats } = await town.ask(publisher, 'get_task', { task_id: one.id })
            expect(repeats).toMatchObject({ state: one.state, published: one.published })
            const numbers = tasks.flatMap(({ series: place }) =>
              place?.series_id === one.id ? [place.number] : [],
            )
            expect(numbers.sort((a, b) => a - b)).toEqual(
              Array.from({ length: one.published }, (_, at) => at + 1),
            )
          }
        }
        for (const [task_id, amount] of held) expect(await town.escrow(task_id)).toBe(amount)
      }),
      { numRuns: runs(60, 6) },
    )
    await town.stop()
    await store.close()
    await place.clean()
  })
})

test('what repeats has the terms of the one before, time of its own, and says how it ended', async () => {
  const town = await startTown()
  const publisher = accountOf(1)
  await town.fund(publisher, 25_000_000n)
  const { task_id } = await town.ask(publisher, 'publish_task', { ...newTask, deposit: 'now' })
  const test = { questions: [{ question: 'Is it open?', accepted: ['yes'] }] }
  const repeat = { every_hours: 24, count: 5 }
  await town.ask(publisher, 'update_task', { task_id, test, repeat })
  const more = town.ask(publisher, 'update_task', { task_id, repeat })
  expect(await refused(more)).toMatchObject({ reason: 'repeats_already' })
  // Three days without a job: what was missed is not made up for.
  town.later(3 * 24 * hourMs)
  await run(town)
  const { tasks } = await town.ask(publisher, 'list_tasks', { role: 'publisher' })
  const [next, first] = tasks as Record<string, string>[]
  expect(tasks).toMatchObject([
    {
      title: newTask.title,
      test: { questions: ['Is it open?'] },
      series: { series_id: task_id, number: 2, count: 5 },
      payment: { status: 'escrowed', in_escrow_usd: '10.50' },
    },
    { task_id, series: { number: 1 } },
  ])
  const timeOf = (task: Record<string, string> | undefined) =>
    Date.parse(task?.deadline ?? '') - Date.parse(task?.created_at ?? '')
  expect(timeOf(next)).toBe(timeOf(first))
  const by = await town.worker(7)
  expect(await town.ask(by, 'apply_to_task', { task_id: next?.task_id, answers: ['Yes'] })).toMatchObject({
    state: 'pending',
  })
  expect(await town.ask(by, 'get_task', { task_id: next?.task_id })).toMatchObject({ repeats: null })
  town.later(24 * hourMs)
  await run(town)
  expect(await town.ask(publisher, 'get_task', { task_id: next?.task_id })).toMatchObject({
    repeats: {
      state: 'stopped',
      published: 2,
      next_at: null,
      reason: 'the balance of 4.00 USD does not cover 10.50 USD',
    },
  })
  await town.stop()
})

test('no task repeats whose money a balance does not pay', async () => {
  const town = await startTown()
  const publisher = accountOf(2)
  const { task_id } = await town.ask(publisher, 'publish_task', { ...newTask, escrow: 'direct' })
  const repeat = { every_hours: 24, count: 5 }
  expect(await refused(town.ask(publisher, 'update_task', { task_id, repeat }))).toMatchObject({
    reason: 'cannot_repeat',
  })
  await town.stop()
})
