import { expect, test, vi } from 'vitest'
import { sendWithdrawal } from '../../../mcp/accounts/withdrawal/send.ts'
import { withdrawalsIn } from '../../../mcp/accounts/withdrawal/withdrawal.ts'
import { openPayouts } from '../../../mcp/payment/payouts.ts'
import type { Chain } from '../../../mcp/ports/chain/port.ts'
import type { Payouts } from '../../../mcp/ports/payouts/port.ts'
import { abi, makePayer, onAnvil, openTestDevnet } from '../../payment/evm-chain.ts'
import { accountOf, refused, startTown, type Town } from './town.ts'

const usdcOf = async (chain: Chain, address: string) =>
  (await chain.reader()).readContract({
    address: chain.network.token.address,
    abi,
    functionName: 'balanceOf',
    args: [address as `0x${string}`],
  }) as Promise<bigint>

/** Works on all that is queued, due or not. */
const send = async ({ store, clock, ledger }: Town, payouts: Payouts) => {
  const where = { way: 'usdc', state: 'queued' }
  const { rows } = await withdrawalsIn(store).find({ index: 'due', where })
  for (const { id } of rows) await sendWithdrawal({ store, clock, ledger }, { payouts }, id)
}

onAnvil('withdrawing money', () => {
  test('sends it to the own wallet once, however often and from wherever it is tried', async () => {
    const { devnet, close } = await openTestDevnet()
    const chain = devnet.chain('base')
    const keys = await devnet.keys()
    const house = await makePayer(chain, 50_000_000n)
    const payTo = (await chain.wallet(keys.payTo)).address
    await house.transfer(payTo, 50_000_000n)
    const open = () => openPayouts({ chain, key: async () => keys.payTo, confirmations: 1 })
    const town = await startTown({ payouts: open() })
    const [worker, amount] = [accountOf(0x0b0b), 7_500_001n]
    const address = worker.slice(-42)
    await town.fund(worker, amount + 100_000n)
    const withdrawal = await town.ask(worker, 'withdraw_funds', { amount_usd: '7.500001' })
    expect(withdrawal).toMatchObject({ state: 'queued', amount_usd: '7.500001', to: address })
    expect(await town.balance(worker)).toBe(100_000n)

    // The answer to the first try is lost, as when the process is killed; then three replicas go on with it at once.
    const lost: Payouts = {
      ...open(),
      send: async payout => {
        await open().send(payout)
        throw new Error('killed')
      },
    }
    await expect(send(town, lost)).rejects.toThrow('killed')
    await Promise.all([send(town, open()), send(town, open()), send(town, open())])
    await vi.waitFor(async () => {
      await send(town, open())
      const { withdrawals } = await town.ask(worker, 'list_withdrawals')
      expect(withdrawals).toMatchObject([
        { state: 'sent', transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
      ])
    }, 60_000)
    expect(await usdcOf(chain, address)).toBe(amount)
    const left = await town.ledger.balance(town.store, 'USDC', 'escrow:withdrawals')
    expect(left.total.value).toBe(0n)
    await town.stop()
    await close()
  })

  test('waits while the wallet holds too little, and says so', async () => {
    const { devnet, close } = await openTestDevnet()
    const chain = devnet.chain('base')
    const keys = await devnet.keys()
    await makePayer(chain, 0n)
    const payouts = openPayouts({ chain, key: async () => keys.payTo, confirmations: 1 })
    const town = await startTown({ payouts })
    const worker = accountOf(0x0c0c)
    await town.fund(worker, 900_000_000n)
    await town.ask(worker, 'withdraw_funds', { amount_usd: '800' })
    await send(town, payouts)
    const { withdrawals } = await town.ask(worker, 'list_withdrawals')
    expect(withdrawals).toMatchObject([
      { state: 'queued', problem: expect.stringContaining('holds too little') },
    ])
    await town.stop()
    await close()
  })
})

test('more than there is, or less than a tenth of a dollar, is refused', async () => {
  const town = await startTown({ payouts: {} as Payouts })
  await town.fund(accountOf(1), 200_000n)
  const withdraw = (amount_usd: string) => town.ask(accountOf(1), 'withdraw_funds', { amount_usd })
  expect(await refused(withdraw('0.21'))).toMatchObject({ reason: 'insufficient_withdrawable' })
  expect(await refused(withdraw('0.09'))).toMatchObject({ code: 'invalid_input' })
  await withdraw('0.10')
  const both = await Promise.allSettled([withdraw('0.10'), withdraw('0.10')])
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await town.balance(accountOf(1))).toBe(0n)
  await town.stop()
})
