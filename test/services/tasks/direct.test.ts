import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onAnvil, pay } from '../../payment/evm-chain.ts'
import { type ChainTown, openTownChain, type Person, type TownChain } from './chain-town.ts'
import { accountOf, arbiter, newTask, refused } from './town.ts'

const terms = { bounty_usd: '0.60', escrow: 'direct' }

onAnvil('a task whose deliverables are paid straight to the wallet of the worker', () => {
  let chain: TownChain
  let town: ChainTown
  let publisher: Person
  let worker: Person
  beforeAll(async () => {
    chain = await openTownChain()
    town = await chain.openTown()
  })
  afterAll(async () => {
    await town?.stop()
    await chain?.close()
  })

  const submitted = async () => {
    publisher = await chain.person()
    worker = await chain.person(0n)
    const { task_id } = await town.taskIn('published', { publisher: publisher.id, more: terms })
    await town.ask(worker.id, 'register_worker', { kind: 'human', name: 'Worker' })
    await town.ask(worker.id, 'apply_to_task', { task_id })
    // Nothing is asked for: the money stays with its publisher.
    await town.ask(publisher.id, 'assign_worker', { task_id, executor_id: worker.id })
    await town.ask(worker.id, 'start_work', { task_id })
    const evidence = [{ type: 'text_response', value: 'It is open.' }]
    const { submission_id } = await town.ask(worker.id, 'submit_work', { task_id, evidence })
    return { task_id, submission_id }
  }

  const inWallet = () => chain.usdc(worker.address)

  test('the 402 names the wallet of the worker and the exact amount; a part, then the rest with the approval', async () => {
    const house = await chain.usdc(chain.house)
    const { task_id, submission_id } = await submitted()
    const input = { submission_id, amount_usd: '0.25' }
    const offer = await town.offerFor(publisher.id, 'pay_deliverable', input)
    expect(offer).toMatchObject({ amount: '250000', network: 'eip155:8453' })
    expect(offer.payTo.toLowerCase()).toBe(worker.address.toLowerCase())

    const part = await town.bring(publisher.id, 'pay_deliverable', input, await pay(publisher.account, offer))
    expect(part).toMatchObject({
      payments: [{ amount_usd: '0.25', bonus_usd: '0.00', payer: publisher.address.toLowerCase() }],
    })
    expect(await inWallet()).toBe(250_000n)

    const approved = await town.paying(publisher, 'approve_submission', { submission_id })
    expect(approved).toMatchObject({
      status: 'completed',
      payment: { status: 'completed', released_usd: '0.60', fee_taken_usd: '0.00', fee_usd: '0.00' },
    })
    expect(await inWallet()).toBe(600_000n)
    expect(await chain.usdc(chain.house)).toBe(house)
    const submission = await town.ask(worker.id, 'get_submission', { submission_id })
    expect(submission).toMatchObject({
      verdict: 'accepted',
      payments: [{ amount_usd: '0.25' }, { amount_usd: '0.35', transaction: expect.stringMatching(/^0x/) }],
    })
    const { funds } = await town.task(task_id)
    expect(funds).toMatchObject({ deposited: '600000', released: '600000', refunded: '0', taken: '0' })
    expect(await town.ask(worker.id, 'get_worker', { executor_id: worker.id })).toMatchObject({
      earned_usd: '0.60',
    })
  })

  test('the approval of what is paid for costs nothing', async () => {
    const { submission_id } = await submitted()
    await town.paying(publisher, 'pay_deliverable', { submission_id })
    expect(await town.ask(publisher.id, 'approve_submission', { submission_id })).toMatchObject({
      status: 'completed',
    })
    expect(await refused(town.ask(publisher.id, 'pay_deliverable', { submission_id }))).toMatchObject({
      reason: 'already_paid',
    })
    expect(await inWallet()).toBe(600_000n)
  })

  test('the same payment brings the same answer, and is good for no other submission', async () => {
    const other = await submitted()
    const otherPublisher = publisher
    const { submission_id } = await submitted()
    const input = { submission_id, amount_usd: '0.10' }
    const payment = await pay(publisher.account, await town.offerFor(publisher.id, 'pay_deliverable', input))
    const first = await town.bring(publisher.id, 'pay_deliverable', input, payment)
    expect(await town.bring(publisher.id, 'pay_deliverable', input, payment)).toEqual(first)
    expect(await inWallet()).toBe(100_000n)
    const elsewhere = { submission_id: other.submission_id, amount_usd: '0.10' }
    await expect(town.bring(otherPublisher.id, 'pay_deliverable', elsewhere, payment)).rejects.toThrow()
    expect((await town.ask(publisher.id, 'get_submission', { submission_id })).payments).toHaveLength(1)
  })

  test('two payments at once are both recorded: what is beyond the bounty is a bonus', async () => {
    const { task_id, submission_id } = await submitted()
    const offers = await Promise.all(
      [1, 2].map(() => town.offerFor(publisher.id, 'pay_deliverable', { submission_id })),
    )
    const payments = await Promise.all(offers.map(offer => pay(publisher.account, offer)))
    const results = await Promise.allSettled(
      payments.map(payment => town.bring(publisher.id, 'pay_deliverable', { submission_id }, payment)),
    )
    expect(results.some(({ status }) => status === 'fulfilled')).toBe(true)
    const received = await inWallet()
    const { funds } = await town.task(task_id)
    expect(funds).toMatchObject({ deposited: '600000', released: '600000' })
    const { payments: recorded } = (await town.ask(publisher.id, 'get_submission', {
      submission_id,
    })) as unknown as {
      payments: { amount_usd: string; bonus_usd: string }[]
    }
    expect(BigInt(recorded.length) * 600_000n).toBe(received)
    expect(recorded.filter(({ bonus_usd }) => bonus_usd === '0.60')).toHaveLength(recorded.length - 1)
  })

  test('a payment whose task ended meanwhile is with the worker, recorded, and said to be', async () => {
    const { task_id, submission_id } = await submitted()
    const offer = await town.offerFor(publisher.id, 'approve_submission', { submission_id })
    const payment = await pay(publisher.account, offer)
    const [approved] = await Promise.allSettled([
      town.bring(publisher.id, 'approve_submission', { submission_id }, payment),
      town.ask(worker.id, 'abandon_task', { task_id }),
    ])
    const { status, funds } = await town.task(task_id)
    const received = await inWallet()
    expect(BigInt(funds.released)).toBe(received)
    if (approved.status === 'fulfilled') expect([status, received]).toEqual(['completed', 600_000n])
    else if (received > 0n) expect((approved.reason as Error).message).toContain('with the worker')
  })

  test('what the system accepted in silence can still be paid', async () => {
    const { submission_id, task_id } = await submitted()
    town.later(49 * 3_600_000)
    await town.settle()
    expect(await town.task(task_id)).toMatchObject({ status: 'completed', funds: { released: '0' } })
    await town.paying(publisher, 'pay_deliverable', { submission_id })
    expect(await town.task(task_id)).toMatchObject({ funds: { released: '600000' } })
  })

  test('a bonus goes to the wallet, too', async () => {
    const { task_id, submission_id } = await submitted()
    await town.paying(publisher, 'approve_submission', { submission_id })
    await town.paying(publisher, 'send_bonus', { task_id, amount_usd: '0.20' })
    expect(await inWallet()).toBe(800_000n)
    expect(await town.balance(worker.id)).toBe(0n)
    expect((await town.task(task_id)).funds.released).toBe('600000')
  })

  describe('is refused', () => {
    test.each([
      ['more than is unpaid', { amount_usd: '0.61' }, 'not_payable'],
      ['zero', { amount_usd: '0' }, undefined],
      ['a negative amount', { amount_usd: '-1' }, undefined],
    ])('%s', async (_, more, reason) => {
      const { submission_id } = await submitted()
      const problem = await refused(town.ask(publisher.id, 'pay_deliverable', { submission_id, ...more }))
      expect(problem.code).toBe(reason === undefined ? 'invalid_input' : 'conflict')
      if (reason !== undefined) expect(problem.reason).toBe(reason)
    })

    test('a stranger, the worker, and a worker who pays from the own wallet', async () => {
      const { submission_id } = await submitted()
      const stranger = await chain.person()
      const ask = (account: string) => refused(town.ask(account, 'pay_deliverable', { submission_id }))
      expect(await ask(stranger.id)).toMatchObject({ code: 'not_found' })
      expect(await ask(worker.id)).toMatchObject({ code: 'forbidden' })
      await publisher.transfer(worker.address, 700_000n)
      const own = town.paying(worker, 'pay_deliverable', { submission_id }, publisher.id)
      expect(await refused(own)).toMatchObject({ reason: 'self_payment' })
      expect(await inWallet()).toBe(700_000n)
    })

    test('a part out of an escrow that there is not, and a direct payment for what is in escrow', async () => {
      const { task_id } = await submitted()
      const part = { task_id, amount_usd: '0.10' }
      expect(await refused(town.ask(publisher.id, 'release_payment', part))).toMatchObject({
        reason: 'not_escrowed',
      })
      const { submission_id } = await town.taskIn('submitted')
      expect(await refused(town.ask(accountOf(1), 'pay_deliverable', { submission_id }))).toMatchObject({
        reason: 'in_escrow',
      })
    })
  })

  test('an arbiter moves no money that is in no escrow', async () => {
    const { submission_id } = await submitted()
    const notes = 'It is another door.'
    await town.ask(publisher.id, 'reject_submission', { submission_id, notes, severity: 'major' })
    const reason = 'The photo shows the door and its number.'
    const { dispute_id } = await town.ask(worker.id, 'open_dispute', { submission_id, reason })
    await town.ask(arbiter, 'resolve_dispute', { dispute_id, verdict: 'release', reason: 'It is all there.' })
    expect(await inWallet()).toBe(0n)
    await town.paying(publisher, 'pay_deliverable', { submission_id })
    expect(await inWallet()).toBe(600_000n)
  })
})

test('a direct task has no fee', async () => {
  const { startTown } = await import('./town.ts')
  const town = await startTown()
  const task = await town.ask(accountOf(1), 'publish_task', { ...newTask, escrow: 'direct' })
  expect(task).toMatchObject({ payment: { fee_usd: '0.00', escrow: 'direct', status: 'pending' } })
  const fee = await town.ask(undefined, 'calculate_fee', { bounty_usd: '10', escrow: 'direct' })
  expect(fee).toMatchObject({ fee_usd: '0.00', total_usd: '10.00', fee_percent: 0 })
  await town.stop()
})
