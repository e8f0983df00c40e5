import { z } from 'zod'

/** The 64 digits of a transaction hash in any case, with or without 0x; undefined when the text is none. */
const hashDigits = (text: string): string | undefined => /^(?:0x)?([0-9a-f]{64})$/i.exec(text.trim())?.[1]

/** A hash as it is written: in lower case with 0x. */
export const readHash = (text: string): string => `0x${(hashDigits(text) ?? '').toLowerCase()}`

const explainFormat = (text: string): string => {
  const digits = /^(?:0x)?([0-9a-f]+)$/i.exec(text.trim())?.[1]
  if (digits === undefined) return 'must be a transaction hash, 0x and 64 hex digits'
  if (digits.length === 40) return 'has 40 hex digits, as addresses have: ask evm-address-intel'
  return `has ${digits.length} hex digits; a transaction hash has 64`
}

export const HashInput = z
  .string()
  .max(300)
  .superRefine((text, context) => {
    if (hashDigits(text) === undefined) context.addIssue({ code: 'custom', message: explainFormat(text) })
  })
  .describe('Hash of the transaction: 0x and 64 hex digits')
