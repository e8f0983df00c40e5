import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import type { Store } from '../../ports/store/port.ts'
import { requireAccount } from './account.ts'
import { buildChallenge, grant, prove } from './domain.ts'
import { noDomain } from './get-domain-challenge.ts'
import { domainGrant, loadCredits } from './money.ts'

/** Looks at one domain in a minute, whoever asks: nobody is to be reached through many accounts. */
const looks = 20
const windowMs = 60_000

/** Takes one look at a domain. Throws 429 when they are used up, on whichever replica. */
const takeLook = async (store: Store, domain: string, now: Date): Promise<void> => {
  const until = new Date(now.getTime() + windowMs)
  for (let nth = 0; nth < looks; nth++) if (await store.claim(`broker look ${domain} ${nth}`, until)) return
  throw new ToolError('too_many_requests', `${domain} was looked at ${looks} times within a minute.`, {
    retryAfter: windowMs / 1000,
  })
}

const sentences = {
  ephemeral_domain_no_grant: 'Names on this domain can be had by anybody; it brings no grant.',
  grant_taken_by_account: 'This account took its grant already.',
  grant_taken_for_domain: 'The grant of this domain was taken already.',
} as const

export default tool({
  name: 'verify_domain',
  title: 'Verify the domain',
  description:
    'Looks for the token of get_domain_challenge, by file and by DNS, and adds 20,000 credits when the domain is proven for the first time. Free.',
  keywords: ['ownership', 'prove', 'proof', 'check', 'claim', 'finish'],
  input: z.object({}),
  output: z.object({
    domain: z.string().describe('The domain'),
    verified: z.boolean().describe('True when the token was found'),
    method: z.enum(['http', 'dns']).nullable().describe('Where it was found'),
    granted: z.boolean().describe('True when credits were added'),
    granted_credits: z.number().int().describe('Credits that were added'),
    grant_reason: z.string().nullable().describe('Why no credits were added, or null'),
    available: z.number().int().describe('Credits that can be spent now'),
    detail: z.string().describe('What was found, and what to do'),
  }),
  needs: ['store', 'clock', 'keys', 'ledger', 'fetch', 'dns'],
  price: free,
  auth: ['apiKey'],
  limits: [{ perMinute: 6, per: 'client' }],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  a2a: { tags: ['domain', 'free'] },
  rest: { routes: ['POST /v1/account/domain/verify'] },
  examples: [{}],
  summary: ({ detail }) => detail,
}).run(async ctx => {
  const { store, clock, keys, ledger, caller, signal } = ctx
  const asking = await requireAccount(store, caller)
  const challenge = buildChallenge(keys, asking)
  if (!challenge) throw noDomain(asking)
  const { domain, url, record } = challenge
  await takeLook(store, domain, clock.now())
  const { method, http, dns } = await prove(ctx, challenge, signal)
  return store.transaction(async tx => {
    const account = await requireAccount(tx, caller)
    const reason = method === null ? null : await grant(tx, ledger, account, challenge, clock.now())
    const isGranted = method !== null && reason === null
    const { available } = await loadCredits(tx, ledger, account.id)
    const missing = `The token is at neither place. ${url}: ${http}. TXT ${record}: ${dns}.`
    const finding =
      reason === null
        ? `${domain} is proven; ${domainGrant} credits were added.`
        : `${domain} is proven. ${sentences[reason]}`
    return {
      domain,
      verified: method !== null,
      method,
      granted: isGranted,
      granted_credits: isGranted ? domainGrant : 0,
      grant_reason: reason,
      available,
      detail: method === null ? missing : finding,
    }
  })
})
