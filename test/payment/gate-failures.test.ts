import { randomBytes } from 'node:crypto'
import { encodeFunctionData, type Hex, parseSignature } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../mcp/kernel/call.ts'
import { PaymentPending, PaymentRequired, ToolError } from '../../mcp/kernel/error.ts'
import { inboxEvents } from '../../mcp/kernel/inbox.ts'
import { accountKeysIn, profilesIn } from '../../mcp/kernel/person.ts'
import { type AnyTool, type Price, tool } from '../../mcp/kernel/tool.ts'
import { authorizationAbi } from '../../mcp/lib/evm-abi.ts'
import { x402 } from '../../mcp/payment/dialects/x402/x402.ts'
import { openGate } from '../../mcp/payment/gate/open.ts'
import { listOwed } from '../../mcp/payment/gate/owed.ts'
import { credits } from '../../mcp/payment/ledger/amount.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import type { Offer, PaymentMethod } from '../../mcp/payment/method.ts'
import { openBroadcast } from '../../mcp/payment/methods/broadcast/method.ts'
import { openX402EvmDevnet } from '../../mcp/payment/methods/x402-evm/devnet.ts'
import { configuredRates, openRates } from '../../mcp/payment/rates.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { incoming } from '../call/fixture.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../store/database.ts'
import { balanceOf, canPay, makePayer, openTestDevnet, pay, signTerms } from './evm-chain.ts'
import { failing, openPaid, type Paid } from './gate-fixture.ts'
import { openLife } from './mortal.ts'
import { hasSolana, openSvmWorld } from './svm-world.ts'
import { openBalance, openInvoices, testDialect, testHeader } from './test-methods.ts'
import type { Requirements } from './x402.ts'

/** A method over its real chain or book: how a client pays its offer, and how many calls were paid for. */
type Money = {
  method: PaymentMethod
  pay(offer: Offer): Promise<Record<string, string>>
  paidCalls(store: Store): Promise<number>
  prepare?(store: Store): Promise<void>
  /** What the call costs, where that is not the same price for all. */
  price?(): Price
  close(): Promise<void>
}

const rates = openRates([configuredRates({ sat: '0.001' }, () => new Date())])
const toHeader = (payment: object) => ({
  'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64'),
})
const price: Price = { amount: '0.10', unit: 'usd' }

/** An offer as a client of x402 gets it, with the quote that `pin` of the gate put in. */
const toRequirements = ({ method: _m, kind: _k, words: _w, ...terms }: Offer): Requirements => ({
  scheme: 'exact',
  ...terms,
})

const openEvm = async (): Promise<Money> => {
  const net = await openTestDevnet()
  const chain = net.devnet.chain('base-sepolia')
  const method = openX402EvmDevnet(net.devnet, 'base-sepolia', 2_000)
  const { payTo } = await method.offer(
    { request: null, price, settle: 'before', asker: '', client: '', title: '' },
    rates,
  )
  const payer = await makePayer(chain, 100_000_000n)
  return {
    method,
    pay: async offer => toHeader(await pay(payer.account, toRequirements(offer))),
    paidCalls: async () => Number((await balanceOf(chain, payTo)) / 100_000n),
    close: net.close,
  }
}

const openSvm = async (): Promise<Money> => {
  const world = await openSvmWorld()
  const { method } = world.openMethod()
  return {
    method,
    pay: async offer => toHeader(await world.pay(toRequirements(offer), world.demo)),
    paidCalls: async () => Number(((await world.solnet.balance(world.payTo)) ?? 0n) / 100_000n),
    close: world.close,
  }
}

/** An authorization that the buyer broadcasts under a nonce that the price asks for, and names by its transaction. */
const openBuyersBroadcast = async (): Promise<Money> => {
  const net = await openTestDevnet()
  const chain = net.devnet.chain('base-sepolia')
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  const method = openBroadcast({
    chain,
    wallet: async () => payTo,
    confirmations: 1,
    isRunning: () => true,
    confirmMs: 2_000,
  })
  const payer = await makePayer(chain, 100_000_000n)
  const reader = await chain.reader()
  let order: Readonly<Record<string, unknown>> = {}
  let payment: Readonly<Record<string, unknown>> | undefined
  const prepare = async () => {
    const now = Math.floor(Date.now() / 1000)
    order = { nonce: `0x${randomBytes(32).toString('hex')}`, validAfter: now - 30, validBefore: now + 900 }
    payment = undefined
  }
  return {
    method,
    prepare,
    price: () => ({ ...price, terms: { kind: 'broadcast', data: order, ...(payment && { payment }) } }),
    pay: async offer => {
      const validAfter = BigInt(String(order.validAfter))
      const validBefore = BigInt(String(order.validBefore))
      const nonce = order.nonce as Hex
      const original = await signTerms(chain, payer.account, toRequirements(offer), {
        validAfter,
        validBefore,
        nonce,
      })
      const { r, s, v = 27n } = parseSignature(original.payload.signature as Hex)
      const value = BigInt(offer.amount)
      const data = encodeFunctionData({
        abi: authorizationAbi,
        functionName: 'transferWithAuthorization',
        args: [payer.address, payTo, value, validAfter, validBefore, nonce, Number(v), r, s],
      })
      const hash = await payer.send(data)
      await reader.waitForTransactionReceipt({ hash })
      payment = { transaction: hash }
      return {}
    },
    paidCalls: async () => Number((await balanceOf(chain, payTo)) / 100_000n),
    close: net.close,
  }
}

