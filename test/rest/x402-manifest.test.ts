import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { endpoint } from '../../mcp/kernel/endpoint.ts'
import { isPriced, sats, tool, usd } from '../../mcp/kernel/tool.ts'
import { restRoutes } from '../../rest-adapter/index.ts'
import { siteRoutes } from '../../rest-adapter/site.ts'
import { serviceWith } from '../call/fixture.ts'
import { listen } from '../listen.ts'
import { openTestWorld, type TestWorld } from '../world.ts'
import { dear, echo, tollGate } from './fixture.ts'

type Resource = {
  url: string
  method: string
  service: string
  tool: string
  price: { mode: string; amount: string; unit: string; network?: string }
  inputSchema: string
}
type Manifest = { x402Version: number; url: string; manifests?: string[]; resources: Resource[] }

const { run, ...facts } = dear
const rare = tool({
  ...facts,
  name: 'rare',
  price: sats('100'),
  quote: () => sats('120'),
  settle: 'before',
  rest: { routes: ['PUT /rare/:what'] },
}).run(run)

const { free: _, ...unlessFree } = facts
const dearest = tool({ ...unlessFree, name: 'dearest', rest: { routes: ['GET /dearest/:what'] } }).run(run)

const shown = { method: 'GET', body: 'none', needs: [] } as const
const tile = endpoint({
  ...shown,
  name: 'tile',
  title: 'Map tile',
  description: 'One tile of a map.',
  path: '/tiles/:x',
  answers: ['image/png'],
  price: usd('0.02', 'base'),
}).run(async () => ({ kind: 'empty', status: 204 }))
const ping = endpoint({
  ...shown,
  name: 'ping',
  title: 'Ping',
  description: 'Says that it is there.',
  path: '/ping',
}).run(async () => ({ kind: 'empty', status: 204 }))

const fixture = serviceWith(echo, dear, rare, dearest)
const mapped = { ...serviceWith(echo), slug: 'mapped', endpoints: [tile, ping] }
const gratis = { ...serviceWith(echo), slug: 'gratis' }
const all = [...services, fixture, mapped, gratis]
const { gate } = tollGate()

let world: TestWorld
let served: { url: string; stop(): Promise<void> }
beforeAll(async () => {
  const opened = await openTestWorld({ gate })
  world = opened
  const site = siteRoutes({
    world,
    services: all,
    ready: async () => ({ ok: true }),
    metricsAccess: { token: undefined, isPublic: false },
    metrics: async () => ({ contentType: 'text/plain', body: '' }),
  })
  served = await listen([
    { prefix: '', routes: site },
    ...all.map(service => ({ prefix: `/${service.slug}`, routes: restRoutes(opened, service) })),
  ])
  world.at(served.url)
})
afterAll(async () => {
  await served.stop()
  await world.stop()
})

const read = async (under = ''): Promise<Manifest> =>
  (await (await fetch(`${served.url}${under}/.well-known/x402`)).json()) as Manifest

describe('the x402 manifest of a service', () => {
  test('says of a priced tool everything that a buyer needs, at each of its addresses', async () => {
    const { x402Version, url, resources } = await read('/fixture')
    const base = `${served.url}/fixture`
    expect([x402Version, url]).toEqual([2, base])
    const told = {
      service: 'fixture',
      tool: 'dear',
      title: 'Dear',
      description: 'Costs 0.10 USD.',
      mimeType: 'application/json',
      price: { mode: 'fixed', amount: '0.10', unit: 'usd', network: 'base' },
      protocols: ['x402'],
      settle: 'after',
      freeTier: { flag: true, perMinute: 2 },
      inputSchema: `${base}/openapi.json#/components/schemas/dear.input`,
    }
    expect(resources.filter(resource => resource.tool === 'dear')).toEqual([
      { url: `${base}/dear`, method: 'GET', ...told },
      { url: `${base}/dear`, method: 'POST', ...told },
      { url: `${base}/tools/dear`, method: 'POST', ...told },
    ])
  })

  test('tells of quotes, sats, payment in advance, fields in the path and no free tier', async () => {
    const { resources } = await read('/fixture')
    expect(resources.find(resource => resource.tool === 'rare')).toMatchObject({
      url: `${served.url}/fixture/rare/{what}`,
      method: 'PUT',
      price: { mode: 'dynamic', amount: '100', unit: 'sat' },
      protocols: ['l402', 'x402'],
      settle: 'before',
    })
    expect(resources.find(resource => resource.tool === 'dearest')).toMatchObject({ freeTier: null })
  })

  test('is empty where nothing is priced', async () => {
    expect(await read('/gratis')).toMatchObject({ x402Version: 2, resources: [] })
  })

  test('may be kept for five minutes and is the same bytes each time', async () => {
    const ask = () => fetch(`${served.url}/cat/.well-known/x402`)
    const first = await ask()
    expect(first.headers.get('cache-control')).toBe('public, max-age=300')
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await (await ask()).text()).toBe(await first.text())
  })

  test('names addresses that ask for payment when they are called', async () => {
    const { resources } = await read('/fixture')
    for (const { url, method } of resources) {
      const body = method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } }
      const response = await fetch(url.replace('{what}', 'tea'), { method, ...body })
      expect(`${method} ${url} → ${response.status}`).toMatch(/→ 402$/)
    }
  })

  test('leads to input schemas that exist', async () => {
    for (const { inputSchema, tool: name } of (await read('/fixture')).resources) {
      const [address = '', pointer = ''] = inputSchema.split('#')
      const found = pointer
        .split('/')
        .slice(1)
        .reduce<unknown>(
          (node, key) => (node as Record<string, unknown>)?.[key],
          await (await fetch(address)).json(),
        )
      expect(found, name).toMatchObject({ type: 'object' })
    }
  })
})

