import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBooks } from '../../../mcp/accounts/ports.ts'
import { call, type Incoming, type World } from '../../../mcp/kernel/call.ts'
import type { Provision } from '../../../mcp/kernel/port.ts'
import { identify } from '../../../mcp/kernel/service.ts'
import { openLedger } from '../../../mcp/payment/ledger/index.ts'
import { openFolder } from '../../../mcp/ports/files/folder.ts'
import { withOwners } from '../../../mcp/ports/files/owners.ts'
import type { Ports } from '../../../mcp/ports/ports.ts'
import { makeSigningKey, openSign } from '../../../mcp/ports/sign/sign.ts'
import type { Store } from '../../../mcp/ports/store/port.ts'
import { openWorkers } from '../../../mcp/ports/workers/workers.ts'
import { openChannels } from '../../../mcp/services/tasks/channel/channels.ts'
import { channels } from '../../../mcp/services/tasks/channel/port.ts'
import { tasksSettings } from '../../../mcp/services/tasks/config.ts'
import { addPayment, loadEscrow, loadSpendableBalance } from '../../../mcp/services/tasks/money.ts'
import tasks from '../../../mcp/services/tasks/service.ts'
import { settleDue } from '../../../mcp/services/tasks/settle-due.ts'
import { openTestWorld } from '../../world.ts'

/** What tools answer, as far as tests go on with it. */
type Answer = Record<string, unknown> & {
  task_id: string
  submission_id: string
  dispute_id: string
  status: string
  head: string
  events: { amount_usd: string }[]
  submissions: { verdict: string }[]
}

/** Callers say who they are: how they prove it is the subject of other tests. */
const identifyByName = identify({ needs: [] }).run(async (_, { value }) => ({ id: value, via: 'apiKey' }))

/** The service, without limits by the minute. */
export const service = {
  ...tasks,
  identify: { apiKey: identifyByName },
  tools: tasks.tools.map(({ limits: _, ...tool }) => tool),
}

/** An account of the n-th wallet. */
export const accountOf = (n: number): string => `eip155:8453:0x${n.toString(16).padStart(40, '0')}`

export const arbiter = accountOf(0xa1)

export const newTask = {
  title: 'Is the bakery open?',
  instructions: 'Go there, look at the door, and say if it is open today.',
  category: 'physical_presence',
  bounty_usd: '10.00',
  deadline_hours: 24,
  evidence_required: ['text_response'],
}

export const evidence = [{ type: 'text_response', value: 'It is open.' }]

