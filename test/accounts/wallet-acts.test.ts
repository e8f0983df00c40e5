import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../../app/app.ts'
import { readConfig } from '../../app/config.ts'
import { services } from '../../app/services.ts'
import { evmPayer, type Payer } from '../../bench/payer.ts'
import { accountsIn, newAccountId } from '../../mcp/accounts/account.ts'
import { credit, toBook } from '../../mcp/accounts/books.ts'
import { makePersonalKey } from '../../mcp/accounts/personal-keys.ts'
import { openSession } from '../../mcp/accounts/session.ts'
import { accountKeysIn } from '../../mcp/kernel/person.ts'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { openChain } from '../../mcp/ports/chain/chain.ts'
import { networks } from '../../mcp/ports/chain/networks.ts'
import { openDevnetKeys } from '../../mcp/ports/devnet/keys.ts'
import { openKeys } from '../../mcp/ports/keys/keys.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import type { Store } from '../../store/index.ts'
import { anvilBinary, balanceOf, makePayer, onAnvil, pay } from '../payment/evm-chain.ts'
import { signRequest } from '../services/tasks/signing.ts'

const pepper = 'p'.repeat(43)
const keys = openKeys(Buffer.from(pepper))
const clock = { now: () => new Date() }
const served = services.filter(({ slug }) => ['broker', 'proof', 'tasks'].includes(slug))

type Answer = { status: number; body: Record<string, never> }

