import type { Hex } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import type { SignatureClaim, SignatureFault } from '../../../lib/erc8128/signed-request.ts'
import type { Evm } from '../../../ports/index.ts'

/** The chains whose accounts may sign, by EIP-155 id. */
export const signatureChains = { 8453: 'base', 42161: 'arbitrum', 84532: 'base-sepolia' } as const

export type SignatureNetwork = (typeof signatureChains)[keyof typeof signatureChains]

/** Where smart accounts are asked, and how; on other chains only keys can sign. */
export type AccountReader = { evm: Evm; networks: readonly SignatureNetwork[] } | undefined

const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const magic = '0x1626ba7e'
const validatorDeadlineMs = 6000

const networkOf = (chainId: number): SignatureNetwork | undefined =>
  Object.entries(signatureChains).find(([id]) => Number(id) === chainId)?.[1]

const readerFor = (reader: AccountReader, chainId: number) => {
  const network = networkOf(chainId)
  if (!reader || !network || !reader.networks.includes(network)) return undefined
  /** An answer in hex; undefined for a revert. Throws when nobody answers. */
  return async (method: string, params: readonly unknown[]): Promise<Hex | undefined> => {
    const { result } = await reader.evm.ask(network, method, params, { deadlineMs: validatorDeadlineMs })
    return typeof result === 'string' && result.startsWith('0x') ? (result as Hex) : undefined
  }
}

type Ask = NonNullable<ReturnType<typeof readerFor>>

/** What an account with code says (ERC-1271): its word counts, whatever key signed. */
const asksAccount = async (ask: Ask, address: Hex, hash: Hex, signature: Hex): Promise<boolean> => {
  const { encodeFunctionData, parseAbi } = await import('viem')
  const abi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
  const data = encodeFunctionData({ abi, functionName: 'isValidSignature', args: [hash, signature] })
  const answer = await ask('eth_call', [{ to: address, data }, 'latest'])
  return answer?.toLowerCase() === magic.padEnd(66, '0')
}

/** What an account would say once its factory has made it (ERC-6492), by a call that deploys nothing. */
const asksFactory = async (ask: Ask, address: Hex, hash: Hex, signature: Hex): Promise<boolean> => {
  const { encodeDeployData, erc6492SignatureValidatorAbi, erc6492SignatureValidatorByteCode } = await import(
    'viem'
  )
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [address, hash, signature],
  })
  const answer = await ask('eth_call', [{ data }, 'latest'])
  return answer !== undefined && BigInt(answer === '0x' ? 0 : answer) === 1n
}

/** Whether the key of the address signed: 65 bytes, v of 27 or 28, the lower s. Another form of the same is no second signature. */
const isOfKey = async (address: Hex, hash: Hex, signature: Hex): Promise<boolean> => {
  if (signature.length !== 2 + 65 * 2) return false
  const [s, v] = [BigInt(`0x${signature.slice(66, 130)}`), Number(`0x${signature.slice(130)}`)]
  if ((v !== 27 && v !== 28) || s > halfOrder) return false
  const { recoverAddress } = await import('viem')
  try {
    return (await recoverAddress({ hash, signature })).toLowerCase() === address
  } catch {
    return false
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
  if (ask && code !== undefined && code !== '0x')
    return toFault(await asksAccount(ask, address, hash, signature))
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
