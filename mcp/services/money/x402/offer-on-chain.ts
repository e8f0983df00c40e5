import type { Address } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import { stablecoinAt } from '../../../lib/stablecoins.ts'
import type { Evm } from '../../../ports/evm/port.ts'
import { readableChain } from '../stablecoin/chains.ts'
import { openReader, orUndefined } from '../stablecoin/reader.ts'
import { domainSeparator, isBlocked, tokenAbi } from '../stablecoin/token.ts'
import { error, type MessageFinding } from './finding.ts'
import type { OfferFacts } from './offer-check.ts'

const address = /^0x[0-9a-fA-F]{40}$/

const isAddress = (text: string | null): text is Address => text !== null && address.test(text)

/** A token that nobody knows must at least be one, and sign as the offer says. */
const checkToken = async (
  reader: ReturnType<typeof openReader>,
  chainId: number,
  { name, version }: OfferFacts,
  asset: Address,
  path: string,
): Promise<MessageFinding[]> => {
  const code = await orUndefined(reader.getCode({ address: asset }))
  if (code === undefined)
    return [error('asset_without_code', `${path}.asset`, 'asset is no contract on this chain.')]
  const separator = await orUndefined(
    reader.readContract({ address: asset, abi: tokenAbi, functionName: 'DOMAIN_SEPARATOR' }),
  )
  if (separator === undefined || name === null || version === null) return []
  if (separator === domainSeparator({ name, version, chainId, verifyingContract: asset })) return []
  const own = await orUndefined(reader.readContract({ address: asset, abi: tokenAbi, functionName: 'name' }))
  return [
    error(
      'wrong_domain_name',
      `${path}.extra`,
      `extra.name and extra.version do not make the DOMAIN_SEPARATOR of the token${own ? `, which calls itself "${own.slice(0, 60)}"` : ''}: every signature would be refused.`,
    ),
  ]
}

const checkPayee = async (
  reader: ReturnType<typeof openReader>,
  asset: Address,
  payTo: Address,
  path: string,
): Promise<MessageFinding[]> =>
  (await isBlocked(reader, asset, payTo))
    ? [
        error(
          'payee_blocked',
          `${path}.payTo`,
          'payTo is on the block list of the token: it can receive nothing.',
        ),
      ]
    : []

/** Asks a chain about an offer that looks right; nothing where it is not read here, or does not answer. */
export const checkOnChain = async (
  evm: Evm,
  signal: AbortSignal,
  offer: OfferFacts,
  path: string,
): Promise<MessageFinding[]> => {
  const chainId = Number(/^eip155:(\d+)$/.exec(offer.network ?? '')?.[1])
  const chain = readableChain(chainId)
  const { asset, payTo } = offer
  if (!chain || !isAddress(asset) || !isAddress(payTo)) return []
  const reader = openReader(evm, chain, signal)
  try {
    const token = stablecoinAt(asset) ? [] : await checkToken(reader, chainId, offer, asset, path)
    return token.length > 0 ? token : await checkPayee(reader, asset, payTo, path)
  } catch (problem) {
    if (problem instanceof ToolError && problem.code === 'upstream') return []
    throw problem
  }
}
