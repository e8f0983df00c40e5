// Costs: five whole lives, each over another way in, with all of their money on a local chain.
import { x402Client } from '@x402/core/client'
import type { PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openChain } from '../../../mcp/ports/chain/chain.ts'
import { networks } from '../../../mcp/ports/chain/networks.ts'
import type { Chain } from '../../../mcp/ports/chain/port.ts'
import { openDevnetKeys } from '../../../mcp/ports/devnet/keys.ts'
import tasks from '../../../mcp/services/tasks/service.ts'
import { startApp } from '../../app.ts'
import { waysIn } from '../../contract/clients.ts'
import { balanceOf, makePayer, onAnvil } from '../../payment/evm-chain.ts'
import { arbiter, openPeople, type Person, signInByHand, somewhere } from './hall.ts'

let app: Awaited<ReturnType<typeof startApp>>
let chain: Chain
let house: string
let person: ReturnType<typeof openPeople>
beforeAll(async () => {
  app = await startApp({ TRUST_PROXY: '1', TASKS_ARBITERS: arbiter.id })
  chain = openChain({ network: networks.base, rpc: (await app.devnetRpc('base')) ?? '', devnet: true })
  house = (await chain.wallet((await openDevnetKeys(app.dir)).payTo)).address
  person = openPeople(`${app.url}/tasks`, { now: () => new Date() })
})
afterAll(() => app?.stop())

type Output = Record<string, string>
type Do = (who: Person, tool: string, input: Record<string, unknown>) => Promise<Output>

/** One call over a way in, with these headers. */
type Ask = (
  who: Person,
  tool: string,
  input: Record<string, unknown>,
  headers?: Record<string, string>,
) => Promise<{ output?: Output; problem?: { code: string } }>

/** Calls; what is asked for is paid as a stock client pays it, from the wallet of who calls, with the call over the same way in. */
const paying =
  (ask: Ask): Do =>
  async (who, tool, input) => {
    const first = await ask(who, tool, input)
    if (first.output) return first.output
    if (first.problem?.code !== 'payment_required') throw new Error(`${tool}: ${JSON.stringify(first)}`)
    const quoted = await who.ask(tool, input)
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(who.wallet))
    client.setSpendControls(false)
    const payment = await client.createPaymentPayload(quoted.body.paymentRequired as PaymentRequired)
    const header = Buffer.from(JSON.stringify(payment)).toString('base64')
    const paid = await ask(who, tool, input, { 'payment-signature': header })
    if (!paid.output) throw new Error(`${tool}, paid: ${JSON.stringify(paid)}`)
    return paid.output
  }

const findTool = (name: string) => {
  const tool = tasks.tools.find(each => each.name === name)
  if (!tool) throw new Error(`no tool ${name}`)
  return tool
}

/** Calls over one way in that every tool has; `route` is its own REST route. */
const over = (way: 'route' | 'mcp 2026-07-28' | 'a2a 0.3' | 'a2a 1.0'): Do =>
  paying(async (who, name, input, headers) => {
    const tool = findTool(name)
    const ways = waysIn(app.url, tasks, tool, { ...who.headers, ...somewhere(), ...headers })
    const ask = ways[way === 'route' ? (tool.rest?.routes[0] ?? '') : way]
    if (!ask) throw new Error(`${name} has no ${way}`)
    return (await ask(input)) as Awaited<ReturnType<Ask>>
  })

const origin = () => app.url.replace('127.0.0.1', 'localhost')
const cookies = new Map<string, string>()

const pagePath = (tool: string, { task_id, dispute_id }: Record<string, unknown>, place: string): string => {
  if (tool === 'publish_task') return '/publish/new'
  if (tool === 'register_worker') return '/work/me'
  if (tool === 'withdraw_funds') return '/work/money'
  if (tool === 'resolve_dispute') return `/work/disputes/${dispute_id}`
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

/** Posts the form of a page, as its script does. */
const onPages = (): Do => {
  let place = ''
  return paying(async (who, tool, input, headers) => {
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
      headers: { cookie, origin: origin(), accept: 'application/json', ...somewhere(), ...headers },
      body: new URLSearchParams([['_operation', tool], ...toFields(input)]),
    })
    const body = (await answer.json()) as { output?: Output; code: string }
    return body.output ? { output: body.output } : { problem: body }
  })
}

