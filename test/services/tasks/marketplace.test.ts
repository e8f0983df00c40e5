import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tools } from '../../../mcp/services/tasks/tools.ts'
import { accountOf, arbiter, evidence, newTask, refused, startTown, type Town } from './town.ts'

let town: Town
beforeAll(async () => {
  town = await startTown()
})
afterAll(() => town?.stop())

let number = 40_000
const publish = async (more: object = {}) => {
  const publisher = accountOf(++number)
  await town.fund(publisher, 100_000_000n)
  const { task_id } = await town.ask(publisher, 'publish_task', { ...newTask, ...more })
  return { publisher, task_id: String(task_id) }
}
const worker = () => town.worker(++number)

describe('changing a task', () => {
  test('is for its publisher, while nobody has applied', async () => {
    const { publisher, task_id } = await publish()
    const title = 'Is the bakery open on Sunday?'
    const changed = await town.ask(publisher, 'update_task', { task_id, title, min_reputation: 10 })
    expect(changed).toMatchObject({ title, min_reputation: 10, status: 'published' })
    const by = await worker()
    expect(await refused(town.ask(by, 'update_task', { task_id, title }))).toMatchObject({
      code: 'forbidden',
    })
    await town.ask(by, 'apply_to_task', { task_id })
    expect(
      await refused(town.ask(publisher, 'update_task', { task_id, title: 'Something else' })),
    ).toMatchObject({
      code: 'conflict',
      reason: 'applied_to',
    })
    const { tasks } = await town.ask(by, 'search_tasks', { query: 'sunday' })
    expect(tasks).toMatchObject([{ task_id }])
  })

  test('gives more time until work is handed in, and the clock keeps to it', async () => {
    const { publisher, task_id } = await publish({ deposit: 'now' })
    const by = await worker()
    await town.ask(by, 'apply_to_task', { task_id })
    await town.ask(publisher, 'assign_worker', { task_id, executor_id: by })
    await town.ask(by, 'start_work', { task_id })
    const before = await town.ask(publisher, 'get_task', { task_id })
    const after = await town.ask(publisher, 'update_task', { task_id, extend_hours: 10 })
    expect(Date.parse(String(after.deadline)) - Date.parse(String(before.deadline))).toBe(36_000_000)
    expect(after.due).toBe(after.deadline)
    const tooFar = town.ask(publisher, 'update_task', { task_id, extend_hours: 720 })
    expect(await refused(tooFar)).toMatchObject({ code: 'invalid_input' })
    expect(await refused(town.ask(publisher, 'update_task', { task_id }))).toMatchObject({
      reason: 'nothing_changed',
    })
    const { terms, entries, head } = await town.ask(publisher, 'get_history', { task_id })
    expect(terms).toMatchObject({ deadline: before.deadline })
    expect(await town.ask(by, 'verify_history', { terms, entries, head })).toMatchObject({ whole: true })
  })
})

describe('questions about a task', () => {
  test('are asked before applying, answered by the publisher, and read by all', async () => {
    const { publisher, task_id } = await publish()
    const by = await worker()
    const { question_id } = await town.ask(by, 'ask_question', { task_id, question: 'Which door is it?' })
    const own = town.ask(publisher, 'ask_question', { task_id, question: 'Which door is it?' })
    expect(await refused(own)).toMatchObject({ reason: 'own_task' })
    expect(await refused(town.ask(by, 'answer_question', { question_id, answer: 'Mine.' }))).toMatchObject({
      code: 'forbidden',
    })
    await town.ask(publisher, 'answer_question', { question_id, answer: 'The left one.' })
    const { questions } = await town.ask(await worker(), 'list_questions', { task_id })
    expect(questions).toMatchObject([{ question_id, question: 'Which door is it?', answer: 'The left one.' }])
  })

  test('wait five at a time, and end with the task', async () => {
    const { publisher, task_id } = await publish()
    const by = await worker()
    const ask = (n: number) => town.ask(by, 'ask_question', { task_id, question: `Question number ${n}?` })
    for (let n = 0; n < 5; n++) await ask(n)
    expect(await refused(ask(5))).toMatchObject({ reason: 'too_many_waiting' })
    await town.ask(publisher, 'cancel_task', { task_id })
    expect((await refused(ask(6))).code).toMatch(/gone|conflict/)
  })
})

test('an application carries who applied, and its worker sees what became of it', async () => {
  const { publisher, task_id } = await publish()
  const [chosen, other] = [await worker(), await worker()]
  for (const by of [chosen, other]) await town.ask(by, 'apply_to_task', { task_id, message: 'I am near.' })
  const { applications } = await town.ask(publisher, 'list_applications', { task_id })
  expect(applications).toMatchObject([
    { executor_id: chosen, worker: { kind: 'human', completed: 0, approval_rate: null } },
    { executor_id: other },
  ])
  await town.ask(publisher, 'assign_worker', { task_id, executor_id: chosen })
  const outcome = async (by: string) => (await town.ask(by, 'list_my_applications')).applications
  expect(await outcome(chosen)).toMatchObject([{ task_id, state: 'accepted', bounty_usd: '10.00' }])
  expect(await outcome(other)).toMatchObject([{ task_id, state: 'declined' }])
})

