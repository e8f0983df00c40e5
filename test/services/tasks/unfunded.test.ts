import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLedger } from '../../../mcp/payment/ledger/index.ts'
import { applicationsIn } from '../../../mcp/services/tasks/application.ts'
import { loadHistory } from '../../../mcp/services/tasks/history.ts'
import { settleDue } from '../../../mcp/services/tasks/settle-due.ts'
import { tasksIn } from '../../../mcp/services/tasks/task.ts'
import { type Hall, hallTask, openHall, type Person } from './hall.ts'

const hour = 3_600_000
let hall: Hall
beforeAll(async () => {
  hall = await openHall()
})
afterAll(() => hall?.stop())

const settle = () =>
  settleDue.run({
    store: hall.store,
    clock: hall.clock,
    ledger: openLedger(hall.clock.now),
    signal: new AbortController().signal,
  } as never)

let n = 0
const newPublisher = async () => {
  const publisher = await hall.person()
  await hall.fund(publisher.id, 200_000_000n)
  return publisher
}
const publish = async (publisher: Person, more: object = {}) => {
  const { task_id = '', due } = await publisher.get('publish_task', {
    ...hallTask,
    deadline_hours: 100,
    title: `Look at door ${++n}`,
    ...more,
  })
  return { task_id, due: Date.parse(due ?? '') }
}

describe('a task without money in escrow', () => {
  test('waits a day for a worker and ends; one with money waits until its deadline', async () => {
    const publisher = await newPublisher()
    const unfunded = await publish(publisher)
    const funded = await publish(publisher, { deposit: 'now' })
    const short = await publish(publisher, { deadline_hours: 2 })
    const direct = await publish(publisher, { escrow: 'direct' })
    const now = hall.clock.now().getTime()
    const hours = [unfunded, funded, short, direct].map(({ due }) => Math.round((due - now) / hour))
    expect(hours).toEqual([24, 100, 2, 24])
    hall.later(24 * hour + 1000)
    await settle()
    const states = [unfunded, funded, direct].map(({ task_id }) => publisher.get('get_task', { task_id }))
    expect((await Promise.all(states)).map(({ status, due }) => [status, due === null])).toEqual([
      ['expired', true],
      ['published', false],
      ['expired', true],
    ])
    hall.later(76 * hour)
    await settle()
    expect(await publisher.get('get_task', { task_id: funded.task_id })).toMatchObject({ status: 'expired' })
  })

  test('keeps its deadline once it is assigned within the day', async () => {
    const publisher = await newPublisher()
    const worker = await hall.person()
    await worker.get('register_worker', { kind: 'human', name: 'Ada' })
    const { task_id } = await publish(publisher)
    await worker.get('apply_to_task', { task_id })
    hall.later(23 * hour)
    const { due, deadline } = await publisher.get('assign_worker', { task_id, executor_id: worker.id })
    expect(due).toBe(deadline)
  })

  test('is dropped 30 days after its end, with its history and what was applied; a funded one is not', async () => {
    const publisher = await newPublisher()
    const worker = await hall.person()
    await worker.get('register_worker', { kind: 'human', name: 'Ada' })
    const { task_id } = await publish(publisher)
    const funded = await publish(publisher, { deposit: 'now' })
    const cancelled = await publish(publisher)
    await publisher.get('cancel_task', { task_id: cancelled.task_id })
    await worker.get('apply_to_task', { task_id })
    hall.later(25 * hour)
    await settle()
    hall.later(29 * 24 * hour)
    await settle()
    const { store } = hall
    expect(await tasksIn(store).get(task_id)).toMatchObject({ status: 'expired' })
    hall.later(26 * hour)
    await settle()
    expect(await tasksIn(store).get(task_id)).toBeUndefined()
    expect(await tasksIn(store).get(cancelled.task_id)).toBeUndefined()
    expect(await loadHistory(store, task_id)).toEqual([])
    const applied = { index: 'task', where: { task: task_id } }
    expect(await applicationsIn(store).count(applied)).toBe(0)
    expect(await tasksIn(store).get(funded.task_id)).toMatchObject({ status: 'expired' })
  })
})

test('searches name funded tasks first: the newest, of a kind, by words and near a place', async () => {
  const publisher = await newPublisher()
  const flooder = await newPublisher()
  const place = { location_lat: 10, location_lng: 10, category: 'verification', title: 'Zebra crossing' }
  const funded = [
    await publish(publisher, { ...place, deposit: 'now', location_lat: 10.02 }),
    await publish(publisher, { ...place, deposit: 'now', location_lat: 10.03 }),
  ].map(({ task_id }) => task_id)
  for (let at = 0; at < 5; at++) await publish(flooder, { ...place })
  const searches = [
    {},
    { category: 'verification' },
    { query: 'zebra' },
    { near_lat: 10, near_lng: 10 },
    { near_lat: 10, near_lng: 10, query: 'zebra' },
  ]
  for (const search of searches) {
    const { tasks } = (await publisher.get('search_tasks', { ...search, limit: 4 })) as unknown as {
      tasks: { task_id: string; title: string }[]
    }
    expect(
      tasks
        .slice(0, 2)
        .map(({ task_id }) => task_id)
        .sort(),
    ).toEqual([...funded].sort())
    expect(tasks.map(({ title }) => title)).toEqual(Array(4).fill('Zebra crossing'))
  }
  const found: string[] = []
  let after: string | undefined
  do {
    const page = (await publisher.get('search_tasks', {
      query: 'zebra',
      limit: 2,
      ...(after && { after }),
    })) as unknown as { tasks: { task_id: string }[]; next: string | null }
    found.push(...page.tasks.map(({ task_id }) => task_id))
    after = page.next ?? undefined
  } while (after !== undefined)
  expect(found.slice(0, 2).sort()).toEqual([...funded].sort())
  expect(new Set(found).size).toBe(7)
  expect(await publisher.ask('search_tasks', { query: 'zebra', after: 'unfunded.x' })).toMatchObject({
    status: 422,
  })
})
