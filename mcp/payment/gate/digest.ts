import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** SHA-256 over values in canonical JSON (RFC 8785), base64url. */
export const digest = (...values: unknown[]): string =>
  createHash('sha256')
    .update(canonicalize(values) ?? '')
    .digest('base64url')
