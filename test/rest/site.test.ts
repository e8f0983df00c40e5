import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { toPublicReadiness } from '../../app/ready.ts'
import { services } from '../../app/services.ts'
import { failures } from '../../mcp/kernel/error.ts'
import { isFree } from '../../mcp/kernel/tool.ts'
import { restRoutes } from '../../rest-adapter/index.ts'
import { type SiteOptions, siteRoutes } from '../../rest-adapter/site.ts'
import { listen } from '../listen.ts'
import { openTestWorld, type TestWorld } from '../world.ts'
import { raw } from './server.ts'

const run = promisify(execFile)

let world: TestWorld | undefined
let served: { url: string; stop(): Promise<void> } | undefined
afterEach(async () => {
  await served?.stop()
  await world?.stop()
})

const open = async ({ services: listed = services, ...more }: Partial<SiteOptions> = {}) => {
  const opened = await openTestWorld()
  world = opened
  const site = siteRoutes({
    world: opened,
    services: listed,
    ready: async () => ({ ok: true, store: await opened.ports.store?.health() }),
    metricsAccess: { token: undefined, isPublic: false },
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4', body: 'calls 1\n' }),
    ...more,
  })
  served = await listen(
    [
      { prefix: '', routes: site },
      ...listed.map(service => ({ prefix: `/${service.slug}`, routes: restRoutes(opened, service) })),
    ],
    { origins: ['*'], hosts: ['octagent.example'] },
  )
  opened.at(served.url)
  const { url } = served
  return {
    url,
    ask: (path: string, headers: object = {}) => raw(url, path, { headers }),
  }
}

describe('the home page', () => {
  test('names a range of prices only where no call costs more', async () => {
    const { ask } = await open()
    const lines = (await ask('/llms-full.txt')).body.split('\n')
    const lineOf = (name: string) => lines.find(text => text.startsWith(`| [${name}]`)) ?? ''
    expect(lineOf('Forecasting')).toContain('| free, 0.01 to 3 USD or as quoted |')
    expect(lineOf('Task marketplace')).toContain('| free, 1.00 USD or as quoted |')
    expect(lineOf('Deal broker')).toContain('| free, 0.50 USD or as quoted, 1 to 2000 credits |')
    expect(lineOf('The cat')).toContain('| free, 0.10 USD |')
    expect(lineOf('Routing gateway')).toContain('| free, 0.05 USD |')
  })

  test('lists the services with their prices, as Markdown, HTML, text and JSON', async () => {
    const { url, ask } = await open()
    const markdown = (await ask('/', { accept: 'text/markdown' })).body
    for (const { slug, name } of services) expect(markdown).toContain(`| [${name}](${url}/${slug}/) |`)
    expect((await ask('/llms-full.txt')).body).toBe(markdown)
    const html = await ask('/', { accept: 'text/html' })
    expect(html.headers['content-type']).toBe('text/html; charset=utf-8')
    for (const { slug, name } of services) expect(html.body).toContain(`<a href="/${slug}/">${name}</a>`)
    expect(JSON.parse((await ask('/', { accept: 'application/json' })).body).services).toHaveLength(
      services.length,
    )
  })

  test('connects MCP clients', async () => {
    const { url, ask } = await open()
    const { body } = await ask('/')
    expect(body).toContain(`claude mcp add --transport http octagent ${url}/mcp`)
    expect(body).toContain(`npx @modelcontextprotocol/inspector --cli ${url}/mcp`)
    const [, config = ''] =
      /cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?name=octagent&config=([^)]+)/.exec(body) ?? []
    expect(JSON.parse(Buffer.from(decodeURIComponent(config), 'base64').toString())).toEqual({
      url: `${url}/mcp`,
    })
    const [, code = ''] = /vscode:mcp\/install\?([^)]+)/.exec(body) ?? []
    expect(JSON.parse(decodeURIComponent(code))).toEqual({
      name: 'octagent',
      type: 'http',
      url: `${url}/mcp`,
    })
    const { body: html } = await ask('/', { accept: 'text/html' })
    expect(html).toContain('<a href="cursor://')
    expect(html).toContain('<a href="vscode:mcp')
  })
})

