import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { loadBook } from '../../../mcp/accounts/books.ts'
import { applyCardEvent, cardTopUpsIn } from '../../../mcp/accounts/card-top-ups.ts'
import { openBooks } from '../../../mcp/accounts/ports.ts'
import { call, type World } from '../../../mcp/kernel/call.ts'
import { PaymentRequired, ToolError } from '../../../mcp/kernel/error.ts'
import { type AnyTool, sats, tool } from '../../../mcp/kernel/tool.ts'
import type { CardEvent } from '../../../mcp/lib/card-payment.ts'
import { openAccountDialect } from '../../../mcp/payment/dialects/account/account.ts'
import { openL402Dialect } from '../../../mcp/payment/dialects/l402/l402.ts'
import { openGate } from '../../../mcp/payment/gate/open.ts'
import { refund } from '../../../mcp/payment/gate/owed.ts'
import { paymentRows } from '../../../mcp/payment/gate/record.ts'
import { audit } from '../../../mcp/payment/ledger/audit.ts'
import { openLedger } from '../../../mcp/payment/ledger/index.ts'
import { openBalanceMethod } from '../../../mcp/payment/methods/balance/method.ts'
import { openLightningMethod } from '../../../mcp/payment/methods/lightning/method.ts'
import { openRates } from '../../../mcp/payment/rates.ts'
import { openKeys } from '../../../mcp/ports/keys/keys.ts'
import { openDevelopmentLightning, payDevelopmentInvoice } from '../../../mcp/ports/lightning/devnet.ts'
import { toWalletAccount, toWalletBook } from '../../../mcp/services/proof/account/wallet.ts'
import { accountParts } from '../../../mcp/services/proof/account-parts.ts'
import register from '../../../mcp/services/proof/register.ts'
import topUp from '../../../mcp/services/proof/top-up.ts'
import type { Store } from '../../../store/index.ts'
import { hints, incoming, serviceWith } from '../../call/fixture.ts'
import { onBothEngines } from '../../payment/ledger-engines.ts'
import { openLife } from '../../payment/mortal.ts'
import { randomFrom } from '../../random.ts'
import { runs } from '../../stress.ts'
import { openTestWorld } from '../../world.ts'

const nodeKey = '11'.repeat(32)
const price = 100
const steps = 120

type Done = { id: string; account: string; free: boolean }

const doneIn = (store: Pick<Store, 'collection'>) =>
  store.collection<Done>('fixture.done', [{ name: 'account', fields: ['account'] }])

/** A bank of accounts, with two processes over one store that may die. */
const openBank = async (store: Store, at: () => Date) => {
  const clock = { now: at }
  const knobs = { fail: false, wait: undefined as Promise<void> | undefined }
  const input = z.object({ text: z.string().describe('What about') })
  const facts = {
    title: 'Work',
    description: 'Works.',
    input,
    output: z.object({ done: z.string().describe('What was done') }),
    needs: ['store'] as const,
    price: sats(String(price)),
    hints,
    a2a: {},
    examples: [{ text: 'a' }] as const,
  }
  const act = async () => {
    await knobs.wait
    if (knobs.fail) throw new ToolError('upstream', 'It broke.')
  }
  /** Writes down that it was done in the transaction that takes the money. */
  const write: AnyTool = tool({ ...facts, name: 'write', settle: 'before', examples: [{ text: 'a' }] }).run(
    async ({ commit, caller, receipt }) => {
      await act()
      return commit(async tx => {
        const id = receipt?.id ?? randomUUID()
        await doneIn(tx).insert({ id, account: caller?.id ?? '', free: receipt === undefined })
        return { done: id }
      })
    },
  )
  const read: AnyTool = tool({
    ...facts,
    name: 'read',
    hints: { ...hints, readOnly: true },
    examples: [{ text: 'a' }],
  }).run(async (_, { text }) => {
    await act()
    return { done: text }
  })
  const holder = {
    ...serviceWith(register, topUp, write, read),
    slug: 'proof',
    identify: accountParts.identify,
    prepaid: { ...accountParts.prepaid, freeCalls: 2 },
  }
  const keys = openKeys(randomBytes(32))
  const ledger = openLedger(at)
  const hmacKey = randomBytes(32)
  const rates = openRates([])
  const base = await openTestWorld({
    ports: { store, clock, keys, ledger, rates, books: openBooks({ store, clock, ledger }) },
  })
  const lightning = openLightningMethod({
    network: 'lightning:regtest',
    open: () => openDevelopmentLightning({ key: async () => nodeKey, now: at }),
    now: at,
  })
  const boot = () => {
    const life = openLife()
    const own = life.store(store)
    const methods = [lightning, openBalanceMethod({ unit: 'msat', ledger, store: own, now: at })]
    const dialects = [
      openL402Dialect({ hmacKey, now: at }),
      openAccountDialect({ base: () => '', page: () => 'http://localhost/auth/balance' }),
    ]
    const gate = openGate({ methods, dialects, rates, store: own, clock, hmacKey })
    const world: World = { ...base, gate, ports: { ...base.ports, store: own } }
    const ask = (which: AnyTool, apiKey: string, body: object, more: object = {}) =>
      call(world, holder, which, incoming({ input: body, credentials: { bearer: apiKey }, ...more }))
    return { ask, gate, life, methods }
  }
  return { boot, knobs, ledger, write, read, keys, base, holder }
}