/** The marketplace in a real world; `later` moves its clock. Fee 5 per cent. */
export const startTown = async (
  more: Partial<Ports> = {},
  settings: { feeBps?: number } = {},
  // What else a world has: ports of the service's own, and a gate for payments.
  open: (given: { store: Store; now: () => Date }) => {
    own?: Provision[]
    gate?: World['gate']
  } = () => ({}),
) => {
  let shift = 0
  const clock = { now: () => new Date(Date.now() + shift) }
  const ledger = openLedger(clock.now)
  const sign = openSign(makeSigningKey())
  const folder = await mkdtemp(join(tmpdir(), 'octagent-town-'))
  const workers = openWorkers()
  const own = new Map<never, unknown>([
    [tasksSettings.feeBps as never, settings.feeBps ?? 500],
    [tasksSettings.arbiters as never, [arbiter]],
    [tasksSettings.contractAccounts as never, []],
    [tasksSettings.olderSignatures as never, true],
    [tasksSettings.sessionIdle as never, 900],
    [tasksSettings.fileMaxMb as never, 100],
    [tasksSettings.taskFilesMb as never, 500],
  ])
  const { chains } = more
  if (chains) own.set(channels as never, { open: async () => openChannels(chains, {}) })
  const world = await openTestWorld({ own, ports: { clock, ledger, sign, workers, ...more } } as never)
  const { store } = world.ports
  if (!store) throw new Error('a world without a store')
  world.ports.books ??= openBooks({ store: store as Store, clock, ledger })
  world.ports.files ??= withOwners(openFolder(folder), {
    store: store as Store,
    clock,
    maxBytes: 1_000_000_000,
  })
  const { own: provisions = [], gate } = open({ store: store as Store, now: clock.now })
  for (const [need, value] of provisions) own.set(need as never, value)
  if (gate) world.gate = gate
  let calls = 0

  const ask = async (
    account: string | undefined,
    name: string,
    input: object = {},
    extra: Partial<Incoming> = {},
  ): Promise<Answer> => {
    const tool = service.tools.find(tool => tool.name === name)
    if (!tool) throw new Error(`no tool ${name}`)
    const { output } = await call(world, service, tool, {
      channel: 'rest',
      input,
      credentials: account === undefined ? {} : { apiKey: account },
      request: { method: 'POST', url: `/tasks/tools/${name}`, headers: {} },
      client: `client-${++calls}`,
      resource: `https://octagent.test/tasks/tools/${name}`,
      evidence: { headers: {}, meta: {} },
      ...extra,
    } as Incoming)
    return output as unknown as Answer
  }

  /** Money that somebody paid in. */
  const fund = (account: string, micro: bigint) =>
    store.transaction(tx => addPayment(tx, ledger, { receipt: `test-${++calls}`, account, amount: micro }))

  const worker = async (n: number) => {
    const account = accountOf(n)
    await ask(account, 'register_worker', { kind: 'human', name: `Worker ${n}` })
    return account
  }

  /** A task as far as it should go. */
  const taskIn = async (
    state: 'published' | 'accepted' | 'in_progress' | 'submitted' | 'verifying' | 'disputed',
    {
      publisher = accountOf(1),
      by = accountOf(2),
      more = {},
    }: { publisher?: string; by?: string; more?: object } = {},
  ) => {
    const { task_id } = await ask(publisher, 'publish_task', { ...newTask, ...more })
    if (state === 'published') return { task_id, submission_id: '', dispute_id: '' }
    await ask(by, 'register_worker', { kind: 'human', name: 'Worker' })
    await fund(publisher, 100_000_000n)
    await ask(by, 'apply_to_task', { task_id })
    await ask(publisher, 'assign_worker', { task_id, executor_id: by })
    if (state === 'accepted') return { task_id, submission_id: '', dispute_id: '' }
    await ask(by, 'start_work', { task_id })
    if (state === 'in_progress') return { task_id, submission_id: '', dispute_id: '' }
    const { submission_id } = await ask(by, 'submit_work', { task_id, evidence })
    if (state === 'submitted') return { task_id, submission_id, dispute_id: '' }
    await ask(publisher, 'reject_submission', {
      submission_id,
      notes: 'It is another door.',
      severity: 'major',
    })
    if (state === 'verifying') return { task_id, submission_id, dispute_id: '' }
    const reason = 'The photo shows the door and its number.'
    const { dispute_id } = await ask(by, 'open_dispute', { submission_id, reason })
    return { task_id, submission_id, dispute_id }
  }

  return {
    ask,
    fund,
    worker,
    taskIn,
    world,
    store,
    ledger,
    clock,
    balance: (account: string) => loadSpendableBalance(store, ledger, account),
    escrow: (task: string) => loadEscrow(store, ledger, task),
    fees: async () => (await ledger.balance(store, 'USDC', 'house:tasks-fees')).total.value,
    later: (ms: number) => {
      shift += ms
    },
    settle: () => settleDue.run({ store, clock, ledger, signal: new AbortController().signal }),
    async stop() {
      await workers.close()
      await world.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type Town = Awaited<ReturnType<typeof startTown>>

type Problem = {
  code: string
  reason?: string
  detail: string
  params?: Record<string, unknown>
  issues?: { path: string; message: string }[]
}

/** What was refused, and why. */
export const refused = async (asked: Promise<unknown>): Promise<Problem> => {
  try {
    await asked
  } catch (error) {
    return (error as { toProblem(): Problem }).toProblem()
  }
  throw new Error('it was answered')
}
