import { z } from 'zod'

const hexAddress = /^(?:0x)?([0-9a-f]{40})$/i
const name = /^[^\s/@:]{1,250}\.[^\s/@:.]{2,}$/u

/** The 40 digits of an address in any case, with or without 0x; undefined when the text is none. */
export const addressDigits = (text: string): string | undefined => hexAddress.exec(text.trim())?.[1]

/** True for digits whose case says nothing; in mixed case it is a checksum (EIP-55). */
export const isSingleCase = (digits: string): boolean =>
  digits === digits.toLowerCase() || digits === digits.toUpperCase()

/** One key for the spellings of an address that say the same. One with a checksum stands for itself: it may be wrong. */
export const addressKey = (text: string): string => {
  const digits = addressDigits(text)
  if (digits === undefined) return text.trim().toLowerCase()
  return `0x${isSingleCase(digits) ? digits.toLowerCase() : digits}`
}

const explainFormat = (text: string): string => {
  const digits = /^(?:0x)?([0-9a-f]{8,})$/i.exec(text.trim())?.[1]
  if (digits === undefined)
    return 'must be an address, 0x and 40 hex digits, or an ENS name such as vitalik.eth'
  if (digits.length === 64) return 'has 64 hex digits, as transactions have: ask tx-status'
  return `has ${digits.length} hex digits; an address has 40`
}

/** An address or an ENS name. Whether a checksum is right is looked at by `readAccount`. */
export const AccountInput = z
  .string()
  .max(300)
  .superRefine((text, context) => {
    if (addressDigits(text) === undefined && !name.test(text.trim()))
      context.addIssue({ code: 'custom', message: explainFormat(text) })
  })
  .describe('Address, in lower case or with a right checksum (EIP-55), or ENS name')
