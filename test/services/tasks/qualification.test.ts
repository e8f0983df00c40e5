import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf, newTask, refused, startTown, type Town } from './town.ts'

let town: Town
beforeAll(async () => {
  town = await startTown()
})
afterAll(() => town?.stop())

let number = 70_000
const worker = () => town.worker(++number)
const someone = () => accountOf(++number)

const questions = [
  { question: 'Which way does a door open that says PULL?', accepted: ['Towards me', 'to me'] },
  { question: 'How many sides has a triangle?', accepted: ['3', 'three'] },
]
/** Published with its options, or with them added afterwards: nobody can tell. */
const publish = async (publisher: string, options: object, isLater = false) => {
  const { task_id } = await town.ask(publisher, 'publish_task', { ...newTask, ...(!isLater && { options }) })
  if (isLater) await town.ask(publisher, 'update_task', { task_id, ...options })
  return String(task_id)
}

describe('a test to apply', () => {
  test.each([false, true])(
    'shows its questions and mark, and its right answers to nobody (added later: %s)',
    async isLater => {
      const publisher = someone()
      const task_id = await publish(publisher, { test: { questions, pass_percent: 50 } }, isLater)
      for (const who of [publisher, undefined]) {
        const task = await town.ask(who, 'get_task', { task_id })
        expect(task.test).toEqual({
          questions: questions.map(({ question }) => question),
          pass_percent: 50,
        })
        const { terms, entries, head } = await town.ask(who, 'get_history', { task_id })
        expect(JSON.stringify([task, terms])).not.toContain('Towards me')
        expect(terms).toHaveProperty(isLater ? 'title' : 'test')
        expect(entries).toHaveLength(isLater ? 2 : 1)
        expect(await town.ask(who, 'verify_history', { terms, entries, head })).toMatchObject({ whole: true })
      }
    },
  )

  test('that cannot be leaves nothing published, also in a batch', async () => {
    const publisher = someone()
    const wrong = [
      [{ test: { questions: [] } }, 'options.test.questions'],
      [{ test: { questions: [{ question: 'Why?', accepted: [] }] } }, 'options.test.questions.0.accepted'],
      [{ testt: { questions } }, 'options.testt'],
      [{ repeat: { every_hours: 24, count: 1 } }, 'options.repeat.count'],
    ] as const
    for (const [options, path] of wrong) {
      const problem = await refused(town.ask(publisher, 'publish_task', { ...newTask, options }))
      expect(problem).toMatchObject({ code: 'invalid_input', issues: [{ path }] })
      const batch = town.ask(publisher, 'batch_create_tasks', { tasks: [{ ...newTask, options }] })
      expect(await refused(batch)).toMatchObject({
        issues: [{ path: expect.stringMatching(/^tasks\.0\.options/) }],
      })
    }
    const onchain = { ...newTask, escrow: 'direct', options: { repeat: { every_hours: 24, count: 3 } } }
    expect(await refused(town.ask(publisher, 'publish_task', onchain))).toMatchObject({
      issues: [{ path: 'options.repeat' }],
    })
    expect(await town.ask(publisher, 'list_tasks')).toMatchObject({ tasks: [] })
  })

  test('is graded whatever the case and the space, and passed from the mark on', async () => {
    const publisher = someone()
    const task_id = await publish(publisher, { test: { questions, pass_percent: 50 } })
    const apply = async (answers: readonly string[]) =>
      town.ask(await worker(), 'apply_to_task', { task_id, answers })
    expect(await apply(['  TOWARDS   me.', 'Three'])).toMatchObject({ state: 'pending', test_percent: 100 })
    expect(await apply(['Away', '3'])).toMatchObject({ state: 'pending', test_percent: 50 })
    expect(await apply(['Away', '4'])).toMatchObject({ state: 'failed', test_percent: 0 })
    const { applications } = await town.ask(publisher, 'list_applications', { task_id })
    expect(applications).toMatchObject([
      { test_percent: 0, state: 'failed' },
      { test_percent: 100, state: 'pending' },
      { test_percent: 50, state: 'pending' },
    ])
  })

  test('counts once: who failed can neither try again nor be assigned', async () => {
    const publisher = someone()
    await town.fund(publisher, 20_000_000n)
    const task_id = await publish(publisher, { test: { questions } })
    const by = await worker()
    for (const answers of [[], ['to me'], ['to me', '3', '3']])
      expect(await refused(town.ask(by, 'apply_to_task', { task_id, answers }))).toMatchObject({
        code: 'invalid_input',
        reason: 'test_required',
      })
    await town.ask(by, 'apply_to_task', { task_id, answers: ['to me', '4'] })
    const again = town.ask(by, 'apply_to_task', { task_id, answers: ['to me', '3'] })
    expect(await refused(again)).toMatchObject({ reason: 'already_applied', params: { state: 'failed' } })
    expect(await refused(town.ask(by, 'withdraw_application', { task_id }))).toMatchObject({
      reason: 'not_pending',
    })
    const assigned = town.ask(publisher, 'assign_worker', { task_id, executor_id: by })
    expect(await refused(assigned)).toMatchObject({ reason: 'no_application' })
    expect(await town.ask(by, 'list_my_applications')).toMatchObject({ applications: [{ state: 'failed' }] })
    // Nobody relies on the terms yet.
    expect(await town.ask(publisher, 'update_task', { task_id, min_reputation: 5 })).toMatchObject({
      min_reputation: 5,
    })
  })
})

