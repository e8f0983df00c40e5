import { z } from 'zod'

export type Hex = `0x${string}`

const hex = (bytes: number, what: string) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`), what)
    .transform(text => text.toLowerCase() as Hex)

export const addressInput = hex(20, 'an EVM address')
const bytes32Input = hex(32, '32 bytes in hexadecimal')

/** A signature; those of smart accounts have any length. */
const signatureInput = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2}){0,2048}$/, 'a signature in hexadecimal')
  .transform(text => text.toLowerCase() as Hex)

/** Atomic units (millionths of a dollar), within what the escrow can count. */
const atomicInput = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,38})$/, 'atomic units as a decimal text')
  .refine(text => !/^\d+$/.test(text) || BigInt(text) < 1n << 128n, 'below 2^128')

const seconds = z.string().regex(/^(?:0|[1-9]\d{0,77})$/, 'Unix seconds as a decimal text')

/** A payer's deposit authorization (EIP-3009, receiveWithAuthorization). */
const authorizationInput = z
  .object({
    from: addressInput.describe('The payer'),
    to: addressInput.describe('The escrow'),
    value: atomicInput.describe('The deposit in atomic units'),
    validAfter: seconds.describe('From when it is good, Unix seconds'),
    validBefore: seconds.describe('Until when it is good, Unix seconds'),
    nonce: bytes32Input.describe('Made of the channel, as quote_session has it'),
  })
  .strict()

const zero: Hex = '0x0000000000000000000000000000000000000000'

export const OpenPayload = z
  .object({
    channelId: bytes32Input.describe('Id of the channel'),
    authorization: authorizationInput.describe('The deposit that was signed'),
    signature: signatureInput.describe('Signature of the deposit'),
    cumulativeAmount: atomicInput.default('0').describe('What the first voucher says, in atomic units'),
    voucherSignature: signatureInput.describe('Signature of the first voucher'),
    authorizedSigner: addressInput.default(zero).describe('Who signs vouchers; the payer without it'),
    salt: bytes32Input.describe('Random bytes that the id of the channel is made of'),
  })
  .strict()

export const TopUpPayload = z
  .object({
    channelId: bytes32Input.optional().describe('Id of the channel'),
    authorization: authorizationInput.describe('The deposit that was signed'),
    signature: signatureInput.describe('Signature of the deposit'),
    additionalDeposit: atomicInput.describe('The deposit again, in atomic units'),
    salt: bytes32Input.describe('Random bytes that the nonce is made of'),
  })
  .strict()

export const VoucherPayload = z
  .object({
    channelId: bytes32Input.optional().describe('Id of the channel'),
    cumulativeAmount: atomicInput.describe('What has been paid in all, in atomic units'),
    signature: signatureInput.describe('Signature of the voucher'),
  })
  .strict()

/** The challenge that a payload answers, where it came as a credential. */
type Answered = { challenge?: string }

export type SessionOpening = z.output<typeof OpenPayload> & Answered
export type SessionTopUp = z.output<typeof TopUpPayload>
export type Voucher = z.output<typeof VoucherPayload> & Answered
