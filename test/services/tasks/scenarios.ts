import { createHash } from 'node:crypto'
import { encodeFunctionData, type Hex, numberToHex, parseEventLogs } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { evmPayer } from '../../../bench/payer.ts'
import { testIdentityRegistry } from '../../../contracts/test-identity-registry.ts'
import { testUsdc } from '../../../contracts/test-usdc.ts'
import { openChain } from '../../../mcp/ports/chain/chain.ts'
import { networks } from '../../../mcp/ports/chain/networks.ts'
import { openDevnetKeys } from '../../../mcp/ports/devnet/keys.ts'
import { depositTypes, topUpNonce } from '../../../mcp/services/tasks/channel/channels.ts'
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

type Answer = {
  task_id: string
  submission_id: string
  dispute_id: string
  file_id: string
  upload_url: string
}

/** A wallet of its own, with the key that its signature got. */
const person = async (app: App) => {
  const privateKey = generatePrivateKey()
  const account = privateKeyToAccount(privateKey)
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
  /** Asks, and pays from this wallet, which gets what it needs. */
  const paying = async (tool: string, body: object) => {
    const chain = openChain({
      network: networks.base,
      rpc: (await app.devnetRpc('base')) ?? '',
      devnet: true,
    })
    const demo = await chain.wallet((await openDevnetKeys(app.dir)).demo)
    const args = [account.address, 1_000_000n] as const
    const data = encodeFunctionData({ abi: testUsdc.abi, functionName: 'mint', args })
    await demo.carry({ to: chain.network.token.address, data }, 10_000)
    return ask(tool, body, evmPayer(privateKey).fetch)
  }
  /** An agent of this wallet in the identity registry, linked to the account. */
  const linkAgent = async (): Promise<string> => {
    const chain = openChain({
      network: networks.base,
      rpc: (await app.devnetRpc('base')) ?? '',
      devnet: true,
    })
    const { transaction } = (await ask('register_identity', {})) as unknown as {
      transaction: { to: Hex; data: Hex }
    }
    const reader = await chain.reader()
    const wei = numberToHex(10n ** 18n)
    await reader.request({ method: 'anvil_setBalance', params: [account.address, wei] } as never)
    const { to, data } = transaction
    const { receipt } = await (await chain.wallet(privateKey)).carry({ to, data }, 60_000)
    const logs = receipt?.logs ?? []
    const [event] = parseEventLogs({ abi: testIdentityRegistry.abi, eventName: 'Registered', logs })
    const agent_id = String(event?.args.agentId)
    await ask('register_identity', { agent_id })
    return agent_id
  }
  return { id: account_id, headers, ask, deposit, paying, linkAgent }
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

/** A file that a worker has uploaded. */
const withUpload: Scenario = async app => {
  const { worker, task_id } = await taskIn(app, 'in_progress')
  const bytes = 'It is open.'
  const promised = {
    task_id,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
    content_type: 'text/plain',
  }
  const { file_id, upload_url } = await worker.ask('presign_upload', promised)
  await fetch(upload_url, { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: bytes })
  return { input: { file_id }, headers: worker.headers }
}

const withBalance: Scenario = async (app, input) => {
  const { headers, deposit } = await person(app)
  await deposit('0.10')
  return { input, headers }
}

const terms = { rate_usd: '0.01', unit: 'hour', cap_usdc: '0.10', network: 'base' }

type Data = { domain: object; types: object; primaryType: string; message: Record<string, unknown> }

/** Work under way, and what the demo wallet signs to pay for its time. */
export const payable = async (app: App, more: Partial<typeof terms> = {}) => {
  const place = await taskIn(app, 'in_progress')
  const demo = privateKeyToAccount((await openDevnetKeys(app.dir)).demo)
  const sign = (data: unknown) => demo.signTypedData(data as never)
  const order = { task_id: place.task_id, ...terms, ...more }
  const quote = (await place.publisher.ask('quote_session', {
    ...order,
    payer: demo.address,
  })) as unknown as {
    channel_id: Hex
    salt: Hex
    authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>
    deposit_typed_data: Data
    voucher_typed_data: Data
  }
  const { channel_id, salt, authorization, deposit_typed_data, voucher_typed_data } = quote
  const [signature, voucher_signature] = await Promise.all([
    sign(deposit_typed_data),
    sign(voucher_typed_data),
  ])
  const opening = { ...order, channel_id, salt, authorization, signature, voucher_signature }
  return { ...place, sign, quote, opening }
}

/** The example with a session that is open, asked by who pays it. */
const onSession =
  (more: (given: Awaited<ReturnType<typeof payable>>) => Promise<Input>): Scenario =>
  async (app, input): Promise<Prepared> => {
    const given = await payable(app)
    const { publisher, opening } = given
    const { session_id } = (await publisher.ask('open_session', opening)) as unknown as { session_id: string }
    return { input: { ...input, session_id, ...(await more(given)) }, headers: publisher.headers }
  }

const sessionTools = [
  'quote_session',
  'open_session',
  'send_voucher',
  'top_up_session',
  'get_session',
  'close_session',
  'reclaim_session',
]

/** What cannot be shown without money that moved on a chain. */
const needMoney = [
  'assign_worker',
  'start_work',
  'submit_work',
  'presign_upload',
  'presign_download',
  'verify_evidence',
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
  'reclaim_escrow',
  'check_identity',
  'register_identity',
  'publish_feedback',
  'send_bonus',
  'withdraw_funds',
  ...sessionTools,
]

/** What the examples of the marketplace's tools need around them. */
export const tasksScenarios: ServiceScenarios = {
  credentials: async (app): Promise<Headers> => (await person(app)).headers,
  // Nobody is an arbiter of the whole program; life.test.ts decides disputes. What is always paid is paid in direct.test.ts.
  isUnanswerable: tool =>
    ['resolve_dispute', 'available_disputes', 'pay_deliverable'].includes(tool) ||
    (!canPay && needMoney.includes(tool)),
  tools: {
    get_task: on('published', 'publisher'),
    get_history: on('published', 'publisher'),
    cancel_task: on('published', 'publisher'),
    update_task: on('published', 'publisher'),
    block_worker: on('applied', 'publisher'),
    grant_badge: on('applied', 'publisher'),
    apply_to_task: on('published', 'worker'),
    withdraw_application: on('applied', 'worker'),
    list_applications: on('applied', 'publisher'),
    ask_question: on('published', 'worker'),
    list_questions: on('published', 'worker'),
    answer_question: async app => {
      const { publisher, worker, task_id } = await taskIn(app, 'published')
      const asked = await worker.ask('ask_question', { task_id, question: 'Which door is it?' })
      const { question_id } = asked as unknown as { question_id: string }
      return { input: { question_id, answer: 'The left one.' }, headers: publisher.headers }
    },
    assign_worker: async (app, input) => {
      const { publisher, ...place } = await taskIn(app, 'applied')
      await publisher.deposit('0.10')
      const { task_id, executor_id } = place
      return { input: { ...input, task_id, executor_id }, headers: publisher.headers }
    },
    get_worker: on('published', 'publisher'),
    get_reputation: on('published', 'publisher'),
    start_work: on('accepted', 'worker'),
    submit_work: on('in_progress', 'worker'),
    presign_upload: on('in_progress', 'worker'),
    presign_download: withUpload,
    verify_evidence: withUpload,
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
    get_feedback: on('published', 'publisher'),
    get_balance: async (app, input) => {
      const { id, headers } = await person(app)
      return { input: { ...input, address: id }, headers }
    },
    task_payment: on('published', 'publisher'),
    release_payment: on('in_progress', 'publisher', { amount_usd: '0.01' }),
    reclaim_escrow: async (app, input) => {
      const [publisher, worker] = await Promise.all([person(app), person(app)])
      const { task_id } = await publisher.ask('publish_task', { ...newTask, escrow: 'onchain' })
      await worker.ask('register_worker', { kind: 'human', name: 'Ada' })
      await worker.ask('apply_to_task', { task_id })
      await publisher.paying('assign_worker', { task_id, executor_id: worker.id })
      return { input: { ...input, task_id }, headers: publisher.headers }
    },
    check_identity: async (app, input) => {
      const { headers, linkAgent } = await person(app)
      return { input: { ...input, agent_id: await linkAgent() }, headers }
    },
    publish_feedback: async (app, input) => {
      const { publisher, worker, task_id } = await taskIn(app, 'completed')
      await worker.linkAgent()
      await publisher.ask('rate_worker', { task_id, score: 90 })
      return { input: { ...input, task_id }, headers: publisher.headers }
    },
    send_bonus: async (app, input) => {
      const { publisher, task_id } = await taskIn(app, 'completed')
      await publisher.deposit('0.10')
      return { input: { ...input, task_id, amount_usd: '0.01' }, headers: publisher.headers }
    },
    withdraw_funds: withBalance,
    quote_session: on('in_progress', 'publisher', { cap_usdc: '0.60' }),
    open_session: async app => {
      const { publisher, opening } = await payable(app)
      return { input: opening, headers: publisher.headers }
    },
    send_voucher: onSession(async ({ sign, quote: { voucher_typed_data: data } }) => ({
      cumulative_amount: '10500',
      signature: await sign({ ...data, message: { ...data.message, cumulativeAmount: '10500' } }),
    })),
    top_up_session: onSession(async ({ sign, quote }) => {
      const { authorization: first, channel_id, salt, deposit_typed_data } = quote
      const nonce = topUpNonce(channel_id, 100_000n, first.from as Hex, salt)
      const authorization = { ...first, value: '100000', nonce }
      const signature = await sign({ ...deposit_typed_data, types: depositTypes, message: authorization })
      return { authorization, signature, additional_deposit: '100000', salt }
    }),
    get_session: onSession(async () => ({})),
    close_session: onSession(async () => ({})),
    reclaim_session: onSession(async () => ({})),
  },
}
