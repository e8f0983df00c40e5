import type { Hash, Hex, TransactionReceipt } from 'viem'
import { listUses } from '../../../lib/authorization-use.ts'
import type { Chain } from '../../../ports/chain/port.ts'

/** The transfer that an order waits for: who is paid how much under which nonce (EIP-3009). */
export type ExpectedTransfer = { payTo: string; amount: bigint; nonce: string; validBefore: number }

/** Proof by a transaction. `pending` counts its confirmations; a transaction that is not there has none. */
export type Proof =
  | { state: 'confirmed'; log: string; payer: string }
  | { state: 'pending'; confirmations: number; needed: number }
  | { state: 'rejected'; detail: string; moved?: { amount: string; payer: string; log: string } }

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

const rejection = (detail: string): Proof => ({ state: 'rejected', detail })

const isMissing = (error: unknown): boolean =>
  error instanceof Error && /^Transaction(?:Receipt)?NotFoundError$/.test(error.name)

type Transfer = { payer: Hex; logIndex: number; amount: bigint }

/**
 * The transfer under a nonce in the logs of the token: what follows its `AuthorizationUsed`. Who sent the transaction, through
 * which contracts and with what calldata does not count, so that smart accounts and forwarders may pay. A nonce belongs
 * to its signer: several may use the same one in a transaction, and any of them that pays will do.
 */
const transferUnder = async (
  { network }: Chain,
  { logs }: TransactionReceipt,
  { payTo, amount, nonce }: ExpectedTransfer,
): Promise<Transfer | string> => {
  let wrong = 'the nonce is not the one of this purchase'
  /** It pays us under this nonce, and another amount than the quoted one. */
  let other: Transfer | undefined
  for (const { authorizer, nonce: used, transfer } of await listUses(logs, network.token.address)) {
    if (!same(used, nonce)) continue
    if (!transfer || !same(transfer.from, authorizer))
      wrong = 'the logs do not show the transfer of the authorization'
    else if (!same(transfer.to, payTo)) wrong = 'the payment goes to another recipient'
    else {
      const { value, logIndex } = transfer
      const payer = authorizer.toLowerCase() as Hex
      if (value === amount) return { payer, logIndex, amount }
      other ??= { payer, logIndex, amount: value }
    }
  }
  return other ?? wrong
}

/** Milliseconds after the last moment of an authorization that a chain may still be late with what it did. */
const graceMs = 10 * 60_000

/** Looks whether a transaction is the expected transfer, with `needed` confirmations. Throws what the node throws. */
export const proveBroadcast = async (
  chain: Chain,
  hash: Hash,
  expected: ExpectedTransfer,
  needed: number,
  now: Date,
): Promise<Proof> => {
  const reader = await chain.reader()
  const receipt = await reader.getTransactionReceipt({ hash }).catch(error => {
    if (isMissing(error)) return undefined
    throw error
  })
  const isOver = now.getTime() > expected.validBefore * 1000 + graceMs
  if (!receipt)
    return isOver
      ? rejection('there is no such transaction, and its time is over')
      : { state: 'pending', confirmations: 0, needed }
  if (receipt.status !== 'success')
    return rejection('the transaction was reverted; it may have come too late')
  const transfer = await transferUnder(chain, receipt, expected)
  if (typeof transfer === 'string') return rejection(transfer)
  const [head, block] = await Promise.all([
    reader.getBlockNumber({ cacheTime: 0 }),
    reader.getBlock({ blockNumber: receipt.blockNumber }).catch(() => undefined),
  ])
  const confirmations = block?.hash === receipt.blockHash ? Number(head - receipt.blockNumber) + 1 : 0
  if (confirmations < needed) return { state: 'pending', confirmations, needed }
  const log = `${chain.network.id}:${hash.toLowerCase()}:${transfer.logIndex}`
  if (transfer.amount !== expected.amount)
    return {
      state: 'rejected',
      detail: 'the amount is not the quoted one',
      moved: { amount: String(transfer.amount), payer: transfer.payer, log },
    }
  return { state: 'confirmed', log, payer: transfer.payer }
}
