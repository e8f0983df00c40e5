import {
  type App,
  fromSomewhere,
  type Headers,
  nextNumber,
  type Scenario,
  type ServiceScenarios,
} from '../../contract/scenario.ts'

const broker =
  (app: App, headers: Headers = {}) =>
  async (method: string, path: string, body?: object) => {
    const response = await fetch(`${app.url}/broker${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...fromSomewhere(), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Record<string, string>
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }

/** A broker account with contact, route and the grant of a domain of its own. */
const trader = async (app: App) => {
  const domain = `trader-${nextNumber()}.com`
  const { api_key = '', handle = '' } = await broker(app)('POST', '/v1/account/register', {
    accepted_terms: true,
  })
  const headers = { 'x-api-key': api_key }
  const ask = broker(app, headers)
  await ask('PUT', '/v1/account/contact', { contact_name: 'Ada', contact_email: `ada@${domain}` })
  await ask('PUT', '/v1/account/route', { deal_route: `https://${domain}/a2a` })
  const { token = '', dns_record = '' } = await ask('GET', '/v1/account/domain')
  app.internet.dns.zone.set(dns_record, { TXT: [token] })
  await ask('POST', '/v1/account/domain/verify')
  return { headers, handle, ask }
}

const listed = async (app: App) => {
  const poster = await trader(app)
  const { listing_id = '' } = await poster.ask('POST', '/v1/listings', {
    listing_type: 'sell',
    title: 'A briefing',
    body: 'Ten pages.',
    price_usd: 5,
  })
  return { poster, listing_id }
}

const negotiated = async (app: App) => {
  const { poster, listing_id } = await listed(app)
  const negotiator = await trader(app)
  const thread = await negotiator.ask('POST', `/v1/listings/${listing_id}/threads`, { text: 'As it is.' })
  const { terms_hash } = thread.standing as unknown as { terms_hash: string }
  return { poster, negotiator, listing_id, id: thread.thread_id, terms_hash }
}

const sealed = async (app: App) => {
  const { poster, id, terms_hash } = await negotiated(app)
  const { deal_id } = await poster.ask('POST', `/v1/threads/${id}/finalize`, { terms_hash })
  return { poster, id: deal_id }
}

const asTrader: Scenario = async (app, input) => ({ input, headers: (await trader(app)).headers })

const onListing: Scenario = async (app, input) => {
  const { poster, listing_id } = await listed(app)
  return { input: { ...input, listing_id }, headers: poster.headers }
}

const onThread =
  (side: 'poster' | 'negotiator', withHash: boolean): Scenario =>
  async (app, input) => {
    const { [side]: who, id, terms_hash } = await negotiated(app)
    return { input: { ...input, thread_id: id, ...(withHash && { terms_hash }) }, headers: who.headers }
  }

const onDeal: Scenario = async (app, input) => {
  const { poster, id } = await sealed(app)
  return { input: { ...input, deal_id: id }, headers: poster.headers }
}

export const brokerScenarios: ServiceScenarios = {
  tools: {
    browse_feed: asTrader,
    get_listing: onListing,
    withdraw_listing: onListing,
    listing_threads: onListing,
    open_thread: async (app, input) => {
      const { listing_id } = await listed(app)
      return { input: { ...input, listing_id }, headers: (await trader(app)).headers }
    },
    get_thread: onThread('negotiator', false),
    close_thread: onThread('negotiator', false),
    make_offer: onThread('poster', false),
    accept_offer: onThread('poster', true),
    finalize_deal: onThread('poster', true),
    get_deal: onDeal,
    rate_deal: onDeal,
    dispute_deal: onDeal,
    get_reputation: async (app, input) => ({
      input: { ...input, handle: (await trader(app)).handle },
      headers: {},
    }),
  },
  credentials: async app => (await trader(app)).headers,
}
