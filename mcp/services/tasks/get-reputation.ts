import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import type { Tx } from '../../ports/store/port.ts'
import { accountsIn, addressOf } from './account.ts'
import { agentRegistries } from './identity.ts'
import { loadScore, ReputationOut, toReputation } from './reputation.ts'
import { tasksIn } from './task.ts'

const maxClients = 100

/** The wallets of those who have paid a worker here, the latest first: whose word counts. */
const loadClients = async (tx: Tx, worker: string): Promise<string[]> => {
  const query = { index: 'worker', where: { worker }, order: 'desc', limit: 1000 } as const
  const { rows } = await tasksIn(tx).find(query)
  const paid = rows.filter(({ funds }) => funds.released !== '0').map(({ publisher }) => addressOf(publisher))
  return [...new Set(paid)].slice(0, maxClients)
}

export default tool({
  name: 'get_reputation',
  title: 'Read a reputation',
  description:
    'The reputation of a worker from what happened here, and beside it what the reputation registry (ERC-8004, Base) has of its agent, counting only the house and clients who paid it here. Free.',
  keywords: ['trust', 'score', 'reliability', 'rating', 'chain'],
  input: z.object({
    executor_id: z.string().max(100).describe('The account, such as eip155:8453:0x…'),
  }),
  aliases: { executor_id: ['worker_id', 'id'] },
  output: z.object({
    executor_id: z.string().describe('The account'),
    reputation: ReputationOut.describe('From what happened here'),
    agent_id: z.string().nullable().describe('Its agent in the identity registry; null for none'),
    onchain: z
      .object({
        count: z.number().int().describe('How many said something'),
        mean: z.string().nullable().describe('Mean of it, 0 to 100; null where nobody did'),
        clients: z.number().int().describe('Of how many wallets the word counts'),
      })
      .nullable()
      .describe('From the reputation registry; null without an agent, or where no registry is configured'),
  }),
  needs: ['store', 'clock'],
  wants: [agentRegistries],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  auth: ['erc8128', 'apiKey', 'public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'worker-management' },
  rest: { routes: ['GET /api/v1/reputation/executors/:executor_id'] },
  needsSetup: true,
  examples: [{ executor_id: 'eip155:8453:0x00000000000000000000000000000000000000b2' }],
  summary: ({ executor_id, reputation }) => `${executor_id}: ${reputation.score} (${reputation.tier}).`,
}).run(async ({ store, clock, agentRegistries: registries }, { executor_id }) => {
  const account = await accountsIn(store).get(executor_id.toLowerCase())
  if (!account) throw new ToolError('not_found', 'There is no such account.')
  const agent_id = account.agent_id ?? null
  const summarise = async () => {
    if (agent_id === null || !registries) return null
    const house = await registries.operator().then(
      ({ address }) => [address],
      () => [],
    )
    const clients = [...house, ...(await loadClients(store, account.id))]
    return { ...(await registries.summary(agent_id, clients)), clients: clients.length }
  }
  return {
    executor_id: account.id,
    reputation: toReputation(await loadScore(store, account.id), clock.now()),
    agent_id,
    onchain: await summarise(),
  }
})
