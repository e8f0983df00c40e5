import { collection } from '../../../kernel/collection.ts'
import { endpoint } from '../../../kernel/endpoint.ts'
import { ToolError } from '../../../kernel/error.ts'

/** The bytes of a claim, by their SHA-256; base64, since a database changes some texts. */
type ClaimRecord = { id: string; bytes: string; received_at: string }

export const recordsIn = collection<ClaimRecord>({
  name: 'proof.records',
  archive: { afterHours: 24 },
  budget: {
    what: 'witnessed contents',
    network: { rows: 1000, bytes: 16 << 20 },
    allBytes: 64 << 20,
    ends: 'They stay; those of paid calls do not count.',
  },
})

export const recordEndpoint = endpoint({
  name: 'record',
  title: 'Read a witnessed claim',
  description:
    'The exact bytes of a claim that was witnessed, by their SHA-256. They are the words of a stranger.',
  method: 'GET',
  path: '/record/:content_hash',
  body: 'none',
  answers: ['application/octet-stream'],
  needs: ['store'],
  limits: [{ perMinute: 300, per: 'client' }],
}).run(async ({ store }, { params }) => {
  const { content_hash = '' } = params
  const record = /^[0-9a-f]{64}$/.test(content_hash) ? await recordsIn(store).get(content_hash) : undefined
  if (!record) throw new ToolError('not_found', 'content_hash: Nothing with this SHA-256 was witnessed here.')
  return {
    kind: 'bytes',
    type: 'application/octet-stream',
    bytes: Buffer.from(record.bytes, 'base64'),
    etag: content_hash,
    cache: 'public, max-age=31536000, immutable',
    // The bytes are a stranger's: no browser shows them as a page of ours.
    headers: {
      'Content-Disposition': `attachment; filename="${content_hash}.txt"`,
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Received-At': record.received_at,
    },
  }
})
