import type { IncomingMessage } from 'node:http'
import { isRecord } from '../lib/json.ts'
import { clientKey, type EraName, readMeta } from './era.ts'
import type { Fix } from './shim.ts'

/** Sender of a request, in its own words, its era, and what the shim had to write. */
export type ClientSeen = { name: string; version: string; era: EraName; fixes: readonly Fix[] }

const word = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? value.replace(/[^\x20-\x7e]/g, '?').slice(0, 64) : 'unknown'

const product = /^([\w.-]+)\/([\w.+-]+)/

/** Name and version as `clientInfo` or else the User-Agent header tells them; "unknown" otherwise. */
export const readClientInfo = (req: IncomingMessage, body: unknown): { name: string; version: string } => {
  const params = isRecord(body) && isRecord(body.params) ? body.params : {}
  const info = readMeta(body)[clientKey] ?? params.clientInfo
  if (isRecord(info)) return { name: word(info.name), version: word(info.version) }
  const [, name, version] = product.exec(req.headers['user-agent'] ?? '') ?? []
  return { name: word(name), version: word(version) }
}
