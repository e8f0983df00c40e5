import type { Service } from '../../mcp/kernel/service.ts'
import type { AnyTool } from '../../mcp/kernel/tool.ts'
import type { startApp } from '../app.ts'
import { sendTip } from '../payment/tip.ts'

type App = Awaited<ReturnType<typeof startApp>>
type Input = Record<string, unknown>

/** An input that works in this world right now, and the credentials it needs. */
export type Prepared = { input: Input; headers: Record<string, string> }

let clients = 0

/** Each call comes from a client of its own, so that limits per client do not add up. */
export const fromSomewhere = (): Record<string, string> => {
  clients++
  return { 'x-forwarded-for': `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}` }
}

let traders = 0

const broker =
  (app: App, headers: Record<string, string> = {}) =>
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
  const domain = `trader-${++traders}.com`
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

/** A new member of the gateway, by its key. */
const member = async (app: App): Promise<Record<string, string>> => {
  const response = await fetch(`${app.url}/gateway/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...fromSomewhere() },
    body: JSON.stringify({ external_id: `member-${++traders}`, name: 'Ada', capabilities: ['translation'] }),
  })
  const { agent_key } = (await response.json()) as { agent_key: string }
  return { authorization: `Bearer ${agent_key}` }
}

const asMember: Prepare = async (app, input) => ({ input, headers: await member(app) })

/** A callability action of a new member. */
const acted: Prepare = async (app, input) => {
  const headers = await member(app)
  const response = await fetch(`${app.url}/gateway/actions/verify-callability`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      query: 'translation',
      candidate_identifier: 'https://example.com/',
      authorize_external_contact: true,
    }),
  })
  const { action_id } = (await response.json()) as { action_id: string }
  return { input: { ...input, action_id }, headers }
}

type Prepare = (app: App, input: Input) => Promise<Prepared>

const asTrader: Prepare = async (app, input) => ({ input, headers: (await trader(app)).headers })

const onListing =
  (field: string): Prepare =>
  async (app, input) => {
    const { poster, listing_id } = await listed(app)
    return { input: { ...input, [field]: listing_id }, headers: poster.headers }
  }

const onThread =
  (side: 'poster' | 'negotiator', withHash: boolean): Prepare =>
  async (app, input) => {
    const { [side]: who, id, terms_hash } = await negotiated(app)
    return { input: { ...input, id, ...(withHash && { terms_hash }) }, headers: who.headers }
  }

const onDeal: Prepare = async (app, input) => {
  const { poster, id } = await sealed(app)
  return { input: { ...input, id }, headers: poster.headers }
}

const special: Record<string, Prepare> = {
  'cat.claim_tip': async (app, input) => ({ input: { ...input, tx_hash: await sendTip(app) }, headers: {} }),
  'gateway.join_svc': async (_, input) => ({
    input: { ...input, external_id: `joiner-${++traders}` },
    headers: {},
  }),
  'gateway.verify_external_callability': asMember,
  'gateway.get_action_status': acted,
  'broker.browse_feed': asTrader,
  'broker.get_listing': onListing('id'),
  'broker.withdraw_listing': onListing('id'),
  'broker.listing_threads': onListing('listing'),
  'broker.open_thread': async (app, input) => {
    const { listing_id } = await listed(app)
    return { input: { ...input, listing: listing_id }, headers: (await trader(app)).headers }
  },
  'broker.get_thread': onThread('negotiator', false),
  'broker.close_thread': onThread('negotiator', false),
  'broker.make_offer': onThread('poster', false),
  'broker.accept_offer': onThread('poster', true),
  'broker.finalize_deal': onThread('poster', true),
  'broker.get_deal': onDeal,
  'broker.rate_deal': onDeal,
  'broker.dispute_deal': onDeal,
  'broker.get_reputation': async (app, input) => ({
    input: { ...input, handle: (await trader(app)).handle },
    headers: {},
  }),
}

const isOpen = (service: Service, tool: AnyTool) => (tool.auth ?? service.auth).includes('public')

/** Tools whose example is answered only after money moved on a chain; tests of their own do that. */
const afterPayment = new Set(['gateway.get_purchase', 'gateway.reconcile_purchase'])

/** Whether an example can be answered here. Over A2A the purchase is guidance; else it asks to be paid directly. */
export const isAnswerable = (service: Service, tool: AnyTool, way: string): boolean => {
  const name = `${service.slug}.${tool.name}`
  return !afterPayment.has(name) && (name !== 'gateway.purchase_route_intelligence' || way.startsWith('a2a'))
}

/** What an example needs around it to work: an account, a listing, a thread, a deal, a tip. */
export const prepare = async (app: App, service: Service, tool: AnyTool, input: Input): Promise<Prepared> => {
  const found = special[`${service.slug}.${tool.name}`]
  if (found) return found(app, input)
  return isOpen(service, tool) ? { input, headers: {} } : asTrader(app, input)
}

const known = new WeakMap<App, Record<string, Promise<Record<string, string>>>>()

/** Credentials for calls that only meet the schema, the same for all of them. */
export const credentialsFor = async (
  app: App,
  service: Service,
  tool: AnyTool,
): Promise<Record<string, string>> => {
  if (isOpen(service, tool) && tool.price.unit !== 'credit') return {}
  const kept = known.get(app) ?? {}
  known.set(app, kept)
  kept[service.slug] ??= service.slug === 'gateway' ? member(app) : trader(app).then(({ headers }) => headers)
  return kept[service.slug] ?? {}
}
