import { fromBase58 } from './base58.ts'

const decodeAddress = (address: string): Buffer => {
  const bytes = fromBase58(address)
  if (bytes?.length !== 32) throw new Error('not a Solana address')
  return bytes
}

/** The 82 bytes of an SPL Token mint that nobody can mint or freeze. */
export const mintData = (decimals: number, supply: bigint): Buffer => {
  const data = Buffer.alloc(82)
  data.writeBigUInt64LE(supply, 36)
  data[44] = decimals
  data[45] = 1
  return data
}

/** The 165 bytes of an SPL Token account. */
export const tokenAccountData = (mint: string, owner: string, amount: bigint): Buffer => {
  const data = Buffer.alloc(165)
  decodeAddress(mint).copy(data, 0)
  decodeAddress(owner).copy(data, 32)
  data.writeBigUInt64LE(amount, 64)
  data[108] = 1
  return data
}

/** Amount in a token account, in atomic units. */
export const amountIn = (data: Uint8Array): bigint => Buffer.from(data).readBigUInt64LE(64)
