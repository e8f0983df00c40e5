import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account.ts'
import { loadScorecard, ScorecardOut } from './reputation.ts'

const hours = 24

export default tool({
  name: 'attest_reputation',
  title: 'Attest your reputation',
  description:
    'Returns your reputation as a signed document (compact JWS, EdDSA) that others verify offline, good for 24 hours. Free.',
  keywords: ['credential', 'proof', 'certificate', 'export', 'prove', 'elsewhere'],
  input: z.object({}),
  output: z.object({
    attestation: z.string().describe('Compact JWS; verify it with the keys at jwks_url'),
    jwks_url: z.url().describe('Where the public keys are'),
    reputation: ScorecardOut.describe('What is attested'),
    expires_at: z.iso.datetime().describe('Until when it is good'),
  }),
  needs: ['store', 'clock', 'sign'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['reputation', 'free'] },
  rest: { routes: ['POST /v1/account/reputation/attestation'] },
  examples: [{}],
  summary: ({ reputation, expires_at }) => `Attested for ${reputation.handle} until ${expires_at}.`,
}).run(async ({ store, clock, sign, caller, base }) => {
  const account = await requireAccount(store, caller)
  const now = clock.now()
  const expires = new Date(now.getTime() + hours * 3_600_000)
  const reputation = await loadScorecard(store, clock, account)
  const claims = {
    iss: base,
    sub: account.handle,
    reputation,
    iat: Math.floor(now.getTime() / 1000),
    exp: Math.floor(expires.getTime() / 1000),
  }
  return {
    attestation: sign.jws(claims, 'reputation+jwt'),
    jwks_url: `${base}/.well-known/jwks.json`,
    reputation,
    expires_at: expires.toISOString(),
  }
})
