import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import type { Authorization } from '../../../lib/eip3009.ts'
import { authorizationFields } from '../../../lib/evm-abi.ts'
import { asRecord, isRecord, type JsonRecord, parseRecord } from '../../../lib/json.ts'
import { recoverSigner } from '../../../lib/recover-signer.ts'
import { type Stablecoin, stablecoinOn } from '../../../lib/stablecoins.ts'
import { isSameAddress, toCaip2 } from '../../../lib/usd-tokens.ts'
import type { QuoteOut } from '../assess/quote.ts'
import { computeDigest } from '../source/fetch-registry.ts'

/** A payment that its buyer signed for a provider: USDC by TransferWithAuthorization (EIP-3009). */
export type SignedPayment = {
  /** Names the money, whatever frames it: network, payer and nonce. */
  id: string
  /** Of the signature too: who has it, has the payment itself. */
  digest: string
  network: string
  asset: string
  authorization: Authorization
  payload: JsonRecord
  version: 1 | 2
}

const invalid = (path: string, message: string) =>
  new ToolError('invalid_input', `${path}: ${message}. Nothing was sent.`, {
    issues: [{ path, message }],
    hint: 'Leave payment out to get to_sign: the offer, the typed data and the payload to fill in.',
  })

/** The USDC of a network whose signing domain is known. */
export const findCoin = (network: string, asset?: string): Stablecoin | undefined => {
  const [, chainId] = /^eip155:(\d+)$/.exec(toCaip2(network)) ?? []
  const coin = chainId === undefined ? undefined : stablecoinOn(Number(chainId))
  return coin && (asset === undefined || isSameAddress(coin.address, asset)) ? coin : undefined
}

const domainFor = ({ name, version, chainId, address }: Stablecoin) => ({
  name,
  version,
  chainId,
  verifyingContract: address,
})

const types = { TransferWithAuthorization: authorizationFields } as const
const primaryType = 'TransferWithAuthorization' as const

const forms = {
  from: /^0x[0-9a-f]{40}$/i,
  to: /^0x[0-9a-f]{40}$/i,
  nonce: /^0x[0-9a-f]{64}$/i,
  value: /^\d{1,30}$/,
  validAfter: /^\d{1,15}$/,
  validBefore: /^\d{1,15}$/,
} as const

const readAuthorization = (value: unknown): Authorization => {
  const fields = asRecord(value)
  const read = (name: keyof typeof forms): string => {
    const text = fields[name]
    if (typeof text === 'string' && forms[name].test(text)) return text.toLowerCase()
    const form =
      name === 'nonce' ? '0x and 64 hex digits' : 'an address or a text of digits, as EIP-3009 has it'
    throw invalid(`payment.payload.authorization.${name}`, `must be ${form}`)
  }
  return {
    from: read('from') as Hex,
    to: read('to') as Hex,
    value: BigInt(read('value')),
    validAfter: BigInt(read('validAfter')),
    validBefore: BigInt(read('validBefore')),
    nonce: read('nonce') as Hex,
  }
}

/** Reads an x402 payload: the object, or the base64 of its header. The key of its payer must have signed it. */
export const readPayment = async (input: string | JsonRecord): Promise<SignedPayment> => {
  const value = typeof input === 'string' ? parseRecord(Buffer.from(input, 'base64').toString('utf8')) : input
  if (!value) throw invalid('payment', 'must be an x402 payload, or the base64 of one')
  const { x402Version: version, accepted, payload } = value
  if (version !== 1 && version !== 2) throw invalid('payment.x402Version', 'must be 1 or 2')
  if (version === 2 && !isRecord(accepted))
    throw invalid('payment.accepted', 'must repeat the offer that is paid')
  const terms = version === 2 ? asRecord(accepted) : value
  if (terms.scheme !== 'exact') throw invalid('payment', 'must be of the scheme exact')
  const network = typeof terms.network === 'string' ? toCaip2(terms.network) : ''
  const coin = findCoin(network)
  if (!coin) throw invalid('payment', 'must be USDC on a network whose signing domain is known here')
  const { authorization: fields, signature } = asRecord(payload)
  const authorization = readAuthorization(fields)
  if (typeof signature !== 'string') throw invalid('payment.payload.signature', 'is missing')
  const { hashTypedData } = await import('viem')
  const digest = hashTypedData({ domain: domainFor(coin), types, primaryType, message: authorization })
  const signer = await recoverSigner(digest, signature as Hex)
  if (!signer || !isSameAddress(signer, authorization.from))
    throw invalid(
      'payment.payload.signature',
      `must be the 65 bytes of the key of ${authorization.from} over these fields; accounts of contracts are not taken`,
    )
  return {
    id: computeDigest(`${network} ${authorization.from} ${authorization.nonce}`),
    digest: computeDigest(`${digest} ${signature.toLowerCase()}`),
    network,
    asset: coin.address,
    authorization,
    payload: value,
    version,
  }
}

