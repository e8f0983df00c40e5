import { invalidParam } from './failure.ts'
import type { Message } from './message.ts'

const word =
  '(?:auth\\w*|tokens?|credentials?|schemes?|keys?|headers?|realm|in|is|and|or|of|for|with|to|the)\\b'
const bearer = new RegExp(`\\b(?:Bearer|BEARER)\\s{1,8}(?!${word})[\\w~+/.=-]{4,}`)
const bearerWithDigit = /\bbearer\s{1,8}(?=[^\s"']{0,512}\d)[\w~+/.=-]{8,}/i
// A word of its own, of the length of keys: signatures and digests in base64url are longer or shorter, and may hold anything.
const keyLike = /(?<![\w-])(?:[A-Z]{1,8}_)?[a-z][a-z0-9]{1,9}_([\w-]{43,64})(?![\w-])/g
const oneRun = /[A-Za-z0-9]{43}/
const switches = /[a-z][A-Z]|\d[A-Za-z]|[A-Za-z]\d/g

/** Tells 43 characters of a key from words that underscores or hyphens join, as titles in addresses are. */
const looksRandom = (tail: string): boolean =>
  oneRun.test(tail) || (/[A-Z]/.test(tail) && /[a-z]/.test(tail) && (tail.match(switches)?.length ?? 0) >= 4)

const isSecret = (text: string): boolean => {
  if (bearer.test(text) || bearerWithDigit.test(text)) return true
  // Most texts are spared the search for words, which takes 5 ms for 1 MB.
  if (!text.includes('_')) return false
  for (const [, tail = ''] of text.matchAll(keyLike)) if (looksRandom(tail)) return true
  return false
}

const holdsSecret = (value: unknown): boolean => {
  if (typeof value === 'string') return isSecret(value)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(holdsSecret)
  return Object.entries(value).some(([name, inner]) => isSecret(name) || holdsSecret(inner))
}

/** Refuses a message with a credential in its text or data (spec §5). The refusal does not quote it. */
export const refuseSecrets = ({ parts }: Message): void => {
  for (const [index, part] of parts.entries())
    if (holdsSecret(Object.values(part)[0]))
      throw invalidParam(
        `message.parts.${index}`,
        'holds what looks like a credential, which must not be in a message',
        'Send it in the Authorization or X-API-Key header, and replace it: others may have seen it.',
      )
}
