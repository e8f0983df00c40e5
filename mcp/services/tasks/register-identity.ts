import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { accountsIn, addressOf, ensureAccount } from './account.ts'
import { agentIdInput, agentRegistries, CallOut, requireAgent } from './identity.ts'

export default tool({
  name: 'register_identity',
  title: 'Register an agent identity',
  description:
    'Without agent_id: the transaction that registers your wallet in the identity registry (ERC-8004, Base); sign and send it. With agent_id: links that identity to your account, once the chain shows that it is yours. Free.',
  keywords: ['create', 'mint', 'nft', 'onchain'],
  input: z.object({
    agent_id: agentIdInput.optional(),
    agent_uri: z
      .url({ protocol: /^(?:https|ipfs|data)$/ })
      .max(2000)
      .optional()
      .describe('Where the file of the agent is; your page here by default'),
  }),
  output: z.object({
    agent_id: z
      .string()
      .nullable()
      .describe('The identity that belongs to your account; null before it is linked'),
    transaction: CallOut.describe('What to sign and send; null where the identity is linked'),
  }),
  needs: ['store', 'clock', agentRegistries],
  price: free,
  limits: [{ perMinute: 30, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'worker-management' },
  rest: { routes: ['POST /api/v1/reputation/identities'] },
  examples: [{}],
  summary: ({ agent_id }) =>
    agent_id === null ? 'Sign and send the transaction.' : `Linked to agent ${agent_id}.`,
}).run(
  async (
    { commit, clock, caller: { id: account }, base, agentRegistries: registries },
    { agent_id, agent_uri },
  ) => {
    if (agent_id === undefined) {
      const uri = agent_uri ?? `${base}/api/v1/executors/${account}/stats`
      const [{ chainId, identity }, data] = await Promise.all([
        registries.place(),
        registries.registerCall(uri),
      ])
      return commit(async tx => ({
        agent_id: (await ensureAccount(tx, account, clock.now())).agent_id ?? null,
        transaction: { chain_id: chainId, to: identity, data, value: '0' as const },
      }))
    }
    const { owner, wallet } = await requireAgent(registries, agent_id)
    if (![owner, wallet].some(address => address === addressOf(account)))
      throw new ToolError('forbidden', `Agent ${agent_id} belongs to another wallet.`, {
        reason: 'not_your_agent',
        params: { owner, wallet },
      })
    return commit(async tx => {
      const before = await ensureAccount(tx, account, clock.now())
      await accountsIn(tx).put({ ...before, agent_id })
      return { agent_id, transaction: null }
    })
  },
)
