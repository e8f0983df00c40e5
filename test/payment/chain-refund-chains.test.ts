import { createPrivateKey, sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPaymentOperations } from '../../app/payment-operations.ts'
import type { Evidence } from '../../mcp/kernel/http.ts'
import { openLimits } from '../../mcp/kernel/pipeline/limits.ts'
import { refundText } from '../../mcp/payment/gate/payer-refund.ts'
import { paymentRows } from '../../mcp/payment/gate/record.ts'
import type { PaymentMethod, RefundNotes } from '../../mcp/payment/method.ts'
import { openX402EvmDevnet } from '../../mcp/payment/methods/x402-evm/devnet.ts'
import { openX402Svm } from '../../mcp/payment/methods/x402-svm/method.ts'
import type { Chain } from '../../mcp/ports/chain/port.ts'
import { base58, fromBase58 } from '../../mcp/ports/solnet/base58.ts'
import { findTokenAccount, solanaNetworks } from '../../mcp/ports/solnet/network.ts'
import { anvilClient, balanceOf, makePayer, onAnvil, openTestDevnet, pay } from './evm-chain.ts'
import { failing, openPaid, type Paid, readQuote } from './gate-fixture.ts'
import { hasSolana, openSvmWorld } from './svm-world.ts'

const limits = openLimits()

const openOperations = (paid: Paid, method: PaymentMethod) => {
  const { gate, ask } = paid.boot([method])
  const operations = openPaymentOperations({
    store: paid.store,
    methods: [method],
    limits,
    clock: { now: () => new Date() },
    gate,
    chainRefundsPerDay: 100,
  })
  const giveBack = (receipt: string, header?: string, signature?: string) =>
    operations.receipts.refund(receipt, { to: 'payer', signature }, {
      client: receipt,
      payment: { headers: header === undefined ? {} : { 'payment-signature': header }, meta: {} },
    } as unknown as Evidence)
  return { ask, giveBack }
}

/** The notes of a gate, kept in memory; with `die` nothing is done after the first one, as where a process is killed. */
const openNotes = (die = false): RefundNotes & { all: string[] } => {
  const all: string[] = []
  return {
    all,
    get last() {
      return all.at(-1)
    },
    async note(text) {
      all.push(text)
      if (die) throw new Error('killed')
    },
  }
}

