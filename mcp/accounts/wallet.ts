import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import { ToolError } from '../kernel/error.ts'
import { accountKeysIn } from '../kernel/person.ts'
import { asksAccount, asksFactory, hasRun, isOfKey } from '../lib/account-signature.ts'
import type { Evm, EvmNetwork } from '../ports/evm/port.ts'
import { challengeSeconds, keepChallenge, newChallengeId, type Purpose, takeChallenge } from './challenge.ts'
import type { AccountDeps } from './deps.ts'
import type { BrowserSession } from './session.ts'
import {
  addKey,
  createAccount,
  isOfAnother,
  type ProvenKey,
  type SignInBrowser,
  signInByKey,
} from './sign-in.ts'

type Deps = Pick<AccountDeps, 'store' | 'clock' | 'origin' | 'countRegistration' | 'evm'>

/** Chains whose smart accounts are asked, by EIP-155 id. */
export const accountChains: ReadonlyMap<number, { network: EvmNetwork; title: string }> = new Map([
  [8453, { network: 'base', title: 'Base' }],
  [1, { network: 'eth', title: 'Ethereum' }],
  [42161, { network: 'arbitrum', title: 'Arbitrum One' }],
  [10, { network: 'optimism', title: 'OP Mainnet' }],
  [137, { network: 'polygon', title: 'Polygon PoS' }],
  [84532, { network: 'base-sepolia', title: 'Base Sepolia' }],
])

/** How long a chain may take to say whether an account signed. */
const chainDeadlineMs = 6000

const shorten = (address: string): string => `${address.slice(0, 8)}…${address.slice(-6)}`

const readAddress = async (address: unknown): Promise<Hex> => {
  const { getAddress, isAddress } = await import('viem')
  const text = typeof address === 'string' ? address.trim().replace(/^0X/, '0x') : ''
  if (!/^0x[0-9a-f]{40}$/i.test(text))
    throw new ToolError('invalid_input', 'address: 0x and 40 hexadecimal digits are needed.')
  // One case throughout has no check sum; mixed ones are one (EIP-55).
  const isMixed = /[a-f]/.test(text.slice(2)) && /[A-F]/.test(text.slice(2))
  if (isMixed && !isAddress(text))
    throw new ToolError('invalid_input', 'address: its check sum does not fit; a character is wrong.')
  return getAddress(text.toLowerCase())
}

const readChainId = (chainId: unknown): number => {
  const id = Number(chainId)
  if (Number.isSafeInteger(id) && id > 0) return id
  throw new ToolError('invalid_input', 'chain_id: the number of a chain is needed, such as 8453 for Base.')
}

type Start = {
  purpose: Exclude<Purpose, 'create'>
  address: unknown
  chainId: unknown
  /** Token of the browser's cookie. */
  browser: string
  session?: BrowserSession | undefined
}

const statements = {
  'sign-in': 'Sign in. This costs nothing and allows no payment.',
  prove: 'Show that it is me. This costs nothing and allows no payment.',
  add: 'Let this wallet sign in to my account. This costs nothing and allows no payment.',
} as const

/**
 * Begins a sign-in with a wallet: the message that it is to sign (ERC-4361). The message is made and kept here and only a signature comes
 * back, so domain, address, URI, chain, nonce, request and times are ours, whatever the page says.
 */
export const startWallet = async (
  deps: Deps,
  { purpose, address, chainId, browser, session }: Start,
): Promise<{ id: string; message: string }> => {
  const { createSiweMessage } = await import('viem/siwe')
  const wallet = { address: await readAddress(address), chain_id: readChainId(chainId) }
  const id = newChallengeId()
  const now = deps.clock.now()
  const message = createSiweMessage({
    domain: new URL(deps.origin()).host,
    address: wallet.address,
    statement: statements[purpose],
    uri: `${deps.origin()}/auth/sign-in`,
    version: '1',
    chainId: wallet.chain_id,
    // Short enough to be compared on the screen of a hardware wallet.
    nonce: randomBytes(16).toString('hex'),
    issuedAt: now,
    expirationTime: new Date(now.getTime() + challengeSeconds * 1000),
    requestId: id,
  })
  await keepChallenge(deps, browser, {
    id,
    kind: 'wallet',
    purpose,
    text: message,
    wallet,
    ...(session && { account: session.account, session: session.id }),
  })
  return { id, message }
}

const isNoProof = (hint: string): ToolError =>
  new ToolError('unauthenticated', 'This is no signature of the wallet under the message.', { hint })

