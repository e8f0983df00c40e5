import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../app/app.ts'
import { readConfig } from '../../app/config.ts'
import { services } from '../../app/services.ts'
import { moveAccounts } from '../../mcp/accounts/move.ts'
import { sendWithdrawal } from '../../mcp/accounts/withdrawal/send.ts'
import { listCollections } from '../../mcp/kernel/collection.ts'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { openKeys } from '../../mcp/ports/keys/keys.ts'
import type { Lightning } from '../../mcp/ports/lightning/port.ts'
import type { Account, Unit } from '../../mcp/ports/payment/port.ts'
import type { Payout, Payouts } from '../../mcp/ports/payouts/port.ts'
import { moveStore } from '../../store/copy/move.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import type { Store } from '../../store/index.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { openLife } from '../payment/mortal.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'
import { type Stripe, startStripe } from '../stripe.ts'

type Key = { id: string; key: string; old: string }
type Session = Parameters<Stripe['completed']>[0]
type Facts = {
  made_at: string
  secrets: Record<string, string>
  person: Record<'account' | 'cookie' | 'broker' | 'proof', string>
  sessions: Record<'paid' | 'waiting' | 'early' | 'spent' | 'dollars' | 'dollarsWaiting', Session>
} & Record<'proof' | 'debtor' | 'broker' | 'gateway' | 'data' | 'tasks', Key>

const database = withDatabase()

/** A data folder of before, in a store of either kind. */
const openBefore = async (
  folder: string,
  kind: string,
): Promise<{ store: Store; clean(): Promise<void> }> => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-moving-'))
  await cp(folder, dir, { recursive: true })
  const clean = () => rm(dir, { recursive: true, force: true })
  if (kind === 'embedded') return { store: await openEmbedded({ dir: join(dir, 'store') }), clean }
  const place = { name: 'new', url: database(), schema: freshSchema() }
  await moveStore({ from: { name: 'old', dir: join(dir, 'store') }, to: place })
  return { store: await openPostgres(place), clean }
}

/** Withdrawals as earlier versions kept them: one to an invoice that ended, one to a wallet that nothing was sent to yet. */
const addWithdrawals = (store: Store, facts: Facts) =>
  store.transaction(async tx => {
    const ledger = openLedger()
    const post = (
      id: string,
      unit: 'msat' | 'USDC',
      held: 'escrow:proof-withdrawals' | 'house:tasks-payouts',
    ) => {
      const postings = [
        { account: 'world:before' as const, amount: { unit, value: -6_100_000n } },
        { account: held, amount: { unit, value: 6_100_000n } },
      ]
      return ledger.post(tx, { id, unit, memo: 'withdraw', postings })
    }
    await post('withdraw:old', 'msat', 'escrow:proof-withdrawals')
    await post('tasks-withdraw:old', 'USDC', 'house:tasks-payouts')
    const times = { created_at: facts.made_at, next_at: facts.made_at, expires_at: facts.made_at }
    const invoice = {
      invoice: 'lnbcrt1old',
      payment_hash: '0a'.repeat(32),
      preimage: null,
      lease: null,
      tries: 0,
    }
    const ends = { begun_at: null, problem: null, ended_at: null, state: 'queued' }
    const id = { account: 'f'.repeat(24), sats: 6000, fee_sats: 100 }
    const indexes = [{ name: 'moving', fields: ['id'] }]
    const proof = tx.collection('proof.withdrawals', indexes)
    await proof.insert({ id: 'ab'.repeat(12), ...id, ...invoice, ...times, ...ends } as { id: string })
    const to = {
      to: facts.tasks.id.slice(-42),
      amount: '6100000',
      from: null,
      transaction: null,
      sent_at: null,
    }
    const wallet = { account: facts.tasks.id, state: 'queued', problem: null, created_at: facts.made_at }
    const tasks = tx.collection('tasks.withdrawals', indexes)
    await tasks.insert({ id: 'wdr_old', ...wallet, ...to } as { id: string })
  })

const countRows = (store: Store, name: string) => store.collection(name).count()

