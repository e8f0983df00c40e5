import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { callName } from '../../kernel/service.ts'
import { free, tool } from '../../kernel/tool.ts'
import { type Account, requireAccount } from './account.ts'
import { buildChallenge, refusalReason, suffixRefusal } from './domain.ts'
import { domainGrant } from './money.ts'

/** Why an account has no domain to prove: it has no route, or one from before public suffixes were refused. */
export const noDomain = ({ deal_route }: Pick<Account, 'deal_route'>) =>
  new ToolError(
    'precondition_required',
    deal_route === null
      ? 'Set deal_route first: its domain is the one to prove.'
      : `deal_route: ${suffixRefusal(new URL(deal_route).hostname)}.`,
    {
      reason: deal_route === null ? 'missing_deal_route_self' : 'deal_route_is_public_suffix',
      params: { missing: ['deal_route'] },
      next: ['set_route'],
    },
  )

export default tool({
  name: 'get_domain_challenge',
  title: 'Get the domain challenge',
  description:
    'Returns the token that proves control of the domain of your deal route, by file or by DNS. Proven once, it brings 20,000 credits (10.00 USD), once per domain and per account. Free.',
  keywords: ['verification', 'own', 'verify', 'ownership', 'earn', 'txt'],
  input: z.object({}),
  output: z.object({
    domain: z.string().describe('The registrable domain to prove'),
    token: z.string().describe('The token'),
    http_url: z.string().describe('Serve the token here as plain text'),
    dns_record: z.string().describe('Or put it into a TXT record of this name'),
    grant_credits: z
      .number()
      .int()
      .describe('What the proof brings, unless the domain brought it before; 0 when it brings nothing'),
    grant_reason: z.string().nullable().describe('Why it brings nothing, or null'),
    next: z.string().describe('What to call when it is there'),
  }),
  needs: ['store', 'keys'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['domain', 'free'] },
  rest: { routes: ['GET /v1/account/domain'] },
  examples: [{}],
  summary: ({ domain }) => `Prove ${domain}.`,
}).run(async ({ store, keys, caller, service, channel }) => {
  const account = await requireAccount(store, caller)
  const challenge = buildChallenge(keys, account)
  if (!challenge) throw noDomain(account)
  const refusal = await refusalReason(store, account, challenge)
  // Whether anybody has a domain here is for who has proven it.
  const reason = refusal === 'grant_taken_for_domain' ? null : refusal
  return {
    domain: challenge.domain,
    token: challenge.token,
    http_url: challenge.url,
    dns_record: challenge.record,
    grant_credits: reason === null ? domainGrant : 0,
    grant_reason: reason,
    next: callName(service, 'verify_domain', channel),
  }
})
