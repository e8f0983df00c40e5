import { type InnerList, parseByteDictionary, parseSignatureInput } from './structured-fields.ts'

/** Why a signed request proves nothing: stable codes, for programs. */
export type SignatureFault =
  | 'signature_missing'
  | 'signature_too_large'
  | 'signature_input_invalid'
  | 'no_acceptable_signature'
  | 'invalid_keyid'
  | 'unsupported_chain'
  | 'unsupported_algorithm'
  | 'unsupported_account'
  | 'invalid_time'
  | 'request_validity_too_long'
  | 'request_not_yet_valid'
  | 'request_expired'
  | 'nonce_required'
  | 'invalid_nonce'
  | 'nonce_reused'
  | 'content_digest_required'
  | 'bad_content_digest'
  | 'insufficient_coverage'
  | 'bad_signature'
  | 'signature_verification_unavailable'

/** A request as it came; `scheme` and `authority` are those that the server is reached at, in lower case. */
export type SignedRequest = {
  method: string
  scheme: string
  authority: string
  /** Path and query, as they came. */
  target: string
  headers: Readonly<Record<string, string | undefined>>
  /** SHA-256 of the raw body, base64; of nothing without one. */
  digest: string
}

export type Policy = {
  now: Date
  /** EIP-155 chain ids whose accounts may sign. */
  chains: readonly number[]
  /** Takes the key id of before the draft of August 2026, `erc8128:<chain>:<address>`, and what clients of that time cover. */
  older: boolean
}

/** Claims of a signature, read and within the policy; the signature itself is not checked yet. */
export type SignatureClaim = {
  account: string
  chainId: number
  address: string
  nonce: string
  /** Seconds since 1970 until which the nonce must not come again. */
  until: number
  /** Text signed as a personal message (ERC-191): the signature base of RFC 9421. */
  base: string
  signature: Buffer
}

const skewSeconds = 30
const maxValiditySeconds = 300
const maxFieldLength = 16_384
const maxSignatures = 8
const maxSignatureBytes = 8192
const maxNonceLength = 128
const emptyDigest = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='

const isOlder = ({ parameters }: InnerList): boolean => {
  const keyid = parameters.get('keyid')
  return typeof keyid === 'string' && keyid.startsWith('erc8128:')
}

const splitTarget = (target: string): { path: string; query: string } => {
  const mark = target.indexOf('?')
  return mark < 0
    ? { path: target || '/', query: '?' }
    : { path: target.slice(0, mark) || '/', query: target.slice(mark) }
}

/** The value of a covered component (RFC 9421 §2); undefined for one that the request does not have. */
const readComponent = (
  { method, scheme, authority, target, headers }: SignedRequest,
  name: string,
  older: boolean,
): string | undefined => {
  const { path, query } = splitTarget(target)
  if (name === '@method') return method.toUpperCase()
  if (name === '@scheme') return scheme
  if (name === '@authority') return authority
  if (name === '@path') return path
  // Clients of before wrote an empty value where there is no query.
  if (name === '@query') return older && query === '?' ? '' : query
  return name.startsWith('@') ? undefined : headers[name]?.trim()
}

const requiredComponents = ({ target, headers }: SignedRequest, older: boolean): string[] => {
  const hasQuery = splitTarget(target).query !== '?'
  const basic = older
    ? ['@authority', '@method', '@path', ...(hasQuery ? ['@query'] : [])]
    : ['@scheme', '@authority', '@method', '@path', '@query']
  return [
    ...basic,
    ...(headers['content-digest'] === undefined ? [] : ['content-digest']),
    ...(older || headers['content-type'] === undefined ? [] : ['content-type']),
  ]
}

const checkTime = (parameters: InnerList['parameters'], now: Date): SignatureFault | { until: number } => {
  const [created, expires] = [parameters.get('created'), parameters.get('expires')]
  if (!Number.isInteger(created) || !Number.isInteger(expires)) return 'invalid_time'
  const [from, to] = [Number(created), Number(expires)]
  if (from < 0 || to <= from) return 'invalid_time'
  if (to - from > maxValiditySeconds) return 'request_validity_too_long'
  const seconds = Math.floor(now.getTime() / 1000)
  if (seconds < from - skewSeconds) return 'request_not_yet_valid'
  return seconds > to + skewSeconds ? 'request_expired' : { until: to + skewSeconds }
}