/** The services with the tools that anybody may call in a world without a network and without payments. */
const answering = services.map(service => ({
  ...service,
  tools: service.tools.filter(
    ({ needs, price, free, needsSetup: staged, auth = service.auth }) =>
      !staged &&
      (isFree(price) || free !== undefined) &&
      auth.includes('public') &&
      needs.every(need => ['store', 'clock', 'keys'].includes(need)),
  ),
}))

test('every REST line that a page prints works in a shell as printed', async () => {
  const { ask } = await open({ services: answering })
  const pages = await Promise.all(
    ['/', ...services.map(({ slug }) => `/${slug}/llms-full.txt`)].map(path => ask(path)),
  )
  const lines = pages.flatMap(({ body }) => body.split('\n')).filter(line => line.startsWith('curl '))
  const rest = [...new Set(lines)].filter(line => !line.includes('"jsonrpc"'))
  expect(rest.length).toBeGreaterThanOrEqual(services.length)
  for (const line of rest) {
    const { stdout } = await run('sh', ['-c', `${line} -o /dev/null -w '%{http_code}'`])
    expect(`${line} → ${stdout}`).toMatch(/→ 20\d$/)
  }
})

test('the registry is the same bytes each time and names every tool with its schemas', async () => {
  const { url, ask } = await open()
  const first = await ask('/registry.json')
  expect((await ask('/registry.json')).body).toBe(first.body)
  const registry = JSON.parse(first.body)
  expect(registry.mcp).toBe(`${url}/mcp`)
  for (const service of services) {
    const listed = registry.services.find(({ slug }: { slug: string }) => slug === service.slug)
    expect(listed.tools.map(({ name }: { name: string }) => name)).toEqual(
      service.tools.map(({ name }) => name),
    )
    for (const tool of listed.tools) {
      expect(tool.input.type).toBe('object')
      expect(tool.output.type).toBe('object')
      expect(tool.examples.length).toBeGreaterThan(0)
      expect(tool.surfaces.rest).toContain(`POST /tools/${tool.name}`)
      expect(tool.price).toHaveProperty('amount')
    }
  }
})

describe('health', () => {
  test('is alive and ready', async () => {
    const { ask } = await open()
    expect((await ask('/healthz')).status).toBe(200)
    const ready = await ask('/readyz')
    expect([ready.status, JSON.parse(ready.body)]).toMatchObject([200, { ok: true, store: { ok: true } }])
    expect(ready.headers['cache-control']).toBe('no-store')
  })

  test.each<[string, SiteOptions['ready']]>([
    ['says no', async () => ({ ok: false, store: 'full' })],
    ['fails', () => Promise.reject(new Error('hunter2'))],
  ])('is alive and not ready when the program %s', async (_, ready) => {
    const { ask } = await open({ ready })
    expect((await ask('/healthz')).status).toBe(200)
    const reply = await ask('/readyz')
    expect([reply.status, JSON.parse(reply.body).ok]).toEqual([503, false])
    expect(reply.body).not.toContain('hunter2')
  })
})

test('the state is told in detail to the operator alone', async () => {
  const ready = async (inDetail: boolean) => ({ ok: true, inDetail })
  const { ask } = await open({
    ready,
    metricsAccess: { token: 'a-token-of-metrics', isPublic: true },
    operator: 'a-token-of-commands',
  })
  const read = async (path: string, headers = {}) =>
    JSON.parse((await ask(path, { accept: 'application/json', ...headers })).body).inDetail
  for (const path of ['/readyz', '/status']) {
    expect(await read(path)).toBe(false)
    expect(await read(path, { authorization: 'Bearer something-else' })).toBe(false)
    for (const token of ['a-token-of-metrics', 'a-token-of-commands'])
      expect(await read(path, { authorization: `Bearer ${token}` })).toBe(true)
  }
})

