import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callTool, post as postMcp, requestOf } from '../../mcp/wire.ts'
import { onAnvil } from '../../payment/evm-chain.ts'
import { type App, asking, host, startSelling } from './shop.ts'
import { cardAt, quoteOf } from './town.ts'

onAnvil('what is sold', () => {
  let app: App
  let ask: ReturnType<typeof asking>
  beforeAll(async () => {
    app = await startSelling()
    ask = asking(app)
  })
  afterAll(() => app.stop())

  const page = (value: unknown, status = 200) => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  })
  const serve = (name: string, quote: object, card: object = {}) => {
    app.internet.web.site(name, '/.well-known/agent-card.json', page(cardAt(name, card)))
    app.internet.web.site(name, '/work', page(quote, 402))
    return `https://${name}/work`
  }

  describe('is not route intelligence', () => {
    test('whose only route is STOP: 409 before any quote', async () => {
      const candidate_identifier = serve('torn.example.com', quoteOf(), { payTo: `0x${'9'.repeat(40)}` })
      const { status, headers, body } = await ask.buy({ candidate_identifier })
      expect({ status, reason: body.reason }).toEqual({
        status: 409,
        reason: 'no_purchasable_route_available',
      })
      expect(headers.has('payment-required')).toBe(false)
      expect(JSON.stringify(body)).not.toContain('pur_')
      const unreachable = await ask.buy({ candidate_identifier: 'https://no-such-host.example.org/x' })
      expect(unreachable.status).toBe(409)
    })

    test('whose only route is STOP under the terms of the buyer', async () => {
      const candidate_identifier = `https://${host}/work`
      expect(await ask.buy({ candidate_identifier, max_cost: '0.001' })).toMatchObject({ status: 409 })
      expect(await ask.buy({ candidate_identifier, authority: { budget: '0.001' } })).toMatchObject({
        status: 409,
      })
      expect(await ask.buy({ candidate_identifier, max_cost: '0.05' })).toMatchObject({ status: 402 })
    })
  })

  test.each([
    ['a max_cost in words', { max_cost: 'ten' }, 'max_cost'],
    ['an authority without a budget', { authority: {} }, 'authority.budget'],
    ['licences that are no list', { accepted_licenses: 'MIT' }, 'accepted_licenses'],
  ])('%s is refused by name', async (_, more, path) => {
    expect(await ask.buy(more)).toMatchObject({ status: 422, body: { issues: [{ path }] } })
  })

  test('stands under its terms: another max_cost is another purchase, and they may be left out', async () => {
    const terms = { max_cost: '0.05', accepted_licenses: ['MIT'] }
    const { body } = await ask.buy(terms)
    const { purchase_id } = (body as unknown as { params: { purchase_id: string } }).params
    const claim = { purchase_id, transaction_hash: `0x${'ab'.repeat(32)}` }
    expect(await ask.buy({ ...claim, ...terms, max_cost: '0.04' })).toMatchObject({
      status: 409,
      body: { reason: 'payment_requirement_changed' },
    })
    expect(await ask.buy({ ...claim, ...terms })).toMatchObject({ status: 202 })
    expect(await ask.buy(claim)).toMatchObject({ status: 202 })
  })

  test('shows its price wherever tools are listed', async () => {
    const read = async (path: string) => (await fetch(`${app.url}${path}`)).text()
    const name = 'purchase_route_intelligence'
    const llms = await read('/gateway/llms-full.txt')
    expect(llms).toMatch(/\[\*\*Buy route intelligence\*\*\]\([^)]+\), 0\.05 USD on base\./)
    type Listed = { name: string; price: object }
    const registry = JSON.parse(await read('/registry.json')) as {
      services: { slug: string; tools: Listed[] }[]
    }
    const tool = registry.services
      .find(({ slug }) => slug === 'gateway')
      ?.tools.find(one => one.name === name)
    expect(tool?.price).toMatchObject({ amount: '0.05', unit: 'usd', network: 'base' })
    for (const path of ['/.well-known/x402', '/gateway/.well-known/x402']) {
      const { resources } = JSON.parse(await read(path)) as { resources: { tool: string; url: string }[] }
      const sold = resources.find(one => one.tool === name && one.url.endsWith('/purchase'))
      expect(sold).toMatchObject({
        price: { mode: 'fixed', amount: '0.05', unit: 'usd' },
        protocols: ['broadcast'],
      })
    }
    const openapi = JSON.parse(await read('/gateway/openapi.json')) as {
      paths: Record<string, { post: object }>
    }
    expect(openapi.paths['/commercial/route-intelligence/purchase']?.post).toMatchObject({
      'x-payment-info': { price: { mode: 'fixed', amount: '0.05' } },
    })
    const find = await callTool(`${app.url}/mcp`, '2026', 'find_tool', { query: 'buy route intelligence' })
    const { tools } = find.result.structuredContent as { tools: { name: string; price: string }[] }
    expect(tools.find(one => one.name === `gateway_${name}`)?.price).toBe('0.05 USD on base')
    const described = await callTool(`${app.url}/mcp`, '2026', 'describe_tool', { name: `gateway_${name}` })
    expect(described.result.structuredContent).toMatchObject({ price: '0.05 USD on base' })
    const card = JSON.parse(await read('/gateway/.well-known/agent-card.json'))
    expect(JSON.stringify(card)).toContain('0.05 USDC')
    expect(JSON.stringify(card.capabilities.extensions ?? [])).not.toContain('x402')
    const { body, headers } = requestOf('2026', 'tools/list', {})
    const list = (await postMcp(`${app.url}/gateway/mcp`, body, headers)).result
    expect(list.tools).toHaveLength(2)
  })

  test('is never asked for in another way than the transfer under its nonce', async () => {
    const { status, body, headers } = await ask.buy()
    expect(status).toBe(402)
    const header = Buffer.from(headers.get('payment-required') ?? '', 'base64').toString()
    for (const text of [header, JSON.stringify(body.accepts ?? [])])
      expect(text).not.toContain('"scheme":"exact"')
    expect(await ask.buy({ need: '' })).toMatchObject({ status: 422 })
  })
})
