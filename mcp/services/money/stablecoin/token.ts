import {
  type Address,
  encodeAbiParameters,
  type Hex,
  keccak256,
  type PublicClient,
  parseAbi,
  toHex,
} from 'viem'
import { usdcAbi } from '../../../lib/evm-abi.ts'
import { orUndefined } from './reader.ts'

/** Calls to a dollar token besides those that payments use. */
export const tokenAbi = [
  ...usdcAbi,
  ...parseAbi([
    'function DOMAIN_SEPARATOR() view returns (bytes32)',
    'function name() view returns (string)',
    'function version() view returns (string)',
    'function symbol() view returns (string)',
    'function decimals() view returns (uint8)',
    'function paused() view returns (bool)',
    'function isBlacklisted(address account) view returns (bool)',
    'function allowance(address owner, address spender) view returns (uint256)',
  ]),
] as const

/** The EIP-712 domain of a token. */
export type TokenDomain = { name: string; version: string; chainId: number; verifyingContract: Address }

const domainType = keccak256(
  toHex('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
)

/** Answer of DOMAIN_SEPARATOR() of a token with this domain (EIP-712). */
export const domainSeparator = ({ name, version, chainId, verifyingContract }: TokenDomain): Hex =>
  keccak256(
    encodeAbiParameters(
      [
        { type: 'bytes32' },
        { type: 'bytes32' },
        { type: 'bytes32' },
        { type: 'uint256' },
        { type: 'address' },
      ],
      [domainType, keccak256(toHex(name)), keccak256(toHex(version)), BigInt(chainId), verifyingContract],
    ),
  )

/** True when the issuer has blocked an account; undefined where the token has no such list. */
export const isBlocked = (reader: PublicClient, token: Address, account: Address) =>
  orUndefined(
    reader.readContract({ address: token, abi: tokenAbi, functionName: 'isBlacklisted', args: [account] }),
  )

/** True when the issuer has paused the token; undefined where it cannot be. */
export const isPaused = (reader: PublicClient, token: Address) =>
  orUndefined(reader.readContract({ address: token, abi: tokenAbi, functionName: 'paused' }))

/** Parses a wallet's delegate (EIP-7702); undefined for other code. */
export const parseDelegate = (code: Hex | undefined): Hex | undefined => {
  const digits = /^0xef0100([0-9a-f]{40})$/i.exec(code ?? '')?.[1]
  return digits === undefined ? undefined : `0x${digits}`
}
