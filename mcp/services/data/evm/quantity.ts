import { formatUnits, getAddress, type Hex } from 'viem'
import { z } from 'zod'

/** A JSON-RPC quantity: `0x` and hex digits. */
export const Quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform(BigInt)

/** Any bytes in hex. */
export const Bytes = z.string().regex(/^0x(?:[0-9a-f]{2})*$/i) as unknown as z.ZodType<Hex>

/** An address, given its checksum. */
export const ChecksumAddress = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/i)
  .transform(text => getAddress(text.toLowerCase()))

/** A word of storage; some nodes leave out its leading zeros. */
export const StorageWord = z
  .string()
  .regex(/^0x[0-9a-f]{0,64}$/i)
  .transform(text => `0x${text.slice(2).padStart(64, '0')}` as Hex)

/** Coins in decimal, of 18 digits after the point. */
export const formatCoins = (wei: bigint): string => formatUnits(wei, 18)

/** Gwei as a number with all its digits: a thousandth of a gwei is a usual price. */
export const gwei = (wei: bigint): number => Number(formatUnits(wei, 9))
