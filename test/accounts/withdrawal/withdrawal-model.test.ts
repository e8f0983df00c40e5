import { expect, test } from 'vitest'
import { takeBack } from '../../../mcp/accounts/books.ts'
import { openBooks } from '../../../mcp/accounts/ports.ts'
import { sendWithdrawal } from '../../../mcp/accounts/withdrawal/send.ts'
import {
  onTheWay,
  paidOut,
  withdrawalFees,
  withdrawalsIn,
} from '../../../mcp/accounts/withdrawal/withdrawal.ts'
import { ToolError } from '../../../mcp/kernel/error.ts'
import { audit } from '../../../mcp/payment/ledger/audit.ts'
import { openLedger } from '../../../mcp/payment/ledger/index.ts'
import type { Lightning } from '../../../mcp/ports/lightning/port.ts'
import type { Store, Tx } from '../../../mcp/ports/store/port.ts'
import { type Account, accountsIn } from '../../../mcp/services/proof/account/account.ts'
import { toWalletAccount, toWalletBook, walletUnit } from '../../../mcp/services/proof/account/wallet.ts'
import { onBothEngines } from '../../payment/ledger-engines.ts'
import { openLife } from '../../payment/mortal.ts'
import { runs } from '../../stress.ts'

const people = ['a', 'b', 'c'].map(letter => letter.repeat(24))
const start = Date.parse('2026-11-23T00:00:00.000Z')
const fee = 100

const makeRandom = (seed: number) => (below: number) => {
  seed = (1_664_525 * seed + 1_013_904_223) % 2 ** 32
  return Math.floor((seed / 2 ** 32) * below)
}

/** A node that pays an invoice once, loses answers, holds payments back, and forgets nothing. */
const openNode = (random: (below: number) => number, now: () => number) => {
  const paid = new Map<string, number>()
  const pending = new Set<string>()
  const ends = new Map<string, number>()
  let payments = 0
  const pay = async (invoice: string): Promise<Awaited<ReturnType<Lightning['pay']>>> => {
    const dice = random(10)
    // The request never came through.
    if (dice === 0) throw new ToolError('upstream', 'no answer')
    if (!paid.has(invoice)) {
      // Some nodes look at the end of an invoice before they look at what they do with it.
      if (now() >= (ends.get(invoice) ?? 0)) return { state: 'failed', detail: 'the invoice is expired' }
      if (pending.has(invoice)) {
        if (dice < 6) throw new ToolError('upstream', 'in transition')
        pending.delete(invoice)
        if (dice < 8) return { state: 'failed', detail: 'no route' }
      } else if (dice === 1) return { state: 'failed', detail: 'no route' }
      else if (dice < 4) {
        pending.add(invoice)
        throw new ToolError('upstream', 'in transition')
      }
      payments++
      paid.set(invoice, (paid.get(invoice) ?? 0) + 1)
    }
    // The answer is lost.
    if (random(4) === 0) throw new ToolError('upstream', 'no answer')
    return { state: 'paid', preimage: '' }
  }
  const find: Lightning['find'] = async invoice => {
    if (random(4) === 0) throw new ToolError('upstream', 'no answer')
    if (pending.has(invoice)) {
      pending.delete(invoice)
      if (random(2) === 0) return { state: 'failed', detail: 'no route' }
      payments++
      paid.set(invoice, 1)
    }
    return paid.has(invoice) ? { state: 'paid', preimage: '' } : { state: 'failed', detail: 'never tried' }
  }
  /** What was under way arrives, asked or not. */
  const arrive = () => {
    for (const invoice of pending) paid.set(invoice, (paid.get(invoice) ?? 0) + 1)
    pending.clear()
  }
  return { paid, pay, find, ends, arrive, count: () => payments }
}

const accountRow = (id: string): Account => ({
  id,
  label: null,
  created_at: new Date(start).toISOString(),
})

