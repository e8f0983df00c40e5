import { createHash, randomBytes } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Price } from '../../../kernel/tool.ts'
import { authorizationFields } from '../../../lib/evm-abi.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { DirectOffer } from '../../../ports/purchases/port.ts'
import { computeDigest } from '../source/fetch-registry.ts'
import type { Content } from './content.ts'
import { type Purchase, priceAtomic, priceUsd, purchasesIn, waitMinutes } from './purchase.ts'
import { broadcastPrice } from './settle.ts'

/** Seconds that the authorization is good before it was made: clocks differ. */
const slack = 30

/** The nonce binds the authorization to the purchase and to the very result. */
const computeNonce = (id: string, digest: string, payTo: string): string =>
  `0x${createHash('sha256').update(`route-intelligence|${id}|${digest}|${payTo.toLowerCase()}|${priceAtomic}`).digest('hex')}`

type RouteQuery = { need: string; candidate_identifier?: string | undefined; terms: string }

/** Freezes a result and says what must be paid for it. */
export const prepare = async (
  { store, clock, purchases }: Pick<Ports, 'store' | 'clock' | 'purchases'>,
  { need, candidate_identifier, terms }: RouteQuery,
  { result, origin }: { result: Content; origin: string },
): Promise<{ purchase: Purchase; offer: DirectOffer }> => {
  const offer = await purchases.offer()
  const now = clock.now()
  const id = `pur_${randomBytes(16).toString('hex')}`
  const digest = computeDigest(canonicalize(result) ?? '')
  const seconds = Math.floor(now.getTime() / 1000)
  const purchase: Purchase = {
    id,
    state: 'prepared',
    need,
    candidate_identifier: candidate_identifier ?? null,
    terms,
    result,
    digest,
    nonce: computeNonce(id, digest, offer.payTo),
    pay_to: offer.payTo,
    valid_after: seconds - slack,
    valid_before: seconds + waitMinutes * 60,
    prepared_at: now.toISOString(),
    origin,
    expires_at: new Date((seconds + waitMinutes * 60) * 1000).toISOString(),
    transaction_hash: null,
    payment: null,
  }
  await store.transaction(async tx => {
    await purchases.expect(tx, offer, purchase.nonce)
    await purchasesIn(tx).insert(purchase)
  })
  return { purchase, offer }
}

/** The authorization to sign (EIP-712, EIP-3009); `from` is the buyer's own address. */
const buildAuthorization = (purchase: Purchase, offer: DirectOffer) => ({
  domain: {
    name: offer.assetName,
    version: offer.assetVersion,
    chainId: offer.chainId,
    verifyingContract: offer.asset,
  },
  types: { TransferWithAuthorization: authorizationFields },
  primaryType: 'TransferWithAuthorization',
  message: {
    from: '<your address>',
    to: purchase.pay_to,
    value: priceAtomic.toString(),
    validAfter: String(purchase.valid_after),
    validBefore: String(purchase.valid_before),
    nonce: purchase.nonce,
  },
})

/** The price of a prepared purchase, with what was frozen, what to sign, and what to broadcast. */
export const preparedPrice = (purchase: Purchase, offer: DirectOffer, base: string): Price => ({
  ...broadcastPrice(purchase),
  reason: {
    reason: 'purchase_prepared',
    detail: `Route intelligence is prepared. Broadcast the transfer of ${priceUsd} USDC yourself, then repeat the call with purchase_id and transaction_hash.`,
    params: {
      purchase_id: purchase.id,
      prepared_result_digest: purchase.digest,
      prepared_at: purchase.prepared_at,
      expires_at: purchase.expires_at,
      quote: {
        amount: priceUsd,
        currency: 'USDC',
        atomic_amount: priceAtomic.toString(),
        network: offer.network,
        asset: offer.asset,
        pay_to: purchase.pay_to,
        devnet: offer.devnet,
      },
      authorization: buildAuthorization(purchase, offer),
      contract_call: {
        to: offer.asset,
        function:
          'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
        selector: '0xe3ee160e',
        chain_id: offer.chainId,
        gas_paid_by: 'buyer',
      },
      proof: {
        method: 'POST',
        url: `${base}/commercial/route-intelligence/purchase`,
        fields: ['need', 'candidate_identifier', 'purchase_id', 'transaction_hash'],
      },
    },
    hint: 'Sign the authorization with the paying address as "from", call the contract, wait for its confirmation, and repeat.',
  },
})
