import type { HandlerAnswer } from './buffered-answer.ts'

/** Bytes of an answer that are kept for its payer. */
const maxBytes = 1 << 20

/** An answer as a payment's record keeps it; without `base64` it was a stream, or too large. */
export type SealedAnswer = {
  status: number
  message?: string
  headers: HandlerAnswer['headers']
  base64?: string
}

export const toSealed = ({ status, message, headers, body }: HandlerAnswer): SealedAnswer => ({
  status,
  ...(message !== undefined && { message }),
  headers,
  ...(body && body.length <= maxBytes && { base64: body.toString('base64') }),
})

/** The answer as it was; undefined for one that is not kept. */
export const fromSealed = ({ status, message, headers, base64 }: SealedAnswer): HandlerAnswer | undefined =>
  base64 === undefined ? undefined : { status, message, headers, body: Buffer.from(base64, 'base64') }