/** Invoices are paid when they are shown, so what counts is how many were taken. */
const openPayer = async (): Promise<Money> => {
  const { method, pay: payInvoice } = openInvoices()
  return {
    method,
    pay: async ({ extra }) => {
      const preimage = payInvoice(String(extra.hash))
      return {
        authorization: testHeader({ kind: 'bolt11', network: 'test:invoices', proof: preimage, preimage }),
      }
    },
    paidCalls: store => store.collection('payment.spent').count(),
    close: async () => {},
  }
}

const openBook = async (): Promise<Money> => {
  const ledger = openLedger()
  let nonce = 0
  return {
    method: openBalance(ledger),
    prepare: store =>
      store.transaction(async tx => {
        await ledger.post(tx, {
          id: 'fund',
          unit: 'credit',
          memo: '',
          postings: [
            { account: 'house:grants', amount: credits(-100_000n) },
            { account: 'user:ada', amount: credits(100_000n) },
          ],
        })
      }),
    pay: async () => {
      const proof = `n${++nonce}`
      const attempt = { kind: 'account', network: 'test:book', proof, account: 'ada', nonce: proof }
      return { authorization: testHeader(attempt) }
    },
    paidCalls: store =>
      store.transaction(async tx => {
        const { available, held } = await ledger.balance(tx, 'credit', 'user:ada')
        return Number((100_000n - available.value - held.value) / 100n)
      }),
    close: async () => {},
  }
}

const methods: [string, () => Promise<Money>][] = [
  ...(canPay ? [['x402-evm', openEvm] as [string, () => Promise<Money>]] : []),
  ...((await hasSolana()) ? [['x402-svm', openSvm] as [string, () => Promise<Money>]] : []),
  ...(canPay ? [['broadcast', openBuyersBroadcast] as [string, () => Promise<Money>]] : []),
  ['payer', openPayer],
  ['book', openBook],
]
const engines = ['embedded', ...(postgresIsHere ? ['postgres'] : [])]
const url = withDatabase()

