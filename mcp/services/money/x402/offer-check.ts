import { formatUnits, getAddress, isAddress } from 'viem'
import { asRecord, isRecord, type JsonRecord } from '../../../lib/json.ts'
import { type Stablecoin, stablecoinAt } from '../../../lib/stablecoins.ts'
import { clean } from '../../../lib/text/clean.ts'
import { fromNameV1 } from '../../../lib/x402-networks.ts'
import { error, type MessageFinding, warning } from './finding.ts'
import { isCaip2, readNetwork } from './network.ts'

export type X402Version = 1 | 2

/** An offer as it can be understood; null is what it does not say in a readable form. */
export type OfferFacts = {
  scheme: string | null
  /** CAIP-2, whatever the version says it as. */
  network: string | null
  /** Atomic units. */
  amount: string | null
  asset: string | null
  payTo: string | null
  /** The amount in words, for USDC. */
  price: string | null
  name: string | null
  version: string | null
}

const quoteValue = (value: unknown): string => {
  if (value === undefined) return 'is missing'
  return `is ${clean(typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(value ?? null), 80)}`
}

const textIn = (value: unknown): string | null => clean(value, 130)

/** Checks of one field each give findings in the order in which a payer meets them. */
type Check = (offer: JsonRecord, path: string, version: X402Version) => MessageFinding[]

const checkScheme: Check = ({ scheme }, path) => {
  if (scheme === 'exact') return []
  if (typeof scheme !== 'string' || scheme === '')
    return [error('no_scheme', `${path}.scheme`, `scheme ${quoteValue(scheme)}; most servers use "exact".`)]
  return [
    warning(
      'other_scheme',
      `${path}.scheme`,
      `scheme ${quoteValue(scheme)}; a default client pays only the scheme "exact".`,
    ),
  ]
}

const checkFieldsOfVersion: Check = (offer, path, version) => {
  if (version === 2 && offer.amount === undefined && offer.maxAmountRequired !== undefined)
    return [
      error(
        'v1_field_in_v2',
        `${path}.maxAmountRequired`,
        'maxAmountRequired is the name of version 1; version 2 calls the price amount, and its clients read nothing else.',
      ),
    ]
  if (version === 1 && offer.maxAmountRequired === undefined && offer.amount !== undefined)
    return [
      error(
        'v2_field_in_v1',
        `${path}.amount`,
        'amount is the name of version 2; version 1 calls the price maxAmountRequired, and its clients read nothing else.',
      ),
    ]
  if (version === 1 && typeof offer.resource !== 'string')
    return [
      error(
        'no_resource',
        `${path}.resource`,
        `resource ${quoteValue(offer.resource)}; version 1 wants the address that is paid for in each offer.`,
      ),
    ]
  return []
}

const checkNetwork: Check = ({ network }, path, version) => {
  const at = `${path}.network`
  if (typeof network !== 'string' || network === '')
    return [error('no_network', at, `network ${quoteValue(network)}.`)]
  if (version === 2 && !isCaip2(network)) {
    const id = fromNameV1(network)
    return [
      error(
        'network_not_caip2',
        at,
        `network ${quoteValue(network)}; version 2 names networks by CAIP-2${id ? `, here "${id}"` : ', such as "eip155:8453" for Base'}.`,
      ),
    ]
  }
  if (version === 1 && fromNameV1(network) === undefined)
    return [
      isCaip2(network)
        ? error('network_not_v1', at, `network ${quoteValue(network)}; version 1 uses names such as "base".`)
        : warning('unknown_network', at, `network ${quoteValue(network)}, which few clients know.`),
    ]
  const id = version === 1 ? (fromNameV1(network) ?? '') : network
  const named = readNetwork(id)
  if (named.kind === 'other' || (named.kind === 'evm' && !named.coin))
    return [warning('unknown_network', at, `network ${quoteValue(network)}, which few clients know.`)]
  return []
}

const checkAmount: Check = (offer, path, version) => {
  const field = version === 1 ? 'maxAmountRequired' : 'amount'
  const value = offer[field]
  const at = `${path}.${field}`
  if (value === undefined) return [error('no_amount', at, `${field} is missing.`)]
  if (typeof value === 'number')
    return [error('amount_not_text', at, `${field} ${quoteValue(value)}, a number; it is a text of digits.`)]
  if (typeof value !== 'string' || !/^\d+$/.test(value))
    return [
      error(
        'amount_not_atomic',
        at,
        `${field} ${quoteValue(value)}; it is counted in the smallest unit, digits only: 0.01 USDC is "10000".`,
      ),
    ]
  if (/^0+$/.test(value)) return [error('amount_zero', at, `${field} is 0: nothing can be paid.`)]
  if (value.length > 78 || BigInt(value) >= 1n << 256n)
    return [error('amount_too_large', at, `${field} does not fit into 256 bits.`)]
  return []
}

