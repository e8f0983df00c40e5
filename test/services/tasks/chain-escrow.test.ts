import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../../mcp/ports/store/port.ts'
import { depositsIn } from '../../../mcp/services/tasks/chain.ts'
import { onAnvil } from '../../payment/evm-chain.ts'
import { openRpcProxy } from '../../payment/rpc-proxy.ts'
import {
  bounty,
  type ChainTown,
  fee,
  openTownChain,
  type Person,
  smallTask,
  type TownChain,
} from './chain-town.ts'
import { accountOf, arbiter, evidence, newTask, refused } from './town.ts'

const total = bounty + fee

onAnvil('a bounty that is held on the chain', () => {
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

  /** What each side has more than at the beginning. */
  const openBooks = async () => {
    publisher = await chain.person()
    worker = await chain.person(0n)
    const house = await chain.usdc(chain.house)
    return async () => ({
      publisher: (await chain.usdc(publisher.address)) - 5_000_000n,
      worker: await chain.usdc(worker.address),
      house: (await chain.usdc(chain.house)) - house,
    })
  }

  test('is paid into the contract with the assignment, and to the wallet of the worker with the approval', async () => {
    const books = await openBooks()
    const { task_id, submission_id } = await town.submitted(publisher, worker)
    expect(await books()).toEqual({ publisher: -total, worker: 0n, house: 0n })
    await town.carry()
    const { escrow, state } = await town.held(task_id)
    expect(state).toMatchObject({ collected: true, capturable: total })
    expect(await chain.usdc(escrow.contract)).toBeGreaterThanOrEqual(total)

    const ended = await town.ask(publisher.id, 'approve_submission', { submission_id })
    expect(ended).toMatchObject({
      status: 'completed',
      payment: { escrow: 'onchain', released_usd: '0.50', fee_taken_usd: '0.025' },
    })
    await town.carry()
    expect(await books()).toEqual({ publisher: -total, worker: bounty, house: fee })
    const money = await town.ask(publisher.id, 'task_payment', { task_id })
    expect(money.onchain).toMatchObject({
      contract: escrow.contract,
      terms: { payer: publisher.address.toLowerCase(), receiver: worker.address.toLowerCase() },
      steps: [
        { kind: 'authorize', state: 'done', transaction: expect.stringMatching(/^0x/) },
        { kind: 'capture', amount_usd: '0.525', state: 'done' },
      ],
    })
    // Nothing of it is in the books of the house.
    expect(await town.balance(worker.id)).toBe(0n)
  })

  test('is quoted with its terms before anything is paid', async () => {
    await openBooks()
    const { task_id } = await town.taskIn('published', { publisher: publisher.id, more: smallTask })
    await town.ask(worker.id, 'register_worker', { kind: 'human', name: 'Worker' })
    await town.ask(worker.id, 'apply_to_task', { task_id })
    const input = { task_id, executor_id: worker.id }
    const offer = await town.offerFor(publisher.id, 'assign_worker', input)
    expect(offer).toMatchObject({ amount: total.toString(), network: 'eip155:8453' })
    expect(offer.payTo).not.toBe(chain.house)
    expect((await town.offerFor(publisher.id, 'assign_worker', input)).payTo).toBe(offer.payTo)
    const problem = await refused(town.ask(publisher.id, 'assign_worker', input))
    expect(problem).toMatchObject({
      reason: 'escrow_required',
      params: { pay_to: offer.payTo, needed_usd: '0.525', reclaim_after: expect.any(String) },
    })
  })

  test('is paid in parts, and what is left goes back when the worker gives up', async () => {
    const books = await openBooks()
    const task_id = await town.assigned(publisher, worker)
    await town.ask(worker.id, 'start_work', { task_id })
    for (const amount_usd of ['0.10', '0.033333'])
      await town.ask(publisher.id, 'release_payment', { task_id, amount_usd })
    await town.ask(worker.id, 'abandon_task', { task_id })
    await town.carry()
    const feePart = 5_000n + 1_666n
    expect(await books()).toEqual({ publisher: -133_333n - feePart, worker: 133_333n, house: feePart })
    expect((await town.steps(task_id)).map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'authorize done',
      'capture done',
      'capture done',
      'void done',
    ])
  })

  test('is split as an arbiter says', async () => {
    const books = await openBooks()
    const { submission_id } = await town.submitted(publisher, worker)
    const notes = 'It is another door.'
    await town.ask(publisher.id, 'reject_submission', { submission_id, notes, severity: 'major' })
    const reason = 'The photo shows the door and its number.'
    const { dispute_id } = await town.ask(worker.id, 'open_dispute', { submission_id, reason })
    const decision = { dispute_id, verdict: 'split', split_percent: 30, reason: 'A third of it was done.' }
    await town.ask(arbiter, 'resolve_dispute', decision)
    await town.carry()
    expect(await books()).toEqual({ publisher: -157_500n, worker: 150_000n, house: 7_500n })
  })

  test('goes back whole when the task is cancelled before it has begun', async () => {
    const books = await openBooks()
    const task_id = await town.assigned(publisher, worker)
    await town.ask(publisher.id, 'cancel_task', { task_id })
    await town.carry()
    expect(await books()).toEqual({ publisher: 0n, worker: 0n, house: 0n })
  })

  describe('what is not taken', () => {
    test('a payment from another wallet than that of the publisher: nothing is charged', async () => {
      await openBooks()
      const { task_id } = await town.taskIn('published', { publisher: publisher.id, more: smallTask })
      await town.ask(worker.id, 'register_worker', { kind: 'human', name: 'Worker' })
      await town.ask(worker.id, 'apply_to_task', { task_id })
      const stranger = await chain.person()
      const input = { task_id, executor_id: worker.id }
      expect(await refused(town.paying(stranger, 'assign_worker', input, publisher.id))).toMatchObject({
        reason: 'other_wallet',
      })
      expect(await chain.usdc(stranger.address)).toBe(5_000_000n)
    })

    test('a deposit before there is a worker', async () => {
      const input = { ...newTask, ...smallTask, deposit: 'now' }
      expect(await refused(town.ask(accountOf(1), 'publish_task', input))).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: 'deposit' }],
      })
    })

    test('a reclaim of a task whose money is in the books', async () => {
      const { task_id } = await town.taskIn('accepted')
      expect(await refused(town.ask(accountOf(1), 'reclaim_escrow', { task_id }))).toMatchObject({
        reason: 'not_onchain',
      })
      expect(await refused(town.ask(accountOf(9), 'reclaim_escrow', { task_id }))).toMatchObject({
        code: 'forbidden',
      })
    })
  })

  test('comes back where the task was taken meanwhile: of two workers one is assigned', async () => {
    const books = await openBooks()
    const other = await chain.person(0n)
    const { task_id } = await town.taskIn('published', { publisher: publisher.id, more: smallTask })
    for (const { id } of [worker, other]) {
      await town.ask(id, 'register_worker', { kind: 'human', name: 'Worker' })
      await town.ask(id, 'apply_to_task', { task_id })
    }
    const results = await Promise.allSettled(
      [worker, other].map(({ id }) => town.paying(publisher, 'assign_worker', { task_id, executor_id: id })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await town.carry()
    await town.ask(publisher.id, 'cancel_task', { task_id })
    await town.carry()
    expect((await books()).publisher).toBe(0n)
    expect(await chain.usdc(other.address)).toBe(0n)
  })

  test('comes back where it came twice for one assignment', async () => {
    const books = await openBooks()
    const { task_id } = await town.taskIn('published', { publisher: publisher.id, more: smallTask })
    await town.ask(worker.id, 'register_worker', { kind: 'human', name: 'Worker' })
    await town.ask(worker.id, 'apply_to_task', { task_id })
    const input = { task_id, executor_id: worker.id }
    const results = await Promise.allSettled([
      town.paying(publisher, 'assign_worker', input),
      town.paying(publisher, 'assign_worker', input),
    ])
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await town.carry()
    expect(await books()).toEqual({ publisher: -total, worker: 0n, house: 0n })
    expect((await town.held(task_id)).state.capturable).toBe(total)
  })

  test('comes back where the call that it paid for never ended', async () => {
    const books = await openBooks()
    const { task_id } = await town.taskIn('published', { publisher: publisher.id, more: smallTask })
    await town.ask(worker.id, 'register_worker', { kind: 'human', name: 'Worker' })
    await town.ask(worker.id, 'apply_to_task', { task_id })
    const input = { task_id, executor_id: worker.id }
    const offer = await town.offerFor(publisher.id, 'assign_worker', input)
    await publisher.transfer(offer.payTo, total)
    // As the journal has it when the program was killed between settlement and handler.
    const one = await town.submitted(await chain.person(), await chain.person(0n))
    const { rows } = await depositsIn(town.store).find({
      index: 'task',
      where: { task: one.task_id },
      limit: 1,
    })
    const [row] = rows
    if (!row) throw new Error('no deposit')
    const { escrowChain } = town.deps
    const { quoteOnChain } = await import('../../../mcp/services/tasks/chain/contract.ts')
    const { terms } = await quoteOnChain(town.store, escrowChain, await town.task(task_id), worker.id)
    const orphan = {
      ...row,
      ...(terms?.journal?.row as object),
      id: 'orphan',
      created: new Date().toISOString(),
    }
    await depositsIn(town.store).insert(orphan as typeof row)
    await town.returnOrphans()
    expect(await depositsIn(town.store).get('orphan')).toMatchObject({ state: 'quoted' })
    town.later(16 * 60_000)
    await town.returnOrphans()
    await town.carry()
    expect(await books()).toEqual({ publisher: 0n, worker: 0n, house: 0n })
    // The next payment for the same worker is made elsewhere, and works.
    expect((await town.offerFor(publisher.id, 'assign_worker', input)).payTo).not.toBe(offer.payTo)
    await town.paying(publisher, 'assign_worker', input)
    await town.carry()
    expect((await town.held(task_id)).state.capturable).toBe(total)
  })

  describe('is moved once', () => {
    test('when approved twice, and by three replicas that carry it out at once', async () => {
      const books = await openBooks()
      const replicas = [
        await chain.openTown({ store: town.store as Store }),
        await chain.openTown({ store: town.store as Store }),
      ]
      const { submission_id } = await town.submitted(publisher, worker)
      const approvals = [town, ...replicas].map(({ ask }) =>
        ask(publisher.id, 'approve_submission', { submission_id }),
      )
      const results = await Promise.allSettled(approvals)
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (let turn = 0; turn < 3; turn++)
        await Promise.all([town, ...replicas].map(({ carryOnce }) => carryOnce()))
      await town.carry()
      expect(await books()).toEqual({ publisher: -total, worker: bounty, house: fee })
    })

    test('approve ∥ give up: one wins', async () => {
      const books = await openBooks()
      const { task_id, submission_id } = await town.submitted(publisher, worker)
      const results = await Promise.allSettled([
        town.ask(publisher.id, 'approve_submission', { submission_id }),
        town.ask(worker.id, 'abandon_task', { task_id }),
      ])
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      await town.carry()
      const isPaid = results[0]?.status === 'fulfilled'
      expect(await books()).toEqual(
        isPaid ? { publisher: -total, worker: bounty, house: fee } : { publisher: 0n, worker: 0n, house: 0n },
      )
    })

    test('after a block that held it has gone', async () => {
      const books = await openBooks()
      const deep = await chain.openTown({ confirmations: 4 })
      const { task_id, submission_id } = await deep.submitted(publisher, worker)
      await chain.anvil.mine({ blocks: 4 })
      await deep.carry()
      await deep.ask(publisher.id, 'approve_submission', { submission_id })
      const before = await chain.anvil.snapshot()
      await deep.carryOnce()
      expect((await deep.steps(task_id)).at(-1)).toMatchObject({ kind: 'capture', state: 'sent', open: true })
      expect((await books()).worker).toBe(bounty)
      await chain.anvil.revert({ id: before })
      expect((await books()).worker).toBe(0n)
      deep.later(6_000)
      await deep.carryOnce()
      await chain.anvil.mine({ blocks: 4 })
      deep.later(6_000)
      await deep.carryOnce()
      expect((await deep.steps(task_id)).at(-1)).toMatchObject({ state: 'done', open: false })
      expect(await books()).toEqual({ publisher: -total, worker: bounty, house: fee })
      await deep.stop()
    })

    test('after a node that did not answer, and answers that were lost', async () => {
      const books = await openBooks()
      const proxy = await openRpcProxy(await chain.rpc())
      const far = await chain.openTown({ rpc: proxy.url })
      const { task_id, submission_id } = await far.submitted(publisher, worker)
      proxy.knobs.interfere = () => 'broken'
      await far.carryOnce()
      const [first] = await far.steps(task_id)
      expect(first).toMatchObject({
        state: 'queued',
        tries: 1,
        problem: expect.stringContaining('tried again'),
      })
      expect(first?.problem).not.toContain('127.0.0.1')
      proxy.knobs.interfere = () => undefined
      far.later(60_000)
      await far.carry()
      await far.ask(publisher.id, 'approve_submission', { submission_id })
      // Each transaction reaches the chain, and nobody hears of it.
      proxy.knobs.interfere = ({ method }) => (method === 'eth_getTransactionReceipt' ? 'broken' : undefined)
      const carried = far.carryOnce()
      await new Promise(resolve => setTimeout(resolve, 1_500))
      proxy.knobs.interfere = () => undefined
      await carried
      far.later(60_000)
      await far.carry()
      expect(await books()).toEqual({ publisher: -total, worker: bounty, house: fee })
      await far.stop()
      await proxy.close()
    })
  })

  test('is taken back by its payer once its time is over, without our help and though we would pay it out', async () => {
    const books = await openBooks()
    const snapshot = await chain.anvil.snapshot()
    const { task_id, submission_id } = await town.submitted(publisher, worker)
    await town.carry()
    await town.ask(publisher.id, 'approve_submission', { submission_id })
    const call = await town.ask(publisher.id, 'reclaim_escrow', { task_id })
    expect(call).toMatchObject({ possible_now: false, chain_id: 8453, value: '0' })
    const { to, data, reclaim_after } = call as unknown as { to: string; data: string; reclaim_after: string }
    await expect(chain.send(publisher, { to, data })).rejects.toThrow()
    await chain.anvil.setNextBlockTimestamp({ timestamp: BigInt(Date.parse(reclaim_after) / 1000) })
    await chain.send(publisher, { to, data })
    expect(await books()).toEqual({ publisher: 0n, worker: 0n, house: 0n })
    await town.carry()
    expect((await town.steps(task_id)).at(-1)).toMatchObject({
      kind: 'capture',
      state: 'failed',
      problem: expect.stringContaining('taken back'),
    })
    expect(await books()).toEqual({ publisher: 0n, worker: 0n, house: 0n })
    await chain.anvil.revert({ id: snapshot })
  })
})

test('escrow on the chain is refused where there is none, before anything is published', async () => {
  const { startTown } = await import('./town.ts')
  const town = await startTown()
  const input = { ...newTask, escrow: 'onchain' }
  for (const [name, fields] of [
    ['publish_task', input],
    ['batch_create_tasks', { tasks: [input] }],
  ] as const)
    expect(await refused(town.ask(accountOf(1), name, fields))).toMatchObject({ code: 'unavailable' })
  expect(await town.ask(accountOf(1), 'list_tasks')).toMatchObject({ tasks: [] })
  expect(evidence).toHaveLength(1)
  await town.stop()
})
