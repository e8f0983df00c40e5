import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf, newTask, refused, startTown, type Town } from './town.ts'

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
