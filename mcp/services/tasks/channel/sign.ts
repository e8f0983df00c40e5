import {
  concatHex,
  encodeAbiParameters,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  stringToHex,
  zeroAddress,
} from 'viem'
import { authorizationFields } from '../../../lib/evm-abi.ts'
import { recoverSigner } from '../../../lib/recover-signer.ts'
import type { ChannelTerms } from '../session/session.ts'

/** The domain and the type that vouchers are signed under (EIP-712). */
export const voucherDomain = { name: 'EVM Payment Channel', version: '1' } as const

export const voucherTypes = {
  Voucher: [
    { name: 'channelId', type: 'bytes32' },
    { name: 'cumulativeAmount', type: 'uint128' },
  ],
} as const

export const depositTypes = { ReceiveWithAuthorization: authorizationFields } as const

const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

const hash = (text: string): Hex => keccak256(stringToHex(text))
const domainHash = hash('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)')
const voucherHash = hash('Voucher(bytes32 channelId,uint128 cumulativeAmount)')
const nameHash = hash(voucherDomain.name)
const versionHash = hash(voucherDomain.version)

const word = (value: bigint): Hex => numberToHex(value, { size: 32 })

const separators = new Map<string, Hex>()

const domainSeparator = ({ chain_id, escrow }: Pick<ChannelTerms, 'chain_id' | 'escrow'>): Hex => {
  const key = `${chain_id} ${escrow}`
  const before = separators.get(key)
  if (before) return before
  const separator = keccak256(
    concatHex([domainHash, nameHash, versionHash, word(BigInt(chain_id)), pad(escrow)]),
  )
  separators.set(key, separator)
  return separator
}

/** The id of a channel, as the escrow computes it. */
export const computeChannelId = (terms: ChannelTerms): Hex =>
  keccak256(
    encodeAbiParameters(
      [
        { type: 'address' },
        { type: 'address' },
        { type: 'address' },
        { type: 'bytes32' },
        { type: 'address' },
        { type: 'address' },
        { type: 'uint256' },
      ],
      [
        terms.payer,
        terms.payee,
        terms.token,
        terms.salt,
        terms.authorized_signer,
        terms.escrow,
        BigInt(terms.chain_id),
      ],
    ),
  )

/** The nonce under which a deposit opens this channel and no other. */
export const openNonce = ({ payer, payee, token, salt, authorized_signer }: ChannelTerms): Hex =>
  keccak256(
    encodeAbiParameters(
      [
        { type: 'address' },
        { type: 'address' },
        { type: 'address' },
        { type: 'bytes32' },
        { type: 'address' },
      ],
      [payer, payee, token, salt, authorized_signer],
    ),
  )

/** The nonce under which a deposit goes to this channel and no other. */
export const topUpNonce = (channelId: Hex, amount: bigint, from: Hex, salt: Hex): Hex =>
  keccak256(
    encodeAbiParameters(
      [{ type: 'bytes32' }, { type: 'uint128' }, { type: 'address' }, { type: 'bytes32' }],
      [channelId, amount, from, salt],
    ),
  )

/** The digest of a voucher. */
export const voucherDigest = (terms: ChannelTerms, channelId: Hex, cumulative: bigint): Hex =>
  keccak256(
    concatHex([
      '0x1901',
      domainSeparator(terms),
      keccak256(concatHex([voucherHash, channelId, word(cumulative)])),
    ]),
  )

/** The signer of a channel's vouchers. */
export const signerOf = ({ authorized_signer, payer }: ChannelTerms): Hex =>
  authorized_signer === zeroAddress ? payer : authorized_signer

/** True when a key signed a digest: 65 bytes, v of 27 or 28, the lower s, as the escrow takes it. */
export const isSignedByKey = async (address: Hex, digest: Hex, signature: Hex): Promise<boolean> => {
  if (signature.length !== 2 + 65 * 2) return false
  const [s, v] = [BigInt(`0x${signature.slice(66, 130)}`), Number(`0x${signature.slice(130)}`)]
  if ((v !== 27 && v !== 28) || s > halfOrder) return false
  return (await recoverSigner(digest, signature))?.toLowerCase() === address
}