const chainAsker = (evm: Evm, network: EvmNetwork) => async (method: string, params: readonly unknown[]) => {
  const options = { deadlineMs: chainDeadlineMs }
  // Where payments are made on a local chain, that is where the accounts of its people are.
  const local = evm.local?.(network)
  const { result, error } = local
    ? await local.ask(method, params, options)
    : await evm.ask(network, method, params, options)
  if (typeof result === 'string' && result.startsWith('0x')) return result as Hex
  if (method === 'eth_call' && error && hasRun(error)) return undefined
  throw new ToolError('upstream', 'The chain of this account does not answer just now.', {
    hint: 'Start again in a moment.',
    retryAfter: 5,
  })
}

/** True when a smart account says that it signed: one that is deployed by ERC-1271, one that is planned by ERC-6492. */
const isOfContract = async (
  evm: Evm,
  network: EvmNetwork,
  { address, hash, signature }: { address: Hex; hash: Hex; signature: Hex },
): Promise<boolean> => {
  const { isErc6492Signature } = await import('viem')
  const ask = chainAsker(evm, network)
  if (isErc6492Signature(signature)) return asksFactory(ask, address, hash, signature)
  // Without code the key of the address decides, and has.
  const code = await ask('eth_getCode', [address, 'latest'])
  return code !== '0x' && asksAccount(ask, address, hash, signature)
}

type Signed = { address: string; chain_id: number; message: string; signature: Hex }

/**
 * The key that signed a message: that of an address, on whatever chain, or the smart account of one chain. The same address on another
 * chain may be somebody else's account, so the chain is a part of its key.
 */
const verify = async (
  evm: Evm | undefined,
  { address, chain_id, message, signature }: Signed,
): Promise<ProvenKey> => {
  const { hashMessage } = await import('viem')
  const hash = hashMessage(message)
  const name = `Wallet ${shorten(address)}`
  const lower = address.toLowerCase()
  if (await isOfKey(address as Hex, hash, signature)) return { id: `wallet:${lower}`, kind: 'wallet', name }
  const chain = accountChains.get(chain_id)
  if (!evm || !chain)
    throw isNoProof(
      `Sign with the key of ${shorten(address)}. Smart accounts are asked on ${[...accountChains.values()].map(({ title }) => title).join(', ')}.`,
    )
  const isOf = await isOfContract(evm, chain.network, { address: address as Hex, hash, signature })
  if (!isOf) throw isNoProof(`Sign the message as it is shown, with the wallet ${shorten(address)}.`)
  return { id: `wallet:${chain_id}:${lower}`, kind: 'wallet', name: `${name} on ${chain.title}` }
}

type Finish = {
  /** Of the challenge. */
  id: string
  signature: unknown
  /** Token of the browser's cookie. */
  browser: string | undefined
  session: BrowserSession | undefined
} & SignInBrowser

const readSignature = (signature: unknown): Hex => {
  const text = typeof signature === 'string' ? signature.trim() : ''
  if (!/^0x([0-9a-f]{2}){1,8000}$/i.test(text))
    throw new ToolError('invalid_input', 'signature: 0x and hexadecimal digits are needed.')
  // Some wallets count the parity as 0 and 1, others as 27 and 28.
  const isOld = /^0x[0-9a-f]{128}0[01]$/i.test(text)
  return (isOld ? `${text.slice(0, -2)}${text.endsWith('0') ? '1b' : '1c'}` : text) as Hex
}

/**
 * Ends what `startWallet` began, once: signs in, makes an account where the wallet has none, or adds it to that of the session. The token
 * of the new session; undefined where a key was added.
 */
export const finishWallet = async (
  deps: Deps,
  { id, signature, browser, session, address, previousToken }: Finish,
): Promise<string | undefined> => {
  const proof = readSignature(signature)
  const { wallet, text, ...challenge } = await takeChallenge(deps, id, browser, 'wallet')
  if (!wallet) throw isNoProof('Start again.')
  const key = await verify(deps.evm, { ...wallet, message: text, signature: proof })
  // Whoever adds or proves is still signed in, in the same session.
  if (challenge.session !== undefined && challenge.session !== session?.id)
    throw isNoProof('Sign in, and start again.')
  if (challenge.purpose === 'add') {
    if (session === undefined) throw isNoProof('Sign in, and start again.')
    await addKey(deps, session, key)
    return undefined
  }
  if (await accountKeysIn(deps.store).get(key.id))
    return signInByKey(deps, { id: key.id, account: challenge.account }, { previousToken })
  if (challenge.purpose === 'prove') throw isOfAnother()
  return createAccount(deps, { key }, { address, previousToken })
}