onAnvil('on a local chain', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let chain: Chain
  let paid: Paid
  beforeAll(async () => {
    net = await openTestDevnet()
    chain = net.devnet.chain('base-sepolia')
    paid = await openPaid()
    paid.knobs.fail = new Error('the work fails')
  })
  afterAll(async () => {
    await paid?.stop()
    await net.close()
  })
  const openMethod = () => openX402EvmDevnet(net.devnet, 'base-sepolia')

  const owe = async (shop: ReturnType<typeof openOperations>) => {
    const payer = await makePayer(chain, 100_000n)
    const payment = await pay(payer.account, await readQuote(shop.ask(paid.feed)))
    const header = Buffer.from(JSON.stringify(payment)).toString('base64')
    const error = await failing(shop.ask(paid.feed, { payment: header }))
    const { receipt } = error.extra.payment as unknown as { receipt: string }
    expect(await balanceOf(chain, payer.address)).toBe(0n)
    return { payer, header, receipt }
  }

  test('a stock payer whose call failed gets its dollars back for the same payload, once, on two replicas', async () => {
    const [shop, other] = [openOperations(paid, openMethod()), openOperations(paid, openMethod())]
    const { payer, header, receipt } = await owe(shop)
    await Promise.allSettled([shop.giveBack(receipt, header), other.giveBack(receipt, header)])
    const done = await other.giveBack(receipt, header)
    expect(done).toMatchObject({ state: 'refunded', amount: '100000' })
    expect(await shop.giveBack(receipt, header)).toEqual(done)
    expect(await balanceOf(chain, payer.address)).toBe(100_000n)
  })

  test('or for a signature of its wallet', async () => {
    const shop = openOperations(paid, openMethod())
    const { payer, receipt } = await owe(shop)
    const stranger = await makePayer(chain, 0n)
    const message = refundText(receipt)
    expect(
      await failing(shop.giveBack(receipt, undefined, await stranger.account.signMessage({ message }))),
    ).toMatchObject({ code: 'forbidden' })
    const signature = await payer.account.signMessage({ message })
    expect(await shop.giveBack(receipt, undefined, signature)).toMatchObject({ state: 'refunded' })
    expect(await balanceOf(chain, payer.address)).toBe(100_000n)
  })

  test('where the wallet holds too little, the debt stays and the answer can still be had', async () => {
    const shop = openOperations(paid, openMethod())
    const { payer, header, receipt } = await owe(shop)
    const { payTo } = await readQuote(shop.ask(paid.feed))
    const wallet = await chain.wallet((await net.devnet.keys()).payTo)
    expect(wallet.address).toBe(payTo)
    const held = await balanceOf(chain, payTo)
    const method = openMethod()
    await method.refund('drain', `0x${'de'.repeat(20)}`, String(held))
    expect(await failing(shop.giveBack(receipt, header))).toMatchObject({ code: 'conflict' })
    const { rows } = await paymentRows(paid.store).find({ index: 'receipt', where: { receipt } })
    expect(rows[0]).toMatchObject({ state: 'owed', runner: null })
    paid.knobs.fail = undefined
    expect((await shop.ask(paid.feed, { payment: header })).output).toMatchObject({ said: 'feed Mia' })
    paid.knobs.fail = new Error('the work fails')
    expect(await failing(shop.giveBack(receipt, header))).toMatchObject({ extra: { reason: 'not_owed' } })
    expect(await balanceOf(chain, payer.address)).toBe(0n)
  })

  describe('a process that is killed', () => {
    const fund = async () => {
      const payer = await makePayer(chain, 500_000n)
      const { address } = await chain.wallet((await net.devnet.keys()).payTo)
      const hash = await payer.transfer(address, 500_000n)
      await (await chain.reader()).waitForTransactionReceipt({ hash })
      return `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString('hex')}`
    }

    test('before it has sent what it signed: another one sends the same transfer', async () => {
      const payee = await fund()
      const notes = openNotes(true)
      await failing(openMethod().refund('a', payee, '1000', undefined, undefined, notes))
      expect(await balanceOf(chain, payee)).toBe(0n)
      const again = openNotes()
      again.all.push(...notes.all)
      const refunded = await openMethod().refund('a', payee, '1000', undefined, undefined, again)
      expect(JSON.parse(String(notes.last))).toMatchObject([
        { hash: (refunded as { transaction: string }).transaction },
      ])
      expect([again.all.length, await balanceOf(chain, payee)]).toEqual([1, 1000n])
    })

    test('after it has sent it: another one finds it and sends nothing', async () => {
      const payee = await fund()
      const notes = openNotes()
      const refund = () => openMethod().refund('b', payee, '1000', undefined, undefined, notes)
      const first = await refund()
      for (let n = 0; n < 3; n++) expect(await refund()).toEqual(first)
      expect([notes.all.length, await balanceOf(chain, payee)]).toEqual([1, 1000n])
    })

    test('and something else took the place of what it signed: another transfer, once that is sure', async () => {
      const payee = await fund()
      const notes = openNotes(true)
      await failing(openMethod().refund('c', payee, '1000', undefined, undefined, notes))
      const other = `0x${'ef'.repeat(20)}`
      const before = await balanceOf(chain, other)
      await openMethod().refund('d', other, '7')
      const again = openNotes()
      again.all.push(...notes.all)
      const refund = () => openMethod().refund('c', payee, '1000', undefined, undefined, again)
      expect(await failing(refund())).toMatchObject({ code: 'upstream', extra: { retryAfter: 5 } })
      expect([again.all.length, await balanceOf(chain, payee)]).toEqual([1, 0n])
      await (await anvilClient(chain)).mine({ blocks: 110 })
      const first = await refund()
      expect(await refund()).toEqual(first)
      expect([again.all.length, await balanceOf(chain, payee)]).toEqual([2, 1000n])
      expect((await balanceOf(chain, other)) - before).toBe(7n)
    })
  })
})

