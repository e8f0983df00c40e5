import type { RemoteOptions } from '../../../ports/facilitator/remote.ts'
import { findTokenAccount, type SolanaNetwork } from '../../../ports/solnet/network.ts'
import type { Attempt, IncomingTransfer, Offer, PaymentMethod, Refusal, VerifyResult } from '../../method.ts'
import { tokenTerms, tokenWords } from '../../token-terms.ts'
import { onSolana, openCluster } from './cluster.ts'
import { openSvmFacilitator } from './facilitator.ts'
import { openSvmRefunds } from './refund.ts'
import { openRemoteSvmFacilitator } from './remote-facilitator.ts'
import { type Joined, openSvmSettlement } from './settlement.ts'
import { hasTextSignature } from './signed-text.ts'
import { isSignedByPayer, parseTransfer, readTransfer, type SvmTransfer } from './transfer.ts'

export type X402SvmOptions = {
  network: SolanaNetwork
  /** The local chain: offers say so. */
  devnet: boolean
  /** JSON-RPC endpoint; for the local chain, asking for it starts it. */
  rpc: () => Promise<string>
  /** The wallet that is paid. It must have a USDC token account. */
  payTo: () => Promise<string>
  /** The wallet that was paid before, whose quotes still hold. */
  previousPayTo?: string | undefined
  /**
   * Secret key (base58 of 64 bytes) of the wallet that pays the fees of settlements from this process, not the one that is paid; or
   * facilitators elsewhere in order of preference.
   */
  facilitator: { key: () => Promise<string> } | { remotes: readonly RemoteOptions[] }
  /** Secret key of the `payTo` wallet; without it refunds are `unavailable`. */
  refundKey?: (() => Promise<string>) | undefined
  /** Milliseconds that a settlement waits for its confirmation before it is `pending`. Default 15,000. */
  confirmMs?: number
  now?: () => Date
}

/**
 * x402 `exact` on Solana with USDC. A stock client's transaction is checked by the facilitator of this process, signed by
 * its fee payer and sent; the chain says what became of it. Throws `upstream` when the chain's node does not answer.
 */
