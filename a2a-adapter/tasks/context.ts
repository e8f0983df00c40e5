import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { World } from '../../mcp/kernel/call.ts'

/** The ids of contexts. */
export type Contexts = {
  /** A new id: 128 bits by chance, and the mark that this installation made it. */
  make(): string
  /** Whether an id was made here. A client may choose another one, which anybody else may choose as well. */
  isOurs(id: string): boolean
}

const form = /^[\w-]{22}\.[\w-]{22}$/

/** Marks ids with the installation's own key, the same on every replica; without one, with a key of this process. */
export const openContexts = ({ ports: { keys } }: World): Contexts => {
  const secret = randomBytes(32)
  const hash = (text: string) =>
    keys?.hash(text) ?? createHmac('sha256', secret).update(text).digest('base64url')
  const checksum = (random: string) => hash(`a2a-context ${random}`).slice(0, 22)
  return {
    make() {
      const random = randomBytes(16).toString('base64url')
      return `${random}.${checksum(random)}`
    },
    isOurs(id) {
      if (!form.test(id)) return false
      const [random = '', mark = ''] = id.split('.')
      return timingSafeEqual(Buffer.from(mark), Buffer.from(checksum(random)))
    },
  }
}
