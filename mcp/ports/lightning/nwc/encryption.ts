import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1'

/** How two keys of Nostr write to each other: `nip44_v2`, or the older `nip04`. */
export type Scheme = 'nip44_v2' | 'nip04'

export type PeerEncryption = {
  encrypt(text: string, scheme: Scheme): string
  /** Throws for what was not written with these two keys, or was changed where that shows (NIP-44). */
  decrypt(content: string): string
}

const maxLength = 65_535

const version = 2

/** The x coordinate of the shared point, unhashed, as both schemes take it. */
const shareX = (secret: string, peer: string): Buffer =>
  Buffer.from(secp256k1.getSharedSecret(secret, `02${peer}`).subarray(1, 33))

/** Length of a text with its padding: its neighbours have the same, so that the length tells little (NIP-44). */
export const paddedLength = (length: number): number => {
  if (length <= 32) return 32
  const next = 2 ** (Math.floor(Math.log2(length - 1)) + 1)
  const chunk = next <= 256 ? 32 : next / 8
  return chunk * (Math.floor((length - 1) / chunk) + 1)
}

const pad = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length === 0 || bytes.length > maxLength) throw new Error('a message of no length, or too long')
  const padded = Buffer.alloc(2 + paddedLength(bytes.length))
  padded.writeUInt16BE(bytes.length)
  bytes.copy(padded, 2)
  return padded
}

const unpad = (padded: Buffer): string => {
  const length = padded.readUInt16BE()
  const bytes = padded.subarray(2, 2 + length)
  if (length === 0 || bytes.length !== length || padded.length !== 2 + paddedLength(length))
    throw new Error('the padding is wrong')
  return bytes.toString('utf8')
}

/** HKDF-Extract of the shared point: the salt is the key of the HMAC. */
export const toConversationKey = (secret: string, peer: string): Buffer =>
  createHmac('sha256', 'nip44-v2').update(shareX(secret, peer)).digest()

/** HKDF-Expand alone, as the conversation key is what extraction gave. */
const expand = (key: Buffer, info: Buffer, length: number): Buffer => {
  const blocks: Buffer[] = []
  let block = Buffer.alloc(0)
  for (let n = 1; n * 32 < length + 32; n++) {
    block = createHmac('sha256', key)
      .update(Buffer.concat([block, info, Buffer.from([n])]))
      .digest()
    blocks.push(block)
  }
  return Buffer.concat(blocks).subarray(0, length)
}

const messageKeys = (conversationKey: Buffer, nonce: Buffer) => {
  const keys = expand(conversationKey, nonce, 76)
  return { cipher: keys.subarray(0, 32), nonce: keys.subarray(32, 44), hmac: keys.subarray(44, 76) }
}

/** ChaCha20 of RFC 8439 from block 0; encryption and decryption are the same. */
const chacha20 = (key: Buffer, nonce: Buffer, data: Buffer): Buffer => {
  const cipher = createCipheriv('chacha20', key, Buffer.concat([Buffer.alloc(4), nonce]))
  return Buffer.concat([cipher.update(data), cipher.final()])
}

export const encrypt44 = (text: string, conversationKey: Buffer, nonce = randomBytes(32)): string => {
  const keys = messageKeys(conversationKey, nonce)
  const ciphertext = chacha20(keys.cipher, keys.nonce, pad(text))
  const mac = createHmac('sha256', keys.hmac).update(nonce).update(ciphertext).digest()
  return Buffer.concat([Buffer.from([version]), nonce, ciphertext, mac]).toString('base64')
}

export const decrypt44 = (content: string, conversationKey: Buffer): string => {
  const bytes = Buffer.from(content, 'base64')
  if (bytes.length < 99 || bytes.length > 65_603 || bytes[0] !== version)
    throw new Error('not a message of NIP-44')
  const nonce = bytes.subarray(1, 33)
  const ciphertext = bytes.subarray(33, -32)
  const keys = messageKeys(conversationKey, nonce)
  const mac = createHmac('sha256', keys.hmac).update(nonce).update(ciphertext).digest()
  if (!timingSafeEqual(mac, bytes.subarray(-32))) throw new Error('the message was changed')
  return unpad(chacha20(keys.cipher, keys.nonce, ciphertext))
}

const encrypt04 = (text: string, key: Buffer): string => {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `${bytes.toString('base64')}?iv=${iv.toString('base64')}`
}

const decrypt04 = (content: string, key: Buffer): string => {
  const [text = '', iv = ''] = content.split('?iv=')
  const decipher = createDecipheriv('aes-256-cbc', key, Buffer.from(iv, 'base64'))
  return Buffer.concat([decipher.update(Buffer.from(text, 'base64')), decipher.final()]).toString('utf8')
}

/** Opens what is written between a secret key and the public key of its peer, both hex. */
export const openPeerEncryption = (secret: string, peer: string): PeerEncryption => {
  const conversationKey = toConversationKey(secret, peer)
  const key04 = shareX(secret, peer)
  return {
    encrypt: (text, scheme) =>
      scheme === 'nip44_v2' ? encrypt44(text, conversationKey) : encrypt04(text, key04),
    decrypt: content =>
      content.includes('?iv=') ? decrypt04(content, key04) : decrypt44(content, conversationKey),
  }
}