onAnvil('a wallet that a person signs in with', () => {
  let dir: string
  let store: Store
  let url: string
  let app: Awaited<ReturnType<typeof createApp>>
  let demo: ReturnType<typeof privateKeyToAccount>
  let payer: Payer
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'octagent-wallet-'))
    store = await openEmbedded({ dir: join(dir, 'store') })
    const config = readConfig(
      {
        PORT: '0',
        OCTAGENT_DATA: dir,
        OCTAGENT_LOG: 'silent',
        OCTAGENT_RATES: 'sat=0.0006',
        OCTAGENT_PEPPER: pepper,
        ...(anvilBinary && { ANVIL: anvilBinary }),
      },
      served,
    )
    app = await createApp({ services: served, config, ports: { store } })
    url = await app.listen()
    const { demo: key } = await openDevnetKeys(dir)
    demo = privateKeyToAccount(key)
    payer = evmPayer(key)
  })
  afterAll(async () => {
    expect((await audit(store)).faults).toEqual([])
    await app.close(true)
    await store.close()
    await rm(dir, { recursive: true, force: true })
  })

  const ask = async (path: string, body: object | undefined, send = fetch, headers = {}): Promise<Answer> => {
    const response = await send(url + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, never> }
  }
  const paying = (path: string, body: object) => ask(path, body, payer.fetch)

  const openPerson = async (...wallets: string[]) => {
    const account = newAccountId()
    const at = clock.now().toISOString()
    await accountsIn(store).insert({ id: account, name: null, created_at: at, last_used: at.slice(0, 10) })
    for (const wallet of wallets) await addWallet(account, wallet)
    const all = { per_call: '', per_day: '', services: null, name: 'K', access: 'write' } as const
    const { api_key } = await makePersonalKey({ store, clock, keys }, account, all)
    return { account, ask: (path: string, body?: object) => ask(path, body, fetch, { 'x-api-key': api_key }) }
  }
  const addWallet = async (account: string, wallet: string) => {
    const at = clock.now().toISOString()
    const key = { kind: 'wallet', name: 'Wallet', created_at: at, last_used: at } as const
    await accountKeysIn(store).insert({ id: `wallet:${wallet.toLowerCase()}`, account, ...key })
  }
  const signedBy = async (wallet: ReturnType<typeof privateKeyToAccount>, path: string, body?: object) => {
    const text = body && JSON.stringify(body)
    const signed = await signRequest(wallet, url + path, {
      ...(text && { method: 'POST', body: text, contentType: 'application/json' }),
    })
    const response = await fetch(url + path, { headers: signed, ...(text && { method: 'POST', body: text }) })
    return { status: response.status, body: (await response.json()) as Record<string, never> }
  }

  test('pays as its person, who has what it paid for when it was nobody’s', async () => {
    const opened = await paying('/broker/v1/account/credits', { usd: '1.00' })
    expect(opened.body).toMatchObject({ available: 2000, api_key: expect.stringMatching(/^brk_/) })
    expect((await paying('/proof/memory/store', { key: 'before', value: 'a' })).status).toBe(200)
    const stranger = await openPerson()
    const ada = await openPerson(demo.address)
    const mine = await ada.ask('/broker/v1/account')
    expect(mine.body).toMatchObject({ account_id: opened.body.account_id, credits: { available: 2000 } })
    const more = await paying('/broker/v1/account/credits', { usd: '1.00' })
    expect(more.body).toMatchObject({ account_id: opened.body.account_id, api_key: null, available: 4000 })
    expect((await paying('/proof/memory/store', { key: 'after', value: 'b' })).status).toBe(200)
    const list = await ada.ask('/proof/memory/list', {})
    expect(list.body).toMatchObject({ entries: [{ key: 'after' }] })
    expect((await stranger.ask('/proof/memory/list', {})).body).toMatchObject({ entries: [] })
    expect((await paying('/proof/memory/get', { key: 'before' })).body).toMatchObject({ value: 'a' })
    expect((await paying('/proof/memory/get', { key: 'after' })).body).toMatchObject({ value: 'b' })
  })

  test('keeps both accounts where the person had one before', async () => {
    const wallet = privateKeyToAccount(generatePrivateKey())
    const bob = await openPerson()
    const before = await bob.ask('/broker/v1/account')
    expect(before.status).toBe(200)
    await addWallet(bob.account, wallet.address)
    expect((await bob.ask('/broker/v1/account')).body.account_id).toBe(before.body.account_id)
  })

  test('has books that money is moved between on the page, once for each form', async () => {
    const ada = await openPerson(privateKeyToAccount(generatePrivateKey()).address)
    expect((await ada.ask('/proof/balance')).body).toMatchObject({ balance_sats: 0 })
    const cookie = await store.transaction(async tx => {
      const top = { id: 'topup:test', source: 'world:account-test', memo: 'test' } as const
      await credit(tx, openLedger(), { ...top, book: toBook(ada.account), value: 2_000_000n })
      return openSession(tx, { account: ada.account, key: 'wallet:test' }, clock.now())
    })
    const origin = url.replace('127.0.0.1', 'localhost')
    const headers = { cookie: `octagent_session=${cookie}`, origin }
    const page = await (await fetch(`${origin}/auth/balance`, { headers })).text()
    const [, to = ''] = /<option value="(proof:[0-9a-f]{24})"/.exec(page) ?? []
    const [, once = ''] = /name="once" value="([0-9a-f]{32})"/.exec(page) ?? []
    const move = async (more: object = {}) => {
      const body = new URLSearchParams({ book: 'account', to, amount: '1.20', once })
      const form = { method: 'POST', body, headers: { ...headers, ...more }, redirect: 'manual' } as const
      return (await fetch(`${origin}/auth/balance/transfer`, form)).status
    }
    expect(await move({ origin: 'https://evil.example' })).toBe(403)
    expect(await Promise.all([move(), move()])).toEqual([303, 303])
    expect((await ada.ask('/proof/balance')).body).toMatchObject({ balance_sats: 2000 })
    expect(await (await fetch(`${origin}/auth/balance`, { headers })).text()).toContain('0.80 USD')
  })

  test('does nothing while its person is frozen, and no money moves', async () => {
    const chain = openChain({
      network: networks.base,
      rpc: (await app.devnetRpc('base')) ?? '',
      devnet: true,
    })
    const own = await makePayer(chain)
    const eve = await openPerson(own.address)
    const path = '/broker/v1/account/credits'
    const quote = await ask(path, { usd: '1.00' })
    const [offer] = (quote.body as never as { paymentRequired: { accepts: never[] } }).paymentRequired.accepts
    const payment = btoa(JSON.stringify(await pay(own.account, offer as never)))
    const send = () => ask(path, { usd: '1.00' }, fetch, { 'payment-signature': payment })
    const freeze = (frozen_at: string | null) =>
      accountsIn(store).update(eve.account, row => ({ ...row, frozen_at }))
    await freeze(clock.now().toISOString())
    const held = await balanceOf(chain, own.address)
    expect(await send()).toMatchObject({ status: 403, body: { reason: 'account_frozen', charged: false } })
    expect(await balanceOf(chain, own.address)).toBe(held)
    expect(await signedBy(own.account, '/tasks/api/v1/tasks')).toMatchObject({
      status: 403,
      body: { reason: 'account_frozen' },
    })
    await freeze(null)
    expect(await send()).toMatchObject({ status: 200, body: { api_key: null, available: 2000 } })
    expect((await eve.ask('/broker/v1/account')).body).toMatchObject({ credits: { available: 2000 } })
    expect((await signedBy(own.account, '/tasks/api/v1/tasks')).status).toBe(200)
  })

  test('works on no task that another wallet of its person published', async () => {
    const [one, two, other] = [1, 2, 3].map(() => privateKeyToAccount(generatePrivateKey()))
    if (!one || !two || !other) throw new Error('three wallets are needed')
    await openPerson(one.address, two.address)
    const task = {
      title: 'Is the bakery open?',
      instructions: 'Go there and say whether it is open at this hour.',
      category: 'physical_presence',
      bounty_usd: '5.00',
      deadline_hours: 24,
      evidence_required: ['text_response'],
      location_hint: 'Main Street 1',
    }
    const { body } = await signedBy(one, '/tasks/api/v1/tasks', task)
    for (const wallet of [two, other]) {
      const worker = { kind: 'human', name: 'Worker', skills: [] }
      expect((await signedBy(wallet, '/tasks/api/v1/workers/register', worker)).status).toBe(200)
    }
    const apply = `/tasks/api/v1/tasks/${body.task_id}/apply`
    expect(await signedBy(two, apply, {})).toMatchObject({
      status: 403,
      body: { reason: 'self_assignment' },
    })
    expect((await signedBy(other, apply, {})).status).toBe(201)
  })
})
