import type { Hex } from 'viem'
import { openFees } from '../../ports/chain/fees.ts'
import type { Chain } from '../../ports/chain/port.ts'
import { openRemoteFacilitator, type RemoteOptions } from '../../ports/facilitator/remote.ts'
import { finding, type NetworkFinding } from './finding.ts'

type Look = Omit<NetworkFinding, 'check'>

export type EvmCheckOptions = {
  chain: Chain
  facilitator: { key: () => Promise<Hex> } | { remotes: readonly RemoteOptions[] }
}

/** Gas of one settlement, with room. */
const settlementGas = 120_000n

/** Settlements that the gas has to be enough for. */
const minSettlements = 1n

const chainId = async ({ network, reader }: Chain): Promise<Look> => {
  const id = await (await reader()).getChainId()
  if (id === network.chainId) return { state: 'ok', detail: `${id}` }
  return {
    state: 'wrong',
    detail: `the node is of chain ${id}; ${network.title} is ${network.chainId}`,
  }
}

/** The domain that payers sign under, against the one that the token itself computes. */
const token = async ({ network, reader }: Chain): Promise<Look> => {
  const { domainSeparator, toFunctionSelector } = await import('viem')
  const { name, version, address } = network.token
  const data = toFunctionSelector('DOMAIN_SEPARATOR()')
  const { data: separator } = await (await reader()).call({ to: address, data })
  const domain = { name, version, chainId: network.chainId, verifyingContract: address }
  if (separator === domainSeparator({ domain })) return { state: 'ok', detail: `${name}, version ${version}` }
  if (separator === undefined) return { state: 'wrong', detail: `there is no token at ${address}` }
  return {
    state: 'wrong',
    detail: `the token at ${address} is not "${name}", version ${version}: payers would sign for another`,
  }
}

const gas = async (chain: Chain, key: () => Promise<Hex>): Promise<Look> => {
  const { formatEther } = await import('viem')
  const { address } = await chain.wallet(await key())
  const reader = await chain.reader()
  const [balance, { maxFeePerGas }] = await Promise.all([
    reader.getBalance({ address }),
    openFees(reader).read(),
  ])
  const settlements = balance / (settlementGas * maxFeePerGas)
  const detail = `${address} has ${formatEther(balance)} ETH`
  if (settlements < minSettlements)
    return { state: 'failing', detail: `${detail}: too little for one settlement`, settlements: 0 }
  return {
    state: 'ok',
    detail: `${detail}, enough for ${settlements} settlements at least`,
    settlements: Number(settlements),
  }
}

/** Seconds that the last block may be old: chains that are paid on have one every few seconds. */
const maxBlockAge = 300

/** Seconds that a block may be ahead of this machine's clock. */
const maxBlockLead = 30

const blocks = async ({ reader }: Chain): Promise<Look> => {
  const { number, timestamp } = await (await reader()).getBlock()
  const age = Math.round(Date.now() / 1000) - Number(timestamp)
  if (age > maxBlockAge)
    return { state: 'failing', detail: `the last block of the node, ${number}, is ${age} seconds old` }
  if (age < -maxBlockLead)
    return { state: 'failing', detail: `the clock of this machine is ${-age} seconds behind the chain` }
  return { state: 'ok', detail: `${number}, ${Math.max(0, age)} seconds old` }
}

/** True when a facilitator elsewhere settles `exact` on a network; it need not be each. */
export const checkSupported = async (network: string, remotes: readonly RemoteOptions[]): Promise<Look> => {
  const readings = await Promise.all(
    remotes.map(async remote => {
      const { name, getSupported } = openRemoteFacilitator({ ...remote, timeoutMs: 3_000 })
      const supported = await getSupported().catch(() => undefined)
      const lists = supported?.kinds.some(
        kind => kind.x402Version === 2 && kind.scheme === 'exact' && kind.network === network,
      )
      const detail = lists ? 'settles' : supported ? `does not list exact on ${network}` : 'does not answer'
      return { lists, answers: supported !== undefined, detail: `${name} ${detail}` }
    }),
  )
  const detail = readings.map(one => one.detail).join(', ')
  if (readings.some(({ lists }) => lists)) return { state: 'ok', detail }
  return { state: readings.every(({ answers }) => answers) ? 'wrong' : 'failing', detail }
}

/** Checks that an EVM network is what it says and payments can be settled on it. */
export const checkEvm = ({ chain, facilitator }: EvmCheckOptions): Promise<NetworkFinding[]> =>
  Promise.all([
    finding('chain id', () => chainId(chain)),
    finding('USDC', () => token(chain)),
    finding('blocks', () => blocks(chain)),
    'key' in facilitator
      ? finding('gas', () => gas(chain, facilitator.key))
      : finding('facilitator', () => checkSupported(chain.network.id, facilitator.remotes)),
  ])
