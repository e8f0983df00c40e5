import { type Address, type Hex, type PublicClient, pad, toEventSelector } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import { usdcAbi } from '../../../lib/evm-abi.ts'
import type { Stablecoin } from '../../../lib/stablecoins.ts'
import { onChain, orUndefined } from '../stablecoin/reader.ts'

/** State of a nonce. `spent`: used or cancelled, and not found which: on the chain both look alike but for their events. */
export type NonceUse = {
  state: 'unused' | 'used' | 'cancelled' | 'spent'
  transaction: Hex | null
  block: bigint | null
}

const authorizationUsedTopic = toEventSelector('AuthorizationUsed(address,bytes32)')
const authorizationCanceledTopic = toEventSelector('AuthorizationCanceled(address,bytes32)')

type Event = { topics: readonly Hex[]; transactionHash: Hex | null; blockNumber: Hex | null }

/** Blocks that public nodes search at once, and how many such spans are searched before it is given up. */
const span = 9_000n
const maxSpans = 12

const hex = (value: bigint): Hex => `0x${value.toString(16)}`

const search = async (
  reader: PublicClient,
  token: Address,
  topics: (Hex | Hex[])[],
  from: bigint,
  to: bigint | 'latest',
): Promise<Event | undefined> => {
  const range = { fromBlock: hex(from), toBlock: to === 'latest' ? to : hex(to) }
  const events = await reader.request({
    method: 'eth_getLogs',
    params: [{ address: token, topics, ...range }],
  })
  return (events as readonly Event[])[0]
}

/** A search that a node refuses, for its length or because it fails at it, is no answer. */
const orRefused = async <T>(work: Promise<T>): Promise<T | 'refused'> => {
  try {
    return await onChain(work)
  } catch (problem) {
    if (problem instanceof ToolError && problem.code !== 'upstream') throw problem
    return 'refused'
  }
}

const findEvent = async (
  reader: PublicClient,
  token: Address,
  topics: (Hex | Hex[])[],
): Promise<Event | undefined> => {
  const head = await onChain(reader.getBlockNumber())
  for (let last = head, spans = 0; spans < maxSpans && last >= 0n; spans++) {
    const from = last > span ? last - span : 0n
    const event = await orRefused(search(reader, token, topics, from, last))
    if (event === 'refused') break
    if (event) return event
    if (from === 0n) return undefined
    last = from - 1n
  }
  // Some nodes search the whole chain, since the topics leave little to find.
  const event = await orRefused(search(reader, token, topics, 0n, 'latest'))
  return event === 'refused' ? undefined : event
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
  const event = await findEvent(reader, token, [
    [authorizationUsedTopic, authorizationCanceledTopic],
    pad(authorizer),
    nonce,
  ])
  if (!event) return { state: 'spent', transaction: null, block: null }
  return {
    state: event.topics[0] === authorizationCanceledTopic ? 'cancelled' : 'used',
    transaction: event.transactionHash,
    block: event.blockNumber === null ? null : BigInt(event.blockNumber),
  }
}
