import { z } from 'zod'
import type { Authorization } from '../../../lib/eip3009.ts'
import { AddressInput, readAddress, WordInput } from '../address.ts'

const maxUint = (1n << 256n) - 1n

/** A number of 256 bits, as text or as a whole number that is exact. */
const Uint = z
  .union([z.string(), z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER)])
  .transform(String)
  .refine(text => /^\d{1,78}$/.test(text) && BigInt(text) <= maxUint, 'must be digits only, up to 256 bits')

export const AuthorizationInput = z.strictObject({
  from: AddressInput.describe('Who pays'),
  to: AddressInput.describe('Who is paid'),
  value: Uint.describe('Amount in the smallest unit: 10000 is 0.01 USDC'),
  validAfter: Uint.describe('Unix seconds after which it holds'),
  validBefore: Uint.describe('Unix seconds before which it holds'),
  nonce: WordInput.describe('Nonce: 32 random bytes'),
})

/** Reads what was given. Throws `invalid_input` for a wrong checksum. */
export const readAuthorization = async (
  input: z.output<typeof AuthorizationInput>,
): Promise<Authorization> => ({
  from: await readAddress(input.from, 'authorization.from'),
  to: await readAddress(input.to, 'authorization.to'),
  value: BigInt(input.value),
  validAfter: BigInt(input.validAfter),
  validBefore: BigInt(input.validBefore),
  nonce: input.nonce.toLowerCase() as `0x${string}`,
})
