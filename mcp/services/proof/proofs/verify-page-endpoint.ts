import { endpoint } from '../../../kernel/endpoint.ts'

export default endpoint({
  name: 'verify-page',
  title: 'Verify a proof in a browser',
  description:
    'A page that verifies proofs in the browser and sends nothing. Saved, it works without a network.',
  method: 'GET',
  path: '/verify',
  body: 'none',
  answers: ['text/html'],
  needs: [],
  limits: [{ perMinute: 300, per: 'client' }],
}).run(async () => {
  const { verifyPage, verifyPagePolicy } = await import('./verify-page.ts')
  return {
    kind: 'bytes',
    type: 'text/html; charset=utf-8',
    bytes: Buffer.from(verifyPage),
    cache: 'public, max-age=3600',
    headers: { 'Content-Security-Policy': verifyPagePolicy, 'X-Content-Type-Options': 'nosniff' },
  }
})
