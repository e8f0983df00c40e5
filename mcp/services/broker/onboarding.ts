import { z } from 'zod'
import { callName } from '../../kernel/service.ts'
import { free, tool } from '../../kernel/tool.ts'
import { domainGrant, fees, freeListings, topUps, toUsd } from './money.ts'

const Price = z.object({
  what: z.string().describe('What costs it'),
  credits: z.number().int().describe('Credits'),
  usd: z.string().describe('The same in USD'),
  when: z.string().describe('When it is taken'),
})

const price = (what: string, credits: number, when: string) => ({ what, credits, usd: toUsd(credits), when })

const prices = [
  price('A page of the feed', fees.meteredRead, 'at the call'),
  price('One listing', fees.meteredRead, 'at the call'),
  price(
    'Posting a listing',
    fees.listing + fees.meteredRead,
    `at the call; the first ${freeListings} of an account that was never funded are free`,
  ),
  price('A sealed deal, negotiator', fees.deal, 'held at the opening of the thread, taken at the sealing'),
  price('A sealed deal, poster', fees.deal, 'at the sealing'),
]

/** The way from registration to a sealed deal; `call` names a tool as the caller's transport does. */
const steps = (call: (tool: string) => string): string[] => [
  `${call('preview_board')} and ${call('board_stats')} show the board without a key`,
  `${call('register_account')} with accepted_terms: true; keep api_key and send it as Authorization: Bearer <key> or X-API-Key`,
  `${call('set_contact')} and ${call('set_route')}`,
  `Get credits: prove your domain (${call('get_domain_challenge')}, ${call('verify_domain')}) or pay by x402 (${call('add_credits')})`,
  `${call('post_listing')}, or ${call('browse_feed')} and ${call('open_thread')} with a listing_id`,
  `Take turns with ${call('make_offer')}; ${call('accept_offer')} with the terms_hash of the standing offer`,
  `The poster seals with ${call('finalize_deal')}; then each side has the other's contact, endpoint and a credential`,
  `${call('wait_events')} tells what happened meanwhile`,
]

export default tool({
  name: 'onboarding',
  title: 'How to trade here',
  description:
    'Returns the price list, the steps from registration to a sealed deal, and where the OpenAPI description, the guide and the x402 manifest are. Free.',
  keywords: ['broker', 'help', 'start', 'commission', 'fees', 'terms'],
  input: z.object({}),
  output: z.object({
    prices: z.array(Price).describe('Every price there is'),
    credit_usd: z.string().describe('USD of one credit'),
    top_ups: z.record(z.string(), z.number().int()).describe('Credits by USD paid by x402'),
    domain_grant_credits: z.number().int().describe('What a proven domain brings, once'),
    free_listings: z.number().int().describe('Listings that are free for an account never funded'),
    steps: z.array(z.string()).describe('From registration to a sealed deal'),
    links: z.record(z.string(), z.url()).describe('openapi, guide, terms, x402_manifest, jwks, card, mcp'),
  }),
  needs: [],
  price: free,
  auth: ['public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { text: ['onboarding'], tags: ['onboarding', 'free'] },
  rest: { routes: ['GET /v1/onboarding'] },
  examples: [{}],
  summary: () => 'Listing 201 credits, deal 2,000 credits a side; one credit is 0.0005 USD.',
}).run(async ({ base, service, channel }) => ({
  prices,
  credit_usd: toUsd(1),
  top_ups: { ...topUps },
  domain_grant_credits: domainGrant,
  free_listings: freeListings,
  steps: steps(name => callName(service, name, channel)),
  links: {
    openapi: `${base}/openapi.json`,
    guide: `${base}/guide`,
    terms: `${base}/terms`,
    x402_manifest: `${base}/.well-known/x402`,
    jwks: `${base}/.well-known/jwks.json`,
    card: `${base}/.well-known/agent-card.json`,
    mcp: `${base}/mcp`,
  },
}))
