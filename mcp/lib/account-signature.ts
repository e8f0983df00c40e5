import type { Hex } from 'viem'
import { recoverSigner } from './recover-signer.ts'

/** Asks a chain `eth_call` or `eth_getCode`: the answer in hex, undefined for a call that ran and failed. Throws when there is none. */
export type AskChain = (method: string, params: readonly unknown[]) => Promise<Hex | undefined>

const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const magic = '0x1626ba7e'

/** Node errors of a call that ran and failed. Anything else says nothing about the account. */
const executionFailed =
  /revert|out.?of.?gas|invalid.?opcode|stack.?(?:over|under)flow|evm.?error|bad instruction/i

/** True when a node says that a call ran and failed. */
export const hasRun = ({
  code,
  data,
  message,
}: {
  code: number
  data: string | null
  message: string
}): boolean => code === 3 || data !== null || executionFailed.test(message)

/** Asks an account with code (ERC-1271): its word counts, whatever key signed. */
export const asksAccount = async (
  ask: AskChain,
  address: Hex,
  hash: Hex,
  signature: Hex,
): Promise<boolean> => {
  const { encodeFunctionData, parseAbi } = await import('viem')
  const abi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
  const data = encodeFunctionData({ abi, functionName: 'isValidSignature', args: [hash, signature] })
  const answer = await ask('eth_call', [{ to: address, data }, 'latest'])
  return answer?.toLowerCase() === magic.padEnd(66, '0')
}

/** Asks an account as if its factory had made it (ERC-6492), by a call that deploys nothing. */
export const asksFactory = async (
  ask: AskChain,
  address: Hex,
  hash: Hex,
  signature: Hex,
): Promise<boolean> => {
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

/** True when the key of the address signed: 65 bytes, v of 27 or 28, the lower s. Another form of the same is no second signature. */
export const isOfKey = async (address: Hex, hash: Hex, signature: Hex): Promise<boolean> => {
  if (signature.length !== 2 + 65 * 2) return false
  const [s, v] = [BigInt(`0x${signature.slice(66, 130)}`), Number(`0x${signature.slice(130)}`)]
  if ((v !== 27 && v !== 28) || s > halfOrder) return false
  return (await recoverSigner(hash, signature))?.toLowerCase() === address.toLowerCase()
}
