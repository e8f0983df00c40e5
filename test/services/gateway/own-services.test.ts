// Costs: the whole program on the local internet, with a local chain, judges all its own services.
import { createTestClient, type Hex, http, type TestClient } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { services } from '../../../app/services.ts'
import { startApp } from '../../app.ts'
import { publish } from '../../internet/publish.ts'
import { onAnvil, openTestDevnet } from '../../payment/evm-chain.ts'
import { raw } from '../../rest/server.ts'
import { openBuyer, type Prepared } from './buyer.ts'

const host = 'octagent.example.com'
const base = `https://${host}`
const registry = `${base}/discovery`

type Candidate = Record<
  'source' | 'identifier' | 'interaction_url' | 'agent_card_url' | 'pay_to',
  string | null
>
type Check = { id: string; status: string; detail: string }

onAnvil('the gateway over an installation that is a registry of itself', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let app: Awaited<ReturnType<typeof startApp>>
  let payTo: Hex
  let anvil: TestClient

  beforeAll(async () => {
    net = await openTestDevnet()
    const { rpc } = await net.devnet.network('base')
    const gas = generatePrivateKey()
    payTo = privateKeyToAccount(generatePrivateKey()).address
    const { address } = privateKeyToAccount(gas)
    anvil = createTestClient({ mode: 'anvil', transport: http(rpc) })
    await anvil.setBalance({ address, value: 10n ** 18n })
    app = await startApp({
      PUBLIC_URL: base,
      TRUST_PROXY: '1',
      OCTAGENT_NETWORKS: `base=${rpc}`,
      OCTAGENT_PAY_TO: payTo,
      OCTAGENT_FACILITATOR_KEY: gas,
      GATEWAY_A2A_REGISTRY: registry,
      GATEWAY_MCP_REGISTRY: registry,
      GATEWAY_X402_BAZAAR: registry,
    })
    publish(app.internet, host, '', () => app.url)
  })
  afterAll(async () => {
    await app.stop()
    await net.close()
  })

  let clients = 0
  const ask = async (path: string, body: object) => {
    const headers = {
      host,
      'content-type': 'application/json',
      'x-forwarded-for': `192.0.2.${++clients}`,
      'x-forwarded-proto': 'https',
    }
    const answer = await raw(app.url, `/gateway${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: JSON.parse(answer.body) }
  }
  const find = async (capability: string, source: string): Promise<Candidate[]> => {
    const { status, body } = await ask('/tools/discover_external', { capability, sources: [source] })
    expect([capability, source, status]).toEqual([capability, source, 200])
    return body.candidates
  }

  test.each(services)('finds $slug among agents, servers and what is sold', async service => {
    const { slug, name, tools, card } = service
    const agents = await find(name, 'a2a_registry')
    expect(agents.map(({ agent_card_url }) => agent_card_url)).toContain(`${base}/${slug}${card.path}`)
    const servers = await find(name, 'mcp_registry')
    expect(servers.map(({ interaction_url }) => interaction_url)).toContain(`${base}/${slug}/mcp`)
    const sold = tools.find(
      ({ price: { unit, network = 'base', terms, amount } }) =>
        unit === 'usd' && network === 'base' && !terms && Number(amount) > 0,
    )
    if (!sold) return
    const resources = await find(sold.title, 'x402_bazaar')
    expect(resources).toContainEqual(
      expect.objectContaining({ interaction_url: `${base}/${slug}/tools/${sold.name}`, pay_to: payTo }),
    )
  })

  test('finds something to buy in every service that sells for dollars on Base', async () => {
    const { body } = await ask('/tools/discover_external', { capability: 'feed the cat' })
    expect(body).toMatchObject({ partial: false })
    const sources = body.candidates.map(({ source }: Candidate) => source)
    expect(new Set(sources)).toEqual(new Set(['a2a_registry', 'mcp_registry', 'x402_bazaar']))
  })

  test.each(services)(
    'reads the card of $slug, and finds no fault in it',
    async ({ slug, card, tools: [tool] }) => {
      const { body } = await ask('/tools/pre_spend_preflight', {
        need: tool?.title,
        candidate_identifier: `${base}/${slug}${card.path}`,
        max_cost: '1',
      })
      const checks = body.checks as Check[]
      const failed = checks.filter(({ status }) => status === 'fail')
      expect(failed, JSON.stringify(failed)).toEqual([])
      const passed = checks.filter(({ status }) => status === 'pass').map(({ id }) => id)
      expect(passed).toEqual(
        expect.arrayContaining([
          'destination_safe',
          'candidate_found',
          'tls_valid',
          'card_valid',
          'descriptions_clean',
        ]),
      )
    },
  )

  test.each(
    services
      .flatMap(({ slug, card }) => [
        [`/${slug}/.well-known/agent-registration.json`, `${base}/${slug}${card.path}`],
        [`/${slug}/server.json`, `${base}/${slug}/mcp`],
      ])
      .concat([['/server.json', `${base}/mcp`]]),
  )('judges whom %s names', async (path, named) => {
    const { body } = await ask('/tools/pre_spend_preflight', {
      need: 'anything',
      candidate_identifier: base + path,
    })
    expect(JSON.stringify(body.assessed)).toContain(`"${named}"`)
  })

  test.each(services)(
    'finds $slug in the catalogue of APIs by a need that names it',
    async ({ slug, name, card }) => {
      const { body } = await ask('/tools/pre_spend_preflight', {
        need: name,
        candidate_identifier: `${base}/.well-known/api-catalog`,
      })
      expect(JSON.stringify(body.assessed)).toContain(`"${base}/${slug}${card.path}"`)
    },
  )

  const sellers = services.filter(({ tools }) =>
    tools.some(({ price }) => price.unit === 'usd' && !price.terms && Number(price.amount) > 0),
  )

  test.each(
    sellers.flatMap(({ slug, tools }) => {
      const sold = tools.find(({ price }) => price.unit === 'usd' && !price.terms && Number(price.amount) > 0)
      const named = `${base}/${slug}/tools/${sold?.name}`
      return [
        [`/${slug}/.well-known/x402`, sold?.title ?? '', named],
        ['/.well-known/x402', sold?.title ?? '', named],
        ['/discovery/resources', sold?.title ?? '', `${base}/`],
      ]
    }),
  )('finds in %s what answers "%s"', async (path, need, named) => {
    const { body } = await ask('/tools/pre_spend_preflight', { need, candidate_identifier: base + path })
    expect(JSON.stringify(body.assessed)).toContain(`"${named}`)
  })

  test('says at its root who lets clients in, and links from its text to every service', async () => {
    const read = async (path: string) => (await raw(app.url, path, { headers: { host } })).body
    const issuer = JSON.parse(await read('/.well-known/oauth-authorization-server'))
    expect(issuer).toMatchObject({ issuer: `${base}/auth`, token_endpoint: expect.stringContaining(base) })
    const [index, map] = [await read('/llms.txt'), await read('/sitemap.xml')]
    for (const { slug } of services) {
      expect(index).toContain(`(${base}/${slug}/llms.txt)`)
      expect(await read(`/${slug}/llms.txt`)).toContain(`(${base}/${slug}/.well-known/agent`)
      expect(map).toContain(`${base}/${slug}`)
    }
  })

  test('sells routes to its own services, from what its own registry names', async () => {
    const buyer = await openBuyer({
      ...app,
      dir: net.dir,
      devnetRpc: async () => (await net.devnet.network('base')).rpc,
    })
    const path = '/commercial/route-intelligence/purchase'
    const asked = { need: 'feed the cat' }
    const quoted = await ask(path, asked)
    expect(quoted, JSON.stringify(quoted.body)).toMatchObject({ status: 402 })
    const prepared = quoted.body.params as Prepared
    expect(prepared.quote.pay_to).toBe(payTo)
    const transaction_hash = await buyer.broadcast(prepared)
    await anvil.mine({ blocks: 20 })
    const { status, body } = await ask(path, {
      ...asked,
      purchase_id: prepared.purchase_id,
      transaction_hash,
    })
    expect([status, body.state]).toEqual([200, 'entitled'])
    expect(body.result).toMatchObject({ partial: false, untrusted: true })
    const [first] = body.result.routes
    expect(first.candidate.agent_card_url).toBe(`${base}/cat/.well-known/agent-card.json`)
    expect(first.verdict).not.toBe('STOP')
    for (const { candidate } of body.result.routes)
      expect(candidate.identifier.startsWith(`${base}/`)).toBe(true)
  })
})
