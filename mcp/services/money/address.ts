import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'

type Hex = `0x${string}`

/** An EVM address; whether its checksum is right is looked at by `readAddress`. */
export const EvmAddressInput = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hex digits')
  .describe('EVM address, in lower case or with a right checksum (EIP-55)')

/** A word of 32 bytes. */
export const WordInput = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 32 bytes: 0x and 64 hex digits')

/** The address with its checksum. Throws `invalid_input` that names the field where a checksum was given and is wrong. */
export const readAddress = async (text: string, path: string): Promise<Hex> => {
  const { getAddress } = await import('viem')
  const digits = text.slice(2)
  const address = getAddress(`0x${digits.toLowerCase()}`)
  const isPlain = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  if (isPlain || address === text) return address
  throw new ToolError('invalid_input', `The checksum of ${path} is wrong: a digit may be mistyped.`, {
    issues: [{ path, message: 'has a wrong checksum (EIP-55)' }],
    hint: `Check every digit. ${address} would be the same digits with the right checksum.`,
  })
}
