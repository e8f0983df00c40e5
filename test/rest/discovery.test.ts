// Costs: the whole program behind a proxy, with a local chain, and every document of nine places.
import { Validator } from '@seriousme/openapi-schema-validator'
import { HTTPFacilitatorClient } from '@x402/core/http'
import { PaymentRequirementsV2Schema } from '@x402/core/schemas'
import { validateDiscoveryExtension, withBazaar } from '@x402/extensions/bazaar'
import { createTestClient, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import type { Fetch } from '../../mcp/ports/fetch/port.ts'
import { startApp } from '../app.ts'
import { publish } from '../internet/publish.ts'
import { canPay, openTestDevnet } from '../payment/evm-chain.ts'
import {
  AgentRegistration,
  Linkset,
  parseLlmsText,
  parseSitemap,
  ServerDetail,
  ServerMetadata,
  X402Manifest,
} from './discovery-schemas.ts'

const host = 'octagent.example.com'
/** Behind a proxy, below a path. */
const base = `https://${host}/agents`
const registry = '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432'

let app: Awaited<ReturnType<typeof startApp>>
let net: Awaited<ReturnType<typeof openTestDevnet>> | undefined
let visit: Fetch
beforeAll(async () => {
  net = canPay ? await openTestDevnet() : undefined
  const rpc = net ? (await net.devnet.network('base')).rpc : 'http://127.0.0.1:1'
  const gas = generatePrivateKey()
  const { address } = privateKeyToAccount(gas)
  await createTestClient({ mode: 'anvil', transport: http(rpc) })
    .setBalance({ address, value: 10n ** 18n })
    .catch(() => undefined)
  app = await startApp({
    PUBLIC_URL: base,
    OCTAGENT_NETWORKS: `base=${rpc}`,
    OCTAGENT_PAY_TO: privateKeyToAccount(generatePrivateKey()).address,
    OCTAGENT_FACILITATOR_KEY: gas,
    OCTAGENT_AGENT_IDS: `eip155:8453:${registry}:7,cat=eip155:8453:${registry}:22`,
  })
  publish(app.internet, host, '/agents', () => app.url)
  visit = app.internet.ports().fetch
})
afterAll(async () => {
  await app.stop()
  await net?.close()
})

const get = async (path: string, options: Parameters<Fetch>[1] = {}) => {
  // Each over a connection of its own: in one process a busy minute lets the server close a kept one just as it is used.
  const { status, headers, body } = await visit(base + path, { maxBytes: 8 << 20, fresh: true, ...options })
  return { status, headers, text: body.toString('utf8') }
}
const read = async (path: string) => {
  const { status, text } = await get(path)
  expect([path, status]).toEqual([path, 200])
  return JSON.parse(text)
}

const places = [
  { at: '', slug: undefined, name: 'Octagent', all: services },
  ...services.map(service => ({
    at: `/${service.slug}`,
    slug: service.slug,
    name: service.name,
    all: [service],
  })),
]

/** Addresses in a document that are this installation's: absolute, and all under the one that it is reached at. */
const expectOwn = (text: string) => {
  expect(text).toContain(base)
  expect(text).not.toContain(app.url)
  for (const [url] of text.matchAll(/https?:\/\/octagent\.example\.com[^\s"'<>)`]*/g))
    expect(url.startsWith(base), url).toBe(true)
}

describe.each(places)('what $name is found by', ({ at, slug, name, all }) => {
  test('server.json is an entry that registries of MCP servers take', async () => {
    const entry = ServerDetail.parse(await read(`${at}/server.json`))
    expect(entry.name).toBe(`com.example.octagent/agents${slug ? `.${slug}` : ''}`)
    expect(entry.remotes.map(({ url }) => url)).toEqual([`${base}${at}/mcp`])
  })

  test('agent-registration.json has the structure of ERC-8004, and proves what is registered', async () => {
    const file = AgentRegistration.parse(await read(`${at}/.well-known/agent-registration.json`))
    const cards = file.services.filter(each => each.name === 'A2A').map(({ endpoint }) => endpoint)
    expect(cards).toEqual(all.map(service => `${base}/${service.slug}${service.card.path}`))
    for (const card of cards) expect((await visit(card)).status).toBe(200)
    const ids = { cat: 22, '': 7 } as Record<string, number>
    const agentId = ids[slug ?? '']
    expect(file.registrations).toEqual(
      agentId === undefined ? [] : [{ agentId, agentRegistry: `eip155:8453:${registry}` }],
    )
  })

  test('/.well-known/x402 is the manifest of its draft, with what x402 takes as its 402 says', async () => {
    const { resources } = X402Manifest.parse(await read(`${at}/.well-known/x402`))
    for (const { url, accepts = [] } of resources) {
      expect(url.startsWith(`${base}${at}/`), url).toBe(true)
      for (const offer of accepts) PaymentRequirementsV2Schema.parse(offer)
    }
    const dollars = all.flatMap(({ tools }) =>
      tools.filter(
        ({ price: { unit, network = 'base', terms, amount } }) =>
          unit === 'usd' && network === 'base' && !terms && Number(amount) > 0,
      ),
    )
    const sold = resources.filter(({ accepts }) => accepts).map(({ tool }) => tool)
    if (canPay) for (const tool of dollars) expect(sold, tool.name).toContain(tool.name)
  })

  test('llms.txt is one, and its links lead somewhere', async () => {
    const { title, sections } = parseLlmsText((await get(`${at}/llms.txt`)).text)
    expect(title).toBe(name)
    expect(sections.map(({ heading }) => heading)).toEqual(
      slug ? expect.arrayContaining(['Tools', 'Documents']) : ['Services', 'Documents'],
    )
    for (const { url } of sections.flatMap(({ heading, links }) => (heading === 'Tools' ? [] : links)))
      expect([url, (await visit(url, { maxBytes: 8 << 20 })).status]).toEqual([url, 200])
  })

  test('sitemap.xml is one, of pages that are there', async () => {
    const pages = parseSitemap((await get(`${at}/sitemap.xml`)).text)
    expect(pages).toContain(`${base}${at}/`)
    for (const page of slug ? pages : pages.slice(0, 2))
      expect([page, (await visit(page, { accept: 'text/html' })).status]).toEqual([page, 200])
  })

  test('names addresses under the public one alone', async () => {
    for (const path of [
      '/server.json',
      '/.well-known/agent-registration.json',
      '/.well-known/x402',
      '/llms.txt',
      '/llms-full.txt',
      '/sitemap.xml',
    ])
      expectOwn((await get(at + path)).text)
  })
})

test.each(services)('$slug has an OpenAPI description with licence and contact', async ({ slug }) => {
  const described = await read(`/${slug}/openapi.json`)
  const { valid, errors } = await new Validator().validate(structuredClone(described))
  expect([valid, errors]).toEqual([true, undefined])
  expect(described.info).toMatchObject({
    contact: { name: 'Octagent', url: base },
    license: { name: 'MIT', identifier: 'MIT' },
  })
  expectOwn(JSON.stringify(described.servers))
})

test('the API catalogue is a linkset that leads to every document of every service', async () => {
  const { headers, text } = await get('/.well-known/api-catalog')
  expect(headers['content-type']).toBe(
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  )
  expect(headers.link).toBe(`<${base}/.well-known/api-catalog>; rel="api-catalog"`)
  const { linkset } = Linkset.parse(JSON.parse(text))
  expectOwn(text)
  expect(linkset[0]?.item?.map(({ href }) => href)).toEqual(services.map(({ slug }) => `${base}/${slug}/`))
  expect(linkset.map(({ anchor }) => anchor)).toEqual([
    `${base}/.well-known/api-catalog`,
    `${base}/mcp`,
    ...services.map(({ slug }) => `${base}/${slug}/`),
  ])
  const cat = linkset.find(({ anchor }) => anchor === `${base}/cat/`)
  for (const { href, type } of [
    ...(cat?.['service-desc'] ?? []),
    ...(cat?.['service-doc'] ?? []),
    ...(cat?.['service-meta'] ?? []),
  ]) {
    const { status, headers: own } = await visit(href)
    expect([href, status, own['content-type']]).toEqual([href, 200, type])
  }
})

test.each(['', '/auth'])('the authorization server describes itself at its well-known path%s', async at => {
  const { text, status } = await get(`/.well-known/oauth-authorization-server${at}`)
  expect(status).toBe(200)
  expect(ServerMetadata.parse(JSON.parse(text)).issuer).toBe(`${base}/auth`)
  expectOwn(text)
})

test('robots.txt leads to the sitemap', async () => {
  expect((await get('/robots.txt')).text).toContain(`\nSitemap: ${base}/sitemap.xml\n`)
})

describe.skipIf(!canPay)('the catalogue of paid resources', () => {
  const open = () => withBazaar(new HTTPFacilitatorClient({ url: app.url })).extensions.bazaar

  test('is read by the stock client page by page, each resource once', async () => {
    const bazaar = open()
    const seen: string[] = []
    for (let offset = 0; ; offset += 7) {
      const { x402Version, items, pagination } = await bazaar.listResources({ limit: 7, offset })
      expect([x402Version, pagination.limit, pagination.offset]).toEqual([2, 7, offset])
      seen.push(...items.map(({ resource }) => resource))
      for (const item of items) {
        expect(item).toMatchObject({ type: 'http', x402Version: 2, mimeType: 'application/json' })
        expect(new Date(item.lastUpdated).toISOString()).toBe(item.lastUpdated)
        expect(item.accepts.length).toBeGreaterThan(0)
        for (const offer of item.accepts) PaymentRequirementsV2Schema.parse(offer)
        expect(validateDiscoveryExtension(item.extensions?.bazaar as never)).toEqual({ valid: true })
        expectOwn(JSON.stringify(item))
      }
      if (items.length === 0) {
        expect(seen).toHaveLength(pagination.total)
        break
      }
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toContain(`${base}/cat/tools/feed`)
  })

  test('asks for what the 402 of the address asks for', async () => {
    const { items } = await open().listResources({ limit: 100 })
    const feed = items.find(({ resource }) => resource.endsWith('/cat/tools/feed'))
    const refusal = await visit(`${base}/cat/tools/feed`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    const { paymentRequired } = JSON.parse(refusal.body.toString('utf8'))
    const plain = ({ extra: { quote: _, ...extra }, ...offer }: { extra: Record<string, unknown> }) => ({
      ...offer,
      extra,
    })
    expect(refusal.status).toBe(402)
    expect(feed?.accepts).toEqual(paymentRequired.accepts.map(plain))
  })

  test('is filtered, and searched in words', async () => {
    const bazaar = open()
    const total = async (params: object) =>
      (await bazaar.listResources({ limit: 1, ...params })).pagination.total
    const all = await total({})
    expect(await total({ network: 'eip155:8453', scheme: 'exact', type: 'http', extensions: 'bazaar' })).toBe(
      all,
    )
    expect(await total({ network: 'eip155:1' })).toBe(0)
    expect(await total({ payTo: `0x${'1'.repeat(40)}` })).toBe(0)
    const { resources } = await bazaar.search({ query: 'feed the cat', limit: 3 })
    expect(resources[0]?.resource).toBe(`${base}/cat/tools/feed`)
  })

  test.each([
    ['/discovery/resources?limit=0', 'limit'],
    ['/discovery/resources?offset=-1', 'offset'],
    ['/discovery/resources?limit=ten', 'limit'],
    ['/discovery/search?query=x&cursor=y', 'cursor'],
    ['/discovery/agents?limit=1000', 'limit'],
  ])('refuses %s by the name of the parameter', async (path, field) => {
    const { status, text } = await get(path)
    expect([status, JSON.parse(text).issues.map((issue: { path: string }) => issue.path)]).toEqual([
      422,
      [field],
    ])
  })
})
