import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evmPayer } from '../../../bench/payer.ts'
import { openDevnetKeys } from '../../../mcp/ports/devnet/keys.ts'
import { startApp } from '../../app.ts'
import { onAnvil } from '../../payment/evm-chain.ts'
import { expectDescribed, type OpenApi, openApiAt } from '../../rest/conformance.ts'
import { listingOf } from './market.ts'

let app: Awaited<ReturnType<typeof startApp>>
let described: OpenApi
beforeAll(async () => {
  app = await startApp()
  described = await openApiAt(`${app.url}/broker`)
})
afterAll(() => app.stop())

type Asked = { body?: object; key?: string; status: number; send?: typeof fetch }

/** Calls, expects the status, and holds the answer against the description. */
const ask = async (method: string, path: string, { body, key, status, send = fetch }: Asked) => {
  const response = await send(`${app.url}/broker${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const copy = response.clone()
  expect(response.status, `${method} ${path}: ${await copy.text()}`).toBe(status)
  return expectDescribed(described, method, response)
}

const register = async () => {
  const { api_key } = await ask('POST', '/v1/account/register', {
    body: { accepted_terms: true },
    status: 201,
  })
  return String(api_key)
}

/** An account with contact and route. */
const named = async (domain: string) => {
  const key = await register()
  const contact = {
    contact_name: 'Ada',
    contact_email: `ada@${domain}`,
    contact_url: `https://${domain}/ada`,
  }
  await ask('PUT', '/v1/account/contact', { body: contact, key, status: 200 })
  const route = { deal_route: `https://${domain}/a2a`, route_protocol_binding: 'JSONRPC' }
  await ask('PUT', '/v1/account/route', { body: route, key, status: 200 })
  return key
}

/** The same with the grant of its domain. */
const trader = async (domain: string) => {
  const key = await named(domain)
  const { token, dns_record } = await ask('GET', '/v1/account/domain', { key, status: 200 })
  app.internet.dns.zone.set(String(dns_record), { TXT: [String(token)] })
  expect(await ask('POST', '/v1/account/domain/verify', { key, status: 200 })).toMatchObject({
    granted: true,
  })
  return key
}

const hashIn = ({ standing }: Record<string, unknown>) => (standing as { terms_hash: string }).terms_hash

