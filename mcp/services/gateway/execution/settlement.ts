import { setTimeout as pause } from 'node:timers/promises'
import type { Hex } from 'viem'
import type { Authorization } from '../../../lib/eip3009.ts'
import { usdcAbi } from '../../../lib/evm-abi.ts'
import { asList, asRecord } from '../../../lib/json.ts'
import { isSameAddress } from '../../../lib/usd-tokens.ts'
import type { Evm, EvmNetwork } from '../../../ports/evm/port.ts'

/** The chain's word on an authorization. `elsewhere`: it was cancelled, or its transfer is not the one that was signed. */
export type OnchainSettlement = {
  state: 'settled' | 'unused' | 'expired' | 'elsewhere' | 'unknown'
  transaction_hash: string | null
  block: string | null
}

const networks: Readonly<Record<string, EvmNetwork>> = {
  'eip155:1': 'eth',
  'eip155:10': 'optimism',
  'eip155:137': 'polygon',
  'eip155:5042': 'arc',
  'eip155:8453': 'base',
  'eip155:42161': 'arbitrum',
  'eip155:84532': 'base-sepolia',
}

type Payment = { network: string; asset: string; authorization: Authorization }

const unknown: OnchainSettlement = { state: 'unknown', transaction_hash: null, block: null }

/** Blocks behind the head in which the event of a use is looked for: nodes search no more at once. */
const span = 9_000n

/** Seconds of chain time past an authorization before it counts as expired: a reorganization may go that far back. */
const marginSeconds = 30n

/** Throws where the node does not answer. */
const lookUp = async (
  evm: Evm,
  chain: EvmNetwork,
  { asset, authorization }: Payment,
): Promise<OnchainSettlement> => {
  const { decodeFunctionResult, encodeFunctionData, numberToHex, pad, parseEventLogs, toEventSelector } =
    await import('viem')
  const { from, to, value, nonce, validBefore } = authorization
  const local = evm.local?.(chain)
  // Where payments are made on a local chain, that one is read.
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const answer = await (local ? local.ask(method, params) : evm.ask(chain, method, params))
    if (answer.error) throw new Error(`${method} failed`)
    return answer.result
  }
  const head = asRecord(await ask('eth_getBlockByNumber', ['latest', false]))
  const number = BigInt(String(head.number))
  const data = encodeFunctionData({ abi: usdcAbi, functionName: 'authorizationState', args: [from, nonce] })
  const used = decodeFunctionResult({
    abi: usdcAbi,
    functionName: 'authorizationState',
    data: String(await ask('eth_call', [{ to: asset, data }, numberToHex(number)])) as Hex,
  })
  if (!used) {
    const isOver = BigInt(String(head.timestamp)) > validBefore + marginSeconds
    return { ...unknown, state: isOver ? 'expired' : 'unused' }
  }
  const selectors = ['AuthorizationUsed(address,bytes32)', 'AuthorizationCanceled(address,bytes32)']
  const events = selectors.map(toEventSelector)
  const fromBlock = numberToHex(number > span ? number - span : 0n)
  const topics = [events, pad(from), nonce]
  const found = asList(await ask('eth_getLogs', [{ address: asset, fromBlock, toBlock: 'latest', topics }]))
  const event = asRecord(found[0])
  if (typeof event.transactionHash !== 'string') return unknown
  const transaction_hash = event.transactionHash.toLowerCase()
  const where = { transaction_hash, block: BigInt(String(event.blockNumber)).toString() }
  if (asList(event.topics)[0] !== events[0]) return { ...where, state: 'elsewhere' }
  const receipt = asRecord(await ask('eth_getTransactionReceipt', [transaction_hash]))
  const logs = parseEventLogs({ abi: usdcAbi, logs: asList(receipt.logs) as never[] }).filter(log =>
    isSameAddress(log.address, asset),
  )
  const use = logs.findIndex(log => log.eventName === 'AuthorizationUsed' && log.args.nonce === nonce)
  const transfer = logs.slice(use).find(log => log.eventName === 'Transfer')
  const isSigned =
    use >= 0 &&
    transfer !== undefined &&
    isSameAddress(transfer.args.from, from) &&
    isSameAddress(transfer.args.to, to) &&
    transfer.args.value === value
  return { ...where, state: isSigned ? 'settled' : 'elsewhere' }
}

/** Looks a payment up on its chain, `tries` times while it is unused. `unknown` where nobody can tell: no node, or an old use. */
export const findSettlement = async (
  evm: Evm | undefined,
  payment: Payment,
  tries: number,
): Promise<OnchainSettlement> => {
  const chain = networks[payment.network]
  if (!evm || !chain) return unknown
  for (let tried = 1; ; tried++) {
    const settlement = await lookUp(evm, chain, payment).catch(() => unknown)
    if (settlement.state !== 'unused' || tried >= tries) return settlement
    await pause(700)
  }
}