describe.skipIf(!(await hasSolana()))('on a local Solana', () => {
  test('the wallet that paid signs, or sends its payload again, and is paid once', async () => {
    const world = await openSvmWorld()
    const paid = await openPaid()
    try {
      const open = () =>
        openX402Svm({
          network: solanaNetworks.devnet,
          devnet: true,
          rpc: world.solnet.rpc,
          payTo: async () => world.payTo,
          facilitator: { key: async () => world.keys.feePayer },
          refundKey: async () => world.keys.payTo,
          confirmMs: 2_000,
        })
      const wire = world.openMethod()
      const offer = await wire.offer('0.10', 'before')
      const payment = await world.pay(offer, world.demo)
      expect(await wire.settle(payment, offer)).toMatchObject({ state: 'settled' })

      // The tools of the fixture are paid on another network: a record of theirs is put over to this one.
      const shop = openOperations(paid, open())
      const header = Buffer.from(JSON.stringify(payment)).toString('base64')
      const { gate } = paid.boot([open()])
      const [id = ''] = gate.provenRecords({ headers: { 'payment-signature': header }, meta: {} })
      const now = new Date().toISOString()
      const receipt = 'a'.repeat(32)
      await paid.rows.put({
        id,
        receipt,
        state: 'owed',
        claim: id,
        request: 'r',
        service: 'fixture',
        tool: 'feed',
        settle: 'before',
        method: 'x402-svm',
        dialect: 'x402',
        network: solanaNetworks.devnet.id,
        asset: solanaNetworks.devnet.mint,
        payTo: world.payTo,
        amount: '100000',
        payer: world.demo.address,
        transaction: 't',
        log: null,
        spentElsewhere: false,
        reverted: null,
        watch: null,
        watchEnd: null,
        offer: '{}',
        sealed: null,
        answer: null,
        runner: null,
        lease: null,
        rate: null,
        refund: null,
        created: now,
        updated: now,
      })
      const balance = async () => {
        const account = await findTokenAccount(solanaNetworks.devnet.mint, world.demo.address)
        const answer = await fetch(await world.solnet.rpc(), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'getTokenAccountBalance',
            params: [account],
          }),
        })
        const { result } = (await answer.json()) as { result: { value: { amount: string } } }
        return BigInt(result.value.amount)
      }
      const before = await balance()
      const stranger = Buffer.alloc(64, 7)
      expect(await failing(shop.giveBack(receipt, undefined, base58(stranger)))).toMatchObject({
        code: 'forbidden',
      })
      const seed = (fromBase58(world.keys.demo) ?? Buffer.alloc(64)).subarray(0, 32)
      const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
      const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
      const signature = base58(sign(null, Buffer.from(refundText(receipt)), key))
      const done = await shop.giveBack(receipt, undefined, signature)
      expect(done).toMatchObject({ state: 'refunded', amount: '100000' })
      // Another process, which knows only what the store and the chain say.
      expect(await openOperations(paid, open()).giveBack(receipt, header)).toEqual(done)
      expect((await balance()) - before).toBe(100_000n)
      const row = await paid.rows.get(id)
      if (!row) throw new Error('no record')
      await paid.rows.put({ ...row, state: 'refunding', refund: null })
      expect(await openOperations(paid, open()).giveBack(receipt, header)).toEqual(done)
      expect((await balance()) - before).toBe(100_000n)
    } finally {
      await paid.stop()
      await world.close()
    }
  })
})
