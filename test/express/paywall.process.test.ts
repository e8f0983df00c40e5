import { createHash } from 'node:crypto'
import { x402HTTPResourceServer } from '@x402/core/server'
import type { Browser, Page } from 'playwright-core'
import type { PrivateKeyAccount } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { paywall } from '../../express.ts'
import { inBrowser, openBrowser } from './browser.ts'
import { type Market, network, openBuyer, openMarket, openShop, type Shop } from './shop.ts'

type Wallet = {
  account: PrivateKeyAccount
  chainId: number
  /** What the person does when they are asked. */
  declines?: 'signature' | 'switch'
}

const rejection = { code: 4001, message: 'User rejected the request.' }

/** Puts a wallet into a page as an extension does (EIP-1193, announced by EIP-6963 unless `legacy`), with a real key behind it. */
const injectWallet = async (page: Page, wallet: Wallet, legacy = false): Promise<string[]> => {
  const methods: string[] = []
  await page.exposeFunction('askWallet', async (method: string, params: unknown[]) => {
    methods.push(method)
    if (method === 'eth_requestAccounts') return { result: [wallet.account.address] }
    if (method === 'eth_chainId') return { result: `0x${wallet.chainId.toString(16)}` }
    if (method === 'wallet_switchEthereumChain') {
      if (wallet.declines === 'switch') return { error: rejection }
      wallet.chainId = Number((params as [{ chainId: string }])[0].chainId)
      return { result: null }
    }
    if (method !== 'eth_signTypedData_v4') return { error: { code: 4200, message: 'unsupported' } }
    if (wallet.declines === 'signature') return { error: rejection }
    const typedData = JSON.parse(String(params[1]))
    delete typedData.types.EIP712Domain
    return { result: await wallet.account.signTypedData(typedData) }
  })
  await page.addInitScript(`{
    const provider = {
      async request({ method, params = [] }) {
        const { result, error } = await window.askWallet(method, params)
        if (error) throw Object.assign(new Error(error.message), error)
        return result
      },
    }
    if (${legacy}) window.ethereum = provider
    else {
      const detail = Object.freeze({ info: { uuid: 'a', name: 'Test Wallet', rdns: 'org.example.wallet', icon: '' }, provider })
      const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
      addEventListener('eip6963:requestProvider', announce)
      announce()
    }
  }`)
  return methods
}

const otherPayee = '0x00000000000000000000000000000000000000bb'

const hostile = '"><img src=x onerror="document.title=1"></script><script>document.title=2</script>'

