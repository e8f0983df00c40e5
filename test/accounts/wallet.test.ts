import { type Hex, hexToBigInt, parseSignature, serializeSignature } from 'viem'
import { parseSiweMessage } from 'viem/siwe'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { accountsIn } from '../../mcp/accounts/account.ts'
import { accountKeysIn } from '../../mcp/kernel/person.ts'
import { beginWallet, newSigner, openBrowserless, openPages, type Pages, signInWith } from './pages.ts'

let pages: Pages
beforeAll(async () => {
  pages = await openPages()
})
afterEach(() => {
  pages.clock.pass(86_400)
})
afterAll(() => pages?.stop())

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The other signature that the same key and message have: s from the other half of the curve. */
const malleate = (signature: Hex): Hex => {
  const { r, s, yParity } = parseSignature(signature)
  const other = `0x${(order - hexToBigInt(s)).toString(16).padStart(64, '0')}` as const
  return serializeSignature({ r, s: other, yParity: yParity === 0 ? 1 : 0 })
}

const finish = (browser: ReturnType<typeof openBrowserless>, id: string, signature: string) =>
  browser.ask('/auth/wallet/finish', { body: { id, signature } })

describe('a wallet', () => {
  test('makes an account, and signs in to it again, on whatever chain', async () => {
    const signer = newSigner()
    const first = openBrowserless(pages)
    expect((await signInWith(first, signer)).json()).toEqual({ location: '/auth/account' })
    const before = await accountsIn(pages.deps.store).count()
    expect((await signInWith(openBrowserless(pages), signer, { chain_id: 1 })).status).toBe(200)
    expect(await accountsIn(pages.deps.store).count()).toBe(before)
    const key = await accountKeysIn(pages.deps.store).get(`wallet:${signer.address.toLowerCase()}`)
    expect(key).toMatchObject({ kind: 'wallet', name: expect.stringMatching(/^Wallet 0x\w{6}…\w{6}$/) })
  })

  test('signs a message of ours that names this site, this attempt, the wallet, a chain and an end', async () => {
    const { address } = newSigner()
    const browser = openBrowserless(pages)
    const { id, message } = await beginWallet(browser, { address }, { chain_id: 42161 })
    const { issuedAt, expirationTime, nonce, ...fields } = parseSiweMessage(message)
    expect(fields).toEqual({
      domain: new URL(pages.origin).host,
      address,
      statement: 'Sign in. This costs nothing and allows no payment.',
      uri: `${pages.origin}/auth/sign-in`,
      version: '1',
      chainId: 42161,
      requestId: id,
      scheme: undefined,
    })
    expect(Number(expirationTime) - Number(issuedAt)).toBe(300_000)
    expect(nonce).toMatch(/^[a-zA-Z0-9]{16,}$/)
    expect((await beginWallet(browser, { address })).message).not.toContain(nonce)
  })

  test.each([
    ['domain', (message: string) => message.replace(/^localhost:\d+/, 'evil.example')],
    ['nonce', (message: string) => message.replace(/Nonce: .*/, 'Nonce: aaaaaaaaaaaaaaaa')],
    ['chain', (message: string) => message.replace(/Chain ID: .*/, 'Chain ID: 1')],
    ['address to go to', (message: string) => message.replace(/URI: .*/, 'URI: https://evil.example/')],
    ['request', (message: string) => message.replace(/Request ID: .*/, 'Request ID: other')],
    [
      'end',
      (message: string) => message.replace(/Expiration Time: .*/, 'Expiration Time: 2099-01-01T00:00:00Z'),
    ],
  ])('that signed another %s is not believed', async (_, change) => {
    const signer = newSigner()
    const browser = openBrowserless(pages)
    const { id, message } = await beginWallet(browser, signer)
    const changed = change(message)
    expect(changed).not.toBe(message)
    const refused = await finish(browser, id, await signer.signMessage({ message: changed }))
    expect([refused.status, refused.json().detail]).toEqual([
      401,
      'This is no signature of the wallet under the message.',
    ])
  })

  test('signs once, in the browser that began, within five minutes', async () => {
    const signer = newSigner()
    const browser = openBrowserless(pages)
    const { id, message } = await beginWallet(browser, signer)
    const signature = await signer.signMessage({ message })
    const other = openBrowserless(pages)
    await beginWallet(other, signer)
    expect((await finish(other, id, signature)).status).toBe(410)
    const answers = await Promise.all([1, 2, 3].map(() => finish(browser, id, signature)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410])
    const late = await beginWallet(browser, signer)
    pages.clock.pass(300)
    expect((await finish(browser, late.id, await signer.signMessage(late))).status).toBe(410)
  })

  test('is not known by the other form of its signature, nor by the key of another', async () => {
    const signer = newSigner()
    const browser = openBrowserless(pages)
    const first = await beginWallet(browser, signer)
    expect((await finish(browser, first.id, malleate(await signer.signMessage(first)))).status).toBe(401)
    const second = await beginWallet(browser, signer)
    expect((await finish(browser, second.id, await newSigner().signMessage(second))).status).toBe(401)
    const third = await beginWallet(browser, signer)
    expect((await finish(browser, third.id, `0x${'00'.repeat(65)}`)).status).toBe(401)
  })

  test('may be named in capitals or in small letters, and counts parity from 0 or from 27', async () => {
    const signer = newSigner()
    const { address } = signer
    const before = await accountsIn(pages.deps.store).count()
    const names = [address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`, address.toUpperCase()]
    for (const name of names) {
      const browser = openBrowserless(pages)
      const { id, message } = await beginWallet(browser, { address: name as Hex })
      const signature = await signer.signMessage({ message })
      const old = signature.replace(/1b$/, '00').replace(/1c$/, '01')
      expect((await finish(browser, id, old)).status).toBe(200)
    }
    expect(await accountsIn(pages.deps.store).count()).toBe(before + 1)
  })

  test('is refused in words where the address, the chain or the signature is none', async () => {
    const { address } = newSigner()
    const flipped = [...address]
    const at = flipped.findIndex(letter => /[a-f]/.test(letter))
    flipped[at] = (flipped[at] ?? '').toUpperCase()
    const browser = openBrowserless(pages)
    const begin = (body: object) =>
      browser.ask('/auth/wallet/start', { body: { purpose: 'sign-in', ...body } })
    for (const [body, detail] of [
      [{ address: '0x12', chain_id: 1 }, /^address: 0x and 40 hexadecimal digits/],
      [{ address: flipped.join(''), chain_id: 1 }, /^address: its check sum does not fit/],
      [{ address, chain_id: 0 }, /^chain_id: /],
      [{ address, chain_id: 'x' }, /^chain_id: /],
      [{ address, chain_id: 1e30 }, /^chain_id: /],
      [{ chain_id: 1 }, /^address: /],
    ] as const) {
      const refused = await begin(body)
      expect([refused.status, refused.json().detail]).toEqual([422, expect.stringMatching(detail)])
    }
    const { id, message } = await beginWallet(browser, { address })
    for (const signature of ['', '0x', 'ab', `0x${'ab'.repeat(9000)}`])
      expect((await finish(browser, id, signature)).status).toBe(422)
    // A slip of the hand does not end the attempt.
    expect((await finish(browser, id, await newSigner().signMessage({ message }))).status).toBe(401)
    expect(pages.faults).toEqual([])
  })

  test('linked to two accounts at once belongs to one', async () => {
    const signer = newSigner()
    const browsers = [openBrowserless(pages), openBrowserless(pages)]
    for (const browser of browsers) expect((await signInWith(browser, newSigner())).status).toBe(200)
    const answers = await Promise.all(
      browsers.map(browser => signInWith(browser, signer, { purpose: 'add' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)?.json().detail).toBe(
      'This key already belongs to an account here.',
    )
  })

  test('that is new signs in at two places at once, to one account', async () => {
    const signer = newSigner()
    const before = await accountsIn(pages.deps.store).count()
    const answers = await Promise.all(
      [openBrowserless(pages), openBrowserless(pages)].map(browser => signInWith(browser, signer)),
    )
    expect(answers.map(({ status }) => status)).toContain(200)
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
    expect(await accountsIn(pages.deps.store).count()).toBe(before + 1)
  })
})

test('without scripts a message is shown, signed elsewhere and pasted', async () => {
  const signer = newSigner()
  const browser = openBrowserless(pages)
  const form = { purpose: 'sign-in', address: signer.address, chain_id: '8453', return: '/auth/account?x=1' }
  const shown = await browser.ask('/auth/wallet/message', { form })
  expect(shown.status).toBe(200)
  expect(shown.headers.get('content-security-policy')).toContain("script-src 'none'")
  const message = /<pre[^>]*>([^<]*)<\/pre>/.exec(shown.text)?.[1] ?? ''
  const id = /name="id" value="(\w+)"/.exec(shown.text)?.[1] ?? ''
  const signature = ` ${await signer.signMessage({ message })}\n`
  const back = /name="return" value="([^"]+)"/.exec(shown.text)?.[1] ?? ''
  const done = await browser.ask('/auth/wallet/signature', { form: { id, signature, return: back } })
  expect([done.status, done.location]).toEqual([303, '/auth/account?x=1'])
  expect((await browser.ask('/auth/account')).status).toBe(200)
  const again = await browser.ask('/auth/wallet/signature', { form: { id, signature, return: back } })
  expect([again.status, again.text]).toEqual([410, expect.stringContaining('This attempt is over')])
})
