import { isRecord } from '../lib/json.ts'

export type EraName = '2025-11-25' | '2026-07-28'

/** `_meta` key that names the protocol version of a request, since 2026-07-28. */
const versionKey = 'io.modelcontextprotocol/protocolVersion'
export const clientKey = 'io.modelcontextprotocol/clientInfo'

/** Versions are dates, so the stateless era is everything from its first date on. */
const isModern = (version: unknown): version is string =>
  typeof version === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= '2026-07-28'

/** The versions of either era that are spoken here. */
export const spokenVersions = [
  '2024-10-07',
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
] as const

export const isSpoken = (version: unknown): boolean => spokenVersions.some(spoken => spoken === version)

const readParams = (body: unknown): Record<string, unknown> =>
  isRecord(body) && isRecord(body.params) ? body.params : {}

/** The `_meta` of a JSON-RPC message; empty where there is none. */
export const readMeta = (body: unknown): Readonly<Record<string, unknown>> => {
  const { _meta } = readParams(body)
  return isRecord(_meta) ? _meta : {}
}

/** The version that a body claims for itself, of whatever type. */
export const bodyVersion = (body: unknown): unknown => readMeta(body)[versionKey]

/**
 * The era that must answer a body. Any claim in `_meta` belongs to the stateless era, which also owns the refusal of a
 * wrong one; so does a header that names a modern version over a body that claims nothing.
 */
export const detectEra = (body: unknown, header: string | undefined): EraName => {
  const messages = Array.isArray(body) ? body : [body]
  const claimed = messages.some(message => bodyVersion(message) !== undefined)
  return claimed || (isModern(header) && !Array.isArray(body)) ? '2026-07-28' : '2025-11-25'
}
