import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { x402Extensions } from '../../a2a-adapter/tasks/payment.ts'
import {
  type Connect,
  openEar,
  type PaymentAnswer,
  type Speaker,
  speak1,
  speak03,
} from './pay-a2a-clients.ts'
import { type PaidApp, type Purr, paidFor, paying, startPaidApp } from './payer.ts'

const rows: [string, Connect][] = [
  ['SDK 0.3.14', speak03],
  ['SDK 1.3.0', speak1],
]

const price = { scheme: 'exact', network: 'eip155:8453', amount: '100000' }

paying('the stock x402 client pays over A2A', () => {
  let app: PaidApp
  beforeAll(async () => {
    app = await startPaidApp()
  })
  afterAll(() => app.stop())

  describe.each(rows)('%s', (_, connect) => {
    const { active, listen } = openEar()
    let client: Speaker
    beforeAll(async () => {
      client = await connect(`${app.url}/cat`, listen)
    })

    const ask = () => client.say({ skill: 'feed' })
    const requiredBy = ({ metadata }: PaymentAnswer) => metadata['x402.payment.required']
    const toMetadata = (payload: object) => ({
      'x402.payment.status': 'payment-submitted',
      'x402.payment.payload': payload,
    })
    const send = ({ id: taskId }: PaymentAnswer, payload: object) =>
      client.say({}, { taskId, metadata: toMetadata(payload) })

    test('gets a task that waits for its payment, and hears that both extensions are active', async () => {
      const quote = await ask()
      expect(quote.state).toBe('input-required')
      expect(quote.metadata).toMatchObject({
        'x402.payment.status': 'payment-required',
        'x402.payment.required': { x402Version: 2, accepts: [price] },
      })
      expect(quote.data).toEqual([requiredBy(quote)])
      expect([...active].sort()).toEqual([...x402Extensions].sort())
      expect(await client.get(quote.id)).toMatchObject({ state: 'input-required', metadata: quote.metadata })
    })

    test('pays for the task, which is completed with its artifact and the receipt', async () => {
      const quote = await ask()
      const before = await app.moved()
      const done = await send(quote, await app.demo.sign(requiredBy(quote)))
      expect(done).toMatchObject({ id: quote.id, state: 'completed' })
      const [purr] = done.artifacts as Purr[]
      expect(purr).toMatchObject({ network: price.network, number: expect.any(Number) })
      const transaction = purr?.transaction ?? '0x'
      const [paid] = done.metadata['x402.payment.receipts'] as { receipt: string }[]
      expect(done.metadata['x402.payment.status']).toBe('payment-completed')
      expect(paid).toMatchObject({ success: true, network: price.network, transaction })
      expect(await app.receipt(transaction)).toMatchObject({ status: 'success' })
      expect(await app.moved(before)).toEqual(paidFor(1))
      const receipt = await fetch(`${app.url}/receipts/${paid?.receipt}`)
      expect(await receipt.json()).toMatchObject({ tool: 'feed', transaction, state: 'done' })
      expect(await client.get(quote.id)).toEqual(done)
    })

    test('pays with the first message by the quote of an earlier task', async () => {
      const payload = await app.demo.sign(requiredBy(await ask()))
      const before = await app.moved()
      const answer = await client.say({ skill: 'feed' }, { metadata: toMetadata(payload) })
      expect(answer).toMatchObject({ state: '', data: [{ network: price.network }] })
      expect(answer.metadata['x402.payment.status']).toBe('payment-completed')
      expect(await app.moved(before)).toEqual(paidFor(1))
    })

    test('gets the answer that was paid for, and no other, with the same payment on a new task', async () => {
      const first = await ask()
      const payload = await app.demo.sign(requiredBy(first))
      const done = await send(first, payload)
      const before = await app.moved()
      const again = await send(await ask(), payload)
      expect(again).toMatchObject({ state: 'completed', artifacts: done.artifacts })
      expect(again.metadata).toEqual(done.metadata)
      expect(await app.moved(before)).toEqual(paidFor(0))
    })

    test('is refused when the nonce of a payment comes again under the quote of a new task', async () => {
      const first = await ask()
      const payload = await app.demo.sign(requiredBy(first))
      expect((await send(first, payload)).state).toBe('completed')
      const before = await app.moved()
      const second = await ask()
      const { accepts } = requiredBy(second) as { accepts: unknown[] }
      const failure = await send(second, { ...payload, accepted: accepts[0] })
      expect(failure).toMatchObject({ id: second.id, state: 'failed', artifacts: [] })
      expect(failure.metadata).toMatchObject({
        'x402.payment.status': 'payment-failed',
        'x402.payment.error': 'DUPLICATE_NONCE',
        'x402.payment.receipts': [{ success: false, transaction: '', network: price.network }],
      })
      expect(await app.moved(before)).toEqual(paidFor(0))
    })

    test('is refused with a payment that paid for another skill', async () => {
      const first = await ask()
      const payload = await app.demo.sign(requiredBy(first))
      await send(first, payload)
      const failure = await send(await client.say({ skill: 'feed_testnet' }), payload)
      expect(failure).toMatchObject({ state: 'failed', artifacts: [] })
      expect(failure.metadata['x402.payment.error']).toBe('DUPLICATE_NONCE')
    })

    test('is told that a wallet without USDC cannot pay', async () => {
      const quote = await ask()
      const failure = await send(quote, await app.poor.sign(requiredBy(quote)))
      expect(failure.state).toBe('failed')
      expect(failure.metadata).toMatchObject({
        'x402.payment.status': 'payment-failed',
        'x402.payment.error': 'INSUFFICIENT_FUNDS',
        'x402.payment.receipts': [{ success: false, errorReason: 'insufficient_funds' }],
      })
      expect(failure.texts).toEqual([expect.stringContaining('does not hold the amount')])
    })

    test('declines to pay, and the task is canceled', async () => {
      const before = await app.moved()
      const { id: taskId } = await ask()
      const metadata = { 'x402.payment.status': 'payment-rejected' }
      expect(await client.say({}, { taskId, metadata })).toMatchObject({
        id: taskId,
        state: 'canceled',
        metadata,
      })
      expect(await app.moved(before)).toEqual(paidFor(0))
    })
  })
})
