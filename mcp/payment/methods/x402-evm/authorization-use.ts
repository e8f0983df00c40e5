import type { Hex, PublicClient, TransactionReceipt } from 'viem'
import {
  type AskNode,
  authorizationLogs,
  findLog,
  findLoggedUse,
  isCarriedOut,
  listUses,
} from '../../../lib/authorization-use.ts'
import { usdcAbi } from '../../../lib/evm-abi.ts'
import type { Chain } from '../../../ports/chain/port.ts'
import type { SignedAuthorization } from './authorization.ts'

/** What a transaction cost whoever sent it. */
type TransactionCost = { by: string; wei: bigint }

/** State of an authorization on the chain. `elsewhere`: cancelled, or its money went to somebody else. */
export type AuthorizationUse =
  | { state: 'unused'; expired: boolean }
  | { state: 'paid'; transaction: string; log: string; cost: TransactionCost }
  | { state: 'elsewhere' }

/** What an authorization did in a transaction; undefined where it was not used in it. */
export const transferIn = async (
  { network }: Chain,
  receipt: TransactionReceipt,
  authorization: SignedAuthorization,
): Promise<AuthorizationUse | undefined> => {
  const use = findLoggedUse(await listUses(receipt.logs, network.token.address), authorization)
  if (!use) return undefined
  if (!isCarriedOut(use, authorization)) return { state: 'elsewhere' }
  const transaction = receipt.transactionHash.toLowerCase()
  // Chains above another one take the price of its data besides.
  const { l1Fee = 0 } = receipt as { l1Fee?: bigint | Hex | number }
  const wei = receipt.gasUsed * receipt.effectiveGasPrice + BigInt(l1Fee ?? 0)
  return {
    state: 'paid',
    transaction,
    log: `${network.id}:${transaction}:${use.transfer.logIndex}`,
    cost: { by: receipt.from.toLowerCase(), wei },
  }
}

const maxSpans = 40

/**
 * A block from before the authorization became valid: by the time that blocks take and half as many again, and further back where the
 * chain was faster than it says.
 */
const firstBlock = async (
  chain: Chain,
  reader: PublicClient,
  { validAfter }: SignedAuthorization,
  head: Block,
  since: bigint,
): Promise<bigint> => {
  if (chain.devnet) return 0n
  const start = since > validAfter ? since : validAfter
  const age = head.timestamp > start ? head.timestamp - start : 0n
  const estimate = (age * 1_500n) / BigInt(chain.network.blockMs) + 100n
  for (let blocks = estimate; blocks < head.number; blocks *= 4n) {
    const blockNumber = head.number - blocks
    const block = await reader.getBlock({ blockNumber }).catch(() => undefined)
    if (!block || block.timestamp <= start) return blockNumber
  }
  return 0n
}

type Block = { number: bigint; timestamp: bigint }

/** Searches backwards from the head, in ranges that public nodes accept. */
const searchUse = async (
  chain: Chain,
  reader: PublicClient,
  authorization: SignedAuthorization,
  head: Block,
  since: bigint,
): Promise<AuthorizationUse> => {
  const { wanted, isCancelled } = await authorizationLogs(chain.network.token.address, authorization)
  const first = await firstBlock(chain, reader, authorization, head, since)
  const log = await findLog(reader.request as AskNode, wanted, { first, last: head.number, maxSpans })
  if (log) {
    if (isCancelled(log)) return { state: 'elsewhere' }
    const receipt = await reader.getTransactionReceipt({ hash: log.transactionHash })
    return (await transferIn(chain, receipt, authorization)) ?? { state: 'elsewhere' }
  }
  // Used, yet nowhere to be seen: a node that lags or has dropped its logs. To call it failed could cost the payer.
  throw new Error('the use of an authorization was not found')
}

/** Seconds of chain time past an authorization before it counts as expired: a reorganization may go that far back. */
const marginSeconds = 30n

/** Seconds before the moment that a payment came, in which somebody else may have carried it out. */
const earlierSeconds = 3_600n

/** Asks the token whether an authorization was used, and its logs where the money went; `since` is when it came here. */
export const findUse = async (
  chain: Chain,
  authorization: SignedAuthorization,
  now: Date,
  since?: Date,
): Promise<AuthorizationUse> => {
  const start = since ? BigInt(Math.floor(since.getTime() / 1_000)) - earlierSeconds : 0n
  const reader = await chain.reader()
  const isUsed = (at: { blockNumber?: bigint } = {}) =>
    reader.readContract({
      address: chain.network.token.address,
      abi: usdcAbi,
      functionName: 'authorizationState',
      args: [authorization.from, authorization.nonce],
      ...at,
    })
  // The head comes first: an authorization that is unused after a block past its time stays unused.
  const head = await reader.getBlock({ blockTag: 'latest' })
  if (await isUsed()) {
    const latest = await reader.getBlock({ blockTag: 'latest' })
    return searchUse(chain, reader, authorization, latest, start)
  }
  // A local chain that nobody uses makes no blocks, so its time stands still; its next block would have ours.
  const seconds = BigInt(Math.floor(now.getTime() / 1_000))
  const time = chain.devnet && seconds > head.timestamp ? seconds : head.timestamp
  if (time < authorization.validBefore + marginSeconds) return { state: 'unused', expired: false }
  // Of several nodes behind one address another may have answered, one that lags: it is asked about that very block.
  return { state: 'unused', expired: !(await isUsed({ blockNumber: head.number })) }
}
