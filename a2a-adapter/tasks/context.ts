import { createCipheriv, randomBytes, timingSafeEqual } from 'node:crypto'
import type { World } from '../../mcp/kernel/call.ts'

/** The ids of contexts. */
export type Contexts = {
  /** A new id: 128 bits by chance, and the mark that this installation made it. */
  make(): string
  /** True when an id was made here. A client may choose another one, which anybody else may choose as well. */
  isOurs(id: string): boolean
}

const form = /^[\w-]{22}\.[\w-]{22}$/

/** Bytes of the random part of an id, and of its mark: one block of AES. */
const block = 16

/** Ids that are made at once: most of the cost is in beginning. */
const batch = 64

/**
 * Marks ids with the installation's own key, the same on every replica; without one, with a key of this process. A mark is the random
 * part under AES, block by block: as hard to make up as a digest with a key, at a fraction of the cost.
 */
export const openContexts = ({ ports: { keys } }: World): Contexts => {
  const secrets = keys?.hashes('a2a-context').map(hash => Buffer.from(hash, 'base64url')) ?? [
    randomBytes(block),
  ]
  const openCipher = (secret = secrets[0] ?? randomBytes(block)) =>
    createCipheriv('aes-128-ecb', secret.subarray(0, block), null).setAutoPadding(false)
  const cipher = openCipher()
  let ready: string[] = []
  const makeMany = (): string[] => {
    const random = randomBytes(batch * block)
    const marks = cipher.update(random)
    return Array.from({ length: batch }, (_, at) => {
      const [start, end] = [at * block, (at + 1) * block]
      return `${random.toString('base64url', start, end)}.${marks.toString('base64url', start, end)}`
    })
  }
  return {
    make() {
      if (ready.length === 0) ready = makeMany()
      return ready.pop() ?? ''
    },
    isOurs(id) {
      if (!form.test(id)) return false
      const [random = '', mark = ''] = id.split('.')
      const bytes = Buffer.from(random, 'base64url')
      // The last letter has bits to spare: other spellings of the same bytes are not ours.
      if (bytes.toString('base64url') !== random) return false
      const given = Buffer.from(mark)
      return secrets.some(secret =>
        timingSafeEqual(given, Buffer.from(openCipher(secret).update(bytes).toString('base64url'))),
      )
    },
  }
}
