import { setTimeout as pause } from 'node:timers/promises'
import type { Hex } from 'viem'
import {
  authorizationLogs,
  findLog,
  findLoggedUse,
  isCarriedOut,
  listUses,
  logSpan,
} from '../../../lib/authorization-use.ts'
import type { Authorization } from '../../../lib/eip3009.ts'
import { usdcAbi } from '../../../lib/evm-abi.ts'
import { asList, asRecord } from '../../../lib/json.ts'
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

/** Seconds of chain time past an authorization before it counts as expired: a reorganization may go that far back. */
const marginSeconds = 30n

/** Throws where the node does not answer. */
const lookUp = async (
  evm: Evm,
  chain: EvmNetwork,
  { asset, authorization }: Payment,
): Promise<OnchainSettlement> => {
  const { decodeFunctionResult, encodeFunctionData, numberToHex } = await import('viem')
  const { from, nonce, validBefore } = authorization
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
  const { wanted, isCancelled } = await authorizationLogs(asset, authorization)
  // Nodes search no more blocks at once.
  const range = { first: number > logSpan ? number - logSpan : 0n, last: number, maxSpans: 1 }
  const log = await findLog(({ method, params }) => ask(method, asList(params)), wanted, range)
  if (!log) return unknown
  const transaction_hash = log.transactionHash.toLowerCase()
  const where = { transaction_hash, block: BigInt(log.blockNumber).toString() }
  if (isCancelled(log)) return { ...where, state: 'elsewhere' }
  const receipt = asRecord(await ask('eth_getTransactionReceipt', [transaction_hash]))
  const use = findLoggedUse(await listUses(asList(receipt.logs), asset), authorization)
  return { ...where, state: isCarriedOut(use, authorization) ? 'settled' : 'elsewhere' }
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
