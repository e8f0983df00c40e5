import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { accountsIn, balanceUnit, toWallet } from '../../mcp/accounts/account.ts'
import type { ConnectedClient } from '../../mcp/accounts/deps.ts'
import { limitsIn } from '../../mcp/accounts/limits.ts'
import { listKeys, listSessions, removeKey } from '../../mcp/accounts/manage.ts'
import { browserSessionsIn } from '../../mcp/accounts/session.ts'
import { accountKeysIn } from '../../mcp/kernel/person.ts'
import { authenticate, openAuthenticator, register } from './authenticator.ts'
import {
  type Browserless,
  newSigner,
  openBrowserless,
  openPages,
  type Pages,
  type Signer,
  signInWith,
} from './pages.ts'

const connected = new Map<string, ConnectedClient[]>()
const kept = new Map<string, string[]>()

let pages: Pages
beforeAll(async () => {
  pages = await openPages({
    clients: {
      list: async account => connected.get(account) ?? [],
      disconnectAll: async account => void connected.set(account, []),
      async disconnect(account, id) {
        const before = connected.get(account) ?? []
        connected.set(
          account,
          before.filter(client => client.id !== id),
        )
        return before.some(client => client.id === id)
      },
    },
    parts: [
      {
        name: 'notes',
        read: async account => kept.get(account) ?? [],
        blocks: async (_, account) =>
          kept.get(account)?.includes('busy') ? 'A note is being written.' : undefined,
        remove: async (_, account) => void kept.delete(account),
      },
    ],
  })
})
afterEach(() => pages.clock.pass(86_400))
afterAll(() => pages?.stop())

const accountOf = async ({ address }: Signer): Promise<string> =>
  (await accountKeysIn(pages.deps.store).get(`wallet:${address.toLowerCase()}`))?.account ?? ''

const newPerson = async () => {
  const signer = newSigner()
  const browser = openBrowserless(pages)
  expect((await signInWith(browser, signer)).status).toBe(200)
  return { browser, signer, account: await accountOf(signer) }
}

const post = (browser: Browserless, path: string, form: Record<string, string> = {}) =>
  browser.ask(`/auth/account/${path}`, { form })

const credit = (account: string, value: bigint, id = `test-${Math.random()}`) =>
  pages.deps.store.transaction(tx =>
    pages.deps.ledger.post(tx, {
      id,
      memo: 'top-up',
      unit: balanceUnit,
      postings: [
        { account: toWallet(account), amount: { unit: balanceUnit, value } },
        { account: 'world:test', amount: { unit: balanceUnit, value: -value } },
      ],
    } as never),
  )

describe('the account page', () => {
  test('asks who is there, and comes back', async () => {
    const stranger = openBrowserless(pages)
    const asked = await stranger.ask('/auth/account?tab=1')
    expect([asked.status, asked.location]).toEqual([303, '/auth/sign-in?return=%2Fauth%2Faccount%3Ftab%3D1'])
    for (const path of ['name', 'keys/name', 'keys/remove', 'sessions/end', 'clients/disconnect', 'delete']) {
      const { status, location } = await post(stranger, path)
      expect([path, status, location?.startsWith('/auth/sign-in?return=%2Fauth%2Faccount')]).toEqual([
        path,
        303,
        true,
      ])
    }
    expect((await stranger.ask('/auth/account/export')).status).toBe(303)
  })

  test('keeps names of strangers as text', async () => {
    const { browser, account } = await newPerson()
    const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    connected.set(account, [
      { id: '"><b>', name: hostile, hosts: ['<i>evil.example'], connected_at: '2026-01-01T00:00:00.000Z' },
    ])
    expect((await post(browser, 'name', { name: `${hostile}\u0000\u202e\n` })).status).toBe(303)
    const [key] = await listKeys(pages.deps.store, account)
    expect((await post(browser, 'keys/name', { key: key?.id ?? '', name: hostile })).status).toBe(303)
    const { text, headers } = await browser.ask('/auth/account')
    expect(text).not.toMatch(/<script>alert|<img|<b>|<i>/)
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; .*frame-ancestors 'none'$/,
    )
    expect(text.match(/&lt;script&gt;alert\(1\)/g)?.length).toBeGreaterThanOrEqual(3)
    await post(browser, 'name', { name: 'x'.repeat(300) })
    expect((await accountsIn(pages.deps.store).get(account))?.name?.length).toBe(60)
    await post(browser, 'name', { name: ' ' })
    expect((await accountsIn(pages.deps.store).get(account))?.name).toBeNull()
  })

  test('lets only its own keys, sessions and clients be touched', async () => {
    const victim = await newPerson()
    const thief = await newPerson()
    const [key] = await listKeys(pages.deps.store, victim.account)
    const [session] = await listSessions(pages.deps.store, victim.account)
    connected.set(victim.account, [
      { id: 'g1', name: 'Client', hosts: [], connected_at: '2026-01-01T00:00:00.000Z' },
    ])
    expect((await post(thief.browser, 'keys/name', { key: key?.id ?? '', name: 'mine' })).status).toBe(404)
    expect((await post(thief.browser, 'keys/remove', { key: key?.id ?? '' })).status).toBe(404)
    await post(thief.browser, 'sessions/end', { session: session?.id ?? '' })
    expect((await post(thief.browser, 'clients/disconnect', { client: 'g1' })).status).toBe(404)
    expect(await listKeys(pages.deps.store, victim.account)).toEqual([key])
    expect((await victim.browser.ask('/auth/account')).status).toBe(200)
    expect((await post(victim.browser, 'clients/disconnect', { client: 'g1' })).status).toBe(303)
    expect(connected.get(victim.account)).toEqual([])
  })
})

