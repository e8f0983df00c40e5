// Costs: five whole lives of a task for three workers, each over another way in.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import tasks from '../../../mcp/services/tasks/service.ts'
import { waysIn } from '../../contract/clients.ts'
import { arbiter, type Hall, openHall, type Person, signInByHand } from './hall.ts'

let hall: Hall
beforeAll(async () => {
  hall = await openHall()
})
afterAll(() => hall?.stop())

type Output = Record<string, string>
type Do = (who: Person, tool: string, input: Record<string, unknown>) => Promise<Output>

const findTool = (name: string) => {
  const tool = tasks.tools.find(each => each.name === name)
  if (!tool) throw new Error(`no tool ${name}`)
  return tool
}

/** Calls over one way in that every tool has; `route` is its own REST route. */
const over =
  (way: 'route' | 'mcp 2026-07-28' | 'a2a 0.3' | 'a2a 1.0'): Do =>
  async (who, name, input) => {
    const tool = findTool(name)
    const ways = waysIn(hall.site, tasks, tool, who.headers)
    const ask = ways[way === 'route' ? (tool.rest?.routes[0] ?? '') : way]
    if (!ask) throw new Error(`${name} has no ${way}`)
    const answer = await ask(input)
    if ('problem' in answer) throw new Error(`${name}: ${JSON.stringify(answer.problem)}`)
    return answer.output as Output
  }

const origin = () => hall.site.replace('127.0.0.1', 'localhost')
const cookies = new Map<string, string>()

const pagePath = (tool: string, { task_id }: Record<string, unknown>, place: string): string => {
  if (tool === 'publish_task') return '/publish/new'
  if (tool === 'register_worker') return '/work/me'
  const isPublisher = /^(?:assign|approve|reject|answer)_/.test(tool)
  return `/${isPublisher ? 'publish' : 'work'}/tasks/${task_id ?? place}`
}

/** Fields of a form as the pages name them. */
const toFields = (input: Record<string, unknown>): [string, string][] =>
  Object.entries(input).flatMap(([name, value]): [string, string][] => {
    if (typeof value === 'number') return [[`${name}|number`, String(value)]]
    if (name === 'evidence')
      return (value as Output[]).flatMap((piece, at) =>
        Object.entries(piece).map(([key, text]): [string, string] => [`evidence.${at}.${key}`, text]),
      )
    if (Array.isArray(value)) return value.map((each): [string, string] => [`${name}|many`, String(each)])
    return [[name, String(value)]]
  })

/** Posts the form of a page, as its script does. Who decides disputes has no page. */
const onPages = (): Do => {
  let place = ''
  return async (who, tool, input) => {
    if (tool === 'resolve_dispute') return who.get(tool, input)
    const cookie = cookies.get(who.id) ?? (await signInByHand(origin(), who.wallet))
    cookies.set(who.id, cookie)
    place = String(input.task_id ?? place)
    const path = pagePath(tool, input, place)
    const page = await fetch(`${origin()}/tasks${path}`, { headers: { cookie } })
    expect([path, page.status]).toEqual([path, 200])
    // Each form that is posted is on the page that it is posted to.
    expect(await page.text()).toContain(`name="_operation" value="${tool}"`)
    const answer = await fetch(`${origin()}/tasks${path}`, {
      method: 'POST',
      headers: { cookie, origin: origin(), accept: 'application/json' },
      body: new URLSearchParams([['_operation', tool], ...toFields(input)]),
    })
    const body = (await answer.json()) as { output?: Output }
    if (!body.output) throw new Error(`${tool}: ${JSON.stringify(body)}`)
    return body.output
  }
}

const evidence = [{ type: 'text_response', value: 'It is open.' }]

/** Publishes for three, and plays a rejection, a question, a dispute and somebody who gives up. */
const live = async (act: Do) => {
  const [publisher, ada, ben, cay, dan] = await Promise.all(Array.from({ length: 5 }, () => hall.person()))
  if (!publisher || !ada || !ben || !cay || !dan) throw new Error('nobody')
  const judge = await hall.person(arbiter.key)
  await hall.fund(publisher.id, 100_000_000n)
  const { task_id = '' } = await act(publisher, 'publish_task', {
    title: 'Is the bakery open?',
    instructions: 'Go there, look at the door, and say if it is open today.',
    category: 'verification',
    bounty_usd: '5.00',
    deadline_hours: 24,
    evidence_required: ['text_response'],
    workers: 3,
    deposit: 'now',
  })
  for (const who of [ada, ben, cay, dan]) await act(who, 'register_worker', { kind: 'human', name: 'Ada' })
  const { question_id = '' } = await act(ada, 'ask_question', { task_id, question: 'Which door is it?' })
  await act(publisher, 'answer_question', { question_id, answer: 'The left one.' })
  for (const who of [ada, ben, cay, dan]) await act(who, 'apply_to_task', { task_id })

  const begin = async (who: Person): Promise<string> => {
    const place = await act(publisher, 'assign_worker', { task_id, executor_id: who.id })
    await act(who, 'start_work', { task_id: place.task_id })
    return place.task_id ?? ''
  }
  const handIn = async (who: Person, place: string) => {
    const { submission_id } = await act(who, 'submit_work', { task_id: place, evidence })
    return { submission_id }
  }
  const first = await begin(ada)
  const wrong = await handIn(ada, first)
  await act(publisher, 'reject_submission', { ...wrong, notes: 'It is another door.', severity: 'minor' })
  await act(publisher, 'approve_submission', await handIn(ada, first))

  const second = await begin(ben)
  const rejected = await handIn(ben, second)
  await act(publisher, 'reject_submission', { ...rejected, notes: 'It is not right.', severity: 'major' })
  const statement = { ...rejected, reason: 'It is that very door, look again.' }
  const { dispute_id } = await act(ben, 'open_dispute', statement)
  const verdict = { verdict: 'split', split_percent: 40, reason: 'Some of it is right.' }
  await act(judge, 'resolve_dispute', { dispute_id, ...verdict })

  await act(cay, 'abandon_task', { task_id: await begin(cay) })
  await act(publisher, 'approve_submission', await handIn(dan, await begin(dan)))

  const balanceOf = async (who: Person) => (await who.get('get_balance')).available_usd
  expect(await Promise.all([publisher, ada, ben, cay, dan].map(balanceOf))).toEqual([
    // 12.00 of bounties and 0.60 of fees; the rest of the disputed one is back.
    '87.40',
    '5.00',
    '2.00',
    '0.00',
    '5.00',
  ])
  const { tasks: listed } = (await publisher.ask('list_tasks', { role: 'publisher' })).body as {
    tasks: { status: string; payment: Record<string, string> }[]
  }
  const sum = (field: string) =>
    listed.reduce((total, { payment }) => total + Number(payment[field]), 0).toFixed(2)
  expect(listed.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
  expect(
    ['deposited_usd', 'released_usd', 'refunded_usd', 'fee_taken_usd', 'in_escrow_usd'].map(sum),
  ).toEqual(['15.75', '12.00', '3.15', '0.60', '0.00'])
}

describe('a task for three, with a rejection, a question, a dispute and one who gives up, adds up', () => {
  test('over REST', () => live(over('route')))
  test('over MCP', () => live(over('mcp 2026-07-28')))
  test('over A2A 0.3', () => live(over('a2a 0.3')))
  test('over A2A 1.0', () => live(over('a2a 1.0')))
  test('on the pages', () => live(onPages()))
})
