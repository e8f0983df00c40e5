import type { Ports } from '../../../ports/ports.ts'
import type { Side } from '../thread/thread.ts'
import type { Deal } from './deal.ts'

type SealedDeal = Pick<Deal, 'id' | 'listing' | 'terms_hash' | 'seller' | 'fee_credits' | 'sealed_at'> & {
  handles: Record<Side, string>
}

/**
 * The receipt of a sealed deal: a compact JWS (EdDSA) that anybody verifies offline against the published keys. It holds the
 * hash of the terms and not their price, so that only who has the terms can show what they were.
 */
export const signReceipt = (sign: Ports['sign'], issuer: string, deal: SealedDeal): string =>
  sign.jws(
    {
      iss: issuer,
      deal_id: deal.id,
      listing_id: deal.listing,
      terms_hash: deal.terms_hash,
      poster: deal.handles.poster,
      negotiator: deal.handles.negotiator,
      seller: deal.handles[deal.seller],
      fee_credits: deal.fee_credits,
      sealed_at: deal.sealed_at,
      iat: Math.floor(Date.parse(deal.sealed_at) / 1000),
    },
    'deal-receipt+jwt',
  )

type CredentialFacts = Pick<Deal, 'id' | 'terms_hash' | 'sealed_at' | 'purge_at'>

/**
 * What one side presents to the other to show that it is the other party of the deal: a compact JWS (EdDSA), good until the
 * details are purged.
 */
export const signCredential = (
  sign: Ports['sign'],
  issuer: string,
  { id, terms_hash, sealed_at, purge_at }: CredentialFacts,
  { from, to }: { from: string; to: string },
): string =>
  sign.jws(
    {
      iss: issuer,
      sub: from,
      aud: to,
      deal_id: id,
      terms_hash,
      iat: Math.floor(Date.parse(sealed_at) / 1000),
      exp: Math.floor(Date.parse(purge_at) / 1000),
    },
    'deal-credential+jwt',
  )