describe('keys', () => {
  test('are added and removed only by whoever has just signed in', async () => {
    const { browser, signer, account } = await newPerson()
    pages.clock.pass(301)
    const second = newSigner()
    const body = { purpose: 'add', address: second.address, chain_id: 1 }
    const asked = await browser.ask('/auth/wallet/start', { body })
    expect([asked.status, asked.json().location]).toEqual([
      401,
      '/auth/sign-in?return=%2Fauth%2Faccount&again=1',
    ])
    expect((await browser.ask('/auth/account')).text).not.toContain('data-wallet="add"')
    expect((await signInWith(browser, signer)).status).toBe(200)
    expect((await signInWith(browser, second, { purpose: 'add' })).status).toBe(200)
    const passkey = openAuthenticator(pages.origin)
    expect((await register(browser, passkey, { purpose: 'add' })).status).toBe(200)
    expect((await listKeys(pages.deps.store, account)).map(({ id }) => id)).toEqual([
      `wallet:${signer.address.toLowerCase()}`,
      `wallet:${second.address.toLowerCase()}`,
      `passkey:${passkey.id}`,
    ])
    pages.clock.pass(301)
    const remove = { key: `wallet:${second.address.toLowerCase()}` }
    expect((await post(browser, 'keys/remove', remove)).location).toContain('/auth/sign-in')
    expect(await listKeys(pages.deps.store, account)).toHaveLength(3)
  })

  test('go with the sessions that they opened, and never the last one', async () => {
    const { browser, signer, account } = await newPerson()
    const second = newSigner()
    await signInWith(browser, second, { purpose: 'add' })
    const stolen = openBrowserless(pages)
    expect((await signInWith(stolen, second)).status).toBe(200)
    expect(
      (await post(browser, 'keys/remove', { key: `wallet:${second.address.toLowerCase()}` })).status,
    ).toBe(303)
    expect((await stolen.ask('/auth/account')).status).toBe(303)
    expect((await browser.ask('/auth/account')).status).toBe(200)
    const last = await post(browser, 'keys/remove', { key: `wallet:${signer.address.toLowerCase()}` })
    expect([last.status, last.text]).toEqual([409, expect.stringContaining('the last key of your account')])
    expect(await listKeys(pages.deps.store, account)).toHaveLength(1)
  })

  test('removed two at once leave one', async () => {
    const { browser, signer, account } = await newPerson()
    const second = newSigner()
    await signInWith(browser, second, { purpose: 'add' })
    const ids = [signer, second].map(({ address }) => `wallet:${address.toLowerCase()}`)
    const outcomes = await Promise.allSettled(ids.map(id => removeKey(pages.deps, account, id)))
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await listKeys(pages.deps.store, account)).toHaveLength(1)
  })

  test('are ten at most', async () => {
    const { browser, signer, account } = await newPerson()
    for (let n = 1; n < 10; n++) {
      pages.nextMinute()
      if (n % 4 === 0) await signInWith(browser, signer)
      expect((await signInWith(browser, newSigner(), { purpose: 'add' })).status).toBe(200)
    }
    pages.nextMinute()
    const refused = await signInWith(browser, newSigner(), { purpose: 'add' })
    expect([refused.status, refused.json().detail]).toEqual([409, 'An account has 10 keys at most.'])
    expect(await listKeys(pages.deps.store, account)).toHaveLength(10)
  })

  test('prove themselves again only for the account that is signed in', async () => {
    const { browser, signer } = await newPerson()
    const other = await newPerson()
    const passkey = openAuthenticator(pages.origin)
    await register(other.browser, passkey, { purpose: 'add' })
    pages.clock.pass(301)
    const before = await accountsIn(pages.deps.store).count()
    for (const stranger of [other.signer, newSigner()])
      expect((await signInWith(browser, stranger, { purpose: 'prove' })).status).toBe(409)
    expect((await authenticate(browser, passkey, { purpose: 'prove' })).status).toBe(409)
    expect(await accountsIn(pages.deps.store).count()).toBe(before)
    expect((await browser.ask('/auth/account/delete')).status).toBe(303)
    expect((await signInWith(browser, signer, { purpose: 'prove' })).status).toBe(200)
    expect((await browser.ask('/auth/account/delete')).status).toBe(200)
    const out = openBrowserless(pages)
    const body = { purpose: 'prove', address: signer.address, chain_id: 1 }
    expect((await out.ask('/auth/wallet/start', { body })).status).toBe(401)
  })

  test('begun to be added in a session that ended are not', async () => {
    const { browser, signer } = await newPerson()
    const second = newSigner()
    const started = await browser.ask('/auth/wallet/start', {
      body: { purpose: 'add', address: second.address, chain_id: 1 },
    })
    const { id, message } = started.json()
    await signInWith(browser, signer)
    const signature = await second.signMessage({ message })
    expect((await browser.ask('/auth/wallet/finish', { body: { id, signature } })).status).toBe(401)
    expect(await accountOf(second)).toBe('')
  })
})

