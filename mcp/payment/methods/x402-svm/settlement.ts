import type { SolanaNetwork } from '../../../ports/solnet/network.ts'
import type { Found, Offer, Refusal, Settled } from '../../method.ts'
import type { Cluster, Status } from './cluster.ts'
import type { SvmFacilitator } from './facilitator.ts'
import type { SvmTransfer } from './transfer.ts'

/** What the method is joined to once it is used. */
export type Joined = { cluster: Cluster; facilitator: SvmFacilitator }

type Options = {
  network: SolanaNetwork
  confirmMs: number
  joined(): Promise<Joined>
  check(transfer: SvmTransfer, offer: Offer): Promise<Refusal | undefined>
}

/**
 * Moves the money of signed transactions, each once: the chain itself takes a transaction no second time, and since its
 * signature can be made again at any time, what became of it is asked there and not remembered here.
 */
export const openSvmSettlement = ({ network, confirmMs, joined, check }: Options) => {
  /** Hashes that were sent and not seen on the chain yet. */
  const sent = new Set<string>()
  const settling = new Map<string, Promise<Settled>>()

  const settledAs = (status: Status, { payer, index, hash }: SvmTransfer, signature: string) => {
    if (status === 'none') return undefined
    if (status === 'seen') return { state: 'pending', transaction: signature } as const
    sent.delete(hash)
    if (status === 'failed') return { state: 'failed', reason: 'settlement_failed' } as const
    const log = `${network.id}:${signature}:${index}`
    return { state: 'settled', transaction: signature, payer, log } as const
  }

  const find = async (transfer: SvmTransfer): Promise<Found> => {
    const { cluster, facilitator } = await joined()
    const { signature } = await facilitator.sign(transfer)
    // Expiry comes first: what is not there once its blockhash is over never will be.
    const expired = await cluster.isExpired(transfer.blockhash)
    const known = settledAs(await cluster.status(signature), transfer, signature)
    if (known) return known
    if (expired) {
      sent.delete(transfer.hash)
      return { state: 'failed', reason: 'expired' }
    }
    return sent.has(transfer.hash) ? { state: 'pending', transaction: signature } : { state: 'unused' }
  }

  const settleOnce = async (transfer: SvmTransfer, offer: Offer): Promise<Settled> => {
    const before = await find(transfer)
    if (before.state === 'settled' || before.state === 'failed') return before
    const { cluster, facilitator } = await joined()
    const { wire, signature } = await facilitator.sign(transfer)
    const reason = before.state === 'unused' ? await check(transfer, offer) : undefined
    if (reason) {
      // Another process with the same fee payer may have settled it since.
      const now = settledAs(await cluster.status(signature), transfer, signature)
      return now ?? { state: 'failed', reason }
    }
    sent.add(transfer.hash)
    const handed = await cluster.send(wire)
    const refused = handed === 'refused'
    const status = await (refused ? cluster.status(signature) : cluster.wait(signature, confirmMs))
    const after = settledAs(status, transfer, signature)
    if (after) return after
    if (!refused || before.state === 'pending') return { state: 'pending', transaction: signature }
    sent.delete(transfer.hash)
    return { state: 'failed', reason: 'settlement_failed' }
  }

  return {
    find,
    settle: (transfer: SvmTransfer, offer: Offer): Promise<Settled> => {
      const running = settling.get(transfer.hash)
      if (running) return running
      const settled = settleOnce(transfer, offer).finally(() => settling.delete(transfer.hash))
      settling.set(transfer.hash, settled)
      return settled
    },
  }
}