describe('a task that its worker gives up', () => {
  test('opens again with its money, and its next worker reads nothing of the work of the first', async () => {
    const { publisher, task_id } = await publish({ deposit: 'now' })
    const [first, second] = [await worker(), await worker()]
    for (const by of [first, second]) await town.ask(by, 'apply_to_task', { task_id })
    await town.ask(publisher, 'assign_worker', { task_id, executor_id: first })
    await town.ask(first, 'start_work', { task_id })
    const { submission_id } = await town.ask(first, 'submit_work', { task_id, evidence })
    expect(await town.ask(first, 'abandon_task', { task_id })).toMatchObject({
      status: 'published',
      executor_id: null,
      submission_id: null,
      payment: { status: 'escrowed', in_escrow_usd: '10.50' },
    })
    expect(await town.ask(first, 'get_worker', { executor_id: first })).toMatchObject({ abandoned: 1 })
    expect(await refused(town.ask(first, 'apply_to_task', { task_id }))).toMatchObject({
      reason: 'already_applied',
    })
    await town.ask(publisher, 'assign_worker', { task_id, executor_id: second })
    expect(await refused(town.ask(second, 'get_submission', { submission_id }))).toMatchObject({
      code: 'not_found',
    })
    expect(await town.ask(second, 'list_submissions', { task_id })).toMatchObject({ submissions: [] })
    await town.ask(second, 'start_work', { task_id })
    const done = await town.ask(second, 'submit_work', { task_id, evidence })
    await town.ask(publisher, 'approve_submission', { submission_id: done.submission_id })
    expect([await town.balance(first), await town.balance(second)]).toEqual([0n, 10_000_000n])
    expect(await town.balance(publisher)).toBe(89_500_000n)
    const { terms, entries, head } = await town.ask(publisher, 'get_history', { task_id })
    expect(await town.ask(second, 'verify_history', { terms, entries, head })).toMatchObject({ whole: true })
    const { tasks, categories } = await town.ask(publisher, 'task_analytics', {})
    expect([tasks, categories]).toMatchObject([
      { published: 1, completed: 1, cancelled: 0 },
      { physical_presence: { published: 1, completed: 1 } },
    ])
  })
})

describe('a task for several workers', () => {
  test('pays each the whole bounty from one escrow, and gives back what nobody took', async () => {
    const { publisher, task_id } = await publish({ workers: 3, deposit: 'now' })
    expect(await town.balance(publisher)).toBe(68_500_000n)
    expect(await town.ask(publisher, 'get_task', { task_id })).toMatchObject({
      workers: 3,
      workers_open: 3,
      payment: { bounty_usd: '10.00', in_escrow_usd: '31.50' },
    })
    const people = [await worker(), await worker()]
    for (const by of people) {
      await town.ask(by, 'apply_to_task', { task_id })
      const place = await town.ask(publisher, 'assign_worker', { task_id, executor_id: by })
      expect(place).toMatchObject({
        status: 'accepted',
        parent_id: task_id,
        payment: { in_escrow_usd: '10.50' },
      })
      const own = { task_id: place.task_id }
      await town.ask(by, 'start_work', own)
      const { submission_id } = await town.ask(by, 'submit_work', { ...own, evidence })
      await town.ask(publisher, 'approve_submission', { submission_id })
      expect(await town.balance(by)).toBe(10_000_000n)
      const again = town.ask(publisher, 'assign_worker', { task_id, executor_id: by })
      expect(await refused(again)).toMatchObject({ reason: 'no_application' })
    }
    expect(await town.ask(publisher, 'get_task', { task_id })).toMatchObject({
      status: 'published',
      workers_open: 1,
    })
    expect(await town.escrow(task_id)).toBe(10_500_000n)
    await town.ask(publisher, 'cancel_task', { task_id })
    expect([await town.escrow(task_id), await town.balance(publisher)]).toEqual([0n, 79_000_000n])
  })

  test('is itself the last place, and needs all its money with the first', async () => {
    const { publisher, task_id } = await publish({ workers: 2 })
    const people = [await worker(), await worker()]
    for (const by of people) await town.ask(by, 'apply_to_task', { task_id })
    const [one, other] = people
    const first = await town.ask(publisher, 'assign_worker', { task_id, executor_id: one })
    expect([first.task_id === task_id, await town.balance(publisher)]).toEqual([false, 79_000_000n])
    const last = await town.ask(publisher, 'assign_worker', { task_id, executor_id: other })
    expect(last).toMatchObject({ task_id, status: 'accepted', parent_id: null })
    expect(await town.balance(publisher)).toBe(79_000_000n)
    expect(
      await refused(town.ask(publisher, 'publish_task', { ...newTask, workers: 2, escrow: 'onchain' })),
    ).toMatchObject({
      code: expect.stringMatching(/invalid_input|unavailable/),
    })
  })
})

