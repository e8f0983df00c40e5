import { createHash } from 'node:crypto'
import { endpoint } from '../../../kernel/endpoint.ts'

export default endpoint({
  name: 'verify-script',
  title: 'The script that verifies proofs',
  description:
    'The script of the page that verifies proofs, as pages of single proofs load it. It sends nothing.',
  method: 'GET',
  path: '/verify.js',
  body: 'none',
  answers: ['text/javascript'],
  needs: [],
  limits: [{ perMinute: 300, per: 'client' }],
}).run(async () => {
  const { verifyScript } = await import('./verify-page.ts')
  return {
    kind: 'bytes',
    type: 'text/javascript; charset=utf-8',
    bytes: Buffer.from(verifyScript),
    etag: createHash('sha256').update(verifyScript).digest('base64url').slice(0, 27),
    cache: 'public, no-cache',
    headers: { 'X-Content-Type-Options': 'nosniff' },
  }
})
