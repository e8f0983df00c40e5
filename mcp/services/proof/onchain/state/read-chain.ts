import { encodeFunctionData, parseAbi } from 'viem'
import type { Evm } from '../../../../ports/evm/port.ts'
import type { Address } from '../action.ts'
import type { Scene } from '../scene.ts'
import { readAccountFacts, readYoung } from './accounts.ts'
import { type AllowanceFacts, type ChainState, type StatePart, unreadChain } from './chain-state.ts'
import {
  type Node,
  NodeFault,
  NodeRefusal,
  networkOf,
  openNode,
  requireHex,
  requireQuantity,
} from './node.ts'
import { readSales } from './sale.ts'
import { executedStep, simulate } from './simulate.ts'

const allowanceAbi = parseAbi(['function allowance(address owner, address spender) view returns (uint256)'])

const maxAccounts = 24

const isToolStop = (problem: unknown, signal: AbortSignal): boolean =>
  signal.aborted && problem === signal.reason

/** Reads one part; whatever goes wrong is the reason for which it is missing. */
const readPart = async <facts>(
  work: () => Promise<facts | undefined>,
  none: string,
  signal: AbortSignal,
): Promise<StatePart<facts> & { isFault: boolean }> => {
  try {
    const facts = await work()
    return facts === undefined ? { missing: none, isFault: false } : { facts, isFault: false }
  } catch (problem) {
    if (isToolStop(problem, signal)) throw problem
    if (problem instanceof NodeRefusal) return { missing: 'the node cannot say it', isFault: false }
    if (problem instanceof NodeFault) return { missing: problem.message, isFault: true }
    return { missing: 'what the node answered cannot be read', isFault: true }
  }
}

const readAllowances = async (node: Node, { grants, signer }: Scene): Promise<AllowanceFacts[]> => {
  const tokenGrants = grants.filter(
    ({ kind, token, via }) => kind === 'token' && token && !via.startsWith('Permit2'),
  )
  const facts = await Promise.all(
    tokenGrants.slice(0, maxAccounts).map(async ({ token, spender }): Promise<AllowanceFacts[]> => {
      if (signer === undefined || token === undefined) return []
      const data = encodeFunctionData({
        abi: allowanceAbi,
        functionName: 'allowance',
        args: [signer, spender],
      })
      try {
        const answer = requireHex(await node.ask('eth_call', [{ to: token, data, gas: '0x186a0' }, 'latest']))
        // What has no code answers nothing; another rule says so.
        return answer.length >= 66 ? [{ token, spender, amount: BigInt(answer.slice(0, 66)) }] : []
      } catch (problem) {
        if (problem instanceof NodeRefusal) return []
        throw problem
      }
    }),
  )
  return facts.flat()
}

/** Reads what nodes say about the addresses and calls of a scene. Never throws for a node: what it did not say is missing. */
export const readChain = async (evm: Evm, scene: Scene, signal: AbortSignal): Promise<ChainState> => {
  const { chainId } = scene
  if (chainId === undefined) return unreadChain('the action names no chain')
  const network = networkOf(chainId)
  if (network === undefined) return unreadChain(`no node of the chain ${chainId} is known here`)
  const node = openNode(evm, network, signal)
  let block: string
  try {
    block = String(requireQuantity(await node.ask('eth_blockNumber', [])))
  } catch (problem) {
    if (isToolStop(problem, signal)) throw problem
    return unreadChain(`no node of the chain ${chainId} answers as one does`, true)
  }
  const addresses = [...new Set(scene.mentions.map(({ address }) => address))].slice(0, maxAccounts)
  const accounts = readPart(
    () => Promise.all(addresses.map(address => readAccountFacts(node, address))),
    'nothing to ask',
    signal,
  )
  const age = accounts.then(part => {
    if (!('facts' in part)) return { missing: part.missing, isFault: part.isFault }
    const used = new Set<Address>([
      ...scene.calls.filter(({ data }) => data !== '0x').map(({ to }) => to),
      ...scene.grants.map(({ spender }) => spender),
    ])
    const contracts = part.facts
      .filter(
        ({ codeBytes, delegate, address }) => codeBytes > 0 && delegate === undefined && used.has(address),
      )
      .map(({ address }) => address)
    return readPart(() => readYoung(node, contracts), 'the chain is younger than three days', signal)
  })
  const step = executedStep(scene)
  const [code, ages, allowance, simulation, sale] = await Promise.all([
    accounts,
    age,
    readPart(() => readAllowances(node, scene), 'nothing to ask', signal),
    readPart(
      async () => (step ? simulate(node, scene, step) : undefined),
      'nothing is executed that a node could run now',
      signal,
    ),
    readPart(() => readSales(node, scene), 'the token keeps its balances where they are not found', signal),
  ])
  const isFailed = [code, ages, allowance, simulation, sale].some(({ isFault }) => isFault)
  const plain = <facts>({ isFault: _, ...part }: StatePart<facts> & { isFault: boolean }): StatePart<facts> =>
    part as StatePart<facts>
  return {
    code: plain(code),
    age: plain(ages),
    allowance: plain(allowance),
    simulation: plain(simulation),
    sale: plain(sale),
    source: { endpoint: node.endpoint(), block },
    isFailed,
  }
}
