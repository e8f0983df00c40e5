import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKeys, type HmacKeys } from '../derived-keys.ts'

export type Encryption = { close(text: string): string; open(closed: string): string | undefined }

/** Encrypts texts with AES-256-GCM under a key made from the gate's own; what was altered does not open. */
export const openEncryption = (hmacKeys: HmacKeys): Encryption => {
  const keys = deriveKeys(hmacKeys, 'payment vault')
  const decrypt = (bytes: Buffer, key: Buffer): string | undefined => {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(12, 28))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    } catch {
      return undefined
    }
  }
  return {
    close(text) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', keys[0], iv)
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open(closed) {
      const bytes = Buffer.from(closed, 'base64url')
      if (bytes.length < 28) return undefined
      for (const key of keys) {
        const text = decrypt(bytes, key)
        if (text !== undefined) return text
      }
      return undefined
    },
  }
}