inBrowser('a person who meets a price', () => {
  let market: Market
  let shop: Shop
  let browser: Browser
  let runs = 0
  beforeAll(async () => {
    market = await openMarket()
    shop = await openShop(market, {
      paywallConfig: { appName: `Acme ${hostile}`, appLogo: 'javascript:alert(1)' },
      routes: payTo => {
        const accepts = { scheme: 'exact', payTo, price: '$0.25', network } as const
        return {
          'GET /report': { accepts, description: `The weekly report ${hostile}` },
          'GET /page': { accepts, description: 'A page' },
          'GET /choice': { accepts: [accepts, { ...accepts, price: '$0.10', payTo: otherPayee }] },
        }
      },
      build: app => {
        app.get('/report', (_, res) => {
          runs += 1
          res.json({ text: '<b>report</b>', run: runs })
        })
        app.get('/choice', (_, res) => void res.json({ chosen: true }))
        app.get('/page', (_, res) => {
          runs += 1
          res.send(
            `<!doctype html><title>Paid</title><h1>Page ${runs}</h1><script>document.title='Scripted'</script>`,
          )
        })
      },
    })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await shop?.stop()
    await market?.close()
  })

  const open = async (path: string, wallet: Partial<Wallet> | undefined, legacy = false) => {
    const { account, balance } = await openBuyer(market)
    const context = await browser.newContext({ viewport: { width: 390, height: 800 } })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', error => errors.push(error.message))
    page.on('console', message => {
      if (message.type() === 'error' && !message.text().includes('402')) errors.push(message.text())
    })
    const methods = wallet ? await injectWallet(page, { account, chainId: 84532, ...wallet }, legacy) : []
    const response = await page.goto(shop.url + path)
    return { page, context, response, errors, balance, methods, status: page.locator('#status') }
  }

  test('reads price, network and payee, pays with a wallet and reads the answer', async () => {
    const { page, context, response, errors, balance, status } = await open('/report', {})
    expect(response?.status()).toBe(402)
    expect(response?.headers()).toMatchObject({
      'cache-control': 'no-store',
      'payment-required': expect.any(String),
    })
    const text = await page.locator('main').innerText()
    for (const part of ['0.25 USDC', 'Base Sepolia', shop.payTo, 'The weekly report', 'test network'])
      expect(text).toContain(part)
    const before = await balance()
    await page.getByRole('button', { name: 'Pay 0.25 USDC' }).click()
    await page.locator('#answer pre').waitFor()
    expect(JSON.parse(await page.locator('#answer pre').innerText())).toEqual({
      text: '<b>report</b>',
      run: 1,
    })
    expect(await status.innerText()).toMatch(/^Paid, with transaction 0x[0-9a-f]{64}\.$/)
    expect(before - (await balance())).toBe(250_000n)
    expect(await page.title()).toBe('Payment required')
    expect(errors).toEqual([])
    await context.close()
  })

  test.each([390, 1280])(
    'has no sideways scroll at %i pixels, and shows what sellers write as text',
    async width => {
      const { page, context, errors } = await open('/report', {})
      await page.setViewportSize({ width, height: 800 })
      const [scroll, client] = (await page.evaluate(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      )) as number[]
      expect(scroll).toBe(client)
      expect(await page.locator('h1').innerText()).toBe(`The weekly report ${hostile}: 0.25 USD`)
      expect(await page.locator('img').count()).toBe(0)
      expect([await page.title(), errors]).toEqual(['Payment required', []])
      await context.close()
    },
  )

  test('opens a paid page as any other, with its own scripts, and again without a second payment', async () => {
    const { page, context, balance } = await open('/page', {}, true)
    const before = await balance()
    await page.getByRole('button').click()
    await page.getByRole('heading', { name: /^Page \d/ }).waitFor()
    expect(await page.title()).toBe('Scripted')
    const heading = await page.locator('h1').innerText()
    await page.reload()
    expect([await page.locator('h1').innerText(), before - (await balance())]).toEqual([heading, 250_000n])
    // Another address of the same route was not paid for.
    expect((await page.goto(`${shop.url}/page?other=1`))?.status()).toBe(402)
    await context.close()
  })

  test.each([
    ['no wallet', undefined, 'No wallet was found in this browser.'],
    [
      'a declined signature',
      { declines: 'signature' as const },
      'You declined in your wallet. Nothing was paid.',
    ],
    [
      'a wallet that stays on another network',
      { chainId: 1, declines: 'switch' as const },
      'Switch it to Base Sepolia and try again. Nothing was paid.',
    ],
  ])('%s is said in a plain sentence', async (_, wallet, sentence) => {
    const { page, context, status, balance } = await open('/report', wallet)
    const before = await balance()
    await page.getByRole('button').click()
    await page.locator('#status.bad').waitFor()
    expect(await status.innerText()).toContain(sentence)
    expect(await balance()).toBe(before)
    await context.close()
  })

  test('the offer that is chosen is the one that is shown and paid', async () => {
    const { page, context, balance } = await open('/choice', {})
    const before = await balance()
    await page.getByLabel('Pay with').selectOption({ index: 1 })
    expect(await page.locator('#payee').innerText()).toBe(otherPayee)
    await page.getByRole('button', { name: 'Pay 0.10 USDC' }).click()
    await page.locator('#answer pre').waitFor()
    expect([before - (await balance()), await market.earned(otherPayee)]).toEqual([100_000n, 100_000n])
    await context.close()
  })

  test('a wallet on another network is asked to switch', async () => {
    const { page, context, methods } = await open('/report', { chainId: 1 })
    await page.getByRole('button').click()
    await page.locator('#answer pre').waitFor()
    expect(methods).toContain('wallet_switchEthereumChain')
    await context.close()
  })

  test('an answer that got lost is asked for again and not paid again', async () => {
    const { page, context, balance, status } = await open('/report', {})
    const before = await balance()
    let isLost = false
    await page.route('**/report', async route => {
      if (isLost || !route.request().headers()['payment-signature']) return route.continue()
      isLost = true
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button').click()
    await page.locator('#status.bad').waitFor()
    expect(await status.innerText()).toContain('you are not charged twice')
    await page.getByRole('button', { name: 'Ask again' }).click()
    await page.locator('#answer pre').waitFor()
    expect(before - (await balance())).toBe(250_000n)
    await context.close()
  })

  test('the page is a PaywallProvider for the stock server, and allows nothing from elsewhere', async () => {
    const server = market.server()
    const http = new x402HTTPResourceServer(server, {
      '/x': { accepts: { scheme: 'exact', payTo: shop.payTo, price: '$0.01', network } },
    }).registerPaywallProvider(paywall)
    await http.initialize()
    const headers: Record<string, string> = { accept: 'text/html', 'user-agent': 'Mozilla' }
    const adapter = {
      getHeader: (name: string) => headers[name.toLowerCase()],
      getMethod: () => 'GET',
      getPath: () => '/x',
      getUrl: () => 'https://example.org/x',
      getAcceptHeader: () => 'text/html',
      getUserAgent: () => 'Mozilla',
    }
    const result = await http.processHTTPRequest({ adapter, path: '/x', method: 'GET' })
    if (result.type !== 'payment-error') throw new Error(result.type)
    const html = String(result.response.body)
    expect(html).toContain('0.01 USDC')
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html) ?? []
    expect(policy).toContain('default-src &#39;none&#39;')
    expect(policy).not.toMatch(/unsafe|\*/)
    for (const [, attributes = '', text = ''] of html.matchAll(
      /<(?:script|style)([^>]*)>(.*?)<\/(?:script|style)>/gs,
    ))
      if (attributes !== ' type="application/json" id="quote"')
        expect(policy).toContain(createHash('sha256').update(text).digest('base64'))
  })
})
