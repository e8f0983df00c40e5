import { randomBytes, timingSafeEqual } from 'node:crypto'
import { asRecord, isRecord } from '../lib/json.ts'

/** Makes a MAC over a text with a key of the installation, the same on every replica. */
export type Seal = (text: string) => string

/** True when capabilities say that the client opens a page for its person: `elicitation.url`; an empty `elicitation` means forms only. */
export const opensPages = (capabilities: unknown): boolean =>
  isRecord(asRecord(asRecord(capabilities).elicitation).url)

const macOf = (seal: Seal, nonce: string): string => seal(`mcp capabilities url ${nonce}`)

/**
 * The `Mcp-Session-Id` of an `initialize` of 2025-11-25 whose client opens pages: that era tells capabilities once, and no session is
 * kept here. It says only this, under a seal; undefined for every other client, and every other message.
 */
export const toCapabilityId = (body: unknown, seal: Seal | undefined): string | undefined => {
  if (!seal || !isRecord(body) || body.method !== 'initialize') return undefined
  if (!opensPages(asRecord(body.params).capabilities)) return undefined
  const nonce = randomBytes(12).toString('base64url')
  return `url.${nonce}.${macOf(seal, nonce)}`
}

/** True when a session id is one of ours for a client that opens pages. Any other says nothing, and is no fault. */
export const readCapabilityId = (id: string | string[] | undefined, seal: Seal | undefined): boolean => {
  const [, nonce = '', mac = ''] =
    (typeof id === 'string' && /^url\.([\w-]{16})\.([\w-]{43})$/.exec(id)) || []
  if (!seal || nonce === '') return false
  return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(seal, nonce)))
}
