import { type Failure, ToolError } from '../../../kernel/error.ts'
import { identify } from '../../../kernel/service.ts'
import {
  readSignedRequest,
  type SignatureClaim,
  type SignatureFault,
} from '../../../lib/erc8128/signed-request.ts'
import { tasksSettings } from '../config.ts'
import { findSignatureFault, signatureChains } from './signature.ts'

const chains = Object.keys(signatureChains).map(Number)

/** Required signature components and parameters (RFC 9421 §5.1). */
export const acceptSignature =
  'request=("@scheme" "@authority" "@method" "@path" "@query" "content-digest" "content-type");created;expires;nonce;keyid;tag="erc8128"'

/** Money is paid out on Base, where the address of a smart account of another chain may be somebody else's. */
const smartAccounts =
  'Smart accounts may sign for eip155:8453 alone, where the operator allows it (TASKS_CONTRACT_ACCOUNTS).'

const details: Readonly<Record<SignatureFault, string>> = {
  signature_missing: 'Signature and Signature-Input come together.',
  signature_too_large: 'The signature headers are too large, or too many signatures came.',
  signature_input_invalid: 'Signature-Input and Signature are no structured fields that fit each other.',
  no_acceptable_signature: 'None of the signatures has the tag "erc8128".',
  invalid_keyid: 'The keyid must be eip155:<chain>:<address in lower case>.',
  unsupported_chain: `Accounts of the chains ${chains.join(', ')} may sign.`,
  unsupported_algorithm: 'The parameter alg must be left out.',
  unsupported_account: `Smart accounts of this chain cannot be asked here; sign with a key. ${smartAccounts}`,
  invalid_time: 'created and expires must be whole seconds, expires the later one.',
  request_validity_too_long: 'A signature may be good for 300 seconds.',
  request_not_yet_valid: 'created is in the future: check your clock.',
  request_expired: 'The signature has expired: sign again.',
  nonce_required: 'The signature needs a nonce.',
  invalid_nonce: 'The nonce must be a string of 1 to 128 characters.',
  nonce_reused: 'This nonce was used before: sign again with another.',
  content_digest_required:
    'A request with a body needs Content-Digest: sha-256=:…:, covered by the signature.',
  bad_content_digest: 'Content-Digest does not hold the SHA-256 of the body.',
  insufficient_coverage: `The signature must cover ${acceptSignature.slice(8, acceptSignature.indexOf(')') + 1)} as far as they are there.`,
  bad_signature: `The signature is not that of the account. ${smartAccounts}`,
  signature_verification_unavailable: 'The account cannot be asked at the moment.',
}

const codes: Readonly<Partial<Record<SignatureFault, Failure>>> = {
  signature_input_invalid: 'malformed',
  signature_too_large: 'malformed',
  signature_verification_unavailable: 'unavailable',
}

const refuse = (fault: SignatureFault): ToolError => {
  const code = codes[fault] ?? 'unauthenticated'
  const names = chains.map(chain => `eip155:${chain}`).join(' ')
  return new ToolError(code, details[fault], {
    reason: fault,
    hint: 'Sign as ERC-8128 says; Accept-Signature names what the signature covers.',
    ...(code === 'unavailable' && { retryAfter: 5 }),
    ...(code === 'unauthenticated' && {
      headers: {
        'WWW-Authenticate': `ERC8128 realm="tasks", error="${fault}", chains="${names}", account="universal"`,
        'Accept-Signature': acceptSignature,
      },
    }),
  })
}

/** Tells whose wallet signed a request (ERC-8128). A nonce is used up last, and once across all replicas. */
export const identifySigner = identify({
  needs: ['store', 'clock', 'evm', tasksSettings.contractAccounts, tasksSettings.olderSignatures],
  challenge: { 'Accept-Signature': acceptSignature },
}).run(async ({ store, clock, evm, contractAccounts, olderSignatures }, { request }) => {
  const site = request.site ? new URL(request.site) : undefined
  const signed = {
    method: request.method,
    scheme: site?.protocol.slice(0, -1) ?? 'http',
    // The guard lets in only requests for hosts of this installation.
    authority: (request.headers.host ?? site?.host ?? '').toLowerCase(),
    target: request.url,
    headers: request.headers,
    digest: request.digest?.() ?? '',
  }
  const claims = readSignedRequest(signed, { now: clock.now(), chains, older: olderSignatures })
  if (typeof claims === 'string') throw refuse(claims)
  const reader = contractAccounts.length > 0 ? { evm, networks: contractAccounts } : undefined
  let first: SignatureFault | undefined
  for (const claim of claims) {
    const fault = (await findSignatureFault(claim, reader)) ?? (await useNonce(claim, store))
    if (!fault) return { id: claim.account, via: 'erc8128' }
    first ??= fault
  }
  throw refuse(first ?? 'no_acceptable_signature')
})

type Claims = { claim(key: string, until: Date): Promise<boolean> }

const useNonce = async (
  { account, nonce, until }: SignatureClaim,
  store: Claims,
): Promise<SignatureFault | undefined> => {
  const key = `tasks.nonce ${JSON.stringify([account, nonce])}`
  return (await store.claim(key, new Date((until + 1) * 1000))) ? undefined : 'nonce_reused'
}
