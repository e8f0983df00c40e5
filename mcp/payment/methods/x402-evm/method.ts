import type { Hex } from 'viem'
import { canonicalAddress } from '../../../lib/chain-address.ts'
import { authorizationFields, usdcAbi } from '../../../lib/evm-abi.ts'
import { onChain } from '../../../ports/chain/failure.ts'
import type { Chain } from '../../../ports/chain/port.ts'
import type { RemoteOptions } from '../../../ports/facilitator/remote.ts'
import { readCollector } from '../../collector.ts'
import { evmIncoming, evmMovements } from '../../evm-movements.ts'
import { openRefunds } from '../../evm-refund.ts'
import type { Attempt, Offer, PaymentMethod, Refusal, VerifyResult } from '../../method.ts'
import { tokenTerms, tokenWords } from '../../token-terms.ts'
import { readAuthorization, type SignedAuthorization } from './authorization.ts'
import { openCollecting } from './collecting.ts'
import { type Facilitator, openLocalFacilitator, openRemoteFacilitators } from './facilitator.ts'
import { precheck, refusalOfTerms, toFacilitatorRequest } from './precheck.ts'
import { toRefusal } from './refusal.ts'
import { openSettlement } from './settlement.ts'
import { isTextSignedBy } from './signed-text.ts'

export type X402EvmOptions = {
  chain: Chain
  /** The address that is paid. */
  payTo: () => Promise<Hex>
  /** The address that was paid before, whose quotes still hold. */
  previousPayTo?: Hex | undefined
  /** A private key that pays the gas of settlements from this process, or facilitators elsewhere in order of preference. */
  facilitator: { key: () => Promise<Hex> } | { remotes: readonly RemoteOptions[] }
  /** Private key that calls contracts which collect a payment themselves, and pays its gas; without it none is taken. */
  relayerKey?: (() => Promise<Hex>) | undefined
  /** Private key of the `payTo` wallet; without it refunds are `unavailable`. */
  refundKey?: (() => Promise<Hex>) | undefined
  /** Factories that smart accounts which are not deployed yet may be deployed by, at our gas (ERC-6492). None by default. */
  factories?: readonly string[] | undefined
  /** Milliseconds that a settlement waits for its receipt before it is `pending`. Default 15,000. */
  confirmMs?: number
  /** False while a local chain is not started: nothing can have come in, and looking would start it. */
  isRunning?: () => boolean
  now?: () => Date
}

/**
 * x402 `exact` on an EVM network with USDC and EIP-3009. A stock client's payload is checked, carried to the chain by a
 * facilitator, and proven by this method's own look at the chain. Throws `upstream` when chain or facilitator do not answer.
 */
