import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTaskProse } from '../../../mcp/services/tasks/publish-task.ts'
import { tasksIn } from '../../../mcp/services/tasks/task.ts'
import { type Hall, openHall, type Person } from './hall.ts'

let hall: Hall
let publisher: Person
beforeAll(async () => {
  hall = await openHall()
  publisher = await hall.person()
})
afterAll(() => hall?.stop())

type Result = {
  kind: string
  id: string
  contextId: string
  status: {
    state: string
    message?: { parts: { text?: string; data?: { missing: { path: string }[]; known: object } }[] }
  }
  artifacts?: { parts: { data?: Record<string, unknown> }[] }[]
}

let n = 0
const say = async (who: Person | undefined, text: string, more: object = {}, data?: object) => {
  const parts = [{ kind: 'text', text }, ...(data ? [{ kind: 'data', data }] : [])]
  const message = { kind: 'message', role: 'user', messageId: `m-${++n}`, parts, ...more }
  const response = await fetch(`${hall.url}/a2a/v1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${n % 250}`, ...who?.headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: n, method: 'message/send', params: { message } }),
  })
  return (await response.json()) as { result: Result; error?: { code: number; data?: object } }
}

const missingIn = ({ status }: Result) =>
  status.message?.parts.flatMap(({ data }) => data?.missing.map(({ path }) => path) ?? [])
const taskIn = ({ artifacts }: Result) => artifacts?.[0]?.parts.find(({ data }) => data)?.data ?? {}

const words =
  'Publish a task: Take a photo of the door of the bakery at Main Street 1 and tell me its opening hours. Within 24 hours.'

describe('plain words that leave out the bounty', () => {
  test('ask for it and publish nothing; the second message in the task completes it', async () => {
    const before = await tasksIn(hall.store).count()
    const { result } = await say(publisher, words)
    expect(result).toMatchObject({ kind: 'task', status: { state: 'input-required' } })
    expect(missingIn(result)).toEqual(['bounty_usd'])
    expect(result.status.message?.parts[0]?.text).toMatch(/Nothing was done yet.*bounty_usd/)
    expect(await tasksIn(hall.store).count()).toBe(before)

    const place = { taskId: result.id, contextId: result.contextId }
    expect(missingIn((await say(publisher, 'Whatever you think is fair.', place)).result)).toEqual([
      'bounty_usd',
    ])
    const { result: done } = await say(publisher, 'The bounty is $7.50', place)
    expect(done).toMatchObject({ id: result.id, status: { state: 'completed' } })
    expect(taskIn(done)).toMatchObject({
      title: 'Take a photo of the door of the bakery at Main Street 1 and tell me its opening hours',
      category: 'physical_presence',
      evidence_required: ['photo'],
      location: { hint: 'Main Street 1' },
      publisher_id: publisher.id,
      payment: { bounty_usd: '7.50', status: 'pending' },
    })
    const after = await say(publisher, 'The bounty is $9', place)
    expect(after.error?.code).toBe(-32004)
    expect(await tasksIn(hall.store).count()).toBe(before + 1)
  })

  test('are completed by a message in the same context, and by data', async () => {
    const { result } = await say(publisher, words)
    const { contextId } = result
    const { result: done } = await say(publisher, '12 USDC', { contextId })
    expect(done).toMatchObject({ id: result.id, status: { state: 'completed' } })
    expect(taskIn(done)).toMatchObject({ payment: { bounty_usd: '12.00' } })

    const { result: other } = await say(publisher, words)
    const { result: byData } = await say(publisher, '', { taskId: other.id }, { bounty_usd: '3.00' })
    expect(taskIn(byData)).toMatchObject({ payment: { bounty_usd: '3.00' } })
  })

  test('that a data part or metadata calls a task are read all the same', async () => {
    const plain = 'Somebody should take a photo of the bakery for me, within 2 days.'
    const byData = await say(publisher, plain, {}, { skill: 'publish-task' })
    expect(missingIn(byData.result)).toEqual(['bounty_usd'])
    const byMetadata = await say(publisher, plain, { metadata: { skill: 'publish-task' } })
    expect(missingIn(byMetadata.result)).toEqual(['bounty_usd'])
    const whole = await say(publisher, plain, {}, { skill: 'publish-task', bounty_usd: '4.00' })
    expect(whole.result).toMatchObject({ kind: 'message' })
  })

  test('of one who does not sign are refused before anything is asked', async () => {
    const { error } = await say(undefined, words)
    expect(error).toMatchObject({ data: expect.anything() })
    expect(JSON.stringify(error)).toMatch(/unauthenticated/)
  })

  test('are gone on with by who wrote them only', async () => {
    const { result } = await say(publisher, words)
    const stranger = await hall.person()
    const { error } = await say(stranger, '$5', { taskId: result.id })
    expect(error?.code).toBe(-32001)
    const { result: other } = await say(stranger, '$5', { contextId: result.contextId })
    expect(other?.id).not.toBe(result.id)
    expect((await say(publisher, '$6', { taskId: result.id })).result.status.state).toBe('completed')
  })

  test('and are said at once by eight callers become one task', async () => {
    const { result } = await say(publisher, words)
    const before = await tasksIn(hall.store).count()
    await Promise.all(Array.from({ length: 8 }, () => say(publisher, '$5', { taskId: result.id })))
    expect(await tasksIn(hall.store).count()).toBe(before + 1)
  })
})

describe('a bounty', () => {
  test.each([
    ['for $5', '5'],
    ['I pay $1,250.50.', '1250.50'],
    ['reward: 20 USDC', '20'],
    ['US$ 7', '7'],
    ['5 dollars, $5 in all', '5'],
    ['The bounty is $8; the bread costs $3', '8'],
    ['no money named', undefined],
    ['between $5 and $10', undefined],
    ['$20 per hour', undefined],
    ['20 dollars an hour', undefined],
    ['-$5', undefined],
    ['$-5', undefined],
    ['$1e9', undefined],
    ['$5k', undefined],
    ['5 EUR', undefined],
    ['€5', undefined],
    ['five dollars', undefined],
    ['50 cents', undefined],
    ['room 5, floor 3', undefined],
    ['NaN dollars', undefined],
    ['Infinity USD', undefined],
  ])('in %j is %j', (text, bounty) => {
    expect(readTaskProse(text, {}).bounty_usd).toBe(bounty)
  })

  test('of nothing, or of more than there may be, is asked for again', async () => {
    for (const amount of ['$0', '$10001', '$0.001']) {
      const { result } = await say(publisher, `${words} The bounty is ${amount}`)
      expect(missingIn(result)).toEqual(['bounty_usd'])
    }
  })
})

test('every other field that is missing is named, and time is not guessed', async () => {
  const { result } = await say(publisher, 'hire somebody for $5')
  expect(missingIn(result)).toEqual(['category', 'deadline_hours', 'evidence_required'])
  const { result: done } = await say(publisher, 'Category: research. A written report within 3 days.', {
    taskId: result.id,
  })
  expect(taskIn(done)).toMatchObject({ category: 'research', evidence_required: ['text_report'] })
})

test.each(['$', '1,', 'in ', 'at Aa ', 'title', '9', 'deadline '])('10,000 times %j does not hang', part => {
  expect(readTaskProse(part.repeat(10_000 / part.length), {})).toBeDefined()
})
