import type { IncomingMessage } from 'node:http'
import { detectEra } from './era.ts'

/** A header the shim wrote; what a client that needs it gets wrong. */
export type Fix = 'accept'

const bothTypes = 'application/json, text/event-stream'

/** Adapters read `headers` or `rawHeaders`, so both are written. */
const write = (req: IncomingMessage, name: Fix, value: string): Fix => {
  req.headers[name] = value
  const at = req.rawHeaders.findIndex((header, i) => i % 2 === 0 && header.toLowerCase() === name)
  if (at >= 0) req.rawHeaders[at + 1] = value
  else req.rawHeaders.push(name, value)
  return name
}

/**
 * Mends what clients of the older era get wrong: an Accept that lacks one of the two types. A request of the stateless era is held to every
 * word of it, as its conformance suite asks.
 */
export const mend = (req: IncomingMessage, body: unknown): Fix[] => {
  const { accept = '', 'mcp-protocol-version': version } = req.headers
  if (detectEra(body, typeof version === 'string' ? version : undefined) !== '2025-11-25') return []
  const isWhole = accept.includes('application/json') && accept.includes('text/event-stream')
  return isWhole ? [] : [write(req, 'accept', bothTypes)]
}