export const openX402Evm = (options: X402EvmOptions): PaymentMethod => {
  const { chain, payTo, confirmMs = 15_000, isRunning = () => true, now = () => new Date() } = options
  const { network, devnet } = chain
  const isOurs = 'key' in options.facilitator
  let opening: Promise<Facilitator> | undefined

  const open = async (): Promise<Facilitator> =>
    'remotes' in options.facilitator
      ? openRemoteFacilitators(options.facilitator.remotes, now)
      : openLocalFacilitator(chain, await options.facilitator.key(), confirmMs, options.factories)

  const facilitator = (): Promise<Facilitator> => {
    opening ??= open().catch(error => {
      opening = undefined
      throw error
    })
    return opening
  }

  const toIdentity = ({ from, nonce }: SignedAuthorization): string =>
    [network.id, network.token.address.toLowerCase(), from, nonce].join('|')

  const collecting = openCollecting(chain, options.relayerKey, confirmMs)

  const settlement = openSettlement({
    chain,
    confirmMs,
    now,
    identityOf: toIdentity,
    async isOwn(address) {
      const { facilitator, relayerKey } = options
      const keys = ['key' in facilitator ? facilitator.key : undefined, relayerKey]
      for (const key of keys)
        if (key && canonicalAddress((await chain.wallet(await key())).address) === address) return true
      return false
    },
    open: async offer => {
      if (readCollector(offer)) return collecting.send
      const carrier = await facilitator()
      return (authorization, offer, listing) => {
        const { payload, requirements } = toFacilitatorRequest(authorization, offer, listing)
        return carrier.settle(payload, requirements)
      }
    },
  })

  const asksFacilitator = async (
    authorization: SignedAuthorization,
    offer: Offer,
  ): Promise<Refusal | undefined> => {
    const { payload, requirements } = toFacilitatorRequest(authorization, offer)
    const { isValid, invalidReason } = await (await facilitator()).verify(payload, requirements)
    return isValid ? undefined : toRefusal(invalidReason)
  }

  const asksToken = async ({ from, nonce, value }: SignedAuthorization): Promise<Refusal | undefined> => {
    const reader = await chain.reader()
    const token = { address: network.token.address, abi: usdcAbi }
    const [used, balance] = await Promise.all([
      reader.readContract({ ...token, functionName: 'authorizationState', args: [from, nonce] }),
      reader.readContract({ ...token, functionName: 'balanceOf', args: [from] }),
    ])
    if (used) return 'already_used'
    return balance < value ? 'insufficient_funds' : undefined
  }

  const isSigned = async (
    { from, to, value, validAfter, validBefore, nonce, signature }: SignedAuthorization,
    { extra }: Offer,
  ): Promise<boolean> =>
    (await chain.reader()).verifyTypedData({
      address: from,
      domain: {
        name: String(extra.name ?? network.token.name),
        version: String(extra.version ?? network.token.version),
        chainId: network.chainId,
        verifyingContract: network.token.address,
      },
      types: { TransferWithAuthorization: authorizationFields },
      primaryType: 'TransferWithAuthorization',
      message: { from, to, value, validAfter, validBefore, nonce },
      signature,
    })

  const inspect = async (authorization: SignedAuthorization, offer: Offer): Promise<Refusal | undefined> => {
    const [seen, signed] = await Promise.all([asksToken(authorization), isSigned(authorization, offer)])
    return seen ?? (signed ? undefined : 'invalid_signature')
  }

  /**
   * Our own facilitator has the token carry the transfer out without sending it, which proves signature, balance and nonce at
   * once. The word of another proves nothing, so the token is asked beside it.
   */
  const check = async (authorization: SignedAuthorization, offer: Offer): Promise<Refusal | undefined> => {
    // Shown to nobody: whoever has it may carry it to the token alone, past the contract. The trial proves signature, balance and
    // nonce at once; only where it fails is the token asked why.
    if (readCollector(offer)) {
      const [refusal, signed] = await Promise.all([
        collecting.tryOut(authorization, offer),
        isSigned(authorization, offer),
      ])
      if (!signed) return 'invalid_signature'
      return refusal && ((await asksToken(authorization)) ?? refusal)
    }
    const [said, seen] = await Promise.all([
      asksFacilitator(authorization, offer),
      isOurs ? undefined : asksToken(authorization),
    ])
    if (said !== 'settlement_failed') return said ?? seen
    // A facilitator that only says that it would fail is asked no further: the token tells why.
    return seen ?? (isOurs ? await asksToken(authorization) : undefined) ?? said
  }

  const verifyBy = async (look: typeof check, attempt: Attempt, offer: Offer): Promise<VerifyResult> => {
    const authorization = readAuthorization(attempt)
    if (!authorization) return { ok: false, reason: 'unreadable' }
    const seconds = BigInt(Math.floor(now().getTime() / 1_000))
    const reason =
      precheck(attempt, authorization, offer, seconds) ??
      (await onChain(network, () => look(authorization, offer)))
    return reason ? { ok: false, reason } : { ok: true, payer: authorization.from }
  }

  const token = { decimals: network.token.decimals, symbol: 'USDC', title: network.title, local: devnet }
  const refund = openRefunds(chain, options.refundKey, confirmMs)

  return {
    id: 'x402-evm',
    kind: 'eip3009',
    network: network.id,
    name: network.name,
    moves: 'us',
    takes: price =>
      price.unit !== 'credit' &&
      (price.terms?.collector === undefined || options.relayerKey !== undefined) &&
      ((price.network === undefined && !network.isNamedOnly) ||
        price.network === network.name ||
        price.network === network.id),
    offer: async (quote, rates) => {
      // On a local chain this starts it, so that what is offered can be paid.
      if (devnet) await chain.reader()
      const { rate, ...terms } = await tokenTerms(quote, rates, token, payTo)
      return {
        method: 'x402-evm',
        kind: 'eip3009',
        network: network.id,
        asset: network.token.address,
        ...terms,
        maxTimeoutSeconds: 300,
        extra: {
          name: network.token.name,
          version: network.token.version,
          ...(quote.settle === 'before' && { paymentFlow: 'upfront' }),
          ...(devnet && { devnet: true }),
          ...(rate && { rate }),
          ...(quote.price.terms?.collector && { collector: quote.price.terms.collector }),
        },
      }
    },
    identify: attempt => {
      const authorization = readAuthorization(attempt)
      return authorization && toIdentity(authorization)
    },
    signedAmount: attempt => readAuthorization(attempt)?.value.toString(),
    verify: (attempt, offer) => verifyBy(check, attempt, offer),
    ...(!isOurs && { inspect: (attempt: Attempt, offer: Offer) => verifyBy(inspect, attempt, offer) }),
    settle: async (attempt: Attempt, offer, listing) => {
      const authorization = readAuthorization(attempt)
      if (!authorization) return { state: 'refused', reason: 'unreadable' }
      const reason = refusalOfTerms(attempt, authorization, offer)
      return reason ? { state: 'refused', reason } : settlement.settle(authorization, offer, listing)
    },
    find: async (attempt: Attempt, offer, sent) => {
      const authorization = readAuthorization(attempt)
      if (!authorization) return { state: 'failed', reason: 'unreadable' }
      const reason = refusalOfTerms(attempt, authorization, offer)
      return reason ? { state: 'failed', reason } : settlement.find(authorization, sent)
    },
    minedAt: transaction =>
      onChain(network, async () => {
        const reader = await chain.reader()
        const { blockNumber } = await reader.getTransactionReceipt({ hash: transaction as Hex })
        const { timestamp } = await reader.getBlock({ blockNumber })
        return new Date(Number(timestamp) * 1_000)
      }),
    isSignedBy: (payer, text, signature) => isTextSignedBy(chain, payer, text, signature),
    refund: async (id, payer, amount, _to, _asset, notes) => ({
      state: 'sent',
      transaction: await refund(id, payer, amount, notes),
    }),
    ...(options.refundKey && { refundsFrom: payTo }),
    previousPayTo: async offer =>
      offer.payTo.toLowerCase() === (await payTo()).toLowerCase() ? options.previousPayTo : undefined,
    toWords: amount => tokenWords(amount, token),
    movements: transaction => evmMovements(chain, transaction),
    incoming: async after =>
      isRunning()
        ? evmIncoming(chain, await payTo(), after)
        : { upTo: after ?? '-1', transfers: [], isMore: false },
    close: async () => undefined,
  }
}
