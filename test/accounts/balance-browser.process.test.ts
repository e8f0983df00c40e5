import type { Browser, Page } from 'playwright-core'
import type { PrivateKeyAccount } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountKeysIn } from '../../mcp/kernel/person.ts'
import { inBrowser, look, openBrowser } from '../express/browser.ts'
import { openPurseApp, type Person, type PurseApp } from './purse-app.ts'

/** The wallet of whoever operates. */
const operatorWallet = `0x${'ab'.repeat(20)}`

/** Puts a wallet with a real key into a page, as an extension does (EIP-1193). */
const injectWallet = async (page: Page, account: PrivateKeyAccount): Promise<void> => {
  await page.exposeFunction('askWallet', async (method: string, params: unknown[]) => {
    if (method === 'eth_requestAccounts') return [account.address]
    if (method === 'eth_chainId') return '0x2105'
    const typedData = JSON.parse(String(params[1]))
    delete typedData.types.EIP712Domain
    return account.signTypedData(typedData)
  })
  await page.addInitScript(
    'window.ethereum = { request: ({ method, params = [] }) => window.askWallet(method, params) }',
  )
}

inBrowser('a person with a balance, in a browser', () => {
  let app: PurseApp
  let browser: Browser
  beforeAll(async () => {
    app = await openPurseApp({ environment: { OCTAGENT_OPERATORS: operatorWallet } })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.stop()
  })

  const open = async (path: string, person?: Person, width = 390) => {
    const context = await browser.newContext({ viewport: { width, height: 844 } })
    if (person) await context.addCookies([{ ...person.cookie, url: app.origin }])
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', error => faults.push(error.message))
    page.on('console', message => {
      if (message.type() === 'error' && !/40\d/.test(message.text())) faults.push(message.text())
    })
    await injectWallet(page, await app.demo())
    await page.goto(app.origin + path)
    return { page, context, faults }
  }

  /** Looks at a page with everything folded out, and returns how it looks. */
  const inspect = async (path: string, person: Person | undefined, width: number) => {
    const context = await browser.newContext({ viewport: { width, height: 844 }, bypassCSP: true })
    if (person) await context.addCookies([{ ...person.cookie, url: app.origin }])
    const page = await context.newPage()
    await page.goto(app.origin + path)
    await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
    await look(page, path)
    const style = await page.evaluate(`(() => {
      const { backgroundColor, color, fontFamily } = getComputedStyle(document.body)
      const { maxWidth } = getComputedStyle(document.querySelector('main'))
      return { backgroundColor, color, fontFamily, maxWidth }
    })()`)
    await context.close()
    return style
  }

  test.each([390, 1280])(
    'finds pages that everybody can use, and that look alike, at %i pixels',
    async width => {
      const person = await app.openPerson(5_000_000n)
      await person.setLimits({ per_call: '0.10', per_day: '5.00', services: ['shop'] })
      await person.call()
      const pay = await person.openPage('half')
      const key = { name: 'A model', access: 'write', all_services: '1', per_call: '0.10', per_day: '' }
      expect((await person.post('/auth/account/api-keys', key)).status).toBe(200)
      const holder = { account: person.account, name: 'Wallet', created_at: '', last_used: '' }
      await accountKeysIn(app.store).put({ id: `wallet:${operatorWallet}`, kind: 'wallet', ...holder })
      const hook = { url: 'https://hooks.example.com/in' }
      expect((await person.post('/auth/inbox/webhook', hook)).status).toBe(303)
      const wallet = pay.replace('/auth/pay/', '/account/pay/').concat('/wallet')
      const pages = [
        await inspect('/auth/balance', person, width),
        await inspect('/auth/account', person, width),
        await inspect('/auth/inbox', person, width),
        await inspect('/auth/activity', person, width),
        await inspect('/console', person, width),
        await inspect('/status', undefined, width),
        await inspect(pay, person, width),
        await inspect(pay, undefined, width),
        await inspect('/auth/pay/AAAAAAAAAAAAAAAAAAAAAA', person, width),
        await inspect(wallet, undefined, width),
      ]
      expect(pages).toEqual(pages.map(() => pages[0]))
    },
  )

  test('adds to the balance with a wallet, once, and finds it in the statement', async () => {
    const person = await app.openPerson()
    const { page, context, faults } = await open('/auth/balance', person)
    await page.getByLabel('Amount in USD').fill('2.50')
    await page.getByRole('button', { name: 'Pay with a wallet' }).click()
    await page.waitForURL(/\/account\/pay\/[\w-]{22}\/wallet$/)
    await page.getByRole('button', { name: 'Pay 2.50 USDC' }).click()
    await page.locator('#answer').getByText('The balance has 2.50 USD more.').first().waitFor()
    await page.goto(`${app.origin}/auth/balance`)
    const text = await page.locator('main').innerText()
    expect(text).toMatch(/Your dollars: 2\.50 USD/)
    expect(text).toContain('top-up')
    expect(await person.balance()).toMatchObject({ available: '2.50' })
    expect(faults).toEqual([])
    await context.close()
  })

  test('pays one call from the balance, and raises the limit for the next', async () => {
    const person = await app.openPerson(1_000_000n)
    const { page, context, faults } = await open(await person.openPage(), person)
    await page.getByRole('button', { name: 'Pay 0.10 USD from the balance, this once' }).click()
    await page.getByRole('heading', { name: 'You can go back' }).waitFor()
    expect((await person.call()).status).toBe(200)
    await page.goto(app.origin + (await person.openPage('half')))
    await page.locator('summary').click()
    expect(await page.getByLabel('USD for one call, at most').inputValue()).toBe('0.50')
    await page.getByRole('button', { name: 'Save, and let the call go on' }).click()
    await page.getByRole('heading', { name: 'You can go back' }).waitFor()
    expect((await person.call('half')).status).toBe(200)
    expect(await person.balance()).toMatchObject({ available: '0.40' })
    expect(faults).toEqual([])
    await context.close()
  })

  test('anybody with the link pays the call with a wallet, without signing in', async () => {
    const person = await app.openPerson(0n)
    const path = await person.openPage()
    const { page, context, faults } = await open(path)
    await page.getByRole('link', { name: 'Pay 0.10 USD with a wallet' }).click()
    await page.getByRole('button', { name: 'Pay 0.10 USDC' }).click()
    await page.waitForURL(/\/account\/tools\/pay#answer$/)
    expect(await page.locator('#answer').textContent()).toContain('"credited_to": "call"')
    expect((await person.call()).status).toBe(200)
    expect(faults).toEqual([])
    await context.close()
  })

  test('adds to the balance over Lightning, with the proof that a wallet shows', async () => {
    const person = await app.openPerson()
    const { page, context, faults } = await open('/auth/balance', person)
    await page.getByLabel('Amount in USD').fill('0.60')
    await page.getByRole('button', { name: 'Pay over Lightning' }).click()
    const invoice = page.getByLabel('The invoice', { exact: true })
    const preimage = await app.payInvoice(await invoice.locator('code').innerText())
    await page.getByLabel('Proof of payment').fill('no proof')
    await page.getByRole('button', { name: 'I have paid' }).click()
    expect(await page.locator('#preimage:invalid').count()).toBe(1)
    await page.getByLabel('Proof of payment').fill(preimage)
    await page.getByRole('button', { name: 'I have paid' }).click()
    await page.getByText('The balance has 0.60 USD more.').first().waitFor()
    expect(await person.balance()).toMatchObject({ available: '0.60' })
    expect(faults).toEqual([])
    await context.close()
  })
})