type Bank = Awaited<ReturnType<typeof openBank>>

type Account = { id: string; key: string; refunded: number }

const walk = async (store: Store, seed: number) => {
  const random = randomFrom(seed).below
  let at = Date.parse('2026-11-22T12:00:00Z')
  const bank: Bank = await openBank(store, () => new Date(at))
  const { knobs, ledger } = bank
  const replicas = [bank.boot(), bank.boot()]
  const replica = () => replicas[random(2)] ?? bank.boot()
  const accounts: Account[] = []
  const waiting: Promise<unknown>[] = []
  const pick = (): Account | undefined => accounts[random(accounts.length || 1)]
  let addresses = 0

  /** Paid invoices for top-ups: each is worth its sats once, whoever shows it how often. */
  const topUps: { account: Account; sats: number; headers: Record<string, string> }[] = []
  const cards: { id: string; account: string; sats: number; cents: number; events: CardEvent[] }[] = []

  const settled = (promise: Promise<unknown>) => {
    const quiet = promise.catch((error: unknown) => {
      if (!(error instanceof ToolError)) throw error
      if (error.code === 'internal') throw error
    })
    waiting.push(quiet)
    return Promise.race([quiet, new Promise(resolve => setTimeout(resolve, 200))])
  }

  const sendTopUp = ({ account, sats, headers }: (typeof topUps)[number], via = replica()) =>
    via.ask(topUp, account.key, { sats }, { evidence: { headers, meta: {} } })

  const work = async () => {
    const account = pick()
    if (!account) return
    const which = random(3) === 0 ? bank.read : bank.write
    const text = `t${random(50)}`
    const idempotencyKey = random(3) === 0 ? `key-${account.id}-${random(5)}` : undefined
    const more = { client: '203.0.113.7', ...(idempotencyKey && { idempotencyKey }) }
    for (let nth = random(6); nth >= 0; nth--) void settled(replica().ask(which, account.key, { text }, more))
    await Promise.race([Promise.allSettled(waiting), new Promise(resolve => setTimeout(resolve, 100))])
  }

  const actions: (() => unknown)[] = [
    async () => {
      if (accounts.length >= 4) return
      const client = `198.51.100.${++addresses}`
      const { output } = await bank.boot().ask(register, '', {}, { credentials: {}, client })
      accounts.push({ id: String(output.account_id), key: String(output.api_key), refunded: 0 })
    },
    async () => {
      const account = pick()
      if (!account) return
      const sats = 100 * (1 + random(20))
      const refusal = await bank
        .boot()
        .ask(topUp, account.key, { sats })
        .catch((error: unknown) => error)
      if (!(refusal instanceof PaymentRequired)) return
      const { token, invoice } = (refusal.parts.meta?.['l402/challenge'] ?? {}) as Record<string, string>
      const paid = payDevelopmentInvoice(String(invoice), nodeKey, new Date(at))
      if (paid.state === 'failed') throw new Error(paid.detail)
      const order = { account, sats, headers: { authorization: `L402 ${token}:${paid.preimage}` } }
      topUps.push(order)
      for (let nth = random(3); nth >= 0; nth--) await settled(sendTopUp(order))
    },
    work,
    work,
    work,
    work,
    () => {
      knobs.fail = random(4) === 0
    },
    async () => {
      // A process dies while it works.
      let release = () => {}
      knobs.wait = new Promise<void>(resolve => {
        release = resolve
      })
      const which = random(2)
      const account = pick()
      if (account)
        void settled(replicas[which]?.ask(bank.write, account.key, { text: 'x' }) ?? Promise.resolve())
      await new Promise(resolve => setTimeout(resolve, random(6)))
      replicas[which]?.life.die()
      replicas[which] = bank.boot()
      knobs.wait = undefined
      release()
    },
    async () => {
      at += random(90_000)
      await settled(replica().gate.reconcile())
    },
    async () => {
      const account = pick()
      if (!account) return
      const id = randomBytes(8).toString('hex')
      const card = { id, account: account.id, sats: 100 * (1 + random(9)), cents: 100 }
      const { sats, ...payment } = card
      await cardTopUpsIn(store).insert({
        ...payment,
        book: toWalletBook(account.id),
        value: String(sats * 1000),
        session: null,
        payment: null,
        state: 'open',
        credited: '0',
        moves: 0,
        created_at: '',
      })
      cards.push({ ...card, events: [] })
    },
    async () => {
      const card = cards[random(cards.length || 1)]
      if (!card) return
      const payment = `pi_${card.id}`
      const events: CardEvent[] = [
        { kind: 'paid', order: card.id, payment, cents: 100, currency: 'usd' },
        { kind: 'waiting', order: card.id },
        { kind: 'refunded', payment, cents: 25 * (1 + random(4)) },
        {
          kind: 'disputed',
          payment,
          dispute: 'd',
          cents: 50,
          state: (['open', 'won', 'lost'] as const)[random(3)] ?? 'open',
        },
      ]
      const event = events[random(events.length)]
      if (!event) return
      const times = 1 + random(3)
      await Promise.all(
        Array.from({ length: times }, () => store.transaction(tx => applyCardEvent(tx, ledger, event))),
      )
      card.events.push(event)
    },
    async () => {
      // The operator gives a served call back.
      const { rows } = await paymentRows(store).find({ index: 'state', where: { state: 'done' }, limit: 100 })
      const row = rows.filter(({ method }) => method === 'balance')[random(rows.length || 1)]
      if (!row || random(3) > 0) return
      const { methods } = bank.boot()
      await Promise.allSettled(
        [1, 2].map(() => refund(store, methods, row.receipt, () => new Date(at), undefined, true)),
      )
    },
  ]
  for (let step = 0; step < steps; step++) {
    await actions[step < 3 ? 0 : random(actions.length)]?.()
    if (step % 25 === 0) expect((await audit(store)).faults).toEqual([])
  }

  // All come to rest: no process works, leases are over, and every payer comes back for what was paid.
  knobs.fail = false
  for (const each of replicas) each.life.die()
  at += 120_000
  const last = bank.boot()
  await last.gate.reconcile()
  for (const order of topUps) await sendTopUp(order, last)
  expect((await audit(store)).faults).toEqual([])

  const all = await paymentRows(store).find({ index: 'state', limit: 1000 })
  for (const account of accounts) {
    const balance = await ledger.balance(store, 'msat', toWalletAccount(account.id))
    const { debt } = await loadBook(store, ledger, toWalletBook(account.id))
    expect(balance.held.value).toBe(0n)
    expect(balance.total.value >= 0n).toBe(true)
    const added = topUps.filter(order => order.account === account).reduce((sum, { sats }) => sum + sats, 0)
    const charged = all.rows.filter(
      ({ method, payer, state }) =>
        method === 'balance' && payer === toWalletAccount(account.id) && state === 'done',
    )
    const byCard = cards
      .filter(card => card.account === account.id)
      .reduce((sum, { sats, cents, events }) => sum + keptOf(sats, cents, events), 0)
    expect(Number(balance.total.value - debt) / 1000).toBe(added + byCard - charged.length * price)
    const { rows: done } = await doneIn(store).find({
      index: 'account',
      where: { account: account.id },
      limit: 1000,
    })
    const writes = all.rows.filter(
      ({ tool, payer, state }) =>
        tool === 'write' &&
        payer === toWalletAccount(account.id) &&
        (state === 'done' || state === 'refunded'),
    )
    // Everything that was done was paid for, but for the free calls, and everything that was paid for was done.
    expect(
      done
        .filter(({ free }) => !free)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(writes.map(({ receipt }) => receipt).sort())
    expect(done.filter(({ free }) => free).length).toBeLessThanOrEqual(2)
  }
  await bank.base.stop()
}

/** What stays of a top-up by card, by a model of its own: nothing before it is paid, and less what is gone at the end. */
const keptOf = (sats: number, cents: number, events: readonly CardEvent[]): number => {
  if (!events.some(({ kind }) => kind === 'paid')) return 0
  const refunds = events.flatMap(event => (event.kind === 'refunded' ? [event.cents] : []))
  let dispute: 'none' | 'open' | 'won' | 'lost' = 'none'
  for (const event of events) {
    if (event.kind !== 'disputed') continue
    if (event.state === 'open' && (dispute === 'won' || dispute === 'lost')) continue
    dispute = event.state
  }
  const disputed = dispute === 'open' || dispute === 'lost' ? 50 : 0
  const lost = Math.min(cents, Math.max(0, ...refunds) + disputed)
  return (sats * (cents - lost)) / cents
}

onBothEngines(engine => {
  test.each(Array.from({ length: runs(10, 2) }, (_, seed) => seed + 1))(
    'no walk of calls, top-ups, failures and kills makes or loses money (seed %i)',
    async seed => {
      const place = await engine.place()
      const store = await place.open()
      try {
        await walk(store, seed)
      } finally {
        await store.close()
        await place.clean()
      }
    },
  )
})
