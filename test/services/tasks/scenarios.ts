import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { evmPayer } from '../../../bench/payer.ts'
import { openDevnetKeys } from '../../../mcp/ports/devnet/keys.ts'
import {
  type App,
  fromSomewhere,
  type Headers,
  type Input,
  type Prepared,
  type Scenario,
  type ServiceScenarios,
} from '../../contract/scenario.ts'
import { canPay } from '../../payment/evm-chain.ts'
import { signRequest } from './signing.ts'

type Answer = { task_id: string; submission_id: string; dispute_id: string }

/** A wallet of its own, with the key that its signature got. */
const person = async (app: App) => {
  const account = privateKeyToAccount(generatePrivateKey())
  const url = `${app.url}/tasks/api/v1/auth/keys`
  const signed = await signRequest(account, url, {
    method: 'POST',
    body: '{}',
    contentType: 'application/json',
  })
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...fromSomewhere(), ...signed },
    body: '{}',
  })
  const { api_key, account_id } = (await response.json()) as { api_key?: string; account_id?: string }
  if (!api_key || !account_id) throw new Error(`no key: ${response.status}`)
  const headers = { authorization: `Bearer ${api_key}` }
  const ask = async (tool: string, body: object, send: typeof fetch = fetch): Promise<Answer> => {
    const answer = await send(`${app.url}/tasks/tools/${tool}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...fromSomewhere(), ...headers },
      body: JSON.stringify(body),
    })
    const json = (await answer.json()) as Answer
    if (!answer.ok) throw new Error(`${tool}: ${JSON.stringify(json)}`)
    return json
  }
  const deposit = async (amount_usd: string) =>
    ask('deposit_funds', { amount_usd }, evmPayer((await openDevnetKeys(app.dir)).demo).fetch)
  return { id: account_id, headers, ask, deposit }
}

const newTask = {
  title: 'Is the bakery open?',
  instructions: 'Go there, look at the door, and say if it is open.',
  category: 'physical_presence',
  bounty_usd: '0.05',
  deadline_hours: 24,
  evidence_required: ['photo_geo', 'text_response'],
}

const evidence = [
  {
    type: 'photo_geo',
    url: 'https://files.example.org/door.jpg',
    sha256: 'a'.repeat(64),
    content_type: 'image/jpeg',
    geo: { lat: 39.7817, lng: -89.6501 },
  },
  { type: 'text_response', value: 'It is open.' },
]

const states = [
  'published',
  'applied',
  'accepted',
  'in_progress',
  'submitted',
  'verifying',
  'disputed',
  'completed',
] as const

type State = (typeof states)[number]

/** A task as far as it should go, with its two sides. */
const taskIn = async (app: App, state: State) => {
  const [publisher, worker] = await Promise.all([person(app), person(app)])
  const has = (other: State) => states.indexOf(state) >= states.indexOf(other)
  const { task_id } = await publisher.ask('publish_task', newTask)
  const place = { publisher, worker, task_id, executor_id: worker.id, submission_id: '', dispute_id: '' }
  await worker.ask('register_worker', { kind: 'human', name: 'Ada' })
  if (!has('applied')) return place
  await worker.ask('apply_to_task', { task_id })
  if (!has('accepted')) return place
  await publisher.deposit('0.10')
  await publisher.ask('assign_worker', { task_id, executor_id: worker.id })
  if (has('in_progress')) await worker.ask('start_work', { task_id })
  if (!has('submitted')) return place
  const { submission_id } = await worker.ask('submit_work', { task_id, evidence })
  if (state === 'completed') await publisher.ask('approve_submission', { submission_id })
  if (!has('verifying') || state === 'completed') return { ...place, submission_id }
  await publisher.ask('reject_submission', { submission_id, notes: 'Another door.', severity: 'major' })
  if (!has('disputed')) return { ...place, submission_id }
  const { dispute_id } = await worker.ask('open_dispute', {
    submission_id,
    reason: 'It is that very door, look.',
  })
  return { ...place, submission_id, dispute_id }
}

type Place = Awaited<ReturnType<typeof taskIn>>

/** The example with the ids of a task that is in a state, asked by one of its sides. */
const on =
  (state: State, side: 'publisher' | 'worker', more: Input = {}): Scenario =>
  async (app, input): Promise<Prepared> => {
    const place = await taskIn(app, state)
    const ids = Object.fromEntries(
      (['task_id', 'submission_id', 'dispute_id', 'executor_id'] as const)
        .filter(name => name in input)
        .map(name => [name, place[name as keyof Place] as string]),
    )
    return { input: { ...input, ...ids, ...more }, headers: place[side].headers }
  }

const withBalance: Scenario = async (app, input) => {
  const { headers, deposit } = await person(app)
  await deposit('0.10')
  return { input, headers }
}

/** What cannot be shown without money that moved on a chain. */
const needMoney = [
  'assign_worker',
  'start_work',
  'submit_work',
  'abandon_task',
  'list_submissions',
  'get_submission',
  'approve_submission',
  'request_more_info',
  'reject_submission',
  'open_dispute',
  'get_dispute',
  'rate_worker',
  'rate_publisher',
  'release_payment',
  'send_bonus',
  'withdraw_funds',
]

/** What the examples of the marketplace's tools need around them. */
export const tasksScenarios: ServiceScenarios = {
  credentials: async (app): Promise<Headers> => (await person(app)).headers,
  // Nobody is an arbiter of the whole program; life.test.ts decides disputes.
  isUnanswerable: tool => tool === 'resolve_dispute' || (!canPay && needMoney.includes(tool)),
  tools: {
    get_task: on('published', 'publisher'),
    get_history: on('published', 'publisher'),
    cancel_task: on('published', 'publisher'),
    apply_to_task: on('published', 'worker'),
    withdraw_application: on('applied', 'worker'),
    list_applications: on('applied', 'publisher'),
    assign_worker: async (app, input) => {
      const { publisher, ...place } = await taskIn(app, 'applied')
      await publisher.deposit('0.10')
      const { task_id, executor_id } = place
      return { input: { ...input, task_id, executor_id }, headers: publisher.headers }
    },
    get_worker: on('published', 'publisher'),
    start_work: on('accepted', 'worker'),
    submit_work: on('in_progress', 'worker'),
    abandon_task: on('accepted', 'worker'),
    list_submissions: on('submitted', 'publisher'),
    get_submission: on('submitted', 'publisher'),
    approve_submission: on('submitted', 'publisher'),
    request_more_info: on('submitted', 'publisher'),
    reject_submission: on('submitted', 'publisher'),
    open_dispute: on('verifying', 'worker'),
    get_dispute: on('disputed', 'worker'),
    rate_worker: on('completed', 'publisher'),
    rate_publisher: on('completed', 'worker'),
    task_payment: on('published', 'publisher'),
    release_payment: on('in_progress', 'publisher', { amount_usd: '0.01' }),
    send_bonus: async (app, input) => {
      const { publisher, task_id } = await taskIn(app, 'completed')
      await publisher.deposit('0.10')
      return { input: { ...input, task_id, amount_usd: '0.01' }, headers: publisher.headers }
    },
    withdraw_funds: withBalance,
  },
}
