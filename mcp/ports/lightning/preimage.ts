import { createHash } from 'node:crypto'

/** The payment hash that a preimage answers, both hex; undefined for what is no preimage. */
export const toPaymentHash = (preimage: string): string | undefined =>
  /^[0-9a-f]{64}$/i.test(preimage)
    ? createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
    : undefined
