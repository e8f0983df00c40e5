import type { SolanaNetwork } from '../../../ports/solnet/network.ts'
import type {
  CatalogueListing,
  FindResult,
  Offer,
  Refusal,
  SentTransaction,
  SettleResult,
} from '../../method.ts'
import type { Cluster, SignatureStatus } from './cluster.ts'
import type { SvmFacilitator } from './facilitator.ts'
import type { SvmTransfer } from './transfer.ts'

/** Connections of the method once it is used. */
export type Joined = { cluster: Cluster; facilitator: SvmFacilitator }

type Options = {
  network: SolanaNetwork
  confirmMs: number
  now: () => Date
  joined(): Promise<Joined>
  check(transfer: SvmTransfer, offer: Offer): Promise<Refusal | undefined>
}

/**
 * Milliseconds from the first try in which nothing counts as expired: a blockhash lives for about a minute, and a node that lags
 * behind does not know a new one yet.
 */
const minLifeMs = 60_000

/**
 * Moves the money of signed transactions, each once: the chain itself takes a transaction no second time, and since its
 * signature can be made again at any time, what became of it is asked there and not remembered here.
 */
export const openSvmSettlement = ({ network, confirmMs, now, joined, check }: Options) => {
  /** Hashes that were sent and not seen on the chain yet. */
  const inFlight = new Set<string>()
  const settling = new Map<string, Promise<SettleResult>>()

  const toSettled = (status: SignatureStatus, { payer, index, hash }: SvmTransfer, signature: string) => {
    if (status === 'none') return undefined
    if (status === 'seen') return { state: 'pending', transaction: signature } as const
    inFlight.delete(hash)
    if (status === 'failed') return { state: 'failed', reason: 'settlement_failed' } as const
    const log = `${network.id}:${signature}:${index}`
    return { state: 'settled', transaction: signature, payer, log } as const
  }

  /** Reads a transaction off the chain; undefined where it shows nothing. */
  const look = async (transfer: SvmTransfer, signature: string | undefined) => {
    if (signature === undefined) return undefined
    const { cluster, facilitator } = await joined()
    const settled = toSettled(await cluster.status(signature), transfer, signature)
    if (settled && settled.state !== 'pending') facilitator.forget?.(transfer)
    return settled
  }

  const find = async (transfer: SvmTransfer, earlier?: SentTransaction): Promise<FindResult> => {
    const { cluster, facilitator } = await joined()
    // Expiry comes first: what is not there once its blockhash is over never will be.
    const expired = await cluster.isExpired(transfer.blockhash)
    const signature = await facilitator.signature(transfer, earlier)
    const settled = await look(transfer, signature)
    if (settled) return settled
    if (expired && !(earlier && now().getTime() < earlier.since.getTime() + minLifeMs)) {
      inFlight.delete(transfer.hash)
      facilitator.forget?.(transfer)
      return { state: 'failed', reason: 'expired' }
    }
    return inFlight.has(transfer.hash)
      ? { state: 'pending', transaction: signature ?? '' }
      : { state: 'unused' }
  }

  const settleOnce = async (
    transfer: SvmTransfer,
    offer: Offer,
    listing: CatalogueListing | undefined,
  ): Promise<SettleResult> => {
    const before = await find(transfer)
    if (before.state === 'settled' || before.state === 'failed') return before
    const { cluster, facilitator } = await joined()
    const reason = before.state === 'unused' ? await check(transfer, offer) : undefined
    if (reason) {
      // Another process with the same fee payer may have settled it since.
      const landed = await look(transfer, await facilitator.signature(transfer))
      return landed ?? { state: 'refused', reason }
    }
    inFlight.add(transfer.hash)
    // One that does not answer may have it all the same: it counts until its blockhash is over.
    const handed = await facilitator.send(transfer, offer, listing).catch(() => undefined)
    const by = handed?.facilitator !== undefined && { facilitator: handed.facilitator }
    if (handed?.signature !== undefined) await cluster.wait(handed.signature, confirmMs)
    const signature = await facilitator.signature(transfer).catch(() => undefined)
    const settled = await look(transfer, signature)
    if (settled?.state === 'failed') return settled
    return { ...(settled ?? { state: 'pending', transaction: signature ?? '' }), ...by }
  }

  return {
    find,
    settle: (transfer: SvmTransfer, offer: Offer, listing?: CatalogueListing): Promise<SettleResult> => {
      const running = settling.get(transfer.hash)
      if (running) return running
      const settled = settleOnce(transfer, offer, listing).finally(() => settling.delete(transfer.hash))
      settling.set(transfer.hash, settled)
      return settled
    },
  }
}
