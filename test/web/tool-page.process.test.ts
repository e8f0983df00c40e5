// Walks in Chromium: 10 CPU seconds are the browser's and a local chain's.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { openTestApp } from '../../testing.ts'
import { inBrowser, openBrowser } from '../express/browser.ts'

let app: Awaited<ReturnType<typeof openTestApp>>
let port: string
beforeAll(async () => {
  app = await openTestApp({ services, environment: { ANVIL: process.env.ANVIL ?? '' } })
  port = new URL(app.url).port
})
afterAll(() => app.close())

const person = { accept: 'text/html,*/*;q=0.8' }

const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(app.url + path, {
    method: 'POST',
    headers: { ...person, origin: app.url, ...headers },
    body: new URLSearchParams(fields),
  })

describe('the form of a tool', () => {
  test('runs the tool, and shows what was wrong beside the field', async () => {
    const answer = await post('/data/tools/json-repair', { json: '{a: 1,}' })
    const text = await answer.text()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('id="answer"')
    const refused = await post('/data/tools/dns-lookup', { target: '' })
    expect(refused.status).toBe(422)
    expect(await refused.text()).toMatch(/aria-invalid="true".*<strong class="bad">/s)
  })

  test('is taken from pages of this server only', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await post('/cat/tools/pet', {}, headers as Record<string, string>)).status).toBe(403)
  })

  test('does not run the words of strangers', async () => {
    const text = await (await post('/data/tools/json-repair', { json: '"<img src=x>"' })).text()
    expect(text).not.toContain('<img src=x>')
  })

  test('a program reads what there is to know of the tool as JSON', async () => {
    const facts = await (await fetch(`${app.url}/cat/tools/feed`)).json()
    expect(facts).toMatchObject({ name: 'feed', price: { amount: '0.10' } })
  })
})

describe('the catalogue', () => {
  const find = async (query: string) => (await fetch(`${app.url}/?${query}`, { headers: person })).text()
  const links = (text: string) => [...text.matchAll(/<h2><a href="([^"]+)"/g)].map(([, link]) => link)

  test('finds by what a tool does, in spite of a slip, and cuts what is far off', async () => {
    expect(links(await find('q=feed+the+cat'))[0]).toBe('/cat/tools/feed')
    const found = links(await find('q=dns+lokup'))
    expect(found[0]).toBe('/data/tools/dns-lookup')
    expect(found.length).toBeLessThan(30)
  })

  test('filters, and says when nothing fits', async () => {
    const found = links(await find('service=cat&price=paid'))
    expect(found).toContain('/cat/tools/feed')
    expect(found).not.toContain('/cat/tools/pet')
    expect(await find('q=zzqqxx')).toContain('No tool fits')
  })
})

describe('what a person can click', () => {
  const read = async (path: string) => {
    const response = await fetch(app.url + path, { headers: { ...person, 'user-agent': 'Mozilla/5.0' } })
    const isPage = response.headers.get('content-type')?.includes('html') ?? false
    const text = isPage ? await response.text() : ''
    const links = [...text.matchAll(/<a\b[^>]*?href="([^"]*)"/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&'),
    )
    const own = links.map(href => new URL(href, response.url)).filter(({ origin }) => origin === app.url)
    return {
      fault: response.status >= 400 || response.headers.get('content-type')?.includes('json'),
      links: own.map(({ pathname, search }) => pathname + search),
    }
  }

  test('ends in no failure and in no JSON', async () => {
    const seen = new Set(['/'])
    const faults: string[] = []
    for (const path of seen) {
      const { fault, links } = await read(path)
      if (fault) faults.push(path)
      // Pages of tools are all made by one hand; of each service its first is enough.
      for (const link of links) if (!link.includes('/tools/')) seen.add(link)
      for (const link of links.filter(each => each.includes('/tools/')).slice(0, 1)) seen.add(link)
    }
    expect(seen.size).toBeGreaterThan(60)
    expect(faults).toEqual([])
  })

  test('says whether all is well, and what the documentation says of a word', async () => {
    const status = await (await fetch(`${app.url}/status`, { headers: person })).text()
    for (const { name } of services) expect(status).toContain(name)
    expect(await (await fetch(`${app.url}/status`)).json()).toMatchObject({ ok: true })
    const docs = await (await fetch(`${app.url}/docs?q=lightning`, { headers: person })).text()
    expect(docs).toContain('href="/docs/payments"')
    const page = await (await fetch(`${app.url}/docs/proof/decision`, { headers: person })).text()
    expect(page).toContain('href="../llm"')
    expect((await fetch(`${app.url}/docs/nothing`, { headers: person })).status).toBe(404)
  })
})

inBrowser('a person', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

  const inspect = async (page: Page, width: number) => {
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    await page.evaluate(axe)
    const violations = await page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))',
    )
    expect(violations).toEqual([])
  }

  test.each([
    [390, 'light', '127.0.0.1', true],
    [1280, 'dark', 'localhost', false],
  ] as const)(
    'of %i pixels, %s, at %s, scripts %s: finds a tool, runs it, meets a price, pays it and reads the receipt',
    async (width, colorScheme, host, javaScriptEnabled) => {
      const context = await browser.newContext({
        viewport: { width, height: 844 },
        colorScheme,
        javaScriptEnabled,
        bypassCSP: !javaScriptEnabled,
      })
      const page = await context.newPage()
      const faults: string[] = []
      page.on('console', message => {
        if (message.type() === 'error' && !message.text().includes('402')) faults.push(message.text())
      })
      await page.goto(`http://${host}:${port}/`)
      await page.getByRole('searchbox').fill('pet the cat')
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'Pet the cat' }).click()
      await page.getByRole('button', { name: 'Run' }).press('Enter')
      await page.locator('#answer .sentence').waitFor()
      await page.goto(`http://${host}:${port}/cat/tools/feed`)
      await page.getByRole('button', { name: 'Run' }).press('Enter')
      expect(await page.textContent('#price')).toBe('0.10 USDC')
      await page.getByRole('button', { name: 'Pay from the demo wallet' }).press('Enter')
      await page.getByRole('link', { name: 'paid, the receipt' }).press('Enter')
      await page.waitForURL(/\/receipts\/[0-9a-f]{32}$/)
      expect(await page.textContent('main')).toContain('feed')
      expect(new URL(page.url()).host).toBe(`${host}:${port}`)
      expect(faults).toEqual([])
      await context.close()
    },
  )

  test.each([390, 1280])('of %i pixels can use every kind of page', async width => {
    const context = await browser.newContext({ viewport: { width, height: 844 }, bypassCSP: true })
    const page = await context.newPage()
    for (const path of [
      '/?q=domain',
      '/status',
      '/docs',
      '/docs/payments',
      '/tasks/tools/publish_task',
      '/cat/tools/feed',
    ]) {
      await page.goto(app.url + path)
      await inspect(page, width)
    }
    await page.getByRole('button', { name: 'Run' }).click()
    await inspect(page, width)
    await context.close()
  })
})
