import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionEvents } from '../../../mcp/services/tasks/session-clock.ts'
import { anvilClient, onAnvil } from '../../payment/evm-chain.ts'
import { openSessionTown, type SessionTown } from './sessions.ts'
import { accountOf, refused } from './town.ts'

const worker = accountOf(0x77)
const minute = 60_000

onAnvil('a metered session', () => {
  let town: SessionTown
  beforeAll(async () => {
    town = await openSessionTown()
  })
  afterAll(() => town.stop())

  const eventsOf = async (id: unknown) =>
    (await town.store.read(sessionEvents.toName(String(id)), 0, 1000)).map(
      ({ payload }) => (payload as { event: string }).event,
    )

  test.each(['base', 'arbitrum'] as const)(
    'on %s is opened, pays 50 units with no transaction, and is closed',
    async network => {
      const publisher = await town.payer(network)
      const [before, ofWorker, fees] = [
        await publisher.balance(),
        await town.balance(worker),
        await town.fees(),
      ]
      const task_id = await town.workedOn(publisher)
      const opened = await town.open(publisher, task_id, { network })
      expect(opened).toMatchObject({
        state: 'open',
        network,
        price_usd: '0.105',
        rate_usd: '0.10',
        fee_usd: '0.005',
        deposit_usdc: '10.00',
        clock: 'standing',
        needs: 'voucher',
        next_voucher: '105000',
      })
      expect(await publisher.balance()).toBe(before - 10_000_000n)
      const sent = await town.transactions(network)
      const id = opened.session_id
      for (let unit = 1n; unit <= 50n; unit++) {
        const paid = await town.voucher(publisher, id, unit * 105_000n)
        expect(paid).toMatchObject({
          clock: 'running',
          spent_usd: unit === 1n ? '0.105' : expect.any(String),
        })
        town.later(minute)
      }
      expect(await town.transactions(network)).toBe(sent)
      const stored = await town.ask(publisher.id, 'get_session', { session_id: id })
      expect(stored).toMatchObject({
        spent_usd: '5.25',
        accepted_usdc: '5.25',
        clock: 'standing',
        voucher_index: 50,
      })
      const closed = await town.ask(publisher.id, 'close_session', {
        session_id: id,
        cumulative_amount: '5250000',
        signature: await town.signVoucher(publisher, id, 5_250_000n),
      })
      expect(closed).toMatchObject({
        state: 'settled',
        settled_usdc: '5.25',
        refunded_usdc: '4.75',
        earned_usd: '5.00',
        fee_taken_usd: '0.25',
        credited_usd: '0.00',
        close_transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      })
      expect(await town.transactions(network)).toBe(sent + 1)
      expect(await publisher.balance()).toBe(before - 5_250_000n)
      expect((await town.balance(worker)) - ofWorker).toBe(5_000_000n)
      expect((await town.fees()) - fees).toBe(250_000n)
      expect(await town.held(network)).toBe(0n)
      const events = await eventsOf(id)
      expect(events.filter(event => event === 'voucher_accepted')).toHaveLength(50)
      expect([events[0], ...events.slice(-2)]).toEqual([
        'session_open',
        'session_close',
        'settlement_complete',
      ])
    },
  )

  test('stops its clock when vouchers or the deposit are used up, and goes on after a top-up', async () => {
    const publisher = await town.payer()
    const task_id = await town.workedOn(publisher)
    const { session_id } = await town.open(publisher, task_id, { cap_usdc: '0.25' })
    await town.voucher(publisher, session_id, 210_000n)
    town.later(10 * minute)
    await town.run(session_id)
    expect(await town.ask(publisher.id, 'get_session', { session_id })).toMatchObject({
      spent_usd: '0.21',
      clock: 'standing',
      needs: 'top_up',
      stops_at: null,
    })
    expect((await eventsOf(session_id)).filter(event => event === 'payment-need-voucher')).toHaveLength(2)
    const tooMuch = await refused(town.voucher(publisher, session_id, 315_000n))
    expect(tooMuch).toMatchObject({ code: 'payment_required', reason: 'amount_exceeds_deposit' })
    const input = await town.topUpInput(publisher, session_id, 500_000n)
    expect(await town.ask(publisher.id, 'top_up_session', input)).toMatchObject({ deposit_usdc: '0.75' })
    // The same top-up again is a nonce that the token has used.
    expect(await refused(town.ask(publisher.id, 'top_up_session', input))).toMatchObject({
      reason: 'transaction_reverted',
    })
    expect(await town.voucher(publisher, session_id, 315_000n)).toMatchObject({ clock: 'running' })
    expect(await town.ask(worker, 'close_session', { session_id })).toMatchObject({
      state: 'settled',
      settled_usdc: '0.315',
      refunded_usdc: '0.435',
      earned_usd: '0.30',
    })
  })

  test('takes what it is told in any order, and no voucher twice', async () => {
    const publisher = await town.payer()
    const task_id = await town.workedOn(publisher)
    const { session_id } = await town.open(publisher, task_id)
    const amounts = [105_000n, 315_000n, 210_000n, 315_000n, 105_000n]
    const answers = await Promise.all(
      amounts.map(amount => town.voucher(publisher, session_id, amount).catch(() => undefined)),
    )
    expect(answers.some(answer => answer?.accepted_usdc === '0.315')).toBe(true)
    const { voucher_index, spent } = await town.load(session_id)
    const again = await town.voucher(publisher, session_id, 315_000n)
    expect(again).toMatchObject({ accepted_usdc: '0.315', voucher_index, spent_usd: '0.105' })
    expect(spent).toBe('105000')
    expect(await refused(town.voucher(publisher, session_id, 315_001n))).toMatchObject({
      reason: 'delta_too_small',
    })
    const stranger = await town.payer()
    const forged = {
      session_id,
      cumulative_amount: '105000',
      signature: await town.signVoucher(stranger, session_id, 105_000n),
    }
    // The signature is looked at before a voucher that says nothing new is waved through.
    expect(await refused(town.ask(publisher.id, 'send_voucher', forged))).toMatchObject({
      code: 'payment_required',
      reason: 'invalid_signature',
    })
    expect(await refused(town.ask(stranger.id, 'send_voucher', forged))).toMatchObject({ code: 'not_found' })
    expect(await refused(town.ask(worker, 'send_voucher', forged))).toMatchObject({ code: 'forbidden' })
    // What is promised beyond the time goes back: on the chain what no voucher says, to the balance what one does.
    const before = await town.balance(publisher.id)
    expect(await town.ask(publisher.id, 'reclaim_session', { session_id })).toMatchObject({
      state: 'settled',
      settled_usdc: '0.315',
      refunded_usdc: '9.685',
      earned_usd: '0.10',
      fee_taken_usd: '0.005',
      credited_usd: '0.21',
    })
    expect((await town.balance(publisher.id)) - before).toBe(210_000n)
    expect(await refused(town.voucher(publisher, session_id, 420_000n))).toMatchObject({
      code: 'gone',
      reason: 'channel_finalized',
    })
  })

  test('a last voucher below the time does not count, one above it pays the rest back', async () => {
    const publisher = await town.payer()
    const task_id = await town.workedOn(publisher)
    const { session_id } = await town.open(publisher, task_id)
    await town.voucher(publisher, session_id, 420_000n)
    town.later(minute + 1)
    const closed = await town.ask(publisher.id, 'close_session', {
      session_id,
      cumulative_amount: '105000',
      signature: await town.signVoucher(publisher, session_id, 105_000n),
    })
    expect(closed).toMatchObject({ settled_usdc: '0.42', earned_usd: '0.20', credited_usd: '0.21' })
  })

  test('closes by itself when no voucher comes, and when work ends', async () => {
    const publisher = await town.payer()
    const [first, second] = [await town.workedOn(publisher), await town.workedOn(publisher)]
    const idle = await town.open(publisher, first)
    await town.voucher(publisher, idle.session_id, 105_000n)
    town.later(2 * minute)
    await town.run(idle.session_id)
    expect((await town.load(idle.session_id)).state).toBe('open')
    town.later(16 * minute)
    await town.run(idle.session_id)
    expect(await town.load(idle.session_id)).toMatchObject({
      state: 'settled',
      settled: '105000',
      refunded: '9895000',
    })

    const left = await town.open(publisher, second)
    await town.voucher(publisher, left.session_id, 1_050_000n)
    town.later(2 * minute)
    await town.ask(worker, 'abandon_task', { task_id: second })
    town.later(60 * minute)
    expect(await town.load(left.session_id)).toMatchObject({ state: 'draining', spent: '315000' })
    await town.run(left.session_id)
    expect(await town.load(left.session_id)).toMatchObject({
      state: 'settled',
      earned: '300000',
      credited: '735000',
    })
  })

  test('is settled when its payer goes to the escrow, who gets the rest also without us', async () => {
    const publisher = await town.payer()
    const task_id = await town.workedOn(publisher)
    const opened = await town.open(publisher, task_id)
    const { session_id, exit } = opened as unknown as {
      session_id: string
      exit: Record<'request_close' | 'withdraw', { to: string; data: string }>
    }
    await town.voucher(publisher, session_id, 105_000n)
    await publisher.send(exit.request_close)
    town.later(2 * minute)
    await town.run(session_id)
    expect(await town.load(session_id)).toMatchObject({ state: 'settled', settled: '105000' })

    // Nobody is there for a quarter of an hour: the payer takes everything back, and the worker gets what was settled before.
    const alone = await town.payer()
    const task = await town.workedOn(alone)
    const before = await alone.balance()
    const lost = (await town.open(alone, task)) as unknown as { session_id: string; exit: typeof exit }
    await town.voucher(alone, lost.session_id, 105_000n)
    await alone.send(lost.exit.request_close)
    const anvil = await anvilClient(town.devnet.chain('base'))
    await anvil.increaseTime({ seconds: 901 })
    await anvil.mine({ blocks: 1 })
    await alone.send(lost.exit.withdraw)
    expect(await alone.balance()).toBe(before)
    await town.run(lost.session_id)
    town.later(2 * minute)
    await town.run(lost.session_id)
    expect(await town.load(lost.session_id)).toMatchObject({
      state: 'expired',
      settled: '0',
      refunded: '10000000',
    })
  })

  test('is not opened on what does not allow it, and nothing moves', async () => {
    const publisher = await town.payer('base', 5_000_000n)
    const { task_id } = await town.taskIn('accepted', { publisher: publisher.id, by: worker })
    const terms = { task_id, rate_usd: '0.10', cap_usdc: '4' }
    expect(await refused(town.ask(publisher.id, 'quote_session', terms))).toMatchObject({
      reason: 'task_not_in_progress',
    })
    await town.ask(worker, 'start_work', { task_id })
    expect(await refused(town.ask(worker, 'quote_session', terms))).toMatchObject({ code: 'forbidden' })
    for (const [field, value] of [
      ['cap_usdc', '100.01'],
      ['cap_usdc', '0.05'],
      ['rate_usd', '0'],
      ['rate_usd', 'NaN'],
      ['rate_usd', '-1'],
      ['rate_usd', '5'],
      ['network', 'polygon'],
      ['unit', 'day'],
    ] as const)
      expect(
        await refused(town.ask(publisher.id, 'quote_session', { ...terms, [field]: value })),
      ).toMatchObject({
        code: 'invalid_input',
      })
    const good = await town.opening(publisher, task_id, { cap_usdc: '4' })
    const authorization = good.authorization as Record<string, unknown>
    const wrong: [object, object][] = [
      [{ channel_id: `0x${'11'.repeat(32)}` }, { code: 'invalid_input' }],
      [{ salt: `0x${'11'.repeat(32)}` }, { code: 'invalid_input' }],
      [{ authorization: { ...authorization, value: '4000001' } }, { code: 'invalid_input' }],
      [{ authorization: { ...authorization, value: '1' } }, { code: 'invalid_input' }],
      [{ authorization: { ...authorization, to: publisher.address } }, { code: 'invalid_input' }],
      [{ authorization: { ...authorization, validBefore: '1' } }, { code: 'invalid_input' }],
      [{ authorization: { ...authorization, nonce: `0x${'11'.repeat(32)}` } }, { code: 'invalid_input' }],
      [{ voucher_signature: good.signature }, { reason: 'invalid_signature' }],
      [{ cumulative_amount: '5000000' }, { reason: 'amount_exceeds_deposit' }],
    ]
    for (const [change, problem] of wrong)
      expect(await refused(town.ask(publisher.id, 'open_session', { ...good, ...change }))).toMatchObject(
        problem,
      )
    // A deposit that its payer did not sign: the chain says no before anything is sent.
    const sent = await town.transactions()
    const unsigned = { ...good, signature: good.voucher_signature }
    expect(await refused(town.ask(publisher.id, 'open_session', unsigned))).toMatchObject({
      code: 'conflict',
      reason: 'transaction_reverted',
    })
    expect(await town.transactions()).toBe(sent)
    expect(await publisher.balance()).toBe(5_000_000n)
    const tooPoor = await town.opening(publisher, task_id, { cap_usdc: '20' })
    expect(await refused(town.ask(publisher.id, 'open_session', tooPoor))).toMatchObject({
      code: 'payment_required',
      reason: 'insufficient_balance',
    })
    // The right one at last, twice at once: one session.
    const fresh = await town.opening(publisher, task_id, { cap_usdc: '4' })
    const both = await Promise.allSettled([
      town.ask(publisher.id, 'open_session', fresh),
      town.ask(publisher.id, 'open_session', fresh),
    ])
    expect(both.some(({ status }) => status === 'fulfilled')).toBe(true)
    expect(await publisher.balance()).toBe(1_000_000n)
    expect(await refused(town.ask(publisher.id, 'quote_session', terms))).toMatchObject({
      reason: 'session_exists',
    })
    const { sessions } = await town.ask(publisher.id, 'list_sessions')
    expect((sessions as { state: string }[]).map(({ state }) => state)).toEqual([
      'open',
      'errored',
      'errored',
    ])
    expect((await town.ask(accountOf(0x99), 'list_sessions')).sessions).toEqual([])
  })
})
