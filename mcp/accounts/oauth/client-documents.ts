import type { Fetch } from '../../ports/fetch/port.ts'

const maxBytes = 5120

/** Drops the `scope` of a document: an authorization server that enforced it would forbid that of our challenge. */
const withoutScope = (body: Buffer): Buffer => {
  try {
    const document: unknown = JSON.parse(body.toString('utf8'))
    if (typeof document !== 'object' || document === null || !('client_id' in document)) return body
    return Buffer.from(JSON.stringify({ ...document, scope: undefined }))
  } catch {
    return body
  }
}

/**
 * The provider's way out, for documents that clients name: their metadata (Client ID Metadata Documents) and key sets. Public addresses
 * only, no redirect, 5 KiB, within the provider's own 2.5 seconds.
 */
export const openDocumentFetch =
  (fetch: Fetch) =>
  async (url: string | URL | Request, { signal }: RequestInit = {}): Promise<Response> => {
    const answer = await fetch(String(url), {
      accept: 'application/json',
      maxRedirects: 0,
      maxBytes,
      deadlineMs: 2500,
      ...(signal && { signal }),
    })
    if (answer.truncated) throw new Error('the document is larger than 5 KiB, or broke off')
    const { 'cache-control': cache, expires } = answer.headers
    return new Response(
      answer.status === 204 || answer.status === 304 ? null : new Uint8Array(withoutScope(answer.body)),
      {
        status: answer.status < 200 ? 502 : answer.status,
        headers: {
          'content-type': 'application/json',
          ...(cache !== undefined && { 'cache-control': cache }),
          ...(expires !== undefined && { expires }),
        },
      },
    )
  }
