import type { Address, Hex, PublicClient } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import { type AskNode, authorizationLogs, findLog, logSpan } from '../../../lib/authorization-use.ts'
import { usdcAbi } from '../../../lib/evm-abi.ts'
import type { Stablecoin } from '../../../lib/stablecoins.ts'
import { onChain, orUndefined } from '../stablecoin/reader.ts'

/** State of a nonce. `spent`: used or cancelled, and not found which: on the chain both look alike but for their events. */
export type NonceUse = {
  state: 'unused' | 'used' | 'cancelled' | 'spent'
  transaction: Hex | null
  block: bigint | null
}

/** Spans of blocks that are searched before it is given up. */
const maxSpans = 12

/** A search that a node refuses, for its length or because it fails at it, is no answer. */
const orRefused = async <T>(work: Promise<T>): Promise<T | 'refused'> => {
  try {
    return await onChain(work)
  } catch (problem) {
    if (problem instanceof ToolError && problem.code !== 'upstream') throw problem
    return 'refused'
  }
}

const searchUse = async (reader: PublicClient, token: Address, authorizer: Address, nonce: Hex) => {
  const { wanted, isCancelled } = await authorizationLogs(token, { from: authorizer, nonce })
  const ask = reader.request as AskNode
  const last = await onChain(reader.getBlockNumber())
  const searchIn = (maxSpans: number, span: bigint) =>
    orRefused(findLog(ask, wanted, { first: 0n, last, maxSpans, span }))
  const recent = await searchIn(maxSpans, logSpan)
  const isSure = recent !== 'refused' && (recent !== undefined || last <= logSpan * BigInt(maxSpans))
  // Some nodes search the whole chain, since the topics leave little to find.
  const log = isSure ? recent : await searchIn(1, last)
  return log === undefined || log === 'refused' ? undefined : { ...log, isCancelled: isCancelled(log) }
}

/** Tells whether the nonce of an authorization is unused, used or cancelled, and where. */
export const findNonceUse = async (
  reader: PublicClient,
  { address: token }: Stablecoin,
  authorizer: Address,
  nonce: Hex,
): Promise<NonceUse> => {
  const isSpent = await orUndefined(
    reader.readContract({
      address: token,
      abi: usdcAbi,
      functionName: 'authorizationState',
      args: [authorizer, nonce],
    }),
  )
  if (isSpent === undefined)
    throw new ToolError('upstream', 'The token does not tell the state of authorizations.', {
      retryable: false,
    })
  if (!isSpent) return { state: 'unused', transaction: null, block: null }
  const event = await searchUse(reader, token, authorizer, nonce)
  if (!event) return { state: 'spent', transaction: null, block: null }
  return {
    state: event.isCancelled ? 'cancelled' : 'used',
    transaction: event.transactionHash,
    block: BigInt(event.blockNumber),
  }
}
