import { createHmac, randomBytes } from 'node:crypto'
import type { Keys } from './index.ts'

/** Keys hashed with HMAC-SHA256 under a pepper of at least 32 bytes; replicas must share it. */
export const openKeys = (pepper: Buffer): Keys => ({
  make: prefix => `${prefix}_${randomBytes(32).toString('base64url')}`,
  hash: key => createHmac('sha256', pepper).update(key).digest('base64url'),
})