describe('every answer is as the description says', () => {
  test('from the registration to a rated deal', async () => {
    await ask('GET', '/v1/onboarding', { status: 200 })
    await ask('POST', '/v1/account/register', { body: {}, status: 428 })
    await ask('POST', '/v1/account/register', { body: { accepted_terms: 'true' }, status: 428 })
    const bare = await register()
    await ask('GET', '/v1/account/domain', { key: bare, status: 428 })
    await ask('PUT', '/v1/account/route', { key: bare, body: { deal_route: 'http://a' }, status: 422 })
    const seller = await trader('seller-agents.com')
    const buyer = await trader('buyer-agents.com')
    const idle = await trader('idle-agents.com')

    await ask('POST', '/v1/listings', { body: listingOf, status: 401 })
    await ask('POST', '/v1/listings', { body: listingOf, key: 'brk_nobody', status: 401 })
    const leak = { ...listingOf, body: 'Write to ada@agents.dev' }
    await ask('POST', '/v1/listings', { body: leak, key: seller, status: 422 })
    await ask('POST', '/v1/listings', {
      body: { ...listingOf, listing_type: 'rent' },
      key: seller,
      status: 422,
    })
    await ask('POST', '/v1/listings', { body: { ...listingOf, dry_run: true }, key: seller, status: 200 })
    const { listing_id } = await ask('POST', '/v1/listings', { body: listingOf, key: seller, status: 201 })
    const hosted = (await ask('POST', '/v1/listings', { body: listingOf, key: bare, status: 201 })).listing_id

    expect(await ask('GET', '/v1/feed?type=sell&q=market', { key: buyer, status: 200 })).toMatchObject({
      count: 2,
    })
    await ask('GET', '/v1/feed?limit=0', { key: buyer, status: 422 })
    await ask('GET', '/v1/feed?after=made-up', { key: buyer, status: 422 })
    await ask('GET', `/v1/listings/${listing_id}`, { key: buyer, status: 200 })
    await ask('GET', '/v1/listings/lst_none', { key: buyer, status: 404 })
    await ask('GET', '/v1/listings/mine', { key: seller, status: 200 })

    const threads = `/v1/listings/${listing_id}/threads`
    const first = { text: 'For ten I take it.', patch: { price_usd: 10, license: 'all uses' } }
    await ask('POST', threads, { body: first, key: seller, status: 409 })
    await ask('POST', threads, { body: first, key: bare, status: 428 })
    await ask('POST', threads, { body: {}, key: buyer, status: 422 })
    await ask('POST', `/v1/listings/${hosted}/threads`, { body: first, key: buyer, status: 428 })
    await ask('POST', threads, { body: { ...first, dry_run: true }, key: buyer, status: 200 })
    const opened = await ask('POST', threads, { body: first, key: buyer, status: 201 })
    await ask('POST', threads, { body: first, key: buyer, status: 409 })
    const other = await ask('POST', threads, { body: first, key: idle, status: 201 })
    await ask('GET', threads, { key: seller, status: 200 })
    await ask('GET', threads, { key: buyer, status: 404 })
    await ask('GET', '/v1/threads', { key: buyer, status: 200 })

    const thread = `/v1/threads/${opened.thread_id}`
    await ask('GET', thread, { key: idle, status: 404 })
    await ask('POST', `${thread}/offers`, { body: { text: 'Nine?' }, key: buyer, status: 409 })
    const counter = await ask('POST', `${thread}/offers`, {
      body: { patch: { price_usd: '11.5', license: null }, expires_in_hours: 5 },
      key: seller,
      status: 200,
    })
    const terms_hash = hashIn(counter)
    await ask('POST', `${thread}/accept`, { body: { terms_hash: hashIn(opened) }, key: buyer, status: 409 })
    await ask('POST', `${thread}/finalize`, { body: {}, key: seller, status: 409 })
    await ask('POST', `${thread}/finalize`, { body: {}, key: buyer, status: 403 })
    await ask('POST', `${thread}/accept`, { body: { terms_hash }, key: buyer, status: 200 })
    await ask('GET', thread, { key: seller, status: 200 })
    await ask('POST', `${thread}/finalize`, { body: { dry_run: true }, key: seller, status: 200 })
    const sealed = await ask('POST', `${thread}/finalize`, { body: { terms_hash }, key: seller, status: 200 })
    expect(sealed).toMatchObject({ price_usd: '11.50', reveal: { contact_email: 'ada@buyer-agents.com' } })
    await ask('POST', `${thread}/finalize`, { body: {}, key: seller, status: 409 })
    await ask('POST', `/v1/threads/${other.thread_id}/offers`, {
      body: { text: 'Hi' },
      key: seller,
      status: 410,
    })
    await ask('POST', `/v1/threads/${other.thread_id}/close`, { key: idle, status: 410 })
    await ask('POST', threads, { body: first, key: idle, status: 410 })

    const deal = `/v1/deals/${sealed.deal_id}`
    await ask('GET', deal, { key: buyer, status: 200 })
    await ask('GET', deal, { key: idle, status: 404 })
    await ask('GET', '/v1/deals', { key: seller, status: 200 })
    await ask('POST', `${deal}/ratings`, { body: { score: 6 }, key: buyer, status: 422 })
    await ask('POST', `${deal}/ratings`, { body: { score: 5, delivered: true }, key: buyer, status: 200 })
    await ask('POST', `${deal}/ratings`, { body: { score: 5 }, key: buyer, status: 409 })
    await ask('POST', `${deal}/ratings`, { body: { score: 4 }, key: seller, status: 200 })
    await ask('POST', `${deal}/dispute`, { body: { statement: 'It came late.' }, key: buyer, status: 200 })
    await ask('POST', `${deal}/dispute`, { body: { statement: 'Again.' }, key: buyer, status: 409 })

    const { handle } = await ask('GET', '/v1/account', { key: seller, status: 200 })
    await ask('GET', `/v1/reputation/${handle}`, { status: 200 })
    await ask('GET', '/v1/reputation/0000000000ff', { status: 404 })
    await ask('GET', '/v1/reputation/nobody', { status: 422 })
    const { attestation } = await ask('POST', '/v1/account/reputation/attestation', {
      key: seller,
      status: 200,
    })
    for (const document of [attestation, sealed.receipt, sealed.credential])
      expect(await ask('POST', '/v1/verify', { body: { document }, status: 200 })).toMatchObject({
        valid: true,
      })
    await ask('POST', '/v1/verify', { body: { document: 'nothing' }, status: 200 })
    await ask('GET', '/v1/events?since=0', { key: seller, status: 200 })
    await ask('GET', '/v1/events?since=-1', { key: seller, status: 422 })
    await ask('GET', '/v1/account/profile', { key: seller, status: 200 })
    await ask('GET', '/v1/account/credits', { key: seller, status: 200 })
    await ask('POST', `/v1/listings/${hosted}/withdraw`, { key: bare, status: 200 })
    await ask('POST', `/v1/listings/${hosted}/withdraw`, { key: bare, status: 409 })
    const { api_key } = await ask('POST', '/v1/account/keys/rotate', { key: bare, status: 200 })
    await ask('GET', '/v1/account', { key: bare, status: 401 })
    await ask('GET', '/v1/account', { key: String(api_key), status: 200 })
  })
})

onAnvil('what is paid by x402', () => {
  test('is described too, and a sealing that a payment came with reveals by get_deal only', async () => {
    const payer = evmPayer((await openDevnetKeys(app.dir)).demo)
    const poster = await named('poster-agents.com')
    const negotiator = await trader('negotiator-agents.com')
    const { listing_id } = await ask('POST', '/v1/listings', { body: listingOf, key: poster, status: 201 })
    const opened = await ask('POST', `/v1/listings/${listing_id}/threads`, {
      body: { text: 'As it is.' },
      key: negotiator,
      status: 201,
    })
    const body = { terms_hash: hashIn(opened) }
    const finalize = `/v1/threads/${opened.thread_id}/finalize`
    await ask('POST', finalize, { body, key: poster, status: 402 })
    await ask('POST', finalize, { body: { terms_hash: 'sha256:0' }, key: poster, status: 409 })
    const sealed = await ask('POST', finalize, { body, key: poster, status: 200, send: payer.fetch })
    expect(sealed).toMatchObject({
      reveal: null,
      terms: null,
      credential: null,
      charges: [{ credits: 2000 }],
    })
    expect(JSON.stringify(sealed)).not.toContain('ada@')
    expect(await ask('GET', `/v1/deals/${sealed.deal_id}`, { key: poster, status: 200 })).toMatchObject({
      reveal: { contact_email: 'ada@negotiator-agents.com' },
    })
    await ask('GET', '/v1/feed', { status: 402 })
    await ask('GET', '/v1/listings/lst_none', { status: 404 })
    await ask('GET', '/v1/feed', { status: 200, send: payer.fetch })
    await ask('POST', '/v1/account/credits', { body: { usd: '3' }, key: poster, status: 422 })
    await ask('POST', '/v1/account/credits', { body: {}, key: poster, status: 402 })
    await ask('POST', '/v1/account/credits', { body: {}, key: poster, status: 200, send: payer.fetch })
  })
})