/** An address in mixed case carries a checksum (EIP-55). */
const checkAddress = (value: unknown, at: string, what: string): MessageFinding[] => {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value))
    return [
      error(`bad_${what}`, at, `${at.split('.').at(-1)} ${quoteValue(value)}; it is 0x and 40 hex digits.`),
    ]
  if (
    !isAddress(value.replace(/^0X/, '0x'), { strict: true }) &&
    value !== value.toUpperCase().replace('X', 'x')
  )
    return [
      error(
        `${what}_checksum`,
        at,
        `${at.split('.').at(-1)} ${quoteValue(value)}, whose checksum is wrong: a digit may be mistyped. ${getAddress(value.toLowerCase())} has the right one.`,
      ),
    ]
  return []
}

const checkEvmAsset = (offer: JsonRecord, path: string, coin: Stablecoin | undefined): MessageFinding[] => {
  const { asset } = offer
  const faults = checkAddress(asset, `${path}.asset`, 'asset')
  if (faults.length > 0 || typeof asset !== 'string') return faults
  const elsewhere = stablecoinAt(asset)
  if (coin && elsewhere && elsewhere.chainId !== coin.chainId)
    return [
      error(
        'asset_of_another_chain',
        `${path}.asset`,
        `asset is the USDC of ${elsewhere.title}; on ${coin.title} it is ${coin.address}.`,
      ),
    ]
  if (!elsewhere)
    return [
      warning(
        'unknown_asset',
        `${path}.asset`,
        `asset ${quoteValue(asset)} is not USDC; a default client refuses tokens that it does not know.`,
      ),
    ]
  return []
}

/** The domain that payers sign under: the name of the token differs from chain to chain. */
const checkDomain = (offer: JsonRecord, path: string, coin: Stablecoin | undefined): MessageFinding[] => {
  if (asRecord(offer.extra).assetTransferMethod === 'permit2') return []
  const { name, version } = asRecord(offer.extra)
  const at = `${path}.extra`
  if (typeof name !== 'string' || typeof version !== 'string')
    return [
      error(
        'no_domain',
        at,
        `extra.name or extra.version is missing: payers need both to sign (EIP-712).${coin ? ` On ${coin.title} they are "${coin.name}" and "${coin.version}".` : ''}`,
      ),
    ]
  if (!coin || String(offer.asset).toLowerCase() !== coin.address.toLowerCase()) return []
  if (name !== coin.name)
    return [
      error(
        'wrong_domain_name',
        `${at}.name`,
        `extra.name ${quoteValue(name)}; USDC on ${coin.title} signs as "${coin.name}", so every signature would be refused.`,
      ),
    ]
  if (version !== coin.version)
    return [
      error(
        'wrong_domain_version',
        `${at}.version`,
        `extra.version ${quoteValue(version)}; USDC on ${coin.title} signs as version "${coin.version}".`,
      ),
    ]
  return []
}

const zeros = /^0x0{40}$/

const checkEvmPayee = ({ payTo, asset }: JsonRecord, path: string): MessageFinding[] => {
  const at = `${path}.payTo`
  const faults = checkAddress(payTo, at, 'payee')
  if (faults.length > 0) return faults
  const payee = String(payTo).toLowerCase()
  if (zeros.test(payee)) return [error('payee_zero', at, 'payTo is the zero address: the token refuses it.')]
  if (payee === String(asset).toLowerCase())
    return [error('payee_is_asset', at, 'payTo is the token itself: what is paid would be lost.')]
  return []
}

const base58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

const checkSolana = (offer: JsonRecord, path: string, usdc: string): MessageFinding[] => {
  const { asset, payTo, extra } = offer
  if (typeof asset !== 'string' || !base58.test(asset))
    return [
      error('bad_asset', `${path}.asset`, `asset ${quoteValue(asset)}; it is the base58 address of a mint.`),
    ]
  if (typeof payTo !== 'string' || !base58.test(payTo))
    return [error('bad_payee', `${path}.payTo`, `payTo ${quoteValue(payTo)}; it is a base58 address.`)]
  if (typeof asRecord(extra).feePayer !== 'string')
    return [
      error(
        'no_fee_payer',
        `${path}.extra.feePayer`,
        'extra.feePayer is missing: payers cannot build the transaction.',
      ),
    ]
  if (asset !== usdc)
    return [
      warning(
        'unknown_asset',
        `${path}.asset`,
        `asset ${quoteValue(asset)} is not USDC; many clients refuse it.`,
      ),
    ]
  return []
}

