import { describe, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { document } from '../../mcp/kernel/document.ts'
import { counter, serviceWith } from '../call/fixture.ts'
import { opened } from '../opened.ts'
import { serve } from './server.ts'
import { exchange } from './wire.ts'

const hostile =
  '<script>alert(1)</script><img src=x onerror=alert(1)> "q" [l](javascript:alert(1)) ![i](http://evil.example/i.png) | x'

const trap = document({ path: '/guide', title: hostile, description: hostile }).render(({ base }) => ({
  markdown: `# ${hostile}\n\n<b onclick="x">b</b>\n\n[ok](${base}/)\n`,
  data: { hostile },
}))

const hostileService = {
  ...serviceWith(counter({ title: hostile, description: hostile })),
  name: hostile,
  description: hostile,
  documents: [trap],
}

const served = opened(() => serve([...services, hostileService]))

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const at = async (path: string, accept?: string) => {
  const response = await fetch(`${served.url}${path}`, { headers: { accept: accept ?? '*/*' } })
  const type = response.headers.get('content-type')?.split(';')[0]
  return { response, type, text: await response.text() }
}

describe('a document', () => {
  test.each([
    ['/cat/skill.md', undefined, 'text/markdown'],
    ['/cat/skill.md', '*/*', 'text/markdown'],
    ['/cat/skill.md', browser, 'text/html'],
    ['/cat/skill.md', 'application/json', 'application/json'],
    ['/cat/skill.md', 'application/json, text/plain, */*', 'application/json'],
    ['/cat/skill.md', 'text/markdown, text/html, */*', 'text/markdown'],
    ['/cat/skill.md', 'text/html;q=0.5, application/json;q=0.9', 'application/json'],
    ['/cat/skill.md', 'text/*', 'text/markdown'],
    ['/cat/skill.md', 'text/html, text/markdown;q=0', 'text/html'],
    ['/cat/skill.md', 'image/png', 'text/markdown'],
    ['/cat/skill.md', 'TEXT/HTML', 'text/html'],
    ['/fixture/guide', '*/*', 'text/markdown'],
    ['/fixture/guide', browser, 'text/html'],
    ['/cat', browser, 'text/html'],
    ['/cat/', '*/*', 'text/markdown'],
    ['/cat/', 'application/json', 'application/json'],
  ])('%s for "%s" is %s', async (path, accept, expected) => {
    const { response, type } = await at(path, accept)
    expect([response.status, type, response.headers.get('vary')]).toEqual([
      200,
      expected,
      'Accept, Origin, Accept-Encoding',
    ])
  })

  test('is the text that was declared, and its data where it has some', async () => {
    expect((await at('/cat/skill.md')).text).toMatch(/^# How to visit the cat\n/)
    expect(JSON.parse((await at('/cat/skill.md', 'application/json')).text)).toMatchObject({
      title: 'How to visit the cat',
      markdown: expect.stringContaining('# How to visit the cat'),
    })
    expect(JSON.parse((await at('/fixture/guide', 'application/json')).text)).toEqual({ hostile })
    expect((await at('/cat/skill.md', browser)).text).toContain(
      '<h1 id="how-to-visit-the-cat">How to visit the cat</h1>',
    )
  })

  test('names the address of the service', async () => {
    expect((await at('/cat/skill.md')).text).toContain(`${served.url}/cat/api/pet`)
  })
})

describe('hostile text', () => {
  test.each(['/fixture/', '/fixture/guide'])('stays text on %s', async path => {
    const { text, response } = await at(path, browser)
    expect(text.replace(/<script>\n\(\(\) => \{[\s\S]*?<\/script>/, '')).not.toMatch(/<(script|img|b)\b/i)
    expect(text.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\bon\w+=/i)
    expect(text).not.toMatch(/href="javascript:/i)
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    const policy = response.headers.get('content-security-policy')
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; .*script-src ('sha256-[\w+/]{43}='|'none'); .*frame-ancestors 'none'$/,
    )
  })
})

describe('llms-full.txt', () => {
  test.each(services.map(service => ({ slug: service.slug, service })))(
    'of $slug says how to use it',
    async ({ slug, service }) => {
      const { text, type } = await at(`/${slug}/llms-full.txt`)
      expect(type).toBe('text/plain')
      expect(text).toMatch(new RegExp(`^# ${service.name}\n\n> `))
      expect(text).toContain(`claude mcp add --transport http ${slug} ${served.url}/${slug}/mcp`)
      for (const { name, title } of service.tools) {
        expect(text).toContain(`### ${name}\n`)
        expect(text).toContain(title)
      }
      for (const { path } of service.documents ?? [])
        expect(text).toContain(`${served.url}/${slug}${path.replace(/:(\w+)/g, '{$1}')}`)
    },
  )
})

test('one client may read so many documents a minute, then waits', async () => {
  const small = await serve([hostileService], { perMinute: 3 })
  const read = async () => (await fetch(`${small.url}/fixture/guide`)).status
  expect([await read(), await read(), await read(), await read()]).toEqual([200, 200, 200, 429])
  await small.stop()
})

describe('a page that was asked for by another name of this machine', () => {
  const pages = services.flatMap(({ slug, endpoints = [] }) =>
    endpoints
      .filter(({ method, answers }) => method === 'GET' && answers?.includes('text/html'))
      .map(({ path }) => `/${slug}${path.replaceAll(/:\w+/g, '0')}?q=%22a`),
  )
  const ask = (path: string, host: string) =>
    exchange(served.url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)

  test('there are such pages', () => {
    expect(pages.length).toBeGreaterThan(5)
  })

  test.each(pages)('%s is where its script and its forms are', async path => {
    const { host, port } = new URL(served.url)
    const { status, headers } = await ask(path, `localhost:${port}`)
    expect([status, headers.location]).toEqual([307, `http://${host}${path}`])
    expect((await ask(path, host)).status).not.toBe(307)
  })

  test('through another port it is shown where it was asked for', async () => {
    expect((await ask('/proof/board', 'localhost:1')).status).not.toBe(307)
  })
})