const evidence = [{ type: 'text_response', value: 'It is open.' }]

/** What a wallet has on the chain, in USD. */
const onChain = async (address: string): Promise<string> =>
  (Number(await balanceOf(chain, address)) / 1e6).toFixed(2)

const offer = {
  title: 'Is the bakery open?',
  instructions: 'Go there, look at the door, and say if it is open today.',
  category: 'verification',
  bounty_usd: '5.00',
  deadline_hours: 24,
  evidence_required: ['text_response'],
}

/** Publishes for three, and one with its money in the contract; plays a rejection, a question, a dispute and somebody who gives up. */
const live = async (act: Do) => {
  const [publisher, ada, ben, cay, dan, eve] = await Promise.all(Array.from({ length: 6 }, () => person()))
  if (!publisher || !ada || !ben || !cay || !dan || !eve) throw new Error('nobody')
  const judge = await person(arbiter.key)
  const bank = await makePayer(chain, 30_000_000n)
  const funded = await bank.transfer(publisher.wallet.address, 30_000_000n)
  await (await chain.reader()).waitForTransactionReceipt({ hash: funded })
  const before = Number(await onChain(house))
  const { task_id = '' } = await act(publisher, 'publish_task', { ...offer, workers: 3, deposit: 'now' })
  for (const who of [ada, ben, cay, dan, eve])
    await act(who, 'register_worker', { kind: 'human', name: 'Ada' })
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

  const { task_id: held = '' } = await act(publisher, 'publish_task', { ...offer, escrow: 'onchain' })
  await act(eve, 'apply_to_task', { task_id: held })
  await act(publisher, 'assign_worker', { task_id: held, executor_id: eve.id })
  await act(eve, 'start_work', { task_id: held })
  await act(publisher, 'approve_submission', await handIn(eve, held))

  const { tasks: listed } = (await publisher.ask('list_tasks', { role: 'publisher' })).body as {
    tasks: { status: string; payment: Record<string, string> }[]
  }
  const sum = (field: string) =>
    listed.reduce((total, { payment }) => total + Number(payment[field]), 0).toFixed(2)
  expect(listed.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'completed'))
  expect(
    ['deposited_usd', 'released_usd', 'refunded_usd', 'fee_taken_usd', 'in_escrow_usd'].map(sum),
  ).toEqual(['21.00', '17.00', '3.15', '0.85', '0.00'])

  for (const who of [publisher, ada, ben, dan]) await act(who, 'withdraw_funds', {})
  const wallets = [publisher, ada, ben, cay, dan, eve]
  // Bounties of 17.00 and fees of 0.85 have left the wallet of the publisher, and nothing lies anywhere else.
  await vi.waitFor(
    async () => {
      expect(await Promise.all(wallets.map(({ wallet }) => onChain(wallet.address)))).toEqual([
        '12.15',
        '5.00',
        '2.00',
        '0.00',
        '5.00',
        '5.00',
      ])
      expect((Number(await onChain(house)) - before).toFixed(2)).toBe('0.85')
    },
    { timeout: 120_000, interval: 500 },
  )
  const left = await Promise.all(wallets.map(async who => (await who.get('get_balance')).available_usd))
  expect(new Set(left)).toEqual(new Set(['0.00']))
}

onAnvil('tasks with a rejection, a question, a dispute and one who gives up add up on the chain', () => {
  test('over REST', () => live(over('route')))
  test('over MCP', () => live(over('mcp 2026-07-28')))
  test('over A2A 0.3', () => live(over('a2a 0.3')))
  test('over A2A 1.0', () => live(over('a2a 1.0')))
  test('on the pages', () => live(onPages()))
})
