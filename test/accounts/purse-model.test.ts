import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newAccountId, toWallet } from '../../mcp/accounts/account.ts'
import { requireUsd } from '../../mcp/accounts/amount.ts'
import { coverByLimits, coverFromBalance, sweepRequests } from '../../mcp/accounts/payment-requests.ts'
import { clientSpendsIn, spentDaysIn, toDay, toDayId } from '../../mcp/accounts/spending.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { paymentRows } from '../../mcp/payment/gate/record.ts'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { pay } from '../payment/fake-method.ts'
import { readQuote } from '../payment/gate-fixture.ts'
import { randomFrom } from '../random.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'
import { runs } from '../stress.ts'
import { doneIn, openPurse, toKey } from './purse-world.ts'

const url = withDatabase()

const steps = 120

type Person = {
  account: string
  grant: string
  key: string
  /** What came to it, in millionths of a dollar: by top-ups, and by payments for its calls. */
  added: bigint
}

const limitsOf = [null, null, '0.11', '0.60', '2.00', '4.00'] as const

const walk = async (store: Store, seed: number) => {
  const random = randomFrom(seed).below
  let at = Date.parse('2026-11-22T22:00:00Z')
  const purse = await openPurse({ store, clock: () => new Date(at), waitMs: 1 })
  const { knobs, ledger, clock } = purse
  const replicas = [purse.boot(), purse.boot()]
  const replica = () => replicas[random(2)] ?? purse.boot()
  const people: Person[] = [1, 2, 3].map(nth => {
    const account = newAccountId()
    return { account, grant: `grant_${nth}_${seed}`, key: toKey(account, `grant_${nth}_${seed}`), added: 0n }
  })
  const pick = (): Person => people[random(people.length)] as Person
  const asked: { id: string; person: Person }[] = []

  const settled = (promise: Promise<unknown>) =>
    promise.catch((error: unknown) => {
      if (!(error instanceof ToolError) || error.code === 'internal') throw error
      return error
    })

  const setLimits = ({ account, grant }: Person) =>
    purse.setLimits(grant, {
      account,
      per_call: limitsOf[random(limitsOf.length)] ?? null,
      per_day: limitsOf[random(limitsOf.length)] ?? null,
      services: random(12) === 0 ? ['cat'] : null,
    })

  const work = async () => {
    const person = pick()
    const tool = [purse.dime, purse.half, purse.coin][random(3)] ?? purse.dime
    const calls = Array.from({ length: 1 + random(6) }, async () => {
      const outcome = await settled(replica().ask(tool, person.key, { input: { text: `t${random(4)}` } }))
      if (outcome instanceof ToolError && outcome.extra.ask) asked.push({ id: outcome.extra.ask.id, person })
    })
    await Promise.all(calls)
  }

  const actions: (() => unknown)[] = [
    work,
    work,
    work,
    work,
    () => setLimits(pick()),
    async () => {
      const person = pick()
      const value = BigInt(1 + random(60)) * 50_000n
      await purse.topUp(person.account, value)
      person.added += value
    },
    () => {
      knobs.fail = random(4) === 0
    },
    async () => {
      const request = asked[random(asked.length || 1)]
      if (!request) return
      const deps = { ledger, clock }
      const { id } = request
      const { account } = random(5) === 0 ? pick() : request.person
      const cover = () => store.transaction(tx => coverFromBalance(tx, deps, account, id))
      if (random(3) === 0) await settled(store.transaction(tx => coverByLimits(tx, clock, account, id)))
      else await Promise.all([settled(cover()), settled(cover())])
    },
    async () => {
      // Wallets of strangers pay for a call, some of them twice at once, or when it is over.
      const request = asked[random(asked.length || 1)]
      if (!request) return
      const { id, person } = request
      const quote = await readQuote(replica().pay(id)).catch((error: unknown) => error)
      if (!quote || quote instanceof Error) return
      if (random(4) === 0) at += 11 * 60_000
      const payments = [1, 2]
        .slice(random(2))
        .map(() => pay(purse.chain, purse.chain.payer(), quote as never))
      for (const payment of payments) {
        const outcome = await settled(replica().pay(id, payment))
        if (outcome instanceof ToolError) continue
        const { output } = await purse.boot().pay(id, payment)
        person.added += requireUsd(String(output.usd))
      }
    },
    async () => {
      // A process dies while it works.
      let release = () => {}
      knobs.wait = new Promise<void>(resolve => {
        release = resolve
      })
      const which = random(2)
      void settled(
        replicas[which]?.ask(purse.dime, pick().key, { input: { text: 'x' } }) ?? Promise.resolve(),
      )
      await new Promise(resolve => setTimeout(resolve, random(6)))
      replicas[which]?.life.die()
      replicas[which] = purse.boot()
      knobs.wait = undefined
      release()
    },
    async () => {
      at += random(90_000)
      await settled(replica().gate.reconcile())
    },
    async () => {
      at += random(30) * 60_000
      await sweepRequests({ store, ledger, clock, signal: new AbortController().signal })
    },
  ]
  for (const person of people) await setLimits(person)
  for (let step = 0; step < steps; step++) {
    await actions[random(actions.length)]?.()
    if (step % 20 === 0) expect((await audit(store)).faults).toEqual([])
  }

  // All come to rest: no process works, leases are over, and what nobody took is given back.
  knobs.fail = false
  for (const each of replicas) each.life.die()
  at += 120_000
  const last = purse.boot()
  await last.gate.reconcile()
  at += 3 * 3_600_000
  await sweepRequests({ store, ledger, clock, signal: new AbortController().signal })
  expect((await audit(store)).faults).toEqual([])

  const all = await paymentRows(store).find({ index: 'state', limit: 1000 })
  for (const { account, grant, added } of people) {
    const balance = await ledger.balance(store, 'USDC', toWallet(account))
    expect([balance.held.value, balance.total.value >= 0n]).toEqual([0n, true])
    const paid = all.rows.filter(
      ({ method, payer, state }) => method === 'balance' && payer === toWallet(account) && state === 'done',
    )
    const spent = paid.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
    expect(balance.total.value).toBe(added - spent)
    // Everything that was done was paid for, and everything that was paid for was done.
    const { rows: done } = await doneIn(store).find({ index: 'grant', where: { grant }, limit: 1000 })
    expect(done.map(({ id }) => id).sort()).toEqual(paid.map(({ receipt }) => receipt).sort())
    // A day counts what its calls took from the balance within limits: nothing of what failed, or was set aside on a page.
    const byDay = new Map<string, bigint>()
    for (const { receipt } of paid) {
      const spend = await clientSpendsIn(store).get(receipt)
      if (spend) byDay.set(spend.day, (byDay.get(spend.day) ?? 0n) + BigInt(spend.amount))
    }
    for (let day = Date.parse('2026-11-22'); day <= at; day += 86_400_000) {
      const name = toDay(new Date(day))
      const { spent = '0' } = (await spentDaysIn(store).get(toDayId(grant, name))) ?? {}
      expect([name, BigInt(spent)]).toEqual([name, byDay.get(name) ?? 0n])
    }
  }
  await purse.stop()
}

const engines = [
  {
    name: 'the embedded store',
    here: true,
    open: async () => openEmbedded({ dir: await mkdtemp(join(tmpdir(), 'octagent-purse-')) }),
  },
  {
    name: 'PostgreSQL',
    here: postgresIsHere,
    open: () => openPostgres({ url: url(), schema: freshSchema() }),
  },
]

describe.each(engines.filter(({ here }) => here))('on $name', ({ open }) => {
  test.each(Array.from({ length: runs(20, 2) }, (_, nth) => nth + 1))(
    'no walk of calls, limits, payments, failures and kills makes or loses money (seed %i)',
    async seed => walk(await open(), seed),
  )
})