describe('sessions', () => {
  test('get a new token with each sign-in, whatever the browser brought', async () => {
    const signer = newSigner()
    const browser = openBrowserless(pages)
    const planted = 'A'.repeat(43)
    browser.cookies.set('octagent_session', planted)
    await signInWith(browser, signer)
    const first = browser.cookies.get('octagent_session') ?? ''
    expect(first).not.toBe(planted)
    await signInWith(browser, signer)
    const second = browser.cookies.get('octagent_session') ?? ''
    expect(second).not.toBe(first)
    for (const token of [planted, first]) {
      const other = openBrowserless(pages)
      other.cookies.set('octagent_session', token)
      expect((await other.ask('/auth/account')).status).toBe(303)
    }
    expect(await listSessions(pages.deps.store, await accountOf(signer))).toHaveLength(1)
  })

  test('are no longer good once they are over, forged, doubled or of another form', async () => {
    const { browser } = await newPerson()
    const token = browser.cookies.get('octagent_session') ?? ''
    const cookies = [
      `octagent_session=${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      `octagent_session=${token}; octagent_session=${'A'.repeat(43)}`,
      'octagent_session=',
      `octagent_session=${'x'.repeat(5000)}`,
      `octagent_session="${token}"`,
      `__Host-octagent_session=${token}`,
    ]
    for (const cookie of cookies)
      expect((await browser.ask('/auth/account', { headers: { cookie } })).status).toBe(303)
    expect((await browser.ask('/auth/account')).status).toBe(200)
    pages.clock.pass(86_400)
    expect((await browser.ask('/auth/account')).status).toBe(303)
  })

  test('end here, elsewhere and everywhere', async () => {
    const { browser, signer, account } = await newPerson()
    const [second, third] = [openBrowserless(pages), openBrowserless(pages)]
    await signInWith(second, signer)
    await signInWith(third, signer)
    const token = third.cookies.get('octagent_session') ?? ''
    const out = await third.ask('/auth/sign-out', { method: 'POST' })
    expect([out.status, third.cookies.has('octagent_session')]).toEqual([303, false])
    third.cookies.set('octagent_session', token)
    expect((await third.ask('/auth/account')).status).toBe(303)
    const { text } = await browser.ask('/auth/account')
    const id = /name="session" value="(\w+)"/.exec(text)?.[1] ?? ''
    expect((await post(browser, 'sessions/end', { session: id })).status).toBe(303)
    expect((await second.ask('/auth/account')).status).toBe(303)
    expect((await browser.ask('/auth/account')).status).toBe(200)
    await signInWith(second, signer)
    expect((await post(browser, 'sessions/end')).status).toBe(303)
    for (const one of [browser, second]) expect((await one.ask('/auth/account')).status).toBe(303)
    expect(await listSessions(pages.deps.store, account)).toEqual([])
  })

  test('are twenty at most; the oldest gives way', async () => {
    const { browser, signer, account } = await newPerson()
    for (let n = 0; n < 20; n++) {
      pages.nextMinute()
      await signInWith(openBrowserless(pages), signer)
    }
    expect(await listSessions(pages.deps.store, account)).toHaveLength(20)
    expect((await browser.ask('/auth/account')).status).toBe(303)
  })
})

describe('everything about an account', () => {
  test('is exported: what it is, its keys, sessions, clients, limits, balance, statement and what others keep', async () => {
    const { browser, account } = await newPerson()
    connected.set(account, [
      { id: 'g2', name: 'Client', hosts: ['c.example'], connected_at: '2026-01-01T00:00:00.000Z' },
    ])
    kept.set(account, ['a note'])
    const client = { id: 'c', name: 'Client' }
    const limits = {
      id: 'g2',
      account,
      client,
      per_call: '1.00',
      per_day: null,
      services: null,
      updated_at: 'now',
    }
    await limitsIn(pages.deps.store).insert(limits)
    for (let n = 0; n < 3; n++) await credit(account, 1_500_000n)
    const { headers, json } = await browser.ask('/auth/account/export')
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${account}.json"`)
    const exported = json()
    expect(exported).toMatchObject({
      account: { id: account, name: null },
      keys: [{ kind: 'wallet', account }],
      sessions: [{ key: expect.stringMatching(/^wallet:/) }],
      clients: [{ id: 'g2', name: 'Client' }],
      limits: [limits],
      books: [{ book: 'account', unit: 'USD', total: '4.50', held: '0.00', debt: '0.00' }],
      notes: ['a note'],
    })
    expect(exported.statement).toHaveLength(3)
    expect(exported.statement[0]).toMatchObject({ book: 'account', amount: '1.50', memo: 'top-up' })
    expect(JSON.stringify(exported)).not.toContain(browser.cookies.get('octagent_session'))
  })

  test('is deleted by its owner, once no money is in the way', async () => {
    const { browser, signer, account } = await newPerson()
    const other = openBrowserless(pages)
    await signInWith(other, signer)
    connected.set(account, [
      { id: 'g3', name: 'Client', hosts: [], connected_at: '2026-01-01T00:00:00.000Z' },
    ])
    kept.set(account, ['busy'])
    await credit(account, 1_230_000n)
    const shown = await browser.ask('/auth/account/delete')
    expect(shown.text).toContain('There are 1.23 USD on the balance.')
    expect(shown.text).toContain('A note is being written.')
    expect(shown.text).not.toContain('for ever')
    const refused = await post(browser, 'delete')
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('There are 1.23 USD')])
    expect(connected.get(account)).toHaveLength(1)
    await credit(account, -1_230_000n)
    kept.set(account, [])
    pages.clock.pass(301)
    expect((await post(browser, 'delete')).location).toBe(
      '/auth/sign-in?return=%2Fauth%2Faccount%2Fdelete&again=1',
    )
    await signInWith(browser, signer)
    const done = await post(browser, 'delete')
    expect([done.status, browser.cookies.has('octagent_session')]).toEqual([200, false])
    const { store, ledger } = pages.deps
    expect(await accountsIn(store).get(account)).toBeUndefined()
    expect(await listKeys(store, account)).toEqual([])
    expect(await listSessions(store, account)).toEqual([])
    expect([connected.get(account), kept.has(account)]).toEqual([[], false])
    expect((await other.ask('/auth/account')).status).toBe(303)
    expect((await ledger.statement(store, balanceUnit, toWallet(account))).lines).toHaveLength(2)
    // The same wallet begins anew, with nothing of before.
    await signInWith(other, signer)
    expect(await accountOf(signer)).not.toBe(account)
  })

  test('deleted while another browser of it is in use, that browser is signed out', async () => {
    const { browser, account } = await newPerson()
    await accountsIn(pages.deps.store).delete(account)
    expect((await browser.ask('/auth/account')).location).toBe('/auth/sign-in')
    expect(await browserSessionsIn(pages.deps.store).count({ index: 'account', where: { account } })).toBe(1)
  })
})
