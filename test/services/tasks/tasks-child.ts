import { writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { sendUsdc } from '../../../mcp/accounts/withdrawal/send.ts'
import { withdrawalsIn } from '../../../mcp/accounts/withdrawal/withdrawal.ts'
import { ToolError } from '../../../mcp/kernel/error.ts'
import { openPayouts } from '../../../mcp/payment/payouts.ts'
import { openChain } from '../../../mcp/ports/chain/chain.ts'
import { openChains } from '../../../mcp/ports/chain/chains.ts'
import { networks } from '../../../mcp/ports/chain/networks.ts'
import { openChannels } from '../../../mcp/services/tasks/channel/channels.ts'
import { channels as channelsPort } from '../../../mcp/services/tasks/channel/port.ts'
import { sessionsIn } from '../../../mcp/services/tasks/session.ts'
import { runSessions } from '../../../mcp/services/tasks/session-steps.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'
import { openPostgres } from '../../../store/postgres/open.ts'
import { startTown } from './town.ts'

/** What the parent tells this process: its node is a real one to it. */
export type ChildOrders = {
  dir: string
  database?: { url: string; schema: string }
  rpc: string
  relayerKey: Hex
  payoutKey: Hex
  escrow: Hex
  aheadMs: number
  /** Money that is paid in first, once per name. */
  fund?: { account: string; micro: string }
  /** A task under way by this publisher, to be made first. */
  publisher?: string
  worker: string
  calls: { account: string; name: string; input: Record<string, unknown> }[]
  /** Runs the jobs until nothing is left to do. */
  runsJobs: boolean
}

export type ChildLine = {
  task_id?: string
  answers: Record<string, unknown>[]
  sessions: Record<string, unknown>[]
  withdrawals: Record<string, unknown>[]
  balances: { publisher: string; worker: string }
}

const orders = JSON.parse(process.env.TASKS_CHILD ?? '{}') as ChildOrders
const store = orders.database
  ? await openPostgres(orders.database)
  : await openEmbedded({ dir: join(orders.dir, 'store') })
const base = openChain({ network: networks.base, rpc: orders.rpc })
const chains = openChains({
  devnet: undefined,
  node: () => orders.rpc,
  shared: () => base,
  relayerKey: async () => orders.relayerKey,
})
const channels = openChannels(chains, { base: orders.escrow })
const payouts = openPayouts({ chain: base, key: async () => orders.payoutKey, confirmations: 1 })
const town = await startTown({ store, payouts, chains }, {}, () => ({
  own: [channelsPort.as({ open: async () => channels })],
}))
town.later(orders.aheadMs)
const { clock, ledger } = town
const deps = { store, clock, ledger, sessionIdle: 900, channels: { open: async () => channels }, payouts }

const { publisher, worker } = orders
const made = publisher ? await town.taskIn('in_progress', { publisher, by: worker }) : undefined
if (orders.fund) await town.fund(orders.fund.account, BigInt(orders.fund.micro))

const answers: Record<string, unknown>[] = []
let sessionId: unknown
for (const { account, name, input } of orders.calls) {
  const withTask = made && 'task_id' in input ? { ...input, task_id: made.task_id } : input
  const withSession =
    'session_id' in input ? { ...withTask, session_id: input.session_id || sessionId } : withTask
  try {
    const answer = await town.ask(account, name, withSession)
    sessionId = answer.session_id ?? sessionId
    answers.push(answer)
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    answers.push({ problem: error.extra.reason ?? error.code, detail: error.message })
  }
}

const readSessions = async () => (await sessionsIn(store).find({ index: 'due', limit: 100 })).rows
const readWithdrawals = async () => (await withdrawalsIn(store).find({ index: 'due', limit: 100 })).rows

const isDone = async (): Promise<boolean> =>
  (await readSessions()).every(
    ({ ended, pending, state }) => ended || (state === 'open' && pending === null),
  ) && (await readWithdrawals()).every(({ state }) => state === 'sent')

const end = Date.now() + 60_000
while (orders.runsJobs && Date.now() < end && !(await isDone())) {
  const signal = AbortSignal.timeout(30_000)
  await runSessions.run({ ...deps, signal })
  await sendUsdc.run({ ...deps, signal })
  town.later(10_000)
  await new Promise(resolve => setTimeout(resolve, 50))
}
const balances = {
  publisher: String(publisher ? await town.balance(publisher) : 0n),
  worker: String(await town.balance(worker)),
}
const line: ChildLine = {
  ...(made && { task_id: made.task_id }),
  answers,
  sessions: await readSessions(),
  withdrawals: await readWithdrawals(),
  balances,
}
writeSync(1, `${JSON.stringify(line)}\n`)
process.exit(0)
