import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { hasSolana, openSvmWorld } from './svm-world.ts'
import type { Requirements as Offer, X402Method } from './x402.ts'

const there = await hasSolana()
const wrappedSol = 'So11111111111111111111111111111111111111112'

describe.skipIf(!there)('x402 on Solana, with the stock client', () => {
  let world: Awaited<ReturnType<typeof openSvmWorld>>
  let method: X402Method
  let offer: Offer

  beforeAll(async () => {
    world = await openSvmWorld()
    method = world.openMethod()
    offer = await method.offer('0.0025', 'after')
  })
  afterAll(() => world?.close())

  const balances = async () => {
    const { solnet, demo, payTo } = world
    return { payer: (await solnet.balance(demo.address)) ?? 0n, seller: (await solnet.balance(payTo)) ?? 0n }
  }

  test('offers USDC of devnet in exactly the seven fields, with the wallet that pays the fee', async () => {
    expect(offer).toEqual({
      scheme: 'exact',
      network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
      amount: '2500',
      asset: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
      payTo: world.payTo,
      maxTimeoutSeconds: 300,
      extra: { feePayer: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/), devnet: true },
    })
    expect((await method.offer('1', 'before')).extra).toMatchObject({ paymentFlow: 'upfront', devnet: true })
    expect(method).toMatchObject({ name: 'solana', network: offer.network })
  })

  test('moves exactly the price, once it is settled and not before', async () => {
    const before = await balances()
    const payload = await world.pay(offer, world.demo)
    expect(await method.verify(payload, offer)).toEqual({ ok: true, payer: world.demo.address })
    expect(await method.find(payload, offer)).toEqual({ state: 'unused' })
    expect(await balances()).toEqual(before)
    const settlement = await method.settle(payload, offer)
    expect(settlement).toMatchObject({ state: 'settled', payer: world.demo.address })
    if (settlement.state !== 'settled') return
    expect(settlement.log).toBe(`${offer.network}:${settlement.transaction}:2`)
    expect(await balances()).toEqual({ payer: before.payer - 2_500n, seller: before.seller + 2_500n })
  })

  test('takes the upfront flow from the stock client too', async () => {
    const upfront = await method.offer('0.01', 'before')
    const settlement = await method.settle(await world.pay(upfront, world.demo), upfront)
    expect(settlement.state).toBe('settled')
  })

  test('debits one transaction once, sent four times at once, again, and by another method', async () => {
    const before = await balances()
    const payload = await world.pay(offer, world.demo)
    const other = world.openMethod()
    const answers = await Promise.all([method, method, other, other].map(one => one.settle(payload, offer)))
    answers.push(await method.settle(payload, offer), await world.openMethod().settle(payload, offer))
    expect(answers[0]?.state).toBe('settled')
    expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1)
    expect(await balances()).toEqual({ payer: before.payer - 2_500n, seller: before.seller + 2_500n })
    expect(await method.verify(payload, offer)).toEqual({ ok: false, reason: 'already_used' })
  })

  test('settles twelve payments at once, each for itself', async () => {
    const before = await balances()
    const payloads = await Promise.all(Array.from({ length: 12 }, () => world.pay(offer, world.demo)))
    const answers = await Promise.all(payloads.map(payload => method.settle(payload, offer)))
    expect(answers.map(({ state }) => state)).toEqual(Array(12).fill('settled'))
    expect(new Set(answers.map(answer => 'log' in answer && answer.log)).size).toBe(12)
    expect((await balances()).seller).toBe(before.seller + 30_000n)
  })

  test('names an authorization by what was signed, whatever is said around it', async () => {
    const payload = await world.pay(offer, world.demo)
    const other = await world.pay(offer, world.demo)
    const id = method.identity(payload)
    expect(id).toMatch(
      new RegExp(`^${offer.network}\\|${offer.asset}\\|${world.demo.address}\\|[0-9a-f]{64}$`),
    )
    expect(method.identity({ ...payload, accepted: { ...offer, amount: '1' }, resource: 'x' })).toBe(id)
    expect(method.identity(other)).not.toBe(id)
    const longer = Buffer.concat([
      Buffer.from(String(payload.payload.transaction), 'base64'),
      Buffer.from([0]),
    ])
    for (const transaction of [undefined, '', 'AAAA', '%%%%', 'A'.repeat(2_000), longer.toString('base64')])
      expect(method.identity({ ...payload, payload: { transaction } })).toBeUndefined()
  })

  test.each<[string, string, (offer: Offer) => Partial<Offer>]>([
    ['another token', 'wrong_asset', () => ({ asset: wrappedSol })],
    ['less than the price', 'too_little', () => ({ amount: '2499' })],
    ['another recipient', 'wrong_recipient', () => ({ payTo: world.demo.address })],
    ['another fee payer', 'unreadable', () => ({ extra: { feePayer: world.payTo } })],
  ])('refuses %s, though the client claims the offer', async (_, reason, change) => {
    const before = await balances()
    const payload = await world.pay({ ...offer, ...change(offer) }, world.demo, offer)
    expect(await method.verify(payload, offer)).toEqual({ ok: false, reason })
    expect(await method.settle(payload, offer)).toEqual({ state: 'refused', reason })
    expect(await method.find(payload, offer)).toEqual({ state: 'failed', reason })
    expect(await balances()).toEqual(before)
  })

  test('refuses more than the price; where it arrived all the same it is found', async () => {
    const before = await balances()
    const payload = await world.pay({ ...offer, amount: '2600' }, world.demo, offer)
    expect(await method.verify(payload, offer)).toEqual({ ok: false, reason: 'too_much' })
    expect(await balances()).toEqual(before)
    expect((await method.settle(payload, offer)).state).toBe('settled')
    expect((await balances()).seller).toBe(before.seller + 2_600n)
  })

  test('refuses a payer without funds, and one without an account', async () => {
    const [poor, nobody] = await Promise.all([world.stranger(), world.stranger()])
    await world.solnet.fund(poor.address, 2_499n)
    for (const signer of [poor, nobody]) {
      const payload = await world.pay(offer, signer)
      expect(await method.verify(payload, offer)).toEqual({ ok: false, reason: 'insufficient_funds' })
      expect(await method.settle(payload, offer)).toEqual({ state: 'refused', reason: 'insufficient_funds' })
    }
    expect(await world.solnet.balance(poor.address)).toBe(2_499n)
  })

  test('refuses a signature that is not the payer’s, and another network', async () => {
    const payload = await world.pay(offer, world.demo)
    const wire = Buffer.from(String(payload.payload.transaction), 'base64')
    wire[70] = (wire[70] ?? 0) ^ 1
    const forgedPayment = { ...payload, payload: { transaction: wire.toString('base64') } }
    expect(await method.verify(forgedPayment, offer)).toEqual({ ok: false, reason: 'invalid_signature' })
    expect(await method.settle(forgedPayment, offer)).toEqual({
      state: 'refused',
      reason: 'invalid_signature',
    })
    const elsewhere = { ...payload, accepted: { ...offer, network: 'eip155:8453' } }
    expect(await method.verify(elsewhere, offer)).toEqual({ ok: false, reason: 'wrong_network' })
  })

  test('finds what a method before it settled, and what it did not', async () => {
    const [paid, left] = [await world.pay(offer, world.demo), await world.pay(offer, world.demo)]
    const settlement = await method.settle(paid, offer)
    const afterRestart = world.openMethod()
    expect(await afterRestart.find(paid, offer)).toEqual(settlement)
    expect(await afterRestart.find(left, offer)).toEqual({ state: 'unused' })
  })

  test('calls a transaction expired once its blockhash is over, and a settled one still settled', async () => {
    const [paid, late] = [await world.pay(offer, world.demo), await world.pay(offer, world.demo)]
    const settlement = await method.settle(paid, offer)
    world.clock.ms += 62_000
    expect(await method.verify(late, offer)).toEqual({ ok: false, reason: 'expired' })
    expect(await method.settle(late, offer)).toEqual({ state: 'failed', reason: 'expired' })
    expect(await method.find(late, offer)).toEqual({ state: 'failed', reason: 'expired' })
    expect(await world.openMethod().find(paid, offer)).toEqual(settlement)
  })

  test('refunds an id once, also after a restart', async () => {
    await method.settle(await world.pay(offer, world.demo), offer)
    const before = await balances()
    const [one, two] = await Promise.all([1, 2].map(() => method.refund('r1', world.demo.address, '2500')))
    expect(two).toBe(one)
    // With the same blockhash it would be the same transaction anyway.
    world.clock.ms += 1_000
    expect(await world.openMethod().refund('r1', world.demo.address, '2500')).toBe(one)
    expect(await balances()).toEqual({ payer: before.payer + 2_500n, seller: before.seller - 2_500n })
    expect(await method.refund('r2', world.demo.address, '100')).not.toBe(one)
    await expect(method.refund('r1', world.demo.address, '1')).rejects.toMatchObject({ code: 'conflict' })
  })

  test('refuses refunds that it cannot make, and says why', async () => {
    const nobody = (await world.stranger()).address
    const { address } = world.demo
    await expect(method.refund('n', nobody, '1')).rejects.toThrow('no token account')
    await expect(method.refund('m', address, '9000000000')).rejects.toThrow('holds too little')
    await expect(method.refund('p', 'x', '1')).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(method.refund('a', address, '-1')).rejects.toMatchObject({ code: 'invalid_input' })
    const keyless = world.openMethod({ refundKey: undefined })
    await expect(keyless.refund('k', address, '1')).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('says upstream when the node is away, and nothing of where it was', async () => {
    const payload = await world.pay(offer, world.demo)
    const away = world.openMethod({ rpc: async () => 'http://127.0.0.1:9/?key=secret' })
    const consoleError = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const cause = await away.settle(payload, offer).catch((error: unknown) => error)
    expect(cause).toMatchObject({ code: 'upstream' })
    expect(JSON.stringify(cause) + String((cause as Error).cause)).not.toMatch(/secret|127\.0/)
    expect(consoleError).not.toHaveBeenCalled()
    consoleError.mockRestore()
  })
})
