import { expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { isPlanned } from '../../mcp/kernel/service.ts'
import { openTestApp } from '../../testing.ts'
import { opened } from '../opened.ts'

const app = opened(() => openTestApp({ services }))

const read = async (path: string) => (await fetch(`${app.url}${path}`)).text()

test('a service that is not built says planned on its page, in the registry and in the text of the page, and no other does', async () => {
  const registry = JSON.parse(await read('/registry.json')) as {
    services: { slug: string; status: string }[]
  }
  const [home, llms] = [await read('/'), await read('/llms-full.txt')]
  for (const service of services) {
    const { slug, name } = service
    const planned = isPlanned(service)
    expect(registry.services.find(facts => facts.slug === slug)?.status).toBe(planned ? 'planned' : 'live')
    for (const text of [home, llms])
      expect(
        text
          .split('\n')
          .find(line => line.startsWith(`| [${name}]`))
          ?.endsWith('| planned |'),
      ).toBe(planned)
    for (const path of [`/${slug}/`, `/${slug}/llms-full.txt`])
      expect((await read(path)).includes('**Planned.**')).toBe(planned)
  }
  expect(isPlanned(services.find(({ slug }) => slug === 'cat') ?? { tools: [] })).toBe(false)
})

test('what is free for a while and has a price says both', async () => {
  const llms = await read('/data/llms-full.txt')
  expect(llms).toContain(
    'free (60 a minute over A2A and MCP and over REST with free=1; 100 a day with an ally key); else 0.002 USD on solana',
  )
})

test('the OpenAPI description is compressed, and known by its ETag', async () => {
  for (const encoding of ['br', 'gzip']) {
    const response = await fetch(`${app.url}/data/openapi.json`, { headers: { 'accept-encoding': encoding } })
    expect(response.headers.get('content-encoding')).toBe(encoding)
    const etag = response.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    const again = await fetch(`${app.url}/data/openapi.json`, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  }
})

test('a connection stays open for longer than the minute of a balancer', async () => {
  const response = await fetch(`${app.url}/healthz`)
  expect(Number(/timeout=(\d+)/.exec(response.headers.get('keep-alive') ?? '')?.[1])).toBeGreaterThan(60)
})
