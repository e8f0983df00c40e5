import type { PublicClient } from 'viem'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { port } from '../../kernel/port.ts'
import type { Chains, Wallet } from '../../ports/chain/port.ts'
import { tasksSettings } from './config.ts'

/** The number of an agent in the identity registry: a token id, in decimal. */
export const agentIdInput = z
  .union([z.string(), z.number().int().nonnegative()])
  .transform(String)
  .refine(text => /^(?:0|[1-9]\d{0,76})$/.test(text), 'a whole number')
  .describe('Number of the agent in the identity registry')

/** A call that a wallet is to sign and send. */
export const CallOut = z
  .object({
    chain_id: z.number().int().describe('EIP-155 id of the chain'),
    to: z.string().describe('The contract'),
    data: z.string().describe('Data of the call'),
    value: z.literal('0').describe('No ether is sent'),
  })
  .nullable()

type Hex = `0x${string}`

/** Location of the ERC-8004 registries. */
export type RegistryPlace = { chainId: number; identity: Hex; reputation: Hex }

/** An agent as the identity registry has it. */
type RegisteredAgent = { agentId: string; owner: Hex; wallet: Hex; uri: string }

/** Clients' feedback on an agent: how many, and the mean in decimal. */
type Summary = { count: number; mean: string | null }

type Feedback = { agentId: string; score: number; task: string; endpoint: string; uri: string; hash: Hex }

/** The identity and reputation registries of ERC-8004 on Base. Nothing is connected before the first use. */
export type AgentRegistries = {
  place(): Promise<RegistryPlace>
  /** Undefined where there is no such agent. */
  agent(agentId: string): Promise<RegisteredAgent | undefined>
  /** These clients' feedback on tasks, or on one task. */
  summary(agentId: string, clients: readonly string[], task?: string): Promise<Summary>
  /** Data of the call that registers an agent with the address of its file. */
  registerCall(uri: string): Promise<Hex>
  /** Data of the call that says what an agent was like. */
  feedbackCall(feedback: Feedback): Promise<Hex>
  /** The wallet of the house. Throws `unavailable` without one. */
  operator(): Promise<Wallet>
}

const identityAbi = [
  'function register(string agentURI) returns (uint256 agentId)',
  'function ownerOf(uint256 agentId) view returns (address)',
  'function tokenURI(uint256 agentId) view returns (string)',
  'function getAgentWallet(uint256 agentId) view returns (address)',
] as const

const reputationAbi = [
  'function giveFeedback(uint256 agentId, int128 value, uint8 valueDecimals, string tag1, string tag2, string endpoint, string feedbackURI, bytes32 feedbackHash)',
  'function getSummary(uint256 agentId, address[] clientAddresses, string tag1, string tag2) view returns (uint64 count, int128 summaryValue, uint8 summaryValueDecimals)',
] as const

const network = 'base'
/** Tag of this marketplace's feedback; the second tag is the task, so that each is said once. */
const tag = 'task'

const maxUri = 2048

type Options = { chains: Chains; identity: string; reputation: string }

const toDecimal = (value: bigint, decimals: number): string => {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${whole}${part ? `.${part}` : ''}`
}

/** Opens the registries. On a local chain they are deployed with the first use. */
export const openAgentRegistries = ({ chains, identity, reputation }: Options): AgentRegistries => {
  const chain = () => chains.open(network)
  const place = async (): Promise<RegistryPlace> => {
    const { chainId } = chain().network
    if (!chains.local) return { chainId, identity: identity as Hex, reputation: reputation as Hex }
    const { deployRegistries } = await import('./identity-devnet.ts')
    return { chainId, ...(await deployRegistries(chain(), await chains.relayer(network))) }
  }

  /** A node's own words quote addresses of nodes and keys in them: they are dropped. */
  const ask = async <T>(read: (reader: PublicClient, at: RegistryPlace) => Promise<T>): Promise<T> => {
    try {
      return await read(await chain().reader(), await place())
    } catch (error) {
      if (error instanceof ToolError) throw error
      throw new ToolError('upstream', 'Base does not answer just now.', { retryAfter: 5 })
    }
  }

  return {
    place,
    agent: async agentId => {
      const { BaseError, ContractFunctionRevertedError, parseAbi } = await import('viem')
      const abi = parseAbi(identityAbi)
      const args = [BigInt(agentId)] as const
      return ask(async (reader, { identity: address }) => {
        try {
          const [owner, wallet, uri] = await Promise.all([
            reader.readContract({ address, abi, functionName: 'ownerOf', args }),
            reader.readContract({ address, abi, functionName: 'getAgentWallet', args }),
            reader.readContract({ address, abi, functionName: 'tokenURI', args }),
          ])
          return {
            agentId,
            owner: owner.toLowerCase() as Hex,
            wallet: wallet.toLowerCase() as Hex,
            uri: uri.slice(0, maxUri),
          }
        } catch (error) {
          const isRevert =
            error instanceof BaseError && error.walk(cause => cause instanceof ContractFunctionRevertedError)
          if (isRevert) return undefined
          throw error
        }
      })
    },
    summary: async (agentId, clients, task = '') => {
      if (clients.length === 0) return { count: 0, mean: null }
      const { parseAbi } = await import('viem')
      return ask(async (reader, { reputation: address }) => {
        const [count, value, decimals] = await reader.readContract({
          address,
          abi: parseAbi(reputationAbi),
          functionName: 'getSummary',
          args: [BigInt(agentId), clients as Hex[], tag, task],
        })
        return { count: Number(count), mean: count === 0n ? null : toDecimal(value, decimals) }
      })
    },
    registerCall: async uri => {
      const { encodeFunctionData, parseAbi } = await import('viem')
      return encodeFunctionData({ abi: parseAbi(identityAbi), functionName: 'register', args: [uri] })
    },
    feedbackCall: async ({ agentId, score, task, endpoint, uri, hash }) => {
      const { encodeFunctionData, parseAbi } = await import('viem')
      const args = [BigInt(agentId), BigInt(score), 0, tag, task, endpoint, uri, hash] as const
      return encodeFunctionData({ abi: parseAbi(reputationAbi), functionName: 'giveFeedback', args })
    },
    operator: () => chains.relayer(network),
  }
}

/** The registries of ERC-8004, as tools and jobs of the marketplace use them. */
export const agentRegistries = port({
  name: 'agentRegistries',
  needs: ['chains', tasksSettings.identityRegistry, tasksSettings.reputationRegistry],
}).open(({ chains, identityRegistry: identity, reputationRegistry: reputation }) =>
  openAgentRegistries({ chains, identity, reputation }),
)

/** The agent of an id. Throws `not_found`. */
export const requireAgent = async (
  registries: AgentRegistries,
  agentId: string,
): Promise<RegisteredAgent> => {
  const agent = await registries.agent(agentId)
  if (agent) return agent
  throw new ToolError('not_found', `There is no agent ${agentId} in the identity registry.`)
}