describe.each([
  ['before', 'embedded'],
  ...(postgresIsHere ? [['before', 'PostgreSQL']] : []),
  ['0.3.0', 'embedded'],
] as [string, string][])('a data folder of %s, %s', (release, kind) => {
  const folder = join(import.meta.dirname, release)
  const facts: Facts = JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8'))
  const now = new Date(Date.parse(facts.made_at) + 60_000)
  const isMoved = release !== 'before'
  let stripe: Stripe
  let app: Awaited<ReturnType<typeof createApp>>
  let opened: Awaited<ReturnType<typeof openBefore>>
  let url: string
  const sent: Payout[] = []
  /** Before the program starts, whose own jobs send what is due. */
  const sendWithdrawals = async (store: Store) => {
    const deps = { store, ledger: openLedger(), clock: { now: () => now } }
    const payouts: Payouts = {
      network: 'eip155:8453',
      wallet: async () => '0xhouse',
      send: async payout => {
        sent.push(payout)
        return { state: 'sent', transaction: '0x1' }
      },
    }
    await sendWithdrawal(deps, { lightning: {} as Lightning }, 'ab'.repeat(12))
    await Promise.all([1, 2].map(() => sendWithdrawal(deps, { payouts }, 'wdr_old')))
  }
  beforeAll(async () => {
    stripe = await startStripe()
    opened = await openBefore(folder, kind)
    const { store } = opened
    if (!isMoved) await addWithdrawals(store, facts)
    // Processes that end while they move, each after three writes.
    let killed = 0
    for (let isMoving = true; isMoving; ) {
      const life = openLife()
      let left = 3
      const mortal = new Proxy(life.store(store), {
        get: (target, name) =>
          name === 'transaction'
            ? async (work: never) => {
                if (left-- === 0) throw new Error('killed')
                return target.transaction(work)
              }
            : Reflect.get(target, name),
      }) as Store
      isMoving = await moveAccounts(mortal, { now }).then(
        () => false,
        ({ message }) => message === 'killed',
      )
      if (isMoving) killed++
    }
    if (!isMoved) expect(killed).toBeGreaterThanOrEqual(2)
    if (!isMoved) await sendWithdrawals(store)
    const environment = {
      PORT: '0',
      OCTAGENT_DATA: await mkdtemp(join(tmpdir(), 'octagent-moved-')),
      OCTAGENT_LOG: 'silent',
      OCTAGENT_RATES: 'sat=0.0006',
      ...facts.secrets,
      ...stripe.environment,
    }
    const config = readConfig(environment, services)
    app = await createApp({
      services,
      config,
      ports: { store, fetch: stripe.fetch, clock: { now: () => now } },
    })
    url = await app.listen()
  })
  afterAll(async () => {
    expect((await audit(opened.store)).faults).toEqual([])
    await app.close(true)
    await stripe.stop()
    await opened.clean()
  })

  const ask = async (path: string, key: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const tell = async (path: string, event: string) => {
    const headers = {
      'content-type': 'application/json',
      'stripe-signature': stripe.sign(event, now.getTime() / 1000),
    }
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: event })
    return [response.status, ((await response.json()) as { applied?: boolean }).applied]
  }
  const balance = async (key: string) => (await ask('/proof/balance', key)).body

  test('has moved whole: nothing of it is left where it was', async () => {
    const gone = ['card_top_ups', 'card_losses', 'withdrawals'].map(name => `proof.${name}`)
    for (const name of [...gone, 'tasks.withdrawals', 'accounts.debts'])
      expect(await countRows(opened.store, name), name).toBe(0)
    expect(await countRows(opened.store, 'accounts.card_top_ups')).toBe(6)
    const again: string[] = []
    await moveAccounts(opened.store, { now, onMoved: name => again.push(name) })
    expect(again).toEqual([])
  })

  test('knows whom a person is at each service', async () => {
    const keys = openKeys(Buffer.from(facts.secrets.OCTAGENT_PEPPER ?? ''))
    const { profiles, keys: ownKeys } = await keys.listOf(opened.store, facts.person.account)
    const holders = new Map(profiles.map(({ prefix, holder }) => [prefix, holder]))
    expect([holders.get('brk'), holders.get('prf')]).toEqual([facts.person.broker, facts.person.proof])
    expect(ownKeys).toHaveLength(isMoved ? 0 : 2)
  })

  test('keeps balances, debts and what may leave', async () => {
    expect(await balance(facts.proof.key)).toMatchObject({
      account_id: facts.proof.id,
      balance_sats: 27_500,
      withdrawable_sats: 20_000,
      debt_sats: 0,
    })
    expect(await balance(facts.debtor.key)).toMatchObject({ balance_sats: 0, debt_sats: isMoved ? 0 : 200 })
  })

  test.skipIf(isMoved)('ends withdrawals that were asked for before', async () => {
    const { store } = opened
    const ledger = openLedger()
    const bookOf = async (account: Account, unit: Unit) =>
      (await ledger.balance(store, unit, account)).total.value
    const owner = `agent:proof:${'f'.repeat(24)}` as const
    // It comes back whole: no clock was early enough to pay its invoice.
    expect(await bookOf(owner, 'msat')).toBe(6_100_000n)
    expect(await bookOf('escrow:proof-withdrawals', 'msat')).toBe(0n)
    expect(sent).toEqual([
      { id: 'wdr_old', from: '0xhouse', to: facts.tasks.id.slice(-42), amount: 6_100_000n },
    ])
    expect(await bookOf('house:tasks-payouts', 'USDC')).toBe(0n)
    const { withdrawals } = (await ask('/tasks/api/v1/payments/withdrawals', facts.tasks.key)).body
    expect(withdrawals).toMatchObject([{ withdrawal_id: 'wdr_old', state: 'sent', amount_usd: '6.10' }])
  })

  test('takes payments for pages that were made before, at every address of the webhook, once', async () => {
    const { waiting, early, dollarsWaiting } = facts.sessions
    expect(await tell('/auth/card/events', stripe.completed(waiting))).toEqual([200, true])
    expect(await tell('/proof/topup/card/events', stripe.completed(waiting))).toEqual([200, true])
    expect(await balance(facts.proof.key)).toMatchObject({ balance_sats: 37_500 })
    // A part of it had been given back before it was told of.
    expect(await tell('/account/card/events', stripe.completed(early))).toEqual([200, true])
    expect(await balance(facts.proof.key)).toMatchObject({ balance_sats: 37_500 + 8333 })
    expect(await tell('/proof/topup/card/events', stripe.completed(dollarsWaiting))).toEqual([200, true])
    const page = await fetch(`${url.replace('127.0.0.1', 'localhost')}/auth/balance`, {
      headers: { cookie: facts.person.cookie },
    })
    expect(await page.text()).toContain('6.75 USD')
  })

  test('lets the keys of every service in, and none that was replaced', async () => {
    const calls = {
      proof: '/proof/balance',
      broker: '/broker/v1/account',
      tasks: '/tasks/api/v1/payments/balance',
    } as const
    for (const [slug, path] of Object.entries(calls)) {
      const { id, key, old } = facts[slug as keyof typeof calls]
      expect(await ask(path, key), slug).toMatchObject({ status: 200, body: { account_id: id } })
      expect((await ask(path, old)).status, slug).toBe(401)
    }
    const action = '/gateway/tools/get_action_status'
    expect((await ask(action, facts.gateway.key, { action_id: 'act_0' })).status).toBe(404)
    expect((await ask(action, `${facts.gateway.key}x`, { action_id: 'act_0' })).status).toBe(401)
    expect((await ask('/data/tools/help', facts.data.key, {})).status).toBe(200)
    expect((await ask('/data/tools/help', `${facts.data.key}x`, {})).status).toBe(401)
    for (const name of [
      'proof.accounts',
      'broker.accounts',
      'gateway.members',
      'data.allies',
      'tasks.accounts',
    ]) {
      const { indexes = [] } = listCollections().find(collection => collection.name === name) ?? {}
      const index = indexes[0]?.name ?? 'moving'
      const { rows } = await opened.store.collection(name).find({ index })
      expect(rows.length, name).toBeGreaterThan(0)
      expect(JSON.stringify(rows), name).not.toContain('key_hash')
    }
  })
})