describe('the x402 manifest of the installation', () => {
  test('lists what the services list, and where', async () => {
    const site = await read()
    const each = await Promise.all(all.map(({ slug }) => read(`/${slug}`)))
    expect(site.x402Version).toBe(2)
    expect(site.resources).toEqual(each.flatMap(({ resources }) => resources))
    expect(site.manifests).toEqual(all.map(({ slug }) => `${served.url}/${slug}/.well-known/x402`))
  })

  test('holds every priced tool and no free one', async () => {
    const { resources } = await read()
    const ofTools = resources.filter(({ tool: name }) => name !== undefined)
    const listed = new Set(ofTools.map(({ service, tool: name }) => `${service}.${name}`))
    const priced = all.flatMap(({ slug, tools }) =>
      tools.filter(isPriced).map(({ name }) => `${slug}.${name}`),
    )
    expect([...listed].sort()).toEqual(priced.sort())
    expect(listed).toContain('cat.feed')
  })

  test('is named on the home page, and by the services that have prices', async () => {
    const text = async (path: string) => (await fetch(`${served.url}${path}/llms.txt`)).text()
    expect(await text('')).toContain(`${served.url}/.well-known/x402`)
    expect(await text('/fixture')).toContain(`${served.url}/fixture/.well-known/x402`)
    expect(await text('/gratis')).not.toContain('/.well-known/x402')
  })
})

test('an endpoint that costs something is sold like a tool, and told of wherever tools are', async () => {
  const base = `${served.url}/${mapped.slug}`
  const get = (path: string, accept = '*/*') => fetch(`${base}${path}`, { headers: { accept } })
  const { resources } = (await (await get('/.well-known/x402')).json()) as {
    resources: { endpoint?: string }[]
  }
  expect(resources.filter(({ endpoint }) => endpoint !== undefined)).toEqual([
    {
      url: `${base}/tiles/{x}`,
      method: 'GET',
      service: mapped.slug,
      endpoint: 'tile',
      title: 'Map tile',
      description: 'One tile of a map.',
      mimeType: 'image/png',
      price: { mode: 'fixed', amount: '0.02', unit: 'usd', network: 'base' },
      protocols: ['x402'],
      settle: 'before',
      freeTier: null,
    },
  ])
  for (const path of ['/llms-full.txt', '/']) {
    const text = await (await get(path, 'text/markdown')).text()
    expect(text).toContain('## Endpoints')
    expect(text).toContain('**Map tile**, 0.02 USD on base.')
    expect(text).toContain(`\`GET ${base}/tiles/{x}\`, answers image/png`)
    expect(text).toContain('**Ping**, free.')
  }
  const facts = (await (await get('/', 'application/json')).json()) as { endpoints: object[] }
  expect(facts.endpoints).toMatchObject([
    { name: 'tile', route: 'GET /tiles/:x', price: { amount: '0.02' } },
    { name: 'ping', price: { amount: '0' } },
  ])
  const { paths } = (await (await get('/openapi.json')).json()) as { paths: Record<string, object> }
  expect(JSON.stringify(paths['/tiles/{x}'])).toContain('0.02')
})