test('only who is invited and not blocked may apply', async () => {
  const [guest, stranger] = [await worker(), await worker()]
  const { publisher, task_id } = await publish({ invited: [guest] })
  expect(await refused(town.ask(stranger, 'apply_to_task', { task_id }))).toMatchObject({
    reason: 'not_invited',
  })
  expect(await town.ask(publisher, 'block_worker', { executor_id: guest })).toEqual({ blocked: [guest] })
  expect(await refused(town.ask(guest, 'apply_to_task', { task_id }))).toMatchObject({ reason: 'blocked' })
  expect(await town.ask(publisher, 'block_worker', { executor_id: guest, blocked: false })).toEqual({
    blocked: [],
  })
  expect(await town.ask(guest, 'apply_to_task', { task_id })).toMatchObject({ state: 'pending' })
})

const toolNames = tools.map(({ name }) => name)

/** What the guide says of other marketplaces: an operation there, and the tools that are it here. */
const guide = readFileSync('docs/tasks/marketplace.md', 'utf8')
const operations = (guide.split('## Coming from another marketplace')[1]?.split('\n## ')[0] ?? '')
  .split('\n')
  .filter(line => line.startsWith('| ') && !line.startsWith('| there'))
  .map(line => ({
    there: line.split('|')[1]?.trim(),
    tools: [...line.matchAll(/`([a-z]+_[a-z_]+)`/g)].flatMap(([, name]) =>
      toolNames.filter(tool => tool === name),
    ),
  }))

test('what people do on MTurk, Toloka and Upwork is done here by the tools that the guide names', async () => {
  const [publisher, by] = [accountOf(++number), await worker()]
  await town.fund(publisher, 200_000_000n)
  const played = new Set<string>()
  const play = (who: string, tool: string, input: object = {}) => {
    played.add(tool)
    return town.ask(who, tool, input)
  }
  const { task_id } = await play(publisher, 'publish_task', { ...newTask, workers: 2 })
  await play(publisher, 'batch_create_tasks', { tasks: [newTask, newTask] })
  await play(publisher, 'update_task', { task_id, extend_hours: 12, title: 'Is the bakery open on Monday?' })
  const { question_id } = await play(by, 'ask_question', { task_id, question: 'Is a photo needed?' })
  await play(publisher, 'answer_question', { question_id, answer: 'No, a word is enough.' })
  await play(by, 'apply_to_task', { task_id })
  expect(await play(by, 'list_my_applications')).toMatchObject({ applications: [{ state: 'pending' }] })
  await play(publisher, 'list_applications', { task_id })
  const place = (await play(publisher, 'assign_worker', { task_id, executor_id: by })).task_id
  await play(by, 'start_work', { task_id: place })
  const first = await play(by, 'submit_work', { task_id: place, evidence })
  await play(publisher, 'list_submissions', { task_id: place })
  await play(publisher, 'get_submission', { submission_id: first.submission_id })
  await play(publisher, 'request_more_info', { submission_id: first.submission_id, notes: 'Since when?' })
  const second = await play(by, 'submit_work', { task_id: place, evidence })
  await play(publisher, 'reject_submission', {
    submission_id: second.submission_id,
    notes: 'It is another door.',
  })
  const third = await play(by, 'submit_work', { task_id: place, evidence })
  await play(publisher, 'release_payment', { task_id: place, amount_usd: '4.00' })
  await play(publisher, 'open_dispute', {
    submission_id: third.submission_id,
    reason: 'The word says nothing of the door.',
  })
  const { dispute_id } = await town.ask(by, 'get_task', { task_id: place })
  await town.ask(arbiter, 'resolve_dispute', {
    dispute_id,
    verdict: 'release',
    reason: 'It was asked for a word.',
  })
  await play(publisher, 'send_bonus', { task_id: place, amount_usd: '1.00' })
  expect(await play(by, 'get_balance')).toMatchObject({ available_usd: '11.00' })
  const other = await town.worker(++number)
  await play(other, 'apply_to_task', { task_id })
  await play(publisher, 'assign_worker', { task_id, executor_id: other })
  await play(other, 'start_work', { task_id })
  const last = await play(other, 'submit_work', { task_id, evidence })
  await play(publisher, 'approve_submission', { submission_id: last.submission_id })
  const { tasks } = await play(publisher, 'list_tasks')
  const [open] = (tasks as { task_id: string; status: string }[]).filter(
    ({ status }) => status === 'published',
  )
  await play(publisher, 'get_task', { task_id: open?.task_id })
  await play(publisher, 'cancel_task', { task_id: open?.task_id })
  await play(publisher, 'block_worker', { executor_id: other })
  await play(publisher, 'grant_badge', { executor_id: by, badge: 'Baker' })
  expect(await play(publisher, 'task_analytics')).toMatchObject({ work: { workers: [{}, {}] } })

  expect(operations.length).toBeGreaterThanOrEqual(20)
  expect(operations.filter(({ tools }) => tools.length === 0)).toEqual([])
  expect(operations.filter(({ tools }) => !tools.every(name => played.has(String(name))))).toEqual([])
})
