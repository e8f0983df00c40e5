import { isRecord } from '../lib/json.ts'

export type EraName = '2025-11-25' | '2026-07-28'

/** `_meta` key that names the protocol version of a request, since 2026-07-28. */
export const versionKey = 'io.modelcontextprotocol/protocolVersion'
export const clientKey = 'io.modelcontextprotocol/clientInfo'

/** Versions are dates, so the stateless era is everything from its first date on. */
export const isModern = (version: unknown): version is string =>
  typeof version === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= '2026-07-28'

const paramsOf = (body: unknown): Record<string, unknown> =>
  isRecord(body) && isRecord(body.params) ? body.params : {}

/** The `_meta` of a JSON-RPC message; empty where there is none. */
export const metaOf = (body: unknown): Readonly<Record<string, unknown>> => {
  const { _meta } = paramsOf(body)
  return isRecord(_meta) ? _meta : {}
}

/** The version that a body claims for itself, of whatever type. */
export const claimOf = (body: unknown): unknown => metaOf(body)[versionKey]

/**
 * The era that must answer a body. Any claim in `_meta` belongs to the stateless era, which also owns the refusal of a
 * wrong one; so does a header that names a modern version over a body that claims nothing.
 */
export const eraOf = (body: unknown, header: string | undefined): EraName => {
  const messages = Array.isArray(body) ? body : [body]
  const claimed = messages.some(message => claimOf(message) !== undefined)
  return claimed || (isModern(header) && !Array.isArray(body)) ? '2026-07-28' : '2025-11-25'
}
