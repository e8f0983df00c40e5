import { createHash } from 'node:crypto'
import { ToolError } from '../../../kernel/error.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'

/** Answer of a source, and the provenance of it. */
export type RegistryAnswer = { body: unknown; url: string; observed_at: string; digest: string }

const fetchLimits = { maxBytes: 256 * 1024, maxRedirects: 2, deadlineMs: 4000, accept: 'application/json' }

/** `sha256:` of bytes, as evidence names it. */
export const computeDigest = (bytes: Buffer | string): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** Reads JSON of a registry, or of an address that a caller names, within 4 s and 256 KiB. Throws `upstream` for anything but JSON with status 200. */
export const fetchRegistry = async (
  fetch: Fetch,
  url: string,
  signal: AbortSignal,
  now: Date,
  namedBy: 'operator' | 'caller' = 'operator',
): Promise<RegistryAnswer> => {
  const { status, body, url: finalUrl, truncated } = await fetch(url, { ...fetchLimits, namedBy, signal })
  const host = new URL(url).hostname
  if (status !== 200) throw new ToolError('upstream', `${host} answered ${status}.`)
  if (truncated) throw new ToolError('upstream', `${host} answered more than 256 KiB.`, { retryable: false })
  try {
    return {
      body: JSON.parse(body.toString('utf8')),
      url: finalUrl,
      observed_at: now.toISOString(),
      digest: computeDigest(body),
    }
  } catch {
    throw new ToolError('upstream', `${host} answered something else than JSON.`, { retryable: false })
  }
}
