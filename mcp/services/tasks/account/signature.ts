import type { Hex } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import { asksAccount, asksFactory, hasRun, isOfKey } from '../../../lib/account-signature.ts'
import type { SignatureClaim, SignatureFault } from '../../../lib/erc8128/signed-request.ts'
import type { Evm } from '../../../ports/evm/port.ts'

/** The chains whose accounts may sign, by EIP-155 id. */
export const signatureChains = { 8453: 'base', 42161: 'arbitrum', 84532: 'base-sepolia' } as const

export type SignatureNetwork = (typeof signatureChains)[keyof typeof signatureChains]

/** Reader for smart accounts, by network; on other chains only keys can sign. */
export type AccountReader = { evm: Evm; networks: readonly SignatureNetwork[] } | undefined

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
export const findSignatureFault = async (
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