export const openX402Svm = (options: X402SvmOptions): PaymentMethod => {
  const {
    network,
    devnet,
    rpc,
    payTo,
    facilitator: settling,
    refundKey,
    confirmMs = 15_000,
    now = () => new Date(),
  } = options
  let joining: Promise<Joined> | undefined

  const join = async (): Promise<Joined> => {
    const url = await rpc()
    const cluster = await openCluster(url)
    const facilitator =
      'remotes' in settling
        ? openRemoteSvmFacilitator({ network, cluster, remotes: settling.remotes, now })
        : await openSvmFacilitator(network, url, await settling.key(), cluster)
    return { cluster, facilitator }
  }

  const joinOnce = (): Promise<Joined> => {
    joining ??= join().catch(error => {
      joining = undefined
      throw error
    })
    return joining
  }

  /** Finds faults of a transaction that show without asking anybody. */
  const precheck = async (
    { network: paidOn }: Attempt,
    { mint, destination, amount, feePayer: pays }: SvmTransfer,
    offer: Offer,
  ): Promise<Refusal | undefined> => {
    if (paidOn !== network.id || offer.network !== network.id) return 'wrong_network'
    if (mint !== offer.asset) return 'wrong_asset'
    if (destination !== (await findTokenAccount(offer.asset, offer.payTo))) return 'wrong_recipient'
    if (amount < BigInt(offer.amount)) return 'too_little'
    const { facilitator } = await joinOnce()
    return (await facilitator.feePayers()).includes(pays) ? undefined : 'unreadable'
  }

  const check = async (transfer: SvmTransfer, offer: Offer): Promise<Refusal | undefined> => {
    const { cluster, facilitator } = await joinOnce()
    const [said, status] = await Promise.all([
      facilitator.verify(transfer, offer),
      facilitator.signature(transfer).then(signature => (signature ? cluster.status(signature) : 'none')),
    ])
    if (status !== 'none') return 'already_used'
    // A simulation only says that it failed; the chain tells why.
    if (said !== 'settlement_failed') return said
    if (await cluster.isExpired(transfer.blockhash)) return 'expired'
    const balance = (await cluster.balance(transfer.source)) ?? 0n
    return balance < transfer.amount ? 'insufficient_funds' : said
  }

  const inspect = async (transfer: SvmTransfer): Promise<Refusal | undefined> => {
    const { cluster, facilitator } = await joinOnce()
    if (!isSignedByPayer(transfer)) return 'invalid_signature'
    if (await facilitator.signature(transfer)) return 'already_used'
    if (await cluster.isExpired(transfer.blockhash)) return 'expired'
    const balance = (await cluster.balance(transfer.source)) ?? 0n
    return balance < transfer.amount ? 'insufficient_funds' : undefined
  }

  const settlement = openSvmSettlement({ network, confirmMs, now, joined: joinOnce, check })

  /** The transfer of an attempt that this offer asks for, or what is wrong with it. */
  const readAttempt = async (attempt: Attempt, offer: Offer): Promise<SvmTransfer | Refusal> => {
    const transfer = readTransfer(attempt)
    if (!transfer) return 'unreadable'
    return (await precheck(attempt, transfer, offer)) ?? transfer
  }

  const verifyBy = (
    look: (transfer: SvmTransfer, offer: Offer) => Promise<Refusal | undefined>,
    attempt: Attempt,
    offer: Offer,
  ): Promise<VerifyResult> =>
    onSolana(network, async () => {
      const transfer = await readAttempt(attempt, offer)
      if (typeof transfer === 'string') return { ok: false, reason: transfer }
      // What arrived all the same counts as what it is: only a payment that has not moved is refused for this.
      if (transfer.amount > BigInt(offer.amount)) return { ok: false, reason: 'too_much' }
      const reason = await look(transfer, offer)
      return reason ? { ok: false, reason } : { ok: true, payer: transfer.payer }
    })

  const token = { decimals: network.decimals, symbol: 'USDC', title: network.title, local: devnet }
  const refund = openSvmRefunds({
    network,
    cluster: async () => (await joinOnce()).cluster,
    ...('key' in settling && { feePayer: settling.key }),
    wallet: refundKey,
    confirmMs,
  })

  return {
    id: 'x402-svm',
    kind: 'svm-exact',
    network: network.id,
    name: network.name,
    moves: 'us',
    takes: price =>
      price.unit !== 'credit' &&
      (price.network === undefined || price.network === network.name || price.network === network.id),
    offer: async (quote, rates) => {
      const feePayer = await onSolana(
        network,
        async () => (await (await joinOnce()).facilitator.feePayers())[0],
      )
      const { rate, ...terms } = await tokenTerms(quote, rates, token, payTo)
      return {
        method: 'x402-svm',
        kind: 'svm-exact',
        network: network.id,
        asset: network.mint,
        ...terms,
        maxTimeoutSeconds: 300,
        extra: {
          feePayer,
          ...(quote.settle === 'before' && { paymentFlow: 'upfront' }),
          ...(devnet && { devnet: true }),
          ...(rate && { rate }),
        },
      }
    },
    identify: attempt => {
      const transfer = readTransfer(attempt)
      return transfer && [network.id, transfer.mint, transfer.payer, transfer.hash].join('|')
    },
    signedAmount: attempt => readTransfer(attempt)?.amount.toString(),
    verify: (attempt, offer) => verifyBy(check, attempt, offer),
    ...('remotes' in settling && {
      inspect: (attempt: Attempt, offer: Offer) => verifyBy(inspect, attempt, offer),
    }),
    settle: (attempt, offer, listing) =>
      onSolana(network, async () => {
        const transfer = await readAttempt(attempt, offer)
        if (typeof transfer === 'string') return { state: 'refused', reason: transfer }
        return settlement.settle(transfer, offer, listing)
      }),
    find: (attempt, offer, sent) =>
      onSolana(network, async () => {
        const transfer = await readAttempt(attempt, offer)
        if (typeof transfer === 'string') return { state: 'failed', reason: transfer }
        return settlement.find(transfer, sent)
      }),
    isSignedBy: async (payer, text, signature) => hasTextSignature(payer, text, signature),
    refund: async (id, payer, amount, _to, _asset, notes) => ({
      state: 'sent',
      transaction: await refund(id, payer, amount, notes),
    }),
    ...(refundKey && { refundsFrom: payTo }),
    previousPayTo: async offer => (offer.payTo === (await payTo()) ? options.previousPayTo : undefined),
    toWords: amount => tokenWords(amount, token),
    movements: (signature, to) =>
      onSolana(network, async () => {
        const wire = await (await joinOnce()).cluster.transaction(signature)
        const transfer = wire && parseTransfer(wire)
        if (!transfer) return wire === undefined ? undefined : []
        if (transfer.mint !== network.mint) return []
        const isTheirs = transfer.destination === (await findTokenAccount(network.mint, to))
        const { payer: from, destination, amount, index } = transfer
        const log = `${network.id}:${signature}:${index}`
        return [{ log, from, to: isTheirs ? to : destination, amount: String(amount) }]
      }),
    incoming: async after => {
      const transfers: IncomingTransfer[] = []
      // Looking would start a local chain, in which nothing can have come.
      if (devnet && !joining) return { upTo: after ?? '', transfers, isMore: false }
      return onSolana(network, async () => {
        const { cluster } = await joinOnce()
        const wallet = await payTo()
        const account = await findTokenAccount(network.mint, wallet)
        const landed = await cluster.landedAfter(account, after || undefined)
        const day = now().getTime() - 86_400_000
        for (const { signature: transaction, at } of landed) {
          if (!after && at.getTime() < day) break
          const wire = await cluster.transaction(transaction)
          const transfer = wire && parseTransfer(wire)
          if (!transfer || transfer.destination !== account || transfer.mint !== network.mint) continue
          const { payer, amount, index } = transfer
          const log = `${network.id}:${transaction}:${index}`
          transfers.push({
            log,
            transaction,
            asset: network.mint,
            payTo: wallet,
            payer,
            amount: String(amount),
            at,
          })
        }
        return { upTo: landed[0]?.signature ?? after ?? '', transfers, isMore: false }
      })
    },
    close: async () => undefined,
  }
}
