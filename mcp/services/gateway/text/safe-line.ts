import { z } from 'zod'

/** Any control character, also those that only look like nothing. */
const control = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u

const shown = (text: string) => !control.test(text)

/** What is needed, in a line of 1 to 128 characters. */
export const Need = z.string().refine(shown, 'must hold no control characters').trim().min(1).max(128)

/** How a candidate is called by whoever named it: an id, a host or an address. */
export const CandidateIdentifier = z
  .string()
  .regex(/^[A-Za-z0-9._:@/+~-]{1,240}$/, 'must be 1 to 240 of A-Z a-z 0-9 . _ : @ / + ~ -')
  .refine(
    text => !/^(?:javascript|data|file|vbscript|blob):/i.test(text),
    'must be an id, a host or an http address',
  )

/** Controls, lone surrogates and whatever is not seen, but for the joiners that scripts and emoji are written with. */
const unsafe = /[\p{Cc}\p{Cs}\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/gu

/** A stranger's text made safe to show: one line, no marks that hide or turn it; null when empty or no text. */
export const safeLine = (text: unknown, most = 500): string | null => {
  if (typeof text !== 'string') return null
  const line = text
    .slice(0, most * 4)
    .replace(/\s+/g, ' ')
    .replace(unsafe, '')
    .trim()
  if (line === '') return null
  return line.length > most ? `${line.slice(0, most - 1).replace(/\p{Cs}/gu, '')}…` : line
}
