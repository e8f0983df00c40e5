import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { ToolError } from '../../../kernel/error.ts'

/** Stored form of an encrypted value; all base64. Without the key of the caller nobody reads it, nor we. */
export type Sealed = { salt: string; nonce: string; tag: string; data: string }

const toKey = (secret: string, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, 'octagent memory 1', 32))

/** Encrypts a text by AES-256-GCM. It opens under the same secret and `place` only. */
export const sealText = (text: string, secret: string, place: string): Sealed => {
  const salt = randomBytes(16)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', toKey(secret, salt), nonce).setAAD(Buffer.from(place))
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return {
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  }
}

/** The text again. Throws `forbidden` for another secret. */
export const openText = ({ salt, nonce, tag, data }: Sealed, secret: string, place: string): string => {
  const key = toKey(secret, Buffer.from(salt, 'base64'))
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64'), { authTagLength: 16 })
    .setAAD(Buffer.from(place))
    .setAuthTag(Buffer.from(tag, 'base64'))
  try {
    return Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]).toString('utf8')
  } catch {
    throw new ToolError('forbidden', 'encryption_key does not open this value.', {
      reason: 'wrong_key',
      hint: 'Send the key that it was stored with. Nobody else has it.',
    })
  }
}
