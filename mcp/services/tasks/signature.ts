import type { Hex } from 'viem'
import { type Failure, ToolError } from '../../kernel/error.ts'
import { identify, link } from '../../kernel/service.ts'
import { asksAccount, asksFactory, hasRun, isOfKey } from '../../lib/account-signature.ts'
import {
  readSignedRequest,
  type SignatureClaim,
  type SignatureFault,
} from '../../lib/erc8128/signed-request.ts'
import type { Evm } from '../../ports/evm/port.ts'
import type { Tx } from '../../ports/store/port.ts'
import { accountsIn } from './account.ts'
import { tasksSettings } from './config.ts'

/** The chains whose accounts may sign, by EIP-155 id. */
export const signatureChains = { 8453: 'base', 42161: 'arbitrum', 84532: 'base-sepolia' } as const

const signatureChainIds = Object.keys(signatureChains).map(Number)

type SignatureNetwork = (typeof signatureChains)[keyof typeof signatureChains]

/** Reader for smart accounts, by network; on other chains only keys can sign. */
type AccountReader = { evm: Evm; networks: readonly SignatureNetwork[] } | undefined

const validatorDeadlineMs = 6000

const networkOf = (chainId: number): SignatureNetwork | undefined =>
  Object.entries(signatureChains).find(([id]) => Number(id) === chainId)?.[1]

const noAnswer = (): ToolError => new ToolError('upstream', 'The chain of the account does not answer.')

const readerFor = (reader: AccountReader, chainId: number) => {
  const network = networkOf(chainId)
  if (!reader || !network || !reader.networks.includes(network)) return undefined
  // Where payments are made on a local chain, that is where the accounts of its people are.
  const chain = reader.evm.local?.(network)
  const options = { deadlineMs: validatorDeadlineMs }
  /** An answer in hex; undefined for a call that ran and failed. Throws when there is none: that decides nothing. */
  return async (method: string, params: readonly unknown[]): Promise<Hex | undefined> => {
    const { result, error } = chain
      ? await chain.ask(method, params, options)
      : await reader.evm.ask(network, method, params, options)
    if (typeof result === 'string' && result.startsWith('0x')) return result as Hex
    if (method === 'eth_call' && error && hasRun(error)) return undefined
    throw noAnswer()
  }
}

const decide = async (claim: SignatureClaim, reader: AccountReader): Promise<SignatureFault | undefined> => {
  const { hashMessage, isErc6492Signature } = await import('viem')
  const address = claim.address as Hex
  const hash = hashMessage(claim.base)
  const signature: Hex = `0x${claim.signature.toString('hex')}`
  const ask = readerFor(reader, claim.chainId)
  const toFault = (ok: boolean) => (ok ? undefined : ('bad_signature' as const))
  if (isErc6492Signature(signature)) {
    if (!ask) return 'unsupported_account'
    return toFault(await asksFactory(ask, address, hash, signature))
  }
  const code = await ask?.('eth_getCode', [address, 'latest'])
  if (ask && code !== '0x') return toFault(await asksAccount(ask, address, hash, signature))
  if (!ask && claim.signature.length !== 65) return 'unsupported_account'
  return toFault(await isOfKey(address, hash, signature))
}

/**
 * Why a signature does not prove its account; undefined when it does. In the order of ERC-8128: one that is wrapped by ERC-6492,
 * an account with code by ERC-1271, else the key; none of them falls back to another.
 */
const findSignatureFault = async (
  claim: SignatureClaim,
  reader: AccountReader,
): Promise<SignatureFault | undefined> => {
  try {
    return await decide(claim, reader)
  } catch (error) {
    if (error instanceof ToolError) return 'signature_verification_unavailable'
    throw error
  }
}

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
  unsupported_chain: `Accounts of the chains ${signatureChainIds.join(', ')} may sign.`,
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
  const names = signatureChainIds.map(chain => `eip155:${chain}`).join(' ')
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
  const claims = readSignedRequest(signed, {
    now: clock.now(),
    chains: signatureChainIds,
    older: olderSignatures,
  })
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

/** The accounts that wallets may have: of a key on each chain, of a smart account on its own. */
const toNames = (wallet: string): string[] => {
  const [address = '', chain] = wallet.split(':').reverse()
  return (chain === undefined ? signatureChainIds : [Number(chain)]).map(id => `eip155:${id}:${address}`)
}

/** Those of the accounts that wallets may have which there are. */
export const findWalletAccounts = async (
  tx: Pick<Tx, 'collection'>,
  wallets: readonly string[],
): Promise<string[]> => {
  const names = wallets.flatMap(toNames)
  const rows = await Promise.all(names.map(name => accountsIn(tx).get(name)))
  return rows.flatMap(row => row?.id ?? [])
}

/**
 * Who a signed-in person is here: the wallet that they sign in with, since accounts are wallets, and money goes to them. Of several the
 * first that has an account, else the oldest, on Base.
 */
export const linkWallet = link({
  needs: ['store'],
  missing:
    'Accounts of this marketplace are wallets, and yours has none: add one on the page of your account, /auth/account, or sign requests with a wallet (ERC-8128).',
}).run(async ({ store }, person) => {
  const wallets = await person.wallets()
  const [known] = await findWalletAccounts(store, wallets)
  const id = known ?? toNames(wallets[0] ?? '')[0]
  return wallets.length === 0 || id === undefined ? undefined : { id, via: 'erc8128' }
})
