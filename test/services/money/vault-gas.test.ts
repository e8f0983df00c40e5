import { afterAll, beforeAll, expect, test } from 'vitest'
import { onAnvil } from '../../payment/evm-chain.ts'
import { type Gas, signSold, startGas } from './gas.ts'

onAnvil('a wallet without ether', () => {
  let gas: Gas
  beforeAll(async () => {
    gas = await startGas()
  })
  afterAll(() => gas.stop())

  const sponsor = async (user: Awaited<ReturnType<Gas['makeUser']>>, calls: unknown) => {
    const sold = await gas.post({ sender: user.address, calls }, user.fetch)
    expect(sold).toMatchObject({ status: 200, body: { state: 'paid' } })
    const done = await gas.post(await signSold(user.account, sold.body))
    expect(done.body).toMatchObject({ state: 'mined', success: true })
  }

  test('opens its vault, buys stocks in one sponsored batch, and leaves in another', async () => {
    const user = await gas.makeUser()
    const owner = user.address
    const bought = await gas.postTo('/v1/buy-stocks', { owner, amount: '15' })
    expect(bought.body.calls).toHaveLength(3)
    await sponsor(user, bought.body.calls)
    const { vault } = bought.body.expect as { vault: { shares: string; cash: string } }
    const held = await gas.get(`/v1/vault-status?owner=${owner}`)
    expect(held.body).toMatchObject({ exists: true, shares: vault.shares, cash: vault.cash })
    expect(await gas.reader.getBalance({ address: owner })).toBe(0n)

    const left = await gas.postTo('/v1/redeem', { owner, to: 'stablecoin', fraction_bps: 10_000 })
    await sponsor(user, left.body.calls)
    expect((await gas.get(`/v1/vault-status?owner=${owner}`)).body).toMatchObject({ shares: '0', value: '0' })
    // Twice the price of gas, and what two trades cost.
    expect(await gas.balance(owner)).toBeGreaterThan(19_900_000n)
  })
})
