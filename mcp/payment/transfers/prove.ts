import type { Hash, Log, TransactionReceipt } from 'viem'
import { ToolError } from '../../kernel/error.ts'
import { usdcAbi } from '../../lib/evm-abi.ts'
import { onChain } from '../../ports/chain/failure.ts'
import type { Chain } from '../../ports/chain/port.ts'

export type Transfer = {
  /** `network:transaction:index`, lower case: the same name that x402 settlements have, for one set of used ones. */
  log: string
  /** Whose money it was: the sender in the token's log, not of the transaction, which a relayer may have sent. */
  payer: string
  /** Atomic units. */
  amount: bigint
}

/** `also` are further transfers in the same transaction that would do as well. */
export type ProvenTransfer = Transfer & {
  network: string
  transaction: string
  block: bigint
  at: Date
  confirmations: number
  also: readonly Transfer[]
}

export type TransferClaim = {
  network: Chain
  hash: string
  /** Least amount in atomic units. */
  min: bigint
  to: string
  /** The transfer must not be older: say, when the order was made. */
  notBefore?: Date
  /** Blocks on the transaction, its own included. */
  confirmations: number
}

const sameText = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

const wrong = (detail: string, hint?: string) =>
  new ToolError('invalid_input', detail, { hint, issues: [{ path: 'hash', message: detail }] })

const later = (detail: string, retryAfter: number) =>
  new ToolError('not_found', detail, { hint: 'Repeat the call with the same hash.', retryAfter })

const readReceipt = async (network: Chain, hash: Hash): Promise<TransactionReceipt> => {
  const reader = await network.reader()
  try {
    return await reader.getTransactionReceipt({ hash })
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'TransactionReceiptNotFoundError') throw error
    throw later(
      `There is no such transaction on ${network.network.title}, or it is not mined yet.`,
      network.network.blockMs / 1_000,
    )
  }
}

/** The transfers in a receipt that pay; otherwise what is wrong with the ones that are there. */
const transfersIn = async (
  { network, to, min }: TransferClaim,
  { logs, transactionHash }: TransactionReceipt,
): Promise<[Transfer, ...Transfer[]]> => {
  const { parseEventLogs } = await import('viem')
  const { id, title, token } = network.network
  // A transfer from nobody is a mint: no one has paid it.
  const all = parseEventLogs({ abi: usdcAbi, eventName: 'Transfer', logs: logs as Log[] }).filter(
    ({ args }) => BigInt(args.from) !== 0n,
  )
  if (all.length === 0) throw wrong('The transaction transfers no tokens.', `Send USDC on ${title}.`)
  const own = all.filter(({ address }) => sameText(address, token.address))
  if (own.length === 0)
    throw wrong('The transaction transfers another token.', `USDC on ${title} is ${token.address}.`)
  const ours = own.filter(({ args }) => sameText(args.to, to))
  if (ours.length === 0) throw wrong('The transaction pays another recipient.', `Pay to ${to}.`)
  const [first, ...rest] = ours
    .filter(({ args }) => args.value >= min)
    .map(({ args, logIndex }) => ({
      log: `${id}:${transactionHash.toLowerCase()}:${logIndex}`,
      payer: args.from.toLowerCase(),
      amount: args.value,
    }))
  if (!first)
    throw wrong(`The transaction pays too little: at least ${min} atomic units are asked in one transfer.`)
  return [first, ...rest]
}

const prove = async (claim: TransferClaim): Promise<ProvenTransfer> => {
  const { network, notBefore, confirmations } = claim
  const { title, blockMs, id } = network.network
  const receipt = await readReceipt(network, claim.hash.toLowerCase() as Hash)
  if (receipt.status !== 'success') throw wrong('The transaction was reverted: it moved nothing.')
  const reader = await network.reader()
  const [head, block] = await Promise.all([
    reader.getBlockNumber({ cacheTime: 0 }),
    reader.getBlock({ blockNumber: receipt.blockNumber }).catch(() => undefined),
  ])
  if (block?.hash !== receipt.blockHash)
    throw later('The chain is reordering the block of this transaction.', blockMs / 1_000)
  const [first, ...also] = await transfersIn(claim, receipt)
  if (notBefore && block.timestamp < BigInt(Math.floor(notBefore.getTime() / 1_000)))
    throw wrong(`The transfer is too old: it was made before ${notBefore.toISOString()}.`)
  const depth = Number(head - receipt.blockNumber) + 1
  if (depth < confirmations)
    throw new ToolError(
      'conflict',
      `The transfer has ${depth} of ${confirmations} confirmations on ${title}.`,
      {
        hint: 'Repeat the call with the same hash.',
        retryAfter: ((confirmations - depth) * blockMs) / 1_000,
      },
    )
  return {
    ...first,
    network: id,
    transaction: receipt.transactionHash.toLowerCase(),
    block: receipt.blockNumber,
    at: new Date(Number(block.timestamp) * 1_000),
    confirmations: depth,
    also,
  }
}

/**
 * Proves a USDC transfer by its transaction hash. It does not know which transfers were used: record `log` where x402
 * settlements are recorded, in the transaction that gives the reward. A hash is public; bind the claim to its payer where
 * the reward goes to whoever claims. Throws `not_found` and `conflict` with a retry for what may still come, and
 * `invalid_input` for what will never be a payment.
 */
export const verifyTransfer = async (claim: TransferClaim): Promise<ProvenTransfer> => {
  if (!/^0x[0-9a-f]{64}$/i.test(claim.hash))
    throw wrong('hash is not a transaction hash: 0x and 64 hexadecimal digits.')
  return onChain(claim.network.network, () => prove(claim))
}
