import type { Fetch } from '../fetch/port.ts'

/** Sends one query to a DNS-over-HTTPS endpoint and returns the answer's bytes (RFC 8484). Throws what `fetch` throws. */
export const askHttps = async (
  fetch: Fetch,
  url: string,
  bytes: Buffer,
  signal: AbortSignal,
): Promise<Buffer> => {
  const { status, body } = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/dns-message' },
    accept: 'application/dns-message',
    types: /^application\/dns-message\b/i,
    body: bytes,
    maxBytes: 65_535,
    maxRedirects: 0,
    namedBy: 'operator',
    signal,
  })
  if (status !== 200) throw new Error(`The resolver answered with status ${status}.`)
  return body
}
