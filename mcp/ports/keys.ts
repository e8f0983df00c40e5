import { createHmac, randomBytes } from 'node:crypto'
import { collection } from '../kernel/collection.ts'
import { ToolError } from '../kernel/error.ts'
import type { Keys, Store } from './index.ts'

/** Keys hashed with HMAC-SHA256 under a pepper of at least 32 bytes; replicas must share it. */
export const openKeys = (pepper: Buffer): Keys => ({
  make: prefix => `${prefix}_${randomBytes(32).toString('base64url')}`,
  hash: key => createHmac('sha256', pepper).update(key).digest('base64url'),
})

const id = 'fingerprint'
type Fingerprint = { id: string; hash: string }

const fingerprintsIn = collection<Fingerprint>({ name: 'installation.pepper', bounded: 'One.' })

const computeFingerprint = (pepper: string): string =>
  createHmac('sha256', pepper).update('octagent: fingerprint of the pepper').digest('base64url')

const refusePepper = (detail: string, hint: string): ToolError =>
  new ToolError('unavailable', detail, { hint })

/**
 * Refuses a pepper other than the one under which the store holds keys, and none where it holds some: with another one
 * every key that callers hold would be worthless, without a word. `file` is where the pepper of this folder is kept.
 */
export const checkPepper = async (store: Store, pepper: string | undefined, file: string): Promise<void> => {
  const storedFingerprint = await fingerprintsIn(store).get(id)
  if (!storedFingerprint) return
  if (pepper === undefined)
    throw refusePepper(
      `${file} is missing, empty or has no pepper, but the store holds keys of callers that are hashed under one.`,
      `Restore ${file} from a backup, or set OCTAGENT_PEPPER to the pepper that it held. Nothing was changed.`,
    )
  if (storedFingerprint.hash === computeFingerprint(pepper)) return
  throw refusePepper(
    'The store holds keys of callers that are hashed under another pepper.',
    `Set OCTAGENT_PEPPER to the one that was used before, the same on every replica; or, where it is not set, restore ${file} from a backup. Nothing was changed.`,
  )
}

/** Notes under which pepper the store holds keys, once. Of two replicas with different ones, the second is refused. */
export const rememberPepper = async (store: Store, pepper: string, file: string): Promise<void> => {
  const wasInserted = await fingerprintsIn(store).insert({ id, hash: computeFingerprint(pepper) })
  if (!wasInserted) await checkPepper(store, pepper, file)
}