onBothEngines(({ place }) => {
  test('no walk of top-ups, sales, withdrawals and dying processes pays twice, or what may not leave', async () => {
    const here = await place()
    const store = await here.open()
    const random = makeRandom(42)
    let now = start
    const clock = { now: () => new Date(now) }
    const ledger = openLedger(clock.now)
    const books = openBooks({ store, clock, ledger })
    const node = openNode(random, () => now)
    const pick = () => people[random(people.length)] ?? ''
    /** Sats of each account: what may leave, and what may not. */
    const model = new Map(people.map(id => [id, { good: 0, other: 0, debt: 0 }]))
    const of = (id: string) => model.get(id) ?? { good: 0, other: 0, debt: 0 }
    const open = new Map<string, { account: string; sats: number; invoice: string }>()
    let added = 0
    /** What a process handed over before it died may still happen; it is waited for. */
    const handedOver = new Set<Promise<unknown>>()
    const watched: Store = {
      ...store,
      transaction: work => {
        const writing = store.transaction(work)
        handedOver.add(writing.catch(() => undefined))
        return writing
      },
    }
    /** Writes, and comes back only when others have long gone on. */
    const slow: Store = {
      ...watched,
      transaction: async work => {
        const result = await watched.transaction(work)
        now += 200_000
        const [name] = open.keys()
        const lightning = { network: '', pay: node.pay, find: node.find } as unknown as Lightning
        if (name !== undefined) {
          const other = sendWithdrawal({ store: watched, clock, ledger }, { lightning }, name)
          handedOver.add(other)
          await other
        }
        return result
      },
    }
    const write = <R>(work: (tx: Tx) => Promise<R>) => store.transaction(work)

    const receive = (id: string, sats: number, good: number) => {
      const account = of(id)
      const repaid = Math.min(account.debt, sats)
      account.debt -= repaid
      const left = Math.min(good, sats - repaid)
      account.good += left
      account.other += sats - repaid - left
    }

    const reconcile = async () => {
      for (const [id, { account, sats, invoice }] of open) {
        const row = await withdrawalsIn(store).get(id)
        if (row?.state === 'queued') continue
        open.delete(id)
        expect(node.paid.has(invoice)).toBe(row?.state === 'sent')
        if (row?.state === 'failed') of(account).good += sats + fee
      }
    }

    const check = async () => {
      await reconcile()
      for (const id of people) {
        const { total, withdrawable, ...book } = await books.load(store, toWalletBook(id))
        const { good, other, debt } = of(id)
        expect([Number(total) / 1000, Number(book.debt) / 1000]).toEqual([good + other, debt])
        expect(Number(withdrawable) / 1000).toBe(good)
      }
      const out = await ledger.balance(store, walletUnit, paidOut)
      const fees = await ledger.balance(store, walletUnit, withdrawalFees)
      const kept = await ledger.balance(store, walletUnit, onTheWay)
      const waiting = [...open.values()].reduce((sum, { sats }) => sum + sats + fee, 0)
      expect(Number(kept.total.value) / 1000).toBe(waiting)
      for (const times of node.paid.values()) expect(times).toBe(1)
      // What left came over Lightning, all of it.
      const held = people.reduce((sum, id) => sum + of(id).good, 0)
      expect(Number(out.total.value + fees.total.value) / 1000 + waiting + held).toBeLessThanOrEqual(added)
    }

    try {
      for (const id of people) await accountsIn(store).insert(accountRow(id))
      for (let step = 0; step < runs(4000, 400); step++) {
        now += random(20_000) + (random(12) === 0 ? 500_000 : 0)
        const id = pick()
        const action = random(10)
        if (action < 2) {
          const sats = 2000 + random(20_000)
          const way = (['lightning', 'card', 'x402'] as const)[random(3)] ?? 'card'
          const money = {
            id: `t${step}`,
            book: toWalletBook(id),
            value: BigInt(sats) * 1000n,
            memo: 'top up',
          }
          await write(tx => books.credit(tx, { ...money, source: `world:proof-${way}` }))
          receive(id, sats, way === 'lightning' ? sats : 0)
          if (way === 'lightning') added += sats
        } else if (action === 2) {
          // A paid call: the house gets it, out of what may not leave first.
          const sats = Math.min(of(id).good + of(id).other, random(3000))
          if (sats === 0) continue
          const value = BigInt(sats) * 1000n
          await write(tx =>
            ledger.post(tx, {
              id: `c${step}`,
              unit: walletUnit,
              memo: 'call',
              postings: [
                { account: toWalletAccount(id), amount: { unit: walletUnit, value: -value } },
                { account: 'house:sales', amount: { unit: walletUnit, value } },
              ],
            }),
          )
          const account = of(id)
          const other = Math.min(account.other, sats)
          account.other -= other
          account.good -= sats - other
        } else if (action === 3) {
          const payee = people.filter(other => other !== id)[random(2)] ?? ''
          const sats = 100 + random(4000)
          const kept = Math.floor(sats / 20)
          const outcome = await write(tx =>
            books.credit(tx, {
              id: `e${step}`,
              book: toWalletBook(payee),
              source: toWalletAccount(id),
              spent: { book: toWalletBook(id), value: BigInt(sats) * 1000n },
              value: BigInt(sats - kept) * 1000n,
              fee: { to: 'house:proof-market', value: BigInt(kept) * 1000n },
              memo: 'sale',
            }),
          ).then(
            () => 'done',
            (error: ToolError) => error.code,
          )
          const payer = of(id)
          expect(outcome).toBe(payer.good + payer.other >= sats ? 'done' : 'conflict')
          if (outcome !== 'done') continue
          const passed = Math.min(payer.good, sats)
          payer.good -= passed
          payer.other -= sats - passed
          receive(payee, sats - kept, passed)
        } else if (action === 4 && random(6) === 0) {
          const sats = 500 + random(3000)
          const loss = { id: `l${step}`, book: toWalletBook(id), value: BigInt(sats) * 1000n, memo: 'loss' }
          await write(tx => takeBack(tx, ledger, { ...loss, source: 'world:proof-card' }))
          const account = of(id)
          const taken = Math.min(account.good + account.other, sats)
          const other = Math.min(account.other, taken)
          account.other -= other
          account.good -= taken - other
          account.debt += sats - taken
        } else if (action < 7) {
          const sats = 5000 + random(5000)
          const invoice = `i${step}`
          const ends = now + 120_000 + random(600_000)
          const order = { book: toWalletBook(id), invoice, paymentHash: invoice, expiresAt: new Date(ends) }
          const unspent = { spend: async () => true } as unknown as Lightning
          let name = ''
          const outcome = await write(async tx => {
            const made = await books.withdrawSats(tx, unspent, { ...order, msat: BigInt(sats) * 1000n })
            name = made.id
          }).then(
            () => 'done',
            (error: ToolError) => String(error.extra.reason),
          )
          const { good, debt } = of(id)
          if (debt > 0) expect(outcome).toBe('in_debt')
          else expect(outcome).toBe(good >= sats + fee ? 'done' : 'insufficient_withdrawable')
          if (outcome !== 'done') continue
          of(id).good -= sats + fee
          node.ends.set(invoice, ends)
          open.set(name, { account: id, sats, invoice })
        } else if (open.size > 0) {
          // Two processes at once, one of which dies somewhere.
          const name = [...open.keys()][random(open.size)] ?? ''
          const doomed = openLife()
          const lightning = { network: '', pay: node.pay, find: node.find } as unknown as Lightning
          const deps = (own: Store) => ({ store: own, clock, ledger })
          const isSlow = random(6) === 0
          const own = doomed.store(isSlow ? slow : watched)
          const work = sendWithdrawal(deps(own), { lightning }, name)
          const fate = random(8)
          if (fate < 4) {
            for (let tick = random(30); tick > 0; tick--) await Promise.resolve()
            doomed.die()
            work.catch(() => undefined)
          } else await work
          if (random(2) === 0) await sendWithdrawal(deps(store), { lightning }, name)
          if (random(5) === 0) now += 200_000
          for (let count = 0; count < handedOver.size; ) {
            count = handedOver.size
            await Promise.all(handedOver)
          }
          handedOver.clear()
          await reconcile()
        }
        if (random(40) === 0) node.arrive()
        if (step % 50 === 0) await check()
      }
      // In the end all is known.
      for (let round = 0; round < 200 && open.size > 0; round++) {
        now += 700_000
        const lightning = { network: '', pay: node.pay, find: node.find } as unknown as Lightning
        for (const name of open.keys()) await sendWithdrawal({ store, clock, ledger }, { lightning }, name)
        await reconcile()
      }
      expect(open.size).toBe(0)
      node.arrive()
      await check()
      expect(node.count()).toBeGreaterThan(5)
      const out = await ledger.balance(store, walletUnit, paidOut)
      const sent = await store.transaction(tx =>
        withdrawalsIn(tx).find({ index: 'due', where: { way: 'lightning', state: 'sent' }, limit: 1000 }),
      )
      expect(Number(out.total.value) / 1000).toBe(
        sent.rows.reduce((sum, { value }) => sum + Number(value) / 1000, 0),
      )
      expect(sent.rows.length).toBe(node.paid.size)
      expect((await audit(store)).faults).toEqual([])
    } finally {
      await store.close()
      await here.clean()
    }
  })
})
