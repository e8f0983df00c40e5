import { expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { accountsIn, newAccountId } from '../../mcp/accounts/account.ts'
import { credit, toBook } from '../../mcp/accounts/books.ts'
import { deleteAccount } from '../../mcp/accounts/manage.ts'
import { listOwnBooks } from '../../mcp/accounts/own-books.ts'
import { listStatementLines, writeStatement } from '../../mcp/accounts/statement.ts'
import { askWithdrawal } from '../../mcp/accounts/withdrawal/ask.ts'
import { sendWithdrawal } from '../../mcp/accounts/withdrawal/send.ts'
import { openWithdrawals } from '../../mcp/accounts/withdrawal/withdrawal.ts'
import { accountKeysIn } from '../../mcp/kernel/person.ts'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import type { Book } from '../../mcp/ports/books/port.ts'
import { openKeys } from '../../mcp/ports/keys/keys.ts'
import type { Lightning } from '../../mcp/ports/lightning/port.ts'
import type { Account } from '../../mcp/ports/payment/port.ts'
import type { Payout, Payouts } from '../../mcp/ports/payouts/port.ts'
import { onBothEngines } from '../payment/ledger-engines.ts'

const serviceBooks = services.flatMap(({ slug, name, book }) => (book ? [{ ...book, slug, name }] : []))
const wallet = `0x${'ab'.repeat(20)}`
const strangersWallet = `0x${'cd'.repeat(20)}`

onBothEngines(({ place }) => {
  test('one statement and one withdrawal are over everything that a person has and earned', async () => {
    const here = await place()
    const store = await here.open()
    // Each entry has a time of its own.
    let time = Date.now()
    const clock = { now: () => new Date(time++) }
    const ledger = openLedger(clock.now)
    const keys = openKeys(Buffer.alloc(32, 7))
    const sent: Payout[] = []
    const payouts: Payouts = {
      network: 'eip155:8453',
      wallet: async () => '0xhouse',
      send: async payout => {
        sent.push(payout)
        return { state: 'sent', transaction: '0x1' }
      },
    }
    const spent = new Set<string>()
    const lightning = {
      read: async (invoice: string) => ({
        msat: 6_000_000n,
        paymentHash: invoice,
        expiresAt: new Date(Date.now() + 600_000),
      }),
      spend: async (_: unknown, hash: string) => !spent.has(hash) && !!spent.add(hash),
    } as unknown as Lightning
    const deps = { store, clock, ledger, keys, serviceBooks, payouts, lightning }
    const openPerson = async (address: string) => {
      const account = newAccountId()
      const at = clock.now().toISOString()
      await accountsIn(store).insert({ id: account, name: null, created_at: at, last_used: at.slice(0, 10) })
      const facts = { account, name: 'Wallet', created_at: at, last_used: at }
      await accountKeysIn(store).insert({ id: `wallet:${address}`, kind: 'wallet', ...facts })
      return account
    }
    const ada = await openPerson(wallet)
    const eve = await openPerson(strangersWallet)
    const holder = 'a'.repeat(24)
    await store.transaction(async tx => {
      const { api_key } = await keys.issue(tx, { prefix: 'prf', holder, now: clock.now() })
      await keys.claim(tx, { key: api_key, person: ada, now: clock.now() })
      const marketplace = store.collection('tasks.accounts')
      await marketplace.insert({ id: `eip155:8453:${wallet}` })
    })
    const add = (id: string, book: Book, value: bigint, source: Account, memo = 'top-up') =>
      store.transaction(tx => credit(tx, ledger, { id, book, value, source, memo }))
    const sats: Book = { account: `agent:proof:${holder}`, unit: 'msat' }
    await add('topup:r1', toBook(ada), 3_000_000n, 'world:account-x402-evm')
    await add('card:one:0', toBook(ada), 2_000_000n, 'world:account-card')
    await add('topup:r2', toBook(ada), 1_000_000n, 'world:account-lightning')
    await add('topup:r3', sats, 9_000_000n, 'world:proof-lightning')
    await add('dm:m1', sats, 300_500n, 'world:proof-lightning', 'message')
    await store.transaction(tx =>
      ledger.post(tx, {
        id: 'tasks-release:t1',
        unit: 'USDC',
        memo: 'release task_1',
        postings: [
          { account: 'world:test', amount: { unit: 'USDC', value: -7_000_000n } },
          { account: `agent:tasks:eip155:8453:${wallet}`, amount: { unit: 'USDC', value: 7_000_000n } },
        ],
      }),
    )
    const own = await listOwnBooks(deps, ada)
    expect(own.map(({ name }) => name)).toEqual(['account', `proof:${holder}`, `tasks:eip155:8453:${wallet}`])
    expect((await listOwnBooks(deps, eve)).map(({ name }) => name)).toEqual(['account'])

    const books = own.map(({ book }) => book)
    const all = await listStatementLines(store, ledger, books, { limit: 100 })
    expect(all.next).toBeNull()
    expect(
      all.lines.map(({ kind, amount, unit, service }) => `${kind} ${amount} ${unit} ${service}`),
    ).toEqual([
      'earned 7.00 USD tasks',
      'message 300.5 sat proof',
      'top_up 9000 sat proof',
      'top_up 1.00 USD null',
      'top_up 2.00 USD null',
      'top_up 3.00 USD null',
    ])
    for (const limit of [1, 2, 4]) {
      const paged: string[] = []
      for (let after: string | null | undefined; after !== null; ) {
        const page: Awaited<ReturnType<typeof listStatementLines>> = await listStatementLines(
          store,
          ledger,
          books,
          {
            limit,
            after,
          },
        )
        paged.push(...page.lines.map(({ entry }) => entry))
        after = page.next
      }
      expect(paged).toEqual(all.lines.map(({ entry }) => entry))
    }
    const proofOnly = await listStatementLines(store, ledger, books, { limit: 1, service: 'proof' })
    expect(proofOnly.lines.map(({ entry }) => entry)).toEqual(['dm:m1'])
    const foreign = listStatementLines(store, ledger, books, { limit: 1, after: 'made-up' })
    await expect(foreign).rejects.toMatchObject({ code: 'invalid_input' })
    let csv = ''
    for await (const piece of writeStatement(store, ledger, books, { service: 'tasks' })) csv += piece
    expect(csv.trimEnd().split('\r\n')).toHaveLength(2)

    const ask = (account: string, asked: Partial<Parameters<typeof askWithdrawal>[2]>) =>
      askWithdrawal(deps, account, { book: 'account', to: wallet, usd: '', invoice: '', ...asked })
    // What came by card, or at a rate, stays; what is owned by a wallet goes to that wallet alone.
    await expect(ask(ada, { usd: '3.01' })).rejects.toMatchObject({
      extra: { reason: 'insufficient_withdrawable', params: { withdrawable: '3.00 USD' } },
    })
    await expect(ask(ada, { usd: '0.09' })).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(ask(ada, { to: strangersWallet })).rejects.toMatchObject({ code: 'invalid_input' })
    for (const book of [`proof:${holder}`, `tasks:eip155:8453:${wallet}`, `account:${ada}`])
      await expect(ask(eve, { book, invoice: 'lnbc1', to: strangersWallet })).rejects.toMatchObject({
        code: 'invalid_input',
      })
    const both = await Promise.allSettled([ask(ada, { usd: '2.00' }), ask(ada, { usd: '2.00' })])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await add('topup:r4', toBook(eve), 150_000_000_000n, 'world:account-x402-evm')
    // All of it, but no more than one withdrawal may be.
    expect(await ask(eve, { to: strangersWallet })).toMatchObject({ value: '100000000000' })
    await ask(ada, { book: `tasks:eip155:8453:${wallet}`, to: strangersWallet })
    const out = await ask(ada, { book: `proof:${holder}`, invoice: 'lnbc1' })
    await expect(ask(ada, { book: `proof:${holder}`, invoice: 'lnbc1' })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(out).toMatchObject({ way: 'lightning', value: '6000000', fee: '100000', state: 'queued' })
    const { listWithdrawals } = openWithdrawals(deps)
    for (const { book } of own) {
      const { rows } = await listWithdrawals(store, book, { limit: 10 })
      for (const { id, way } of rows) if (way === 'usdc') await sendWithdrawal(deps, { payouts }, id)
    }
    expect(sent.map(({ to, amount }) => [to, amount])).toEqual([
      [wallet, 2_000_000n],
      [wallet, 7_000_000n],
    ])
    // Nobody deletes an account with money at a service by mistake; what a wallet has earned stays the wallet's.
    const refusal: unknown = await deleteAccount(deps, ada).catch(error => error)
    expect(refusal).toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/There are 4\.00 USD on the balance\. .* has 3200\.5 sat of yours\.$/),
    })
    expect(await accountsIn(store).get(ada)).toBeDefined()
    expect((await audit(store)).faults).toEqual([])
    await store.close()
    await here.clean()
  })
})