/** One USDC times a million millions: what a price of 18 decimals looks like in a token of six. */
const eighteenDecimals = 10n ** 14n
const dollar = 1_000_000n

const checkPrice = (offer: JsonRecord, path: string, version: X402Version): MessageFinding[] => {
  const field = version === 1 ? 'maxAmountRequired' : 'amount'
  const amount = BigInt(String(offer[field]))
  const at = `${path}.${field}`
  if (amount >= eighteenDecimals)
    return [
      error(
        'wrong_decimals',
        at,
        `${field} is ${formatUnits(amount, 6)} USDC: USDC has 6 decimals, and this looks like ${formatUnits(amount, 18)} counted with 18.`,
      ),
    ]
  if (amount > dollar)
    return [
      warning(
        'above_client_limit',
        at,
        `The price is ${formatUnits(amount, 6)} USDC; a default client pays at most 1.00 a call unless its owner raises the limit.`,
      ),
    ]
  return []
}

const checkTimeout: Check = ({ maxTimeoutSeconds }, path) => {
  const at = `${path}.maxTimeoutSeconds`
  if (typeof maxTimeoutSeconds !== 'number' || !Number.isFinite(maxTimeoutSeconds) || maxTimeoutSeconds <= 0)
    return [
      error('bad_timeout', at, `maxTimeoutSeconds ${quoteValue(maxTimeoutSeconds)}; it is a number above 0.`),
    ]
  if (maxTimeoutSeconds < 10)
    return [
      error(
        'timeout_too_short',
        at,
        `maxTimeoutSeconds is ${maxTimeoutSeconds}: signatures expire before a chain confirms them. Use 60 or more.`,
      ),
    ]
  return []
}

const toNetwork = ({ network }: JsonRecord, version: X402Version): string | null => {
  if (typeof network !== 'string') return null
  return (version === 1 ? fromNameV1(network) : network) ?? null
}

/** Lists faults of one offer, in the order in which they stop a payer. */
export const checkOffer = (value: unknown, path: string, version: X402Version): MessageFinding[] => {
  if (!isRecord(value)) return [error('no_object', path, 'The offer is no object.')]
  const form = [
    ...checkScheme(value, path, version),
    ...checkFieldsOfVersion(value, path, version),
    ...checkNetwork(value, path, version),
  ]
  if (form.some(({ severity }) => severity === 'error')) return form
  const amount = checkAmount(value, path, version)
  const named = readNetwork(toNetwork(value, version) ?? '')
  const rest = [...amount]
  if (named.kind === 'solana') rest.push(...checkSolana(value, path, named.usdc))
  if (named.kind === 'evm') {
    const asset = checkEvmAsset(value, path, named.coin)
    rest.push(...asset)
    if (!asset.some(({ severity }) => severity === 'error'))
      rest.push(...checkDomain(value, path, named.coin))
    rest.push(...checkEvmPayee(value, path))
  }
  const isUsdc =
    (named.kind === 'evm' && stablecoinAt(String(value.asset)) !== undefined) ||
    (named.kind === 'solana' && value.asset === named.usdc)
  if (amount.length === 0 && isUsdc) rest.push(...checkPrice(value, path, version))
  return [...form, ...rest, ...checkTimeout(value, path, version)]
}

/** Reads an offer, as far as it can be read. */
export const readOffer = (value: unknown, version: X402Version): OfferFacts => {
  const offer = asRecord(value)
  const raw = version === 1 ? offer.maxAmountRequired : offer.amount
  const amount = typeof raw === 'string' && /^\d{1,78}$/.test(raw) ? raw : null
  const network = toNetwork(offer, version)
  const named = network === null ? undefined : readNetwork(network)
  const coin = named?.kind === 'evm' ? named.coin : undefined
  const isUsdc =
    coin?.address.toLowerCase() === String(offer.asset).toLowerCase() ||
    (named?.kind === 'solana' && named.usdc === offer.asset)
  const title = coin?.title ?? (named?.kind === 'solana' ? named.title : null)
  const { name, version: domainVersion } = asRecord(offer.extra)
  return {
    scheme: textIn(offer.scheme),
    network: textIn(network ?? offer.network),
    amount,
    asset: textIn(offer.asset),
    payTo: textIn(offer.payTo),
    price: isUsdc && amount !== null ? `${formatUnits(BigInt(amount), 6)} USDC on ${title}` : null,
    name: textIn(name),
    version: textIn(domainVersion),
  }
}
