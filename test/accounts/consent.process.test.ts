import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inBrowser, openBrowser } from '../express/browser.ts'
import { authorizeUrl, clientId, redeem, type Signing, startSigning } from './fixture.ts'

inBrowser('the consent page in Chromium', () => {
  let signing: Signing
  let browser: Browser
  let client: Server
  let callback: string
  /** What the client's own address was asked for. */
  const answers: URL[] = []

  beforeAll(async () => {
    signing = await startSigning()
    browser = await openBrowser()
    client = createServer((req, res) => {
      const asked = new URL(req.url ?? '', callback)
      if (asked.pathname === '/callback') answers.push(asked)
      res.setHeader('content-type', 'text/html').end('<title>Back at the client</title>')
    })
    await new Promise<void>(listening => client.listen(0, '127.0.0.1', listening))
    callback = `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback`
  })
  afterAll(async () => {
    await browser.close()
    client.closeAllConnections()
    client.close()
    await signing.stop()
  })

  const openPage = async () => {
    const { cookie } = await signing.person()
    const context = await browser.newContext()
    const [name = '', value = ''] = cookie.split('=')
    await context.addCookies([{ name, value, url: new URL(signing.issuer).origin, sameSite: 'Lax' }])
    const page = await context.newPage()
    const faults: string[] = []
    page.on('console', message => {
      if (message.type() === 'error') faults.push(message.text())
    })
    return { context, page, faults }
  }

  test('leads back to a client on any port of this machine', async () => {
    const { context, page, faults } = await openPage()
    await page.goto(authorizeUrl(signing, { redirect_uri: callback }))
    expect(await page.title()).toBe('Let A command line act for you?')
    expect(await page.textContent('dl')).toContain('client.example')
    await page.fill('#per_call', '0.05')
    await page.click('button[value=allow]')
    await page.waitForURL(`${callback}*`)
    expect(await page.title()).toBe('Back at the client')
    expect(faults).toEqual([])
    const code = answers.at(-1)?.searchParams.get('code') ?? ''
    expect(await redeem(signing, code, { redirect_uri: callback, client_id: clientId })).toMatchObject({
      status: 200,
    })
    await context.close()
  })

  test('says no, and fits a phone', async () => {
    const { context, page } = await openPage()
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(authorizeUrl(signing, { redirect_uri: callback, resource: `${signing.url}/mcp` }))
    const wide = await page.evaluate('document.documentElement.scrollWidth')
    expect(wide).toBeLessThanOrEqual(320)
    await page.click('button[value=deny]')
    await page.waitForURL(`${callback}*`)
    expect(answers.at(-1)?.searchParams.get('error')).toBe('access_denied')
    await context.close()
  })

  test('is shown in no frame', async () => {
    const { context, page } = await openPage()
    await page.goto(callback)
    await page.setContent(`<iframe src="${authorizeUrl(signing, { redirect_uri: callback })}"></iframe>`)
    const frame = page.frames()[1]
    await frame?.waitForLoadState()
    expect((await frame?.content()) ?? '').not.toContain('A command line')
    await context.close()
  })
})
