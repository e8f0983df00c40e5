import { type Address, type Hex, hashTypedData, type TypedDataDomain } from 'viem'
import type { Authorization } from '../../../lib/eip3009.ts'
import { authorizationFields } from '../../../lib/evm-abi.ts'
import { type Stablecoin, stablecoins } from '../../../lib/stablecoins.ts'

/** Variant that may have been signed instead of what the token expects, in words that end a sentence. */
export type Variant = { code: string; words: string; digest: Hex }

const types = {
  TransferWithAuthorization: authorizationFields,
  ReceiveWithAuthorization: authorizationFields,
} as const

const hash = (
  domain: TypedDataDomain,
  message: Authorization,
  primaryType: keyof typeof types = 'TransferWithAuthorization',
): Hex => hashTypedData({ domain, types, primaryType, message })

/** The domain that the USDC of a chain signs under. */
export const domainFor = ({ name, version, chainId, address }: Stablecoin) => ({
  name,
  version,
  chainId,
  verifyingContract: address as Address,
})

/** Digest the token of a chain expects to be signed. */
export const expectedDigest = (coin: Stablecoin, authorization: Authorization): Hex =>
  hash(domainFor(coin), authorization)

const names = ['USD Coin', 'USDC', 'USD Coin (PoS)', 'Bridged USDC', 'USDC.e', 'Circle USD', '']

/** The mistakes that payments are signed with, the usual ones first. */
export const buildVariants = (coin: Stablecoin, authorization: Authorization): Variant[] => {
  const domain = domainFor(coin)
  const { name, version, chainId, verifyingContract } = domain
  const variant = (code: string, words: string, digest: Hex): Variant => ({ code, words, digest })
  const withName = (other: string) =>
    variant(
      'wrong_domain_name',
      `with the domain name "${other}"; on ${coin.title} it is "${name}"`,
      hash({ ...domain, name: other }, authorization),
    )
  const onOther = (other: Stablecoin) =>
    variant(
      'wrong_chain',
      `for USDC on ${other.title} (chain ${other.chainId}), not on ${coin.title} (chain ${chainId})`,
      hash(domainFor(other), authorization),
    )
  return [
    ...names.filter(other => other !== name).map(withName),
    ...['1', ''].map(other =>
      variant(
        'wrong_domain_version',
        `with the domain version "${other}"; USDC has "${version}"`,
        hash({ ...domain, version: other }, authorization),
      ),
    ),
    ...stablecoins.filter(other => other.chainId !== chainId).map(onOther),
    variant(
      'wrong_type',
      'as ReceiveWithAuthorization; x402 wants TransferWithAuthorization',
      hash(domain, authorization, 'ReceiveWithAuthorization'),
    ),
    variant(
      'incomplete_domain',
      'with an empty domain: EIP712Domain must list name, version, chainId and verifyingContract',
      hash({}, authorization),
    ),
    variant(
      'incomplete_domain',
      'without chainId in the domain',
      hash({ name, version, verifyingContract }, authorization),
    ),
    variant(
      'incomplete_domain',
      'without verifyingContract in the domain',
      hash({ name, version, chainId }, authorization),
    ),
    variant(
      'incomplete_domain',
      'without version in the domain',
      hash({ name, chainId, verifyingContract }, authorization),
    ),
  ]
}
