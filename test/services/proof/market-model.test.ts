import { expect, test } from 'vitest'
import { booksIn } from '../../../mcp/accounts/books.ts'
import { openBooks } from '../../../mcp/accounts/ports.ts'
import { openLedger } from '../../../mcp/payment/ledger/index.ts'
import { type Account, accountsIn } from '../../../mcp/services/proof/account/account.ts'
import { toWalletAccount, toWalletBook, walletUnit } from '../../../mcp/services/proof/account/wallet.ts'
import {
  maxOpenOffers,
  type Offer,
  offersIn,
  openOffer,
  withdrawOffer,
} from '../../../mcp/services/proof/offer.ts'
import { splitPrice } from '../../../mcp/services/proof/prices.ts'
import {
  buyOffer,
  fulfillPurchase,
  marketFees,
  offerPurchasesIn,
} from '../../../mcp/services/proof/purchase.ts'
import { onBothEngines } from '../../payment/ledger-engines.ts'
import { runs } from '../../stress.ts'

test.each([
  [100, 95, 5],
  [101, 96, 5],
  [119, 114, 5],
  [120, 114, 6],
  [5_000_000, 4_750_000, 250_000],
])('of %d sats the seller gets %d and the house %d', (price, earned, fee) => {
  expect(splitPrice(price)).toEqual({ earned, fee })
})

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? String(error)

const people = ['a', 'b', 'c', 'd'].map(letter => letter.repeat(24))
const now = new Date('2026-11-23T00:00:00.000Z')
const created_at = now.toISOString()

const accountRow = (id: string): Account => ({
  id,
  label: null,
  created_at,
})

const offerRow = (id: string, seller: string, price_sats: number): Offer => ({
  id,
  seller,
  seller_name: null,
  ln_address: null,
  title: 'An offer',
  description: 'Something good.',
  price_sats,
  category: 'general',
  preview_text: null,
  thumbnail_url: null,
  has_eligibility: false,
  state: 'open',
  sales: 0,
  earned_sats: 0,
  created_at,
})

onBothEngines(({ place }) => {
  test('no walk of offers, sales and debts makes or loses a satoshi', async () => {
    const here = await place()
    const store = await here.open()
    const ledger = openLedger(() => now)
    const books = openBooks({ store, clock: { now: () => now }, ledger })
    let seed = 23
    const random = (below: number) => {
      seed = (1_664_525 * seed + 1_013_904_223) % 2 ** 32
      return Math.floor((seed / 2 ** 32) * below)
    }
    const pick = () => people[random(people.length)] ?? ''
    const balances = new Map(people.map(id => [id, 0]))
    const debts = new Map(people.map(id => [id, 0]))
    const move = (id: string, sats: number) => {
      const repaid = Math.min(debts.get(id) ?? 0, Math.max(0, sats))
      debts.set(id, (debts.get(id) ?? 0) - repaid)
      balances.set(id, (balances.get(id) ?? 0) + sats - repaid)
    }
    const offers: { id: string; seller: string; price: number; isOpen: boolean; sales: number }[] = []
    const purchases: { id: string; seller: string; ref: string | undefined }[] = []
    let added = 0
    let lent = 0
    let fees = 0
    try {
      for (const id of people) await accountsIn(store).insert(accountRow(id))
      const check = async () => {
        let owed = 0
        let held = 0
        for (const id of people) {
          const { total } = await ledger.balance(store, walletUnit, toWalletAccount(id))
          expect(Number(total.value) / 1000).toBe(balances.get(id))
          expect(Number((await books.load(store, toWalletBook(id))).debt) / 1000).toBe(debts.get(id))
          owed += debts.get(id) ?? 0
          held += balances.get(id) ?? 0
        }
        const house = await ledger.balance(store, walletUnit, marketFees)
        expect(Number(house.total.value) / 1000).toBe(fees)
        // What came in is with the accounts, with the house, or repaid what was lent.
        expect(held + fees + (lent - owed)).toBe(added)
      }
      for (let step = 0; step < runs(20_000, 1000); step++) {
        const person = pick()
        const offer = offers[random(offers.length || 1)]
        const action = random(10)
        if (action === 0) {
          const sats = 100 + random(900)
          const move_ = {
            id: `t${step}`,
            book: toWalletBook(person),
            value: BigInt(sats) * 1000n,
            memo: 'top up',
          }
          await store.transaction(tx => books.credit(tx, { ...move_, source: 'world:proof-test' }))
          move(person, sats)
          added += sats
        } else if (action === 1) {
          const open = offers.filter(({ seller, isOpen }) => isOpen && seller === person).length
          const id = step.toString(16).padStart(24, '0')
          const price = 100 + random(300)
          const outcome = await store
            .transaction(tx => openOffer(tx, offerRow(id, person, price), undefined))
            .then(() => 'done', codeOf)
          expect(outcome).toBe(open < maxOpenOffers ? 'done' : 'conflict')
          if (outcome === 'done') offers.push({ id, seller: person, price, isOpen: true, sales: 0 })
        } else if (action === 2 && offer && random(3) === 0) {
          const outcome = await store
            .transaction(tx => withdrawOffer(tx, person, offer.id))
            .then(() => 'done', codeOf)
          expect(outcome).toBe(offer.seller === person ? 'done' : 'not_found')
          if (outcome === 'done') offer.isOpen = false
        } else if (action === 3) {
          const purchase = purchases[random(purchases.length || 1)]
          if (!purchase) continue
          const ref = `r${random(2)}`
          const outcome = await store
            .transaction(tx => fulfillPurchase(tx, { seller: person, id: purchase.id, ref, now }))
            .then(() => 'done', codeOf)
          const isKept = purchase.ref === undefined || purchase.ref === ref
          expect(outcome).toBe(purchase.seller !== person ? 'not_found' : isKept ? 'done' : 'conflict')
          if (outcome === 'done') purchase.ref = ref
        } else if (action === 4 && random(10) === 0) {
          // A card payment is taken back after it was spent.
          const { debt, withdrawable } = await books.load(store, toWalletBook(person))
          const row = { id: toWalletAccount(person), withdrawable: String(withdrawable) }
          await booksIn(store).put({ ...row, debt: String(debt + 150_000n) })
          debts.set(person, (debts.get(person) ?? 0) + 150)
          lent += 150
        } else if (offer) {
          const outcome = await store
            .transaction(tx => buyOffer(tx, books, { buyer: person, offer: offer.id, now }))
            .catch(codeOf)
          const affordable = (balances.get(person) ?? 0) >= offer.price
          if (!offer.isOpen) expect(outcome).toBe('gone')
          else if (offer.seller === person || !affordable) expect(outcome).toBe('conflict')
          else if (typeof outcome === 'string') throw new Error(outcome)
          else {
            expect(outcome.seller_sats + outcome.fee_sats).toBe(offer.price)
            expect(outcome.seller_sats).toBe(Math.ceil(offer.price * 0.95 - 1e-9))
            balances.set(person, (balances.get(person) ?? 0) - offer.price)
            move(offer.seller, outcome.seller_sats)
            fees += outcome.fee_sats
            offer.sales++
            purchases.push({ id: outcome.id, seller: offer.seller, ref: undefined })
          }
        }
        if (step % 200 === 0) await check()
      }
      await check()
      expect(purchases.length).toBeGreaterThan(50)
      expect(await offerPurchasesIn(store).count()).toBe(purchases.length)
      for (const { id, sales } of offers) expect((await offersIn(store).get(id))?.sales).toBe(sales)
    } finally {
      await store.close()
      await here.clean()
    }
  })
})