describe('a badge', () => {
  test('is earned by a test, and opens the next task of the same publisher alone', async () => {
    const [publisher, other] = [someone(), someone()]
    const badge_required = 'Door inspector'
    const first = await publish(publisher, { test: { questions }, badge_required })
    const by = await worker()
    await town.ask(by, 'apply_to_task', { task_id: first, answers: ['to me', '3'] })
    const next = await publish(publisher, { badge_required: 'door INSPECTOR' })
    expect(await town.ask(by, 'apply_to_task', { task_id: next })).toMatchObject({
      state: 'pending',
      test_percent: null,
      badges: [badge_required],
    })
    const elsewhere = await publish(other, { badge_required })
    expect(await refused(town.ask(by, 'apply_to_task', { task_id: elsewhere }))).toMatchObject({
      code: 'forbidden',
      reason: 'badge_missing',
    })
    expect(await town.ask(undefined, 'get_worker', { executor_id: by })).toMatchObject({
      badges: [{ badge: badge_required, publisher_id: publisher }],
    })
    const { applications } = await town.ask(publisher, 'list_applications', { task_id: next })
    expect(applications).toMatchObject([{ badges: [badge_required] }])
  })

  test('is given and taken back by hand, to another wallet than the own', async () => {
    const [publisher, by] = [someone(), await worker()]
    const grant = { executor_id: by, badge: 'Baker' }
    expect(await town.ask(publisher, 'grant_badge', grant)).toEqual({ badges: ['Baker'] })
    expect(await town.ask(publisher, 'grant_badge', grant)).toEqual({ badges: ['Baker'] })
    const task_id = await publish(publisher, { badge_required: 'Baker' })
    expect(await town.ask(publisher, 'grant_badge', { ...grant, granted: false })).toEqual({ badges: [] })
    expect(await refused(town.ask(by, 'apply_to_task', { task_id }))).toMatchObject({
      reason: 'badge_missing',
    })
    const own = town.ask(publisher, 'grant_badge', { executor_id: publisher, badge: 'Baker' })
    expect(await refused(own)).toMatchObject({ reason: 'self_assignment' })
    for (const badge of ['', ' ', 'x'.repeat(41), '<b>'])
      expect(await refused(town.ask(publisher, 'grant_badge', { executor_id: by, badge }))).toMatchObject({
        code: 'invalid_input',
      })
  })
})
