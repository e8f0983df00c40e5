// Walks in Chromium: 10 CPU seconds are the browser's and a local chain's.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../app/app.ts'
import { readConfig } from '../../app/config.ts'
import { services } from '../../app/services.ts'
import { payDevelopmentInvoice } from '../../mcp/ports/lightning/devnet.ts'
import { openLightningKey } from '../../mcp/ports/lightning/key.ts'
import { openTestApp } from '../../testing.ts'
import { inBrowser, look, openBrowser } from '../express/browser.ts'

let app: Awaited<ReturnType<typeof openTestApp>>
let port: string
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'octagent-tool-page-'))
  app = await openTestApp({
    services,
    environment: { ANVIL: process.env.ANVIL ?? '', OCTAGENT_DATA: folder, OCTAGENT_RATES: 'sat=0.0006' },
  })
  port = new URL(app.url).port
})
afterAll(async () => {
  await app?.close()
  await rm(folder, { recursive: true, force: true })
})

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

  test('is filled in by a link, and shows a list of records as a table', async () => {
    const read = async (path: string) => (await fetch(app.url + path, { headers: person })).text()
    expect(await read('/cat/tools/sign?name=Grace')).toContain('>\nGrace</textarea>')
    await post('/cat/tools/sign', { name: 'Grace', note: '<i>purr</i>' })
    const book = await (await post('/cat/tools/guestbook', {})).text()
    expect(book).toContain('<th scope="col">signed at</th>')
    expect(book).toMatch(/<td class="words">.*&lt;i&gt;purr/)
    const checks = await (
      await post('/gateway/tools/pre_spend_preflight', {
        need: 'translation',
        candidate_identifier: 'http://127.0.0.1:9/',
      })
    ).text()
    expect(checks).toMatch(
      /<th scope="col">severity<\/th>.*<td class="words"><span class="words">destination_safe</s,
    )
  })

  test('leads back to the page with its button, also over a payment', async () => {
    const bowl = await (await fetch(`${app.url}/cat/bowl`, { headers: person })).text()
    expect(bowl).toContain('<bdi>Grace</bdi>')
    const back = { 'pay.back': `${app.url}/cat/bowl` }
    expect(await (await post('/cat/tools/pet', back)).text()).toContain('href="/cat/bowl">Go on</a>')
    expect(await (await post('/cat/tools/feed', back)).text()).toContain('name="pay.back"')
    const fed = await (await post('/cat/tools/feed', { ...back, 'pay.with': 'demo' })).text()
    expect(fed).toContain('href="/cat/bowl">Go on</a>')
  })

  test('each service has its reference as a page, with the schemas in place', async () => {
    for (const { slug } of services) {
      const response = await fetch(`${app.url}/${slug}/reference`, { headers: person })
      const text = await response.text()
      expect([response.status, text.includes('$ref')]).toEqual([200, false])
    }
    const cat = await (await fetch(`${app.url}/cat/reference`, { headers: person })).text()
    expect(cat).toMatch(/POST \/api\/sign.*<code>note<\/code>.*Fails with 400/s)
    expect(cat).not.toContain('/tools/sign<')
  })

  test('a program reads what there is to know of the tool as JSON', async () => {
    const facts = await (await fetch(`${app.url}/cat/tools/feed`)).json()
    expect(facts).toMatchObject({ name: 'feed', price: { amount: '0.10' } })
  })
})