/** Throws unless a payment pays exactly one of the offers that the verdict covers, now. Returns that offer. */
export const requireExactPayment = (
  payment: SignedPayment,
  quotes: readonly QuoteOut[],
  now: Date,
): QuoteOut => {
  const { network, asset, authorization, payload, version } = payment
  const { to, value, validAfter, validBefore } = authorization
  const at = 'payment.payload.authorization'
  const here = quotes.filter(
    quote => quote.network === network && isSameAddress(quote.asset, asset) && quote.scheme === 'exact',
  )
  if (here.length === 0)
    throw invalid('payment', 'is on a network or in a token that the quote does not ask for')
  const toPayee = here.filter(quote => isSameAddress(quote.pay_to, to))
  if (toPayee.length === 0)
    throw invalid(`${at}.to`, `must be ${here.map(({ pay_to }) => pay_to).join(' or ')}`)
  const offer = toPayee.find(({ amount }) => BigInt(amount) === value)
  if (!offer) throw invalid(`${at}.value`, `must be ${toPayee.map(({ amount }) => amount).join(' or ')}`)
  const terms = asRecord(payload.accepted)
  const isTorn =
    version === 2 &&
    (typeof terms.payTo !== 'string' || !isSameAddress(terms.payTo, to) || terms.amount !== offer.amount)
  if (isTorn) throw invalid('payment.accepted', 'must be the offer that the authorization pays')
  const seconds = BigInt(Math.floor(now.getTime() / 1000))
  if (validAfter > seconds) throw invalid(`${at}.validAfter`, 'is in the future')
  if (validBefore < seconds + 10n) throw invalid(`${at}.validBefore`, 'is over, or within 10 seconds')
  if (validBefore > seconds + 3600n)
    throw invalid(`${at}.validBefore`, 'must be within an hour: until then a provider may take it')
  return offer
}

/** Data a buyer signs for an offer, and the payload to fill the signature into. `requirements` is the offer as the provider wrote it. */
export const toSign = (quote: QuoteOut, requirements: JsonRecord, version: 1 | 2, now: Date) => {
  const coin = findCoin(quote.network, quote.asset)
  if (!coin || quote.scheme !== 'exact') return null
  const seconds = Math.floor(now.getTime() / 1000)
  const { maxTimeoutSeconds } = requirements
  const lifetime = Math.min(300, typeof maxTimeoutSeconds === 'number' ? Math.max(30, maxTimeoutSeconds) : 60)
  const message = {
    from: '<address of the payer>',
    to: quote.pay_to,
    value: quote.amount,
    validAfter: String(seconds - 60),
    validBefore: String(seconds + lifetime),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  }
  const payload = { signature: '<signature of typed_data>', authorization: message }
  const { scheme, network } = requirements
  return {
    typed_data: {
      domain: domainFor(coin),
      types: { TransferWithAuthorization: [...authorizationFields] },
      primaryType,
      message,
    },
    payment:
      version === 2
        ? { x402Version: 2, accepted: requirements, payload }
        : { x402Version: 1, scheme, network, payload },
  }
}