test('strangers read whether checks pass, and not what they found', () => {
  const check = {
    check: 'chain id',
    state: 'wrong' as const,
    detail: 'the node at https://rpc.example is of chain 5',
  }
  const seen = toPublicReadiness({
    ok: true,
    draining: false,
    store: { ok: false, engine: 'postgres', detail: 'db.example refused' },
    jobs: [{ name: 'one', at: '', ms: 1, ok: false, error: 'rpc.example failed' }],
    off: [],
    capabilities: [],
    networks: [{ network: 'base', ok: false, checks: [check] }],
    alerts: [],
  })
  expect(JSON.stringify(seen)).not.toContain('example')
  expect(seen.networks).toEqual([
    { network: 'base', ok: false, checks: [{ check: 'chain id', state: 'wrong' }] },
  ])
})

describe('metrics', () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.7' }
  const token = 'a-long-enough-token'

  test.each([
    ['this machine', {}, undefined, 200],
    ['this machine, with a token set', {}, token, 200],
    ['a plain proxy of a public address', {}, token, 401, true],
    ['a plain proxy where there is no token', {}, undefined, 403, true],
    ['a plain proxy with the token', { authorization: `Bearer ${token}` }, token, 200, true],
    ['a proxy', forwarded, undefined, 403],
    ['a proxy by Forwarded', { forwarded: 'for=203.0.113.7' }, undefined, 403],
    ['a proxy, whatever the token', { ...forwarded, authorization: 'Bearer ' }, undefined, 403],
    ['a proxy without the token', forwarded, token, 401],
    ['a proxy with another token', { ...forwarded, authorization: 'Bearer a-long-enough-tokem' }, token, 401],
    ['a proxy with a longer token', { ...forwarded, authorization: `Bearer ${token}x` }, token, 401],
    ['a proxy with the token as Basic', { ...forwarded, authorization: `Basic ${token}` }, token, 401],
    ['a proxy with the token', { ...forwarded, authorization: `Bearer ${token}` }, token, 200],
    [
      'a proxy with the token before',
      { authorization: `Bearer ${token}` },
      `another-token-of-16, ${token}`,
      200,
    ],
    ['a proxy with no token', { ...forwarded, authorization: 'Bearer ' }, `${token},`, 401],
    ['a proxy with the token as bearer', { ...forwarded, authorization: `bearer ${token}` }, token, 200],
  ])('asked by %s', async (_, headers, token, status, isPublic = false) => {
    const { ask } = await open({ metricsAccess: { token, isPublic } })
    const reply = await ask('/metrics', headers)
    expect(reply.status).toBe(status)
    expect(reply.body.includes('calls 1')).toBe(status === 200)
    if (status === 200) expect(reply.headers['content-type']).toBe('text/plain; version=0.0.4')
    if (status !== 200) expect(reply.headers['content-type']).toBe('application/problem+json')
    if (status === 401) expect(reply.headers['www-authenticate']).toMatch(/^Bearer /)
  })
})

describe('problem types', () => {
  test.each(Object.entries(failures))(
    '%s is explained where its type leads',
    async (code, { status, title }) => {
      const { ask } = await open()
      const reply = await ask(`/problems/${code}`)
      expect(reply.status).toBe(200)
      expect(reply.body).toContain(`# ${title}`)
      expect(reply.body).toContain(String(status))
      expect(JSON.parse((await ask(`/problems/${code}`, { accept: 'application/json' })).body)).toMatchObject(
        {
          code,
          status,
          advice: expect.stringMatching(/.{20}/),
        },
      )
    },
  )

  test('are listed, and others are not found', async () => {
    const { ask } = await open()
    expect((await ask('/problems')).body).toContain('/problems/timeout)')
    expect((await ask('/problems/toString')).status).toBe(404)
  })
})
