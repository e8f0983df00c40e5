import { createHmac } from 'node:crypto'

/** Secret that signs what is handed out, and the one before it, which is still read while a rotation lasts. */
export type HmacKeys = { hmacKey: Buffer; previousHmacKey?: Buffer | undefined }

/** The keys for one purpose: the one that signs first, then any that are still read. */
export const deriveKeys = (
  { hmacKey, previousHmacKey }: HmacKeys,
  purpose: string,
): [Buffer, ...Buffer[]] => {
  const derive = (key: Buffer) => createHmac('sha256', key).update(purpose).digest()
  return [derive(hmacKey), ...(previousHmacKey ? [derive(previousHmacKey)] : [])]
}
