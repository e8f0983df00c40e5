import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inBrowser, look, openBrowser, tabTo } from '../express/browser.ts'
import { openPages, type Pages } from './pages.ts'

inBrowser('in a browser', () => {
  let pages: Pages
  let browser: Browser
  beforeAll(async () => {
    const clients = {
      list: async () => [
        {
          id: 'grant',
          name: 'A client <b>',
          hosts: ['client.example'],
          connected_at: '2026-01-31T10:00:00.000Z',
          last_used: '2026-02-01T10:00:00.000Z',
        },
      ],
      disconnect: async () => true,
      disconnectAll: async () => undefined,
    }
    ;[pages, browser] = await Promise.all([openPages({ clients }), openBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await pages?.stop()
  })

  const openPage = async (options: BrowserContextOptions = {}) => {
    pages.nextMinute()
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options })
    const page = await context.newPage()
    const faults: string[] = []
    page.on('console', message => message.type() === 'error' && faults.push(message.text()))
    page.on('pageerror', error => faults.push(error.message))
    return { page, context, faults }
  }

  /** A device that has passkeys, and a person who agrees. */
  const addAuthenticator = async (page: Page, more: object = {}) => {
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    const options = {
      protocol: 'ctap2' as const,
      transport: 'internal' as const,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      ...more,
    }
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options })
    return {
      credentials: async () =>
        (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
      forget: () => devtools.send('WebAuthn.clearCredentials', { authenticatorId }),
    }
  }

  /** A wallet of the browser that signs for a new account (EIP-1193), announced as EIP-6963 has it. */
  const addWallet = async (page: Page, { refuses = false, announced = ['Injected'] } = {}) => {
    const account = privateKeyToAccount(generatePrivateKey())
    const asked: string[] = []
    await page
      .context()
      .exposeFunction('answerAsWallet', async (method: string, params: [`0x${string}`, string]) => {
        asked.push(method)
        if (method === 'eth_requestAccounts') return [account.address]
        if (method === 'eth_chainId') return '0x2105'
        if (method !== 'personal_sign' || params[1] !== account.address) throw new Error('not asked for that')
        return account.signMessage({ message: { raw: params[0] } })
      })
    await page.addInitScript(`
      const provider = { request: ({ method, params }) => ${refuses} && method === 'personal_sign'
        ? Promise.reject(Object.assign(new Error('no'), { code: 4001 }))
        : window.answerAsWallet(method, params) }
      window.ethereum = provider
      addEventListener('eip6963:requestProvider', () => {
        for (const [n, name] of ${JSON.stringify(announced)}.entries())
          dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info: { uuid: 'w' + n, name }, provider } }))
      })`)
    return { account, asked }
  }

  test.each([
    [390, 'light'],
    [1280, 'dark'],
  ] as const)(
    'of %i pixels, %s, an account is made by a passkey and the keyboard alone, kept, and deleted',
    async (width, colorScheme) => {
      const { page, context, faults } = await openPage({
        viewport: { width, height: 844 },
        bypassCSP: true,
        colorScheme,
      })
      const device = await addAuthenticator(page)
      await page.goto(`${pages.origin}/auth/account`)
      expect(page.url()).toBe(`${pages.origin}/auth/sign-in?return=%2Fauth%2Faccount`)
      await look(page, 'sign-in')
      await tabTo(page, 'Name of the account')
      await page.keyboard.type('Ada <b>')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Ada <b>' }).waitFor()
      expect(await device.credentials()).toMatchObject([
        { rpId: 'localhost', isResidentCredential: true, userName: 'Ada <b>' },
      ])
      await look(page, 'account-fresh')
      await page.getByText('Change Passkey').click()
      await page.getByText('Without a wallet in this browser').click()
      await look(page, 'account-open')

      await tabTo(page, 'Sign out here')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/auth/sign-in')
      await tabTo(page, 'Sign in with a passkey')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Ada <b>' }).waitFor()

      pages.clock.pass(301)
      await page.reload()
      expect(await page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0)
      await look(page, 'account')
      await tabTo(page, 'sign in again')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Show that it is you' }).waitFor()
      expect(await page.getByText('New here?').count()).toBe(0)
      await look(page, 'sign-in-again')
      await tabTo(page, 'Continue with a passkey')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Add a passkey' }).waitFor()

      await tabTo(page, 'Delete the account')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/auth/account/delete')
      await look(page, 'delete')
      await tabTo(page, 'Delete the account for ever')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'The account is deleted' }).waitFor()
      await look(page, 'deleted')
      expect(await context.cookies()).toEqual([
        expect.objectContaining({ name: 'octagent_browser', httpOnly: true, sameSite: 'Lax' }),
      ])
      expect(faults).toEqual([])

      await page.goto(`${pages.origin}/auth/sign-in`)
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await page.getByText('This passkey belongs to no account here.').waitFor()
      await look(page, 'sign-in-failed')
      await context.close()
    },
  )

  test('a second device gets a passkey of its own, and the first one none twice', async () => {
    const { page, context } = await openPage()
    await addAuthenticator(page)
    await page.goto(`${pages.origin}/auth/sign-in`)
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('This device already has a passkey of your account.').waitFor()
    const key = await addAuthenticator(page, { transport: 'usb' })
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await expect.poll(() => page.locator('.rows >> text=passkey of one device').count()).toBe(2)
    expect(await key.credentials()).toHaveLength(1)
    await page.getByText('Change Passkey').first().click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('Laptop')
    await page.getByRole('button', { name: 'Rename' }).first().click()
    await page.locator('strong', { hasText: 'Laptop' }).waitFor()
    await page.getByText('Change Laptop').click()
    await page.getByRole('button', { name: 'Remove Laptop' }).click()
    await page.waitForURL(/sign-in/)
    await context.close()
  })

  test('a wallet signs in, is added, and is refused in words when its owner refuses', async () => {
    const { page, context, faults } = await openPage()
    const { account, asked } = await addWallet(page, { announced: ['<b>One</b>', 'Two'] })
    await addAuthenticator(page)
    await page.goto(`${pages.origin}/auth/sign-in`)
    expect(await page.getByLabel('Wallet', { exact: true }).locator('option').allTextContents()).toEqual([
      '<b>One</b>',
      'Two',
    ])
    await page.getByLabel('Wallet', { exact: true }).selectOption('Two')
    await page.getByRole('button', { name: 'Sign in with a wallet' }).click()
    await page.getByText(`wallet ${account.address.toLowerCase()}`).waitFor()
    expect(asked).toEqual(['eth_requestAccounts', 'eth_chainId', 'personal_sign'])
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('passkey of one device').waitFor()
    await page.getByRole('button', { name: 'Add a wallet' }).click()
    await page.getByText('This key already belongs to an account here.').waitFor()
    expect(faults.filter(fault => !fault.includes('409'))).toEqual([])
    await context.close()

    const refusing = await openPage()
    await addWallet(refusing.page, { refuses: true })
    await refusing.page.goto(`${pages.origin}/auth/sign-in`)
    await refusing.page.getByRole('button', { name: 'Sign in with a wallet' }).click()
    await refusing.page.getByText('You refused it in your wallet.').waitFor()
    expect(await refusing.page.getByRole('button', { name: 'Sign in with a wallet' }).isEnabled()).toBe(true)
    await refusing.context.close()
  })

  test('without scripts a message is signed elsewhere and pasted', async () => {
    const { page, context } = await openPage({ javaScriptEnabled: false })
    const wallet = privateKeyToAccount(generatePrivateKey())
    await page.goto(`${pages.origin}/auth/sign-in`)
    await page.getByText('Without a wallet in this browser').click()
    await page.getByLabel('Address').fill(wallet.address)
    await page.getByRole('button', { name: 'Show the message' }).click()
    const message = (await page.locator('pre').textContent()) ?? ''
    expect(message).toContain('wants you to sign in with your Ethereum account')
    await page.getByLabel('Signature').fill(await wallet.signMessage({ message }))
    await page.getByRole('button', { name: 'Check the signature' }).click()
    await page.getByText(`wallet ${wallet.address.toLowerCase()}`).waitFor()
    await page.getByLabel('Name (only you see it)').fill('By hand')
    await page.getByRole('button', { name: 'Save the name' }).click()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('By hand')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download all that is stored' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^acct_[0-9a-f]{24}\.json$/)
    await context.close()
  })

  test('one without passkeys and without a wallet is told what to do', async () => {
    const { page, context } = await openPage()
    await page.addInitScript('delete window.PublicKeyCredential')
    await page.goto(`${pages.origin}/auth/sign-in`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('This browser has no passkeys.').waitFor()
    await page.getByRole('button', { name: 'Sign in with a wallet' }).click()
    await page.getByText('This browser has no wallet.').waitFor()
    await context.close()
  })

  test('a page of another site can neither frame, post nor use a passkey of this one', async () => {
    const { page, context } = await openPage()
    await addAuthenticator(page)
    await page.goto(`${pages.origin}/auth/sign-in`)
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.getByRole('button', { name: 'Add a passkey' }).waitFor()
    await page.route('http://evil.example/**', route =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe id="frame" src="${pages.origin}/auth/account"></iframe>
<form method="post" action="${pages.origin}/auth/account/name"><input name="name" value="taken"><button>go</button></form>`,
      }),
    )
    await page.goto('http://evil.example/')
    const framed = page.frames().find(frame => frame !== page.mainFrame())
    expect(await framed?.content().catch(() => '')).not.toContain('Your account')
    const read = await page.evaluate(
      `fetch('${pages.origin}/auth/account', { credentials: 'include' }).then(r => r.text(), error => error.name)`,
    )
    expect(read).toBe('TypeError')
    await page.getByRole('button', { name: 'go' }).click()
    await page.getByText('This form belongs to a page of this server').waitFor()
    await page.goto(`${pages.origin}/auth/account`)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Your account')
    await context.close()
  })
})
