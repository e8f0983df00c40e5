import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { accountsIn } from '../../mcp/accounts/account.ts'
import { challengesIn } from '../../mcp/accounts/challenge.ts'
import { browserSessionsIn } from '../../mcp/accounts/session.ts'
import { signInByKey } from '../../mcp/accounts/sign-in.ts'
import { sweepSignIns } from '../../mcp/accounts/sweep.ts'
import { accountKeysIn } from '../../mcp/kernel/person.ts'
import { authenticate, beginPasskey, type Lies, openAuthenticator, register } from './authenticator.ts'
import { openBrowserless, openPages, type Pages } from './pages.ts'

let pages: Pages
beforeAll(async () => {
  pages = await openPages()
})
afterEach(() => pages.nextMinute())
afterAll(() => pages?.stop())

const person = () => ({ browser: openBrowserless(pages), key: openAuthenticator(pages.origin) })

const newPerson = async () => {
  const { browser, key } = person()
  expect((await register(browser, key)).json()).toEqual({ location: '/auth/account' })
  return { browser, key }
}

const counts = async () => ({
  accounts: await accountsIn(pages.deps.store).count(),
  keys: await accountKeysIn(pages.deps.store).count(),
})

const nextDay = () => pages.clock.pass(86_400)

describe('a passkey', () => {
  test('makes an account with the name that its owner gave it, and signs in to it again', async () => {
    const { browser, key } = person()
    const made = await register(browser, key, { name: '  Ada\u202e <b>x</b>  ' })
    expect(made.status).toBe(200)
    expect(made.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^octagent_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=86400$/),
    ])
    const other = openBrowserless(pages)
    expect((await authenticate(other, key)).status).toBe(200)
    const { text } = await other.ask('/auth/account')
    expect(text).toContain('<h1>Ada &lt;b&gt;x&lt;/b&gt;</h1>')
    expect(text).not.toContain('<b>')
  })

  const lies: [string, Lies][] = [
    ['of another origin', { origin: 'https://evil.example' }],
    ['of the same host and another port', { origin: 'http://localhost:1' }],
    ['of another relying party', { rpId: 'evil.example' }],
    ['of another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['of another ceremony', { type: 'webauthn.other' }],
    ['in a frame of another site', { crossOrigin: true }],
    ['without user verification', { unverified: true }],
  ]
  test.each(lies)('that proves itself %s makes no account and signs in to none', async (_, lie) => {
    const { key } = await newPerson()
    const before = await counts()
    const stranger = person()
    const refused = await register(stranger.browser, stranger.key, lie)
    expect([refused.status, refused.json().detail]).toEqual([
      401,
      'The passkey did not prove itself for this page.',
    ])
    expect((await authenticate(stranger.browser, key, lie)).status).toBe(401)
    expect(stranger.browser.cookies.has('octagent_session')).toBe(false)
    expect(await counts()).toEqual(before)
  })

  test('signs in to nobody else by another user handle or another id', async () => {
    const { key } = await newPerson()
    const other = await newPerson()
    const thief = openBrowserless(pages)
    const handle = Buffer.from('acct_000000000000000000000000').toString('base64url')
    expect((await authenticate(thief, key, { userHandle: handle })).status).toBe(401)
    expect((await authenticate(thief, key, { userHandle: '' })).status).toBe(401)
    expect((await authenticate(thief, key, { id: other.key.id })).status).toBe(401)
    const stranger = person()
    expect((await register(stranger.browser, stranger.key, { id: key.id })).status).toBe(401)
  })

  test('answers a challenge once, whether or not the answer was good', async () => {
    const { browser, key } = await newPerson()
    const { id, options } = await beginPasskey(browser, 'sign-in')
    const response = key.authenticate(options)
    const wrong = { ...response, response: { ...response.response, signature: 'AAAA' } }
    expect((await browser.ask('/auth/passkey/finish', { body: { id, response: wrong } })).status).toBe(401)
    expect((await browser.ask('/auth/passkey/finish', { body: { id, response } })).status).toBe(410)
    const next = await beginPasskey(browser, 'sign-in')
    const body = { id: next.id, response: key.authenticate(next.options) }
    const answers = await Promise.all([1, 2, 3].map(() => browser.ask('/auth/passkey/finish', { body })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410])
  })

  test('answers no challenge of another browser, and none that is older than five minutes', async () => {
    const { browser, key } = await newPerson()
    const victim = openBrowserless(pages)
    const { id, options } = await beginPasskey(browser, 'sign-in')
    const body = { id, response: key.authenticate(options) }
    expect((await victim.ask('/auth/passkey/finish', { body })).status).toBe(410)
    await beginPasskey(victim, 'sign-in')
    expect((await victim.ask('/auth/passkey/finish', { body })).status).toBe(410)
    pages.clock.pass(301)
    expect((await browser.ask('/auth/passkey/finish', { body })).status).toBe(410)
  })

  test('that was copied is refused once the copy has counted less', async () => {
    const { browser, key } = await newPerson()
    expect((await authenticate(browser, key, { counter: 9 })).status).toBe(200)
    expect((await authenticate(browser, key, { counter: 9 })).status).toBe(401)
    expect((await authenticate(browser, key, { counter: 0 })).status).toBe(401)
    expect((await authenticate(browser, key, { counter: 10 })).status).toBe(200)
  })

  test('whose count another sign-in has passed meanwhile is refused', async () => {
    const { key } = await newPerson()
    const id = `passkey:${key.id}`
    const browser = { previousToken: undefined }
    const entries = [5, 5].map(counter => signInByKey(pages.deps, { id, counter }, browser))
    const outcomes = await Promise.allSettled(entries)
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('that never counts, as synced ones do, signs in again and again', async () => {
    const { browser, key } = person()
    expect((await register(browser, key, { counter: 0 })).status).toBe(200)
    for (const _ of [1, 2]) expect((await authenticate(browser, key, { counter: 0 })).status).toBe(200)
  })

  test('registered twice at once makes one account', async () => {
    nextDay()
    const { key } = person()
    const before = await counts()
    const browsers = [openBrowserless(pages), openBrowserless(pages)]
    const answers = await Promise.all(browsers.map(browser => register(browser, key)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await counts()).toEqual({ accounts: before.accounts + 1, keys: before.keys + 1 })
  })

  test('brings no attestation along: certificates in one are never read', async () => {
    nextDay()
    const { browser, key } = person()
    // fmt "packed" with a certificate that is none: read, it would be refused.
    const attestation = (authData: Buffer) =>
      Buffer.concat([
        Buffer.from('a363666d74667061636b65646761747453746d74a363616c672663736967416163783563814100', 'hex'),
        Buffer.from('686175746844617461', 'hex'),
        Buffer.from([0x59, authData.length >> 8, authData.length & 255]),
        authData,
      ])
    expect((await register(browser, key, { attestation })).status).toBe(200)
    const broken = person()
    const nothing = () => Buffer.from('ff', 'hex')
    expect((await register(broken.browser, broken.key, { attestation: nothing })).status).toBe(401)
  })

  test('whose answer has another form is refused in words', async () => {
    const browser = openBrowserless(pages)
    for (const response of [null, 'x', {}, { id: '!', rawId: '!', type: 'public-key', response: {} }, []]) {
      const { id } = await beginPasskey(browser, 'sign-in')
      expect((await browser.ask('/auth/passkey/finish', { body: { id, response } })).status).toBe(401)
    }
    const unknown = await authenticate(browser, openAuthenticator(pages.origin))
    expect([unknown.status, unknown.json().reason]).toEqual([401, 'unknown_key'])
    expect((await browser.ask('/auth/passkey/start', { body: { purpose: 'rob' } })).status).toBe(422)
    expect((await browser.ask('/auth/passkey/start', { body: { purpose: 'add' } })).status).toBe(401)
    expect(pages.faults).toEqual([])
  })
})

describe('what a stranger can make us keep', () => {
  test('is counted by address: attempts in a minute, accounts in a day', async () => {
    nextDay()
    const browser = openBrowserless(pages)
    const statuses: number[] = []
    for (let n = 0; n < 22; n++)
      statuses.push((await browser.ask('/auth/passkey/start', { body: { purpose: 'sign-in' } })).status)
    expect(statuses).toEqual([...Array(20).fill(200), 429, 429])
    const made: number[] = []
    for (let n = 0; n < 21; n++) {
      if (n % 10 === 0) pages.nextMinute()
      const { key } = person()
      made.push((await register(openBrowserless(pages), key)).status)
    }
    expect(made).toEqual([...Array(20).fill(200), 429])
    const { accounts, keys } = await counts()
    expect(keys).toBe(accounts)
  })

  test('is swept once it is over', async () => {
    nextDay()
    const { store } = pages.deps
    await beginPasskey(openBrowserless(pages), 'sign-in')
    await newPerson()
    pages.clock.pass(86_401)
    const { browser } = await newPerson()
    await beginPasskey(browser, 'sign-in')
    await sweepSignIns({ store, clock: pages.clock, signal: new AbortController().signal })
    expect(await challengesIn(store).count()).toBe(1)
    expect(await browserSessionsIn(store).count()).toBe(1)
    expect((await browser.ask('/auth/account')).status).toBe(200)
  })
})
