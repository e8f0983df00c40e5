// Costs: one Chromium goes the ways of people through a whole installation, by the keyboard alone.
import type { Browser, Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { services } from '../../app/services.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { tool, usd } from '../../mcp/kernel/tool.ts'
import { openTestApp, type TestApp } from '../../testing.ts'
import { hints, serviceWith } from '../call/fixture.ts'
import { inBrowser, look, openBrowser, tabTo } from '../express/browser.ts'

/** Takes the money first, and then fails: what it was paid is owed. */
const broken = tool({
  name: 'promise',
  title: 'Promise something',
  description: 'Takes a dime and fails.',
  input: z.object({}),
  output: z.object({}),
  needs: [],
  price: usd('0.10'),
  settle: 'before',
  hints,
  examples: [{}],
}).run(async () => {
  throw new ToolError('upstream', 'What this rests on does not answer.')
})

const failing = { ...serviceWith(broken), slug: 'failing', name: 'A service that fails' }

const operator = privateKeyToAccount(generatePrivateKey())

inBrowser('a person', () => {
  let app: TestApp
  let browser: Browser
  beforeAll(async () => {
    app = await openTestApp({
      services: [...services, failing],
      environment: { ANVIL: process.env.ANVIL ?? '', OCTAGENT_OPERATORS: operator.address },
    })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
  })

  type Way = {
    width?: 390 | 1280
    colorScheme?: 'light' | 'dark'
    host?: 'localhost' | '127.0.0.1'
    javaScriptEnabled?: boolean
  }

  const set = async ({
    width = 390,
    colorScheme = 'light',
    host = 'localhost',
    javaScriptEnabled = true,
  }: Way) => {
    const context = await browser.newContext({
      viewport: { width, height: 844 },
      colorScheme,
      javaScriptEnabled,
      bypassCSP: !javaScriptEnabled,
    })
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', error => faults.push(error.message))
    page.on('console', message => {
      // Chromium reports each answer from 400 on, which these ways lead to.
      if (message.type() === 'error' && !/status of (402|502)/.test(message.text()))
        faults.push(message.text())
    })
    const origin = app.url.replace('127.0.0.1', host)
    return {
      page,
      origin,
      press: async (name: string) => {
        await tabTo(page, name)
        await page.keyboard.press('Enter')
      },
      type: async (label: string, text: string) => {
        await tabTo(page, label)
        await page.keyboard.type(text)
      },
      /** The heading of the page that it came to. */
      reach: (name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor(),
      async end() {
        expect(faults).toEqual([])
        await context.close()
      },
    }
  }

  /** Signs in with a wallet on another machine: the message is shown, and its signature pasted. */
  const signIn = async (page: Page, wallet = privateKeyToAccount(generatePrivateKey())) => {
    await tabTo(page, 'Without a wallet in this browser')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Address')
    await page.keyboard.type(wallet.address)
    await page.keyboard.press('Enter')
    const message = page.locator('pre').first()
    await message.waitFor()
    const signature = await wallet.signMessage({
      message: (await message.innerText()).replace(/^Copy\n/, ''),
    })
    await tabTo(page, 'Signature')
    await page.keyboard.insertText(signature)
    await tabTo(page, 'Check the signature')
    await page.keyboard.press('Enter')
  }

  test.each([{ host: '127.0.0.1' }, { width: 1280, colorScheme: 'dark', javaScriptEnabled: false }] as const)(
    'finds a tool, runs it, meets a price, pays it and reads the receipt: %j',
    async way => {
      const { page, origin, press, reach, end } = await set(way)
      const hasScripts = !('javaScriptEnabled' in way)
      const see = (name: string) => look(page, name, hasScripts)
      await page.goto(origin)
      await see('catalogue')
      await page.getByRole('searchbox').focus()
      await page.keyboard.type('pet the cat')
      await page.keyboard.press('Enter')
      await page.waitForURL(/q=pet/)
      await see('found')
      await press('Pet the cat')
      await page.waitForURL('**/cat/tools/pet')
      if (hasScripts) await page.evaluate('window.isSamePage = true')
      await press('Run')
      await page.locator('#answer .sentence').waitFor()
      await see('answer')
      if (hasScripts) {
        expect(await page.evaluate('window.isSamePage')).toBe(true)
        expect(await page.evaluate('document.activeElement.id')).toBe('answer')
        expect(await page.locator('pre .copy').count()).toBeGreaterThan(3)
      }
      await page.goto(`${origin}/cat/tools/feed`)
      await press('Run')
      await page.locator('#price').waitFor()
      expect(await page.textContent('#price')).toBe('0.10 USDC')
      await see('pay-card')
      await press('Pay from the demo wallet')
      await press('paid, the receipt')
      await page.waitForURL(/\/receipts\/[0-9a-f]{32}$/)
      await see('receipt')
      await reach('Receipt')
      expect(await page.textContent('main')).toContain('feed')
      expect(new URL(page.url()).origin).toBe(origin)
      await end()
    },
  )

  test('signs in, makes a key with limits, uses it, sees what it did, and takes it back', async () => {
    const { page, origin, press, type, reach, end } = await set({ colorScheme: 'dark' })
    await page.goto(origin)
    await press('Account')
    await reach('Sign in')
    await signIn(page)
    await reach('API keys')
    await press('Make a key for all services')
    await type('Name (what will use it)', 'A model')
    await look(page, 'account')
    await page.keyboard.press('Enter')
    await reach('Your new key')
    const key = await page.locator('main code').first().innerText()
    const use = () => app.call('cat.sign', { name: 'Ada' }, { authorization: `Bearer ${key}` })
    // It only reads, and signing does more.
    expect(await use()).toMatchObject({ status: 403, body: { reason: 'scope_read' } })
    expect((await app.call('cat.kibble', {}, { authorization: `Bearer ${key}` })).status).toBe(200)
    await press('Back to the account')
    await press('Activity')
    await page.getByText('cat.kibble').first().waitFor()
    await look(page, 'activity')
    await press('Account')
    await press(`Remove A model`)
    await page.getByText('A model').waitFor({ state: 'detached' })
    expect((await use()).status).toBe(401)
    await press('Balance')
    await page.waitForURL('**/auth/balance')
    await look(page, 'balance')
    await end()
  })

  test('pets the cat at its bowl, signs the guest book, and asks how the house is', async () => {
    const { page, origin, press, type, reach, end } = await set({ width: 1280, host: '127.0.0.1' })
    await page.goto(origin)
    await press('The cat')
    await press('The bowl and the guest book')
    await page.waitForURL('**/cat/bowl')
    await look(page, 'bowl')
    await press('Pet the cat')
    await page.locator('#answer .sentence').waitFor()
    await press('Go on')
    await type('Your name', 'Grace')
    await type('A note', 'Purr')
    await page.keyboard.press('Enter')
    await page.locator('#answer').waitFor()
    await press('Go on')
    await page.getByText('Grace').waitFor()
    await press('Status')
    await page.waitForURL('**/status')
    await reach('Services')
    await look(page, 'status')
    await press('Docs')
    await page.getByRole('searchbox').fill('refund')
    await page.keyboard.press('Enter')
    await press('Payments')
    await page.waitForURL('**/docs/payments')
    await look(page, 'docs')
    await end()
  })

  test('operates the house: finds what is owed, gives it back, sees the books agree, and freezes an account', async () => {
    expect((await app.call('data.ally_register', { name: 'A peer of the house' })).status).toBe(201)
    const { page, origin, press, reach, end } = await set({ width: 1280, colorScheme: 'dark' })
    await page.goto(`${origin}/failing/tools/promise`)
    await press('Run')
    await press('Pay from the demo wallet')
    await page.getByText('What this rests on does not answer.').waitFor()
    await look(page, 'paid-and-failed')
    await press('Account')
    await signIn(page, operator)
    await press('Console of the operator')
    await reach('Owed')
    await page.getByText('A peer of the house').waitFor()
    await look(page, 'console')
    await press('Refund ')
    await page.getByText('Given back: the receipt.').waitFor()
    await press('the receipt')
    await page.getByText('The money went back').waitFor()
    await page.goBack()
    await press('Compare ledger and payments')
    await page.getByText('Ledger, payments and transfers agree.').waitFor()
    await look(page, 'audit')
    await press('Console')
    await press('Find one, see its keys, and freeze it')
    await page.waitForURL('**/console/accounts')
    await look(page, 'accounts')
    await press('acct_')
    await reach('Keys that sign in')
    await look(page, 'one-account')
    await end()
  })
})
