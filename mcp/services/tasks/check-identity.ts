import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import { accountsIn } from './account.ts'
import { agentIdInput, agentRegistries, requireAgent } from './identity.ts'

export default tool({
  name: 'check_identity',
  title: 'Check an agent identity',
  description:
    'Who an agent of the identity registry (ERC-8004, Base) is: owner, wallet, the address of its file, and the account that it has here. Free.',
  keywords: ['lookup', 'verify', 'chain'],
  input: z.object({ agent_id: agentIdInput }),
  aliases: { agent_id: ['id'] },
  output: z.object({
    agent_id: z.string().describe('Number of the agent'),
    registry: z.string().describe('Address of the identity registry'),
    chain_id: z.number().int().describe('EIP-155 id of the chain'),
    owner: z.string().describe('Who owns the identity'),
    wallet: z.string().describe('Wallet that the owner has proven for it; zero for none'),
    agent_uri: z.string().describe('Address of its file, as its owner says'),
    executor_id: z.string().nullable().describe('Account here that belongs to it; null for none'),
    untrusted: untrustedMark,
  }),
  needs: ['store', agentRegistries],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  auth: ['erc8128', 'apiKey', 'public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'worker-management' },
  rest: { routes: ['GET /api/v1/reputation/identities/:agent_id'] },
  needsSetup: true,
  examples: [{ agent_id: '0' }],
  summary: ({ agent_id, owner }) => `Agent ${agent_id} belongs to ${owner}.`,
}).run(async ({ store, agentRegistries: registries }, { agent_id }) => {
  const [{ identity, chainId }, agent] = await Promise.all([
    registries.place(),
    requireAgent(registries, agent_id),
  ])
  const ids = [agent.wallet, agent.owner].map(address => `eip155:${chainId}:${address}`)
  const accounts = await Promise.all(ids.map(id => accountsIn(store).get(id)))
  const linked = accounts.find(account => account?.agent_id === agent_id)
  return {
    agent_id,
    registry: identity,
    chain_id: chainId,
    owner: agent.owner,
    wallet: agent.wallet,
    agent_uri: agent.uri,
    executor_id: linked?.id ?? null,
    untrusted: true as const,
  }
})
