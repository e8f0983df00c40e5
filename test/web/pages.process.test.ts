import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { openTestApp } from '../../testing.ts'
import { inBrowser, look, openBrowser } from '../express/browser.ts'
import { opened } from '../opened.ts'

const html = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }

const app = opened(() =>
  openTestApp({
    services,
    environment: { OCTAGENT_DEVNET: 'false', OCTAGENT_SECURITY_CONTACT: 'mailto:security@example.org' },
  }),
)

describe('what every site is asked for', () => {
  test.each([
    ['/robots.txt', 'text/plain', /^User-agent: \*/],
    ['/favicon.ico', 'image/svg+xml', /^<svg /],
    [
      '/.well-known/security.txt',
      'text/plain',
      /^Contact: mailto:security@example\.org\nExpires: \d{4}-\d\d-\d\dT00:00:00\.000Z\n/,
    ],
  ])('%s', async (path, type, text) => {
    const response = await fetch(app.url + path)
    expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([200, type])
    expect(await response.text()).toMatch(text)
  })

  test('a page that is not there is a page for people and a problem for programs', async () => {
    const page = await fetch(`${app.url}/cat/<b>nothing`, html)
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(await page.text()).not.toContain('<b>')
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const problem = await fetch(`${app.url}/nothing`, { headers })
      expect([problem.status, problem.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
    }
  })

  test('a method that an address does not take is said on a page, with what it takes', async () => {
    const page = await fetch(`${app.url}/cat/api/feed`, html)
    expect([page.status, page.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    expect(await page.text()).toContain('<h1 ')
  })

  test('input that is wrong is said on a page, with the field', async () => {
    const page = await fetch(`${app.url}/data/skills/dns-lookup?free=1&target=`, html)
    expect([page.status, page.headers.get('content-type')]).toEqual([422, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain('<strong>domain</strong>')
  })

  test('each tool is listed with the mark of its service, which its address serves', async () => {
    const ask = async (path: string, method: string, params: object) => {
      const response = await fetch(app.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      const { result } = (await response.json()) as { result: Record<string, unknown> }
      return result
    }
    const marks = services.map(async ({ slug }) => {
      const { tools } = (await ask(`/${slug}/mcp`, 'tools/list', {})) as {
        tools: { icons: { src: string }[] }[]
      }
      const [src = '', ...others] = new Set(tools.map(({ icons: [icon] }) => icon?.src))
      expect([src, others]).toEqual([`${app.url}/${slug}/icon.svg`, []])
      const icon = await fetch(src)
      expect(icon.headers.get('content-type')).toMatch(/^image\/svg\+xml/)
      return icon.text()
    })
    expect(new Set(await Promise.all(marks)).size).toBe(services.length)
    const clientInfo = { name: 'test', version: '1' }
    const { instructions } = await ask('/mcp', 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo,
    })
    expect(instructions).toContain(`${app.url}/auth/sign-in`)
  })

  test('each tool has an anchor of its name', async () => {
    for (const { slug, tools } of services) {
      const text = await (await fetch(`${app.url}/${slug}/`, html)).text()
      for (const { name } of tools) expect(text).toContain(`<h3 id="${name}">`)
    }
  })
})

inBrowser('in a browser of 390 pixels', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  const paths = [
    '/',
    '/nothing',
    '/problems',
    '/problems/conflict',
    '/data/',
    '/broker/',
    '/gateway/docs',
    '/cat/',
    '/cat/bowl',
    '/cat/reference',
    '/broker/board',
    '/money/',
    '/broker/guide',
  ]

  test.each(paths)('%s does not scroll sideways, and everybody can use it', async path => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    await page.goto(app.url + path)
    await look(page, path)
    await context.close()
  })

  test('copies a command under the policy of the page', async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    const faults: string[] = []
    page.on('console', message => message.type() === 'error' && faults.push(message.text()))
    await page.goto(`${app.url}/`)
    const button = page.locator('pre .copy').first()
    await button.click()
    await page.waitForFunction("/Copied|Selected/.test(document.querySelector('pre .copy').textContent)")
    expect(faults).toEqual([])
    await context.close()
  })
})
