import type { IncomingMessage } from 'node:http'
import { isRecord } from '../lib/json.ts'
import { claimedVersion, isModern, isSpoken } from './era.ts'

/** A header the shim wrote; what a client that needs it gets wrong. */
export type Fix = 'mcp-protocol-version' | 'mcp-method' | 'mcp-name' | 'accept'

/** Which parameter of a method the Mcp-Name header repeats (MCP 2026-07-28). */
const namedBy = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])
const bothTypes = 'application/json, text/event-stream'

/** Adapters read `headers` or `rawHeaders`, so both are written. */
const write = (req: IncomingMessage, name: Fix, value: string): Fix => {
  req.headers[name] = value
  const at = req.rawHeaders.findIndex((header, i) => i % 2 === 0 && header.toLowerCase() === name)
  if (at >= 0) req.rawHeaders[at + 1] = value
  else req.rawHeaders.push(name, value)
  return name
}

const headerText = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value)

const modernFixes = (req: IncomingMessage, body: Record<string, unknown>, version: string): Fix[] => {
  const { headers } = req
  const params = isRecord(body.params) ? body.params : {}
  const field = namedBy.get(String(body.method))
  const name = field && params[field]
  const header = headers['mcp-protocol-version']
  const stale = header === undefined || (isSpoken(header) && !isModern(header))
  return [
    ...(stale ? [write(req, 'mcp-protocol-version', version)] : []),
    ...(!headers['mcp-method'] && headerText(body.method) ? [write(req, 'mcp-method', body.method)] : []),
    ...(!headers['mcp-name'] && headerText(name) ? [write(req, 'mcp-name', name)] : []),
  ]
}

const versionFixes = (req: IncomingMessage, body: unknown): Fix[] => {
  if (!isRecord(body)) return []
  const claim = claimedVersion(body)
  if (isModern(claim)) return modernFixes(req, body, claim)
  const header = req.headers['mcp-protocol-version']
  if (claim === undefined && isSpoken(header) && isModern(header))
    return [write(req, 'mcp-protocol-version', '2025-11-25')]
  return []
}

/**
 * Makes the headers of a request agree with its body, for clients that are between the two eras: a legacy or missing
 * version over a modern body, a modern version over a body without claim, missing Mcp-Method and Mcp-Name, an Accept that
 * lacks one of the two types. A header that is present and contradicts the body stays, and is refused; so does a version that nobody speaks.
 */
export const mend = (req: IncomingMessage, body: unknown): Fix[] => {
  const { accept = '' } = req.headers
  const partial = !(accept.includes('application/json') && accept.includes('text/event-stream'))
  return [...versionFixes(req, body), ...(partial ? [write(req, 'accept', bothTypes)] : [])]
}