describe.each(methods)('by %s', (name, open) => {
  let money: Money
  beforeAll(async () => {
    money = await open()
  })
  afterAll(() => money.close())

  describe.each(engines)('on %s', engine => {
    let at = Date.now()
    let paid: Paid
    let before = 0
    let close = async () => {}
    let isAda = false
    beforeEach(async () => {
      at = Date.now()
      isAda = false
      const store =
        engine === 'postgres' ? await openPostgres({ url: url(), schema: freshSchema() }) : undefined
      paid = await openPaid({ clock: () => new Date(at), ...(store && { store }) })
      await money.prepare?.(paid.store)
      before = await money.paidCalls(paid.store)
      close = async () => {
        await paid.stop()
        await store?.close()
      }
    })
    afterEach(() => close())

    /** A tool of the fixture at the same price on every network. */
    const anywhere = (own: AnyTool): AnyTool =>
      tool({ ...own, price, quote: () => money.price?.() ?? price }).run(own.run)

    const boot = (life?: ReturnType<typeof openLife>, own = money.method) => {
      const store = life ? life.store(paid.store) : paid.store
      const method = life ? life.method(own) : own
      const clock = { now: () => new Date(at) }
      const dialects = [testDialect, x402]
      const gate = openGate({ methods: [method], dialects, rates, store, clock, hmacKey: paid.hmacKey })
      const world = { ...paid.world, gate, ports: { ...paid.world.ports, store } }
      const ask = (name: 'feed' | 'look' | 'groom' | 'brush', headers: Record<string, string> = {}) => {
        const evidence = { headers, meta: {} }
        const by = isAda ? { credentials: { bearer: 'ada' } } : {}
        return call(
          world,
          paid.holder,
          anywhere(paid[name]),
          incoming({ input: { cat: 'Mia' }, evidence, ...by }),
        )
      }
      return { gate, ask }
    }

    const paymentFor = async (name: 'feed' | 'look' | 'groom' | 'brush') => {
      const error = await failing(boot().ask(name))
      if (!(error instanceof PaymentRequired)) throw error
      const [offer] = (error.parts.meta?.['test/offers'] ?? []) as Offer[]
      if (!offer) throw new Error('no offer')
      return money.pay(offer)
    }
    const paidCalls = async () => (await money.paidCalls(paid.store)) - before

    test.each(['feed', 'look', 'brush'] as const)(
      '%s sent six times at once runs and is paid once',
      async name => {
        const { ask } = boot()
        const payment = await paymentFor(name)
        const all = await Promise.all(Array.from({ length: 6 }, () => ask(name, payment)))
        expect(new Set(all.map(({ output }) => JSON.stringify(output))).size).toBe(1)
        expect((await boot().ask(name, payment)).output).toEqual(all[0]?.output)
        expect([paid.knobs.runs, await paidCalls()]).toEqual([1, 1])
      },
    )

    test('work that fails after the money moved is owed or given back, and the same payment pays it later', async () => {
      const { ask } = boot()
      const payment = await paymentFor('feed')
      paid.knobs.fail = new ToolError('upstream', 'The bowl is stuck.')
      expect((await failing(ask('feed', payment))).code).toBe('upstream')
      expect(await listOwed(paid.store)).toHaveLength(money.method.book ? 0 : 1)
      paid.knobs.fail = undefined
      expect((await ask('feed', payment)).output).toMatchObject({ said: 'feed Mia' })
      expect([await listOwed(paid.store), await paidCalls()]).toEqual([[], 1])
    })

    // Elsewhere the payer is no wallet that signs in, or has one transfer only that waits for its call.
    const hasWallets = name === 'x402-evm'
    test.runIf(hasWallets)('what is owed stands in the inbox of its payer’s account, once', async () => {
      const { ask } = boot()
      const [payment, second] = [await paymentFor('feed'), await paymentFor('feed')]
      paid.knobs.fail = new ToolError('upstream', 'The bowl is stuck.')
      await failing(ask('feed', payment))
      const [before] = await listOwed(paid.store)
      if (!before) throw new Error('nothing is owed')
      const at = new Date().toISOString()
      const key = {
        account: 'acct_owed',
        kind: 'wallet',
        name: 'Wallet',
        created_at: at,
        last_used: at,
      } as const
      await accountKeysIn(paid.store).put({ id: `wallet:${before.payer.toLowerCase()}`, ...key })
      for (let time = 0; time < 2; time++) await failing(ask('feed', second))
      const events = await paid.store.read(inboxEvents.toName('acct_owed'), 0, 10)
      const ids = (await listOwed(paid.store)).map(({ id }) => id).filter(id => id !== before.id)
      expect(events.map(({ payload }) => payload)).toMatchObject(
        ids.map(subject => ({ service: 'account', type: 'payment.owed', subject, data: { tool: 'feed' } })),
      )
      expect(ids).toHaveLength(1)
    })

    test('what is owed stands in the inbox of the account that called, whatever paid', async () => {
      isAda = true
      const account = { person: 'acct_ada', prefix: '', holder: 'fixture:ada' }
      await profilesIn(paid.store).put({ id: ' acct_ada', ...account })
      const payment = await paymentFor('feed')
      paid.knobs.fail = new ToolError('upstream', 'The bowl is stuck.')
      await failing(boot().ask('feed', payment))
      const events = await paid.store.read(inboxEvents.toName('acct_ada'), 0, 10)
      const owed = (await listOwed(paid.store)).map(({ id }) => id)
      expect(owed).toHaveLength(money.method.book ? 0 : 1)
      expect(events.map(({ payload }) => payload)).toMatchObject(
        owed.map(subject => ({ service: 'account', type: 'payment.owed', subject })),
      )
    })

    test('a payment that was used for one tool is a conflict on another', async () => {
      const { ask } = boot()
      const payment = await paymentFor('feed')
      await ask('feed', payment)
      expect((await failing(ask('groom', payment))).code).toBe('conflict')
      expect([paid.knobs.runs, await paidCalls()]).toEqual([1, 1])
    })

    test.each(['settling', 'running'] as const)('a process that dies %s loses nothing', async when => {
      const payment = await paymentFor('feed')
      const life = openLife()
      let announceDeath = () => {}
      const dying = new Promise<void>(resolve => {
        announceDeath = resolve
      })
      const end = <R>(answer: R): R => {
        life.die()
        announceDeath()
        return answer
      }
      const { find, settle, moves, book } = money.method
      const mortal: PaymentMethod = { ...money.method }
      if (when === 'running') paid.knobs.enter = () => new Promise<never>(() => end(undefined))
      else if (book) mortal.book = { ...book, capture: async (...args) => end(await book.capture(...args)) }
      else if (moves === 'payer') mortal.find = async (...args) => end(await find(...args))
      else mortal.settle = async (...args) => end(await settle(...args))
      // Nobody hears what a dead process still says.
      void boot(life, mortal)
        .ask('feed', payment)
        .catch(() => undefined)
      await dying
      paid.knobs.enter = undefined
      const first = await boot()
        .ask('feed', payment)
        .catch((error: unknown) => error)
      // The embedded store belongs to one process; on the other the dead one's lease has to end.
      if (engine === 'postgres' && first instanceof PaymentPending) at += 46_000
      expect((await boot().ask('feed', payment)).output).toMatchObject({ said: 'feed Mia' })
      expect([await paidCalls(), await listOwed(paid.store)]).toEqual([1, []])
    })
  })
})
