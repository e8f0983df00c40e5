import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { isRecord } from '../../../lib/json.ts'
import type { Attempt } from '../../method.ts'

const hash = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('base64url')

/** The message of a Solana transaction: what is signed, without the signatures that anybody may strip. */
const readMessage = (base64: string): Buffer => {
  const bytes = Buffer.from(base64, 'base64')
  const [signatures = 0] = bytes
  return bytes.subarray(1 + 64 * signatures)
}

const text = (value: unknown): value is string => typeof value === 'string' && value !== ''

/**
 * Names the money of an exact payment: payer and nonce of an authorization (EIP-3009, as the method with our own look at
 * the chain names it; Permit2), else the message of a Solana transaction, else all that was sent.
 */
export const identifyExact = ({ network, accepted, data }: Attempt, asset: string): string | undefined => {
  const { authorization, permit2Authorization: permit, transaction } = data
  if (isRecord(authorization) && text(authorization.from) && text(authorization.nonce))
    return [network, accepted?.asset ?? asset, authorization.from, authorization.nonce]
      .join('|')
      .toLowerCase()
  if (isRecord(permit) && text(permit.from) && text(permit.nonce))
    return [network, 'permit2', permit.from, permit.nonce].join('|').toLowerCase()
  if (text(transaction)) return [network, hash(readMessage(transaction))].join('|')
  const whole = canonicalize(data)
  return whole === undefined || whole === '{}' ? undefined : [network, hash(whole)].join('|')
}