/** Every digest that can be checked must be right, and one must be there. */
const checkDigest = (header: string, digest: string): SignatureFault | undefined => {
  try {
    const sha256 = parseByteDictionary(header).get('sha-256')
    return sha256?.toString('base64') === digest ? undefined : 'bad_content_digest'
  } catch {
    return 'bad_content_digest'
  }
}

const readClaim = (
  request: SignedRequest,
  { now, chains }: Policy,
  input: InnerList,
  signature: Buffer | undefined,
): SignatureClaim | SignatureFault => {
  const { parameters, raw } = input
  const items = input.items.filter(item => item !== undefined)
  if (!signature || items.length < input.items.length) return 'signature_input_invalid'
  if (signature.length > maxSignatureBytes || items.length > 32 || parameters.size > 16)
    return 'signature_too_large'
  const older = isOlder(input)
  const form = older
    ? /^erc8128:([1-9]\d{0,15}):(0x[0-9a-f]{40})$/i
    : /^eip155:([1-9]\d{0,15}):(0x[0-9a-f]{40})$/
  const [, chain, address] = form.exec(String(parameters.get('keyid'))) ?? []
  if (chain === undefined || address === undefined) return 'invalid_keyid'
  const chainId = Number(chain)
  if (!chains.includes(chainId)) return 'unsupported_chain'
  if (parameters.has('alg')) return 'unsupported_algorithm'
  const time = checkTime(parameters, now)
  if (typeof time === 'string') return time
  const nonce = parameters.get('nonce')
  if (nonce === undefined) return 'nonce_required'
  if (typeof nonce !== 'string' || nonce === '' || nonce.length > maxNonceLength) return 'invalid_nonce'
  const digestHeader = request.headers['content-digest']
  if (digestHeader === undefined && request.digest !== emptyDigest) return 'content_digest_required'
  if (new Set(items).size < items.length) return 'signature_input_invalid'
  if (requiredComponents(request, older).some(name => !items.includes(name))) return 'insufficient_coverage'
  const digestFault = digestHeader === undefined ? undefined : checkDigest(digestHeader, request.digest)
  if (digestFault) return digestFault
  const lines: string[] = []
  for (const name of items) {
    const value = readComponent(request, name, older)
    if (value === undefined) return 'insufficient_coverage'
    lines.push(`"${name}": ${value}`)
  }
  const base = [...lines, `"@signature-params": ${raw}`].join('\n')
  const lower = address.toLowerCase()
  const account = `eip155:${chain}:${lower}`
  return { account, chainId, address: lower, nonce, until: time.until, base, signature }
}

const parseFields = (input: string, signature: string) => {
  try {
    return { inputs: parseSignatureInput(input), signatures: parseByteDictionary(signature) }
  } catch {
    return undefined
  }
}

/**
 * The signatures of a request that may prove an account, after every check that needs no curve and no chain (ERC-8128, draft of
 * August 2026, over RFC 9421); else why the first of them does not.
 */
export const readSignedRequest = (
  request: SignedRequest,
  policy: Policy,
): readonly SignatureClaim[] | SignatureFault => {
  const { 'signature-input': input, signature } = request.headers
  if (input === undefined || signature === undefined) return 'signature_missing'
  if (input.length > maxFieldLength || signature.length > maxFieldLength) return 'signature_too_large'
  const fields = parseFields(input, signature)
  if (!fields) return 'signature_input_invalid'
  const candidates = [...fields.inputs].filter(
    ([, list]) => list.parameters.get('tag') === 'erc8128' || (policy.older && isOlder(list)),
  )
  if (candidates.length === 0) return 'no_acceptable_signature'
  if (candidates.length > maxSignatures) return 'signature_too_large'
  const read = candidates.map(([label, list]) =>
    readClaim(request, policy, list, fields.signatures.get(label)),
  )
  const claims = read.filter(claim => typeof claim !== 'string')
  const [first] = read
  return claims.length === 0 && typeof first === 'string' ? first : claims
}