describe('a person who pays on a page', () => {
  const origin = () => `http://localhost:${port}`
  const send = (path: string, body: unknown, cookie = '') =>
    fetch(origin() + path, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        ...person,
        origin: origin(),
        cookie,
        ...(body instanceof URLSearchParams ? {} : { 'content-type': 'application/json' }),
      },
      body: body instanceof URLSearchParams ? body : JSON.stringify(body),
    })
  const pay = (path: string, fields: Record<string, string>, cookie?: string) =>
    send(path, new URLSearchParams(fields), cookie)
  const alertIn = (text: string) => /role="alert">(.*?)<\/(?:p|section)>/s.exec(text)?.[1]
  const cookieOf = (response: Response, name: string) =>
    response.headers
      .getSetCookie()
      .flatMap(line => (line.startsWith(name) ? line.split(';')[0] : []))
      .join()

  /** A browser that is signed in with a wallet. */
  const signIn = async () => {
    const wallet = privateKeyToAccount(generatePrivateKey())
    const begun = await send('/auth/wallet/start', {
      purpose: 'sign-in',
      address: wallet.address,
      chain_id: 8453,
    })
    const { id, message } = (await begun.json()) as { id: string; message: string }
    const signature = await wallet.signMessage({ message })
    const browser = cookieOf(begun, 'octagent_browser')
    const back = { return: '/cat/tools/feed' }
    const done = await send('/auth/wallet/finish', { id, signature, ...back }, browser)
    expect(await done.json()).toEqual({ location: '/cat/tools/feed' })
    return cookieOf(done, 'octagent_session')
  }

  test('tops up, feeds the cat from the balance once however often it is sent, and may run out', async () => {
    const cookie = await signIn()
    const feed = await (await pay('/cat/tools/feed', {}, cookie)).text()
    expect(feed).toContain('<h1>Feed the cat: 0.10 USD</h1>')
    expect(feed).toContain('Your balance is empty')
    const top = await pay('/auth/balance/top-up', { usd: '0.15', by: 'wallet' }, cookie)
    const location = top.headers.get('location') ?? ''
    const headers = { ...person, 'user-agent': 'Mozilla/5.0' }
    const card = await (await fetch(origin() + location, { headers })).text()
    expect(card).toContain('<h1>Top up: 0.15 USD</h1>')
    const [, id = ''] = /pay\/([\w-]{22})\/wallet/.exec(location) ?? []
    const back = { 'pay.with': 'demo', 'pay.back': `${app.url}/auth/balance` }
    const paid = await (await pay('/account/tools/pay', { id, ...back })).text()
    expect(paid).toContain('The balance has 0.15 USD more.')
    expect(paid).toContain('href="/auth/balance">Go on</a>')
    const once = { 'pay.with': 'balance', 'pay.key': randomUUID() }
    const fed = await (await pay('/cat/tools/feed', once, cookie)).text()
    expect(fed).toContain('paid, the receipt')
    expect(await (await pay('/cat/tools/feed', once, cookie)).text()).toContain('not paid again')
    const short = await pay('/cat/tools/feed', { ...once, 'pay.key': randomUUID() }, cookie)
    expect(short.status).toBe(402)
    expect(alertIn(await short.text())).toMatch(/^The payment was not taken\. .*balance/)
  })

  test('pays an invoice, and brings the proof of it', async () => {
    const cookie = await signIn()
    const top = await pay('/auth/balance/top-up', { usd: '0.15', by: 'lightning' }, cookie)
    const headers = { ...person, 'user-agent': 'Mozilla/5.0' }
    expect(top.status).toBe(303)
    const location = top.headers.get('location') ?? ''
    const card = await (await fetch(origin() + location, { headers })).text()
    expect(card).toContain('<h1>Top up: 0.15 USD</h1>')
    const [, invoice = ''] = /href="lightning:([^"]+)"/.exec(card) ?? []
    const [, token = ''] = /name="pay\.token" value="([^"]+)"/.exec(card) ?? []
    const [, id = ''] = /pay\/([\w-]{22})\/wallet/.exec(location) ?? []
    const prove = (preimage: string) =>
      pay('/account/tools/pay', { id, 'pay.token': token, 'pay.preimage': preimage })
    const wrong = await prove('0'.repeat(64))
    expect([wrong.status, alertIn(await wrong.text())]).toEqual([
      402,
      expect.stringContaining('was not taken'),
    ])
    const settled = payDevelopmentInvoice(invoice, await openLightningKey(folder), new Date())
    const preimage = settled.state === 'paid' ? settled.preimage : ''
    const paid = await prove(preimage.toUpperCase())
    expect([paid.status, await paid.text()]).toEqual([
      200,
      expect.stringContaining('The balance has 0.15 USD more.'),
    ])
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
  const scripts = new Map<string, string>()
  const texts = () => [...new Set(scripts.values())]

  /** Keeps each script of a page once: its own text, or what its address answers. */
  const keepScripts = async (page: string, at: string) => {
    for (const [, attributes = '', text = ''] of page.matchAll(/<script\b([^>]*)>(.*?)<\/script>/gs)) {
      const [, src] = /\bsrc="([^"]+)"/.exec(attributes) ?? []
      if (src === undefined && !attributes.includes('json')) scripts.set(text, text)
      if (src !== undefined && !scripts.has(src))
        scripts.set(src, await (await fetch(new URL(src, at))).text())
    }
  }

  const read = async (url: string) => {
    const response = await fetch(url, { headers: { ...person, 'user-agent': 'Mozilla/5.0' } })
    const isPage = response.headers.get('content-type')?.includes('html') ?? false
    const text = isPage ? await response.text() : ''
    await keepScripts(text, response.url)
    // What is saved as a file leads nowhere.
    const links = [...text.matchAll(/<a\b[^>]*?href="([^"]*)"(?! download)/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&'),
    )
    return {
      fault: response.status >= 400 || response.headers.get('content-type')?.includes('json'),
      links: links
        .map(href => new URL(href, response.url))
        .filter(({ origin }) => origin === new URL(url).origin),
    }
  }

  /** Follows every link from the home page on; resolves to the pages and to those that are failures or JSON. */
  const crawl = async (home: string) => {
    const seen = new Set([`${home}/`])
    const faults: string[] = []
    for (const url of seen) {
      const { fault, links } = await read(url)
      if (fault) faults.push(url)
      const urls = links.map(({ origin, pathname, search }) => origin + pathname + search)
      // Pages of tools are all made by one hand; of each service its first is enough.
      for (const link of urls) if (!link.includes('/tools/')) seen.add(link)
      for (const link of urls.filter(each => each.includes('/tools/')).slice(0, 1)) seen.add(link)
    }
    return { seen: [...seen], faults }
  }

  test('ends in no failure and in no JSON', async () => {
    const { seen, faults } = await crawl(`http://localhost:${port}`)
    expect(seen.length).toBeGreaterThan(60)
    expect(faults).toEqual([])
  })

  test('ends in no failure and in no JSON behind a path of another server', async () => {
    const server = createServer((req, res) => {
      const [, path] = /^\/agents(\/.*)$/.exec(req.url ?? '') ?? []
      if (path === undefined) return void res.writeHead(404).end()
      req.url = path
      embedded.handler(req, res)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agents`
    const data = await mkdtemp(join(tmpdir(), 'octagent-embedded-'))
    const environment = { OCTAGENT_DATA: data, OCTAGENT_LOG: 'silent', OCTAGENT_DEVNET: 'false' }
    const embedded = await createApp({ services, url, config: readConfig(environment, services) })
    try {
      const { seen, faults } = await crawl(url)
      expect(seen.length).toBeGreaterThan(60)
      expect(seen.filter(each => !each.startsWith(`${url}/`))).toEqual([])
      expect(faults).toEqual([])
    } finally {
      server.close()
      await embedded.close(true)
      await rm(data, { recursive: true, force: true })
    }
  })

  test('runs at most 60 KB of script in all, counted compressed, as browsers load it', async () => {
    await keepScripts(await (await post('/cat/tools/feed', {})).text(), app.url)
    const sizes = texts().map(text => gzipSync(text).length)
    // Of code blocks and forms, sign-in, pay card, work desk, proofs.
    expect(sizes).toHaveLength(5)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60_000)
    for (const path of ['/proof/verify.js', '/proof/verify', '/tasks/work/script.js', '/cat/tools/feed']) {
      const { headers } = await fetch(app.url + path, { headers: person })
      expect([path, headers.get('content-encoding'), headers.get('etag')]).toEqual([
        path,
        'gzip',
        expect.stringMatching(/-gzip"$/),
      ])
    }
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

  test.each([390, 1280])('of %i pixels can use every kind of page', async width => {
    const context = await browser.newContext({ viewport: { width, height: 844 } })
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
      await look(page, path)
    }
    await page.getByRole('button', { name: 'Run' }).click()
    await look(page, 'price')
    await context.close()
  })
})
