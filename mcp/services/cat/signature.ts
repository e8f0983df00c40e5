import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { isPlainLine } from '../../lib/text/clean.ts'
import { countCodePoints } from '../../lib/text/cut.ts'

/** A permanent signature. There is no operation that changes or removes one. */
export type Signature = { id: string; number: number; name: string; note: string; signed_at: string }

/** A signature as callers see it. */
export const SignatureOut = z.object({
  number: z.number().int().describe('1 for the first signature'),
  name: z.string().describe('As the signer wrote it'),
  note: z.string().describe('As the signer wrote it'),
  signed_at: z.iso.datetime().describe('UTC'),
})

export const untrustedMark = z.literal(true).describe('Names and notes are the words of strangers')

export const signaturesIn = collection<Signature>({
  name: 'cat.guestbook',
  indexes: [{ name: 'number', fields: ['number'], unique: true }],
  budget: {
    what: 'signatures',
    network: { rows: 1000, bytes: 1 << 20 },
    allBytes: 64 << 20,
    ends: 'A signature stays for good.',
  },
})

/** How many signatures there are, counted in the transaction that writes one: none is ever taken back. */
type SignatureCounter = { id: 'signatures'; last: number }

export const signatureCountersIn = collection<SignatureCounter>({ name: 'cat.counter', bounded: 'One.' })

/** Text of 1 (or 0) to `most` code points after NFC: one line, nothing in it that a reader does not see. */
export const line = (maxLength: number, minLength: 0 | 1) =>
  z
    .string()
    // A character decomposes into 8 units at most; what is longer is refused before it is parsed.
    .max(8 * maxLength, { error: `at most ${maxLength} characters`, abort: true })
    .refine(text => countCodePoints(text.normalize('NFC')) <= maxLength, `at most ${maxLength} characters`)
    .refine(text => minLength === 0 || text.trim() !== '', 'must not be empty')
    .refine(isPlainLine, 'no line breaks, control characters or marks that nobody sees')

/** Returns the public fields of a stored signature. */
export const toPublicSignature = ({
  number,
  name,
  note,
  signed_at,
}: Signature): z.output<typeof SignatureOut> => ({
  number,
  name,
  note,
  signed_at,
})
