import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { accountsIn } from '../../mcp/accounts/account.ts'
import { challengesIn } from '../../mcp/accounts/challenge.ts'
import { deleteAccount, listKeys, listSessions, removeKey } from '../../mcp/accounts/manage.ts'
import { sweepSignIns } from '../../mcp/accounts/sweep.ts'
import { accountKeysIn } from '../../mcp/kernel/person.ts'
import type { Store } from '../../store/index.ts'
import { onBothEngines } from '../payment/ledger-engines.ts'
import { authenticate, beginPasskey, openAuthenticator, register } from './authenticator.ts'
import { beginWallet, newSigner, openBrowserless, openPages, type Pages, signInWith } from './pages.ts'

onBothEngines(engine => {
  let place: Awaited<ReturnType<typeof engine.place>>
  let stores: Store[]
  let here: Pages
  let there: Pages
  beforeAll(async () => {
    place = await engine.place()
    const first = await place.open()
    // The embedded store belongs to one process.
    const second = engine.name === 'embedded' ? first : await place.open()
    stores = [...new Set([first, second])]
    here = await openPages({ store: first })
    there = await openPages({ store: second, clock: here.clock, origin: () => here.origin })
  })
  beforeEach(() => here.clock.pass(86_400))
  afterAll(async () => {
    await here?.stop()
    await there?.stop()
    for (const store of stores ?? []) await store.close()
    await place?.clean()
  })

  /** One browser, as two replicas see it. */
  const openBoth = () => {
    const browser = openBrowserless(here)
    return { browser, elsewhere: openBrowserless(there, browser.cookies) }
  }

  test('what begins at one replica ends at another, once', async () => {
    const { browser, elsewhere } = openBoth()
    const key = openAuthenticator(here.origin)
    const made = await beginPasskey(browser, 'create')
    const body = { id: made.id, response: key.register(made.options) }
    const answers = await Promise.all([
      browser.ask('/auth/passkey/finish', { body }),
      elsewhere.ask('/auth/passkey/finish', { body }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410])
    expect((await elsewhere.ask('/auth/account')).status).toBe(200)
    expect((await authenticate(elsewhere, key)).status).toBe(200)
    expect((await browser.ask('/auth/account')).status).toBe(200)
  })

  test('one signature is taken once by both', async () => {
    const { browser, elsewhere } = openBoth()
    const signer = newSigner()
    const { id, message } = await beginWallet(browser, signer)
    const body = { id, signature: await signer.signMessage({ message }) }
    const answers = await Promise.all(
      [browser, elsewhere, browser, elsewhere].map(one => one.ask('/auth/wallet/finish', { body })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410])
  })

  test('one passkey registered at both at once makes one account', async () => {
    const before = await accountsIn(here.deps.store).count()
    const key = openAuthenticator(here.origin)
    const answers = await Promise.all([here, there].map(pages => register(openBrowserless(pages), key)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await accountsIn(here.deps.store).count()).toBe(before + 1)
  })

  test('one key linked to two accounts at once belongs to one', async () => {
    const signer = newSigner()
    const browsers = [openBrowserless(here), openBrowserless(there)]
    for (const browser of browsers) expect((await signInWith(browser, newSigner())).status).toBe(200)
    const answers = await Promise.all(
      browsers.map(browser => signInWith(browser, signer, { purpose: 'add' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('two keys removed at both at once leave one, and an account deleted at both is gone once', async () => {
    const { browser } = openBoth()
    const [signer, second] = [newSigner(), newSigner()]
    await signInWith(browser, signer)
    await signInWith(browser, second, { purpose: 'add' })
    const ids = [signer, second].map(({ address }) => `wallet:${address.toLowerCase()}`)
    const key = await accountKeysIn(here.deps.store).get(ids[0] ?? '')
    const account = key?.account ?? ''
    const removals = [here, there].map(({ deps }, n) => removeKey(deps, account, ids[n] ?? ''))
    const outcomes = await Promise.allSettled(removals)
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await listKeys(there.deps.store, account)).toHaveLength(1)
    const deletions = [here, there].map(({ deps }) => deleteAccount(deps, account))
    const ends = await Promise.allSettled(deletions)
    expect(ends.map(({ status }) => status)).toContain('fulfilled')
    expect(await accountsIn(there.deps.store).get(account)).toBeUndefined()
    expect(await listKeys(there.deps.store, account)).toEqual([])
    expect(await listSessions(there.deps.store, account)).toEqual([])
  })

  test('what is over is swept, page by page', async () => {
    const { store } = here.deps
    const row = { browser: 'b', kind: 'wallet', purpose: 'sign-in', text: 't' } as const
    const expires_at = here.clock.now().toISOString()
    for (let n = 0; n < 510; n++) await challengesIn(store).insert({ ...row, id: `c${n}`, expires_at })
    here.clock.pass(1)
    const signal = new AbortController().signal
    await sweepSignIns({ store: there.deps.store, clock: here.clock, signal })
    expect(await challengesIn(store).count()).toBe(0)
  })
})
