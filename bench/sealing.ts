import type { Internet } from '../test/internet/internet.ts'

type Answer = Record<string, unknown>

const ask = async (
  base: string,
  method: string,
  path: string,
  body?: object,
  key?: string,
): Promise<Answer> => {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Answer
}

/** Registers, tells contact and route, and proves the domain: five calls. */
const enter = async (base: string, internet: Internet, domain: string): Promise<string> => {
  const { api_key } = await ask(base, 'POST', '/v1/account/register', { accepted_terms: true })
  const key = String(api_key)
  const contact = { contact_name: 'Ada', contact_email: `ada@${domain}` }
  await ask(base, 'PUT', '/v1/account/contact', contact, key)
  await ask(base, 'PUT', '/v1/account/route', { deal_route: `https://${domain}/a2a` }, key)
  const { token, dns_record } = await ask(base, 'GET', '/v1/account/domain', undefined, key)
  internet.dns.zone.set(String(dns_record), { TXT: [String(token)] })
  const { granted } = await ask(base, 'POST', '/v1/account/domain/verify', {}, key)
  if (!granted) throw new Error(`${domain} brought no credits`)
  return key
}

/** Everything from two registrations to a deal that both sides have read: 19 calls, one after the other. */
export const sealDeal = async (base: string, internet: Internet, name: string): Promise<void> => {
  const seller = await enter(base, internet, `${name}-seller.com`)
  const buyer = await enter(base, internet, `${name}-buyer.com`)
  const listing = { listing_type: 'sell', title: 'A briefing', body: 'Ten pages.', price_usd: 12.5 }
  const { listing_id } = await ask(base, 'POST', '/v1/listings', listing, seller)
  await ask(base, 'GET', '/v1/feed?q=briefing', undefined, buyer)
  await ask(base, 'GET', `/v1/listings/${listing_id}`, undefined, buyer)
  const offer = { text: 'For ten I take it.', patch: { price_usd: 10 } }
  const { thread_id } = await ask(base, 'POST', `/v1/listings/${listing_id}/threads`, offer, buyer)
  const thread = `/v1/threads/${thread_id}`
  await ask(base, 'GET', thread, undefined, seller)
  const counter = await ask(base, 'POST', `${thread}/offers`, { patch: { price_usd: 11 } }, seller)
  const { terms_hash } = counter.standing as { terms_hash: string }
  await ask(base, 'POST', `${thread}/accept`, { terms_hash }, buyer)
  const { deal_id } = await ask(base, 'POST', `${thread}/finalize`, {}, seller)
  await ask(base, 'GET', `/v1/deals/${deal_id}`, undefined, buyer)
}
