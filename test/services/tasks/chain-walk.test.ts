import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Store } from '../../../mcp/ports/store/port.ts'
import { onAnvil } from '../../payment/evm-chain.ts'
import { onBothEngines } from '../../payment/ledger-engines.ts'
import { randomFrom } from '../../random.ts'
import { runs } from '../../stress.ts'
import { openTownChain, type Person, smallTask, type TownChain } from './chain-town.ts'
import { arbiter, evidence, newTask } from './town.ts'

const people = 4

type Followed = { id: string; publisher: number; worker: number; submission: string; dispute: string }

onAnvil('random operations on tasks whose money is on the chain', () => {
  let chain: TownChain
  beforeAll(async () => {
    chain = await openTownChain()
  })
  afterAll(() => chain?.close())

  onBothEngines(engine => {
    const steps = runs(2000, 250)

    test(`${steps} of them leave each micro-dollar where the decisions say`, async () => {
      const place = await engine.place()
      const store = (await place.open()) as Store & { close(): Promise<void> }
      const town = await chain.openTown({ store })
      const pick = randomFrom(20_261_123).below
      const wallets: Person[] = []
      for (let n = 0; n < people; n++) wallets.push(await chain.person(20_000_000n))
      const wallet = (n: number): Person => wallets[n] as Person
      for (const { id } of wallets) await town.ask(id, 'register_worker', { kind: 'human', name: 'Worker' })
      const house = await chain.usdc(chain.house)
      const tasks: Followed[] = []

      const publish = async () => {
        const [publisher, worker] = [pick(people), pick(people)]
        if (publisher === worker) return
        const bounty_usd = (0.1 + pick(80) / 100).toFixed(2)
        const task = { ...newTask, ...smallTask, bounty_usd }
        const { task_id } = await town.ask(wallet(publisher).id, 'publish_task', task)
        const { id } = wallet(worker)
        await town.ask(id, 'apply_to_task', { task_id })
        await town.paying(wallet(publisher), 'assign_worker', { task_id, executor_id: id })
        tasks.push({ id: task_id, publisher, worker, submission: 'sub_0', dispute: 'dsp_0' })
      }

      const operate = async () => {
        const task = tasks[tasks.length - 1 - pick(Math.min(4, tasks.length))]
        const kind = pick(12)
        if (!task || kind === 0) return publish()
        const { id: task_id, submission: submission_id, dispute: dispute_id } = task
        const [publisher, worker] = [wallet(task.publisher).id, wallet(task.worker).id]
        const notes = 'It is another door.'
        switch (kind) {
          case 1:
          case 2:
            return void (await town.ask(worker, 'start_work', { task_id }))
          case 3:
          case 4: {
            const submission = await town.ask(worker, 'submit_work', { task_id, evidence })
            task.submission = submission.submission_id
            return
          }
          case 5:
            return void (await town.ask(publisher, 'approve_submission', { submission_id }))
          case 6: {
            const severity = pick(3) === 0 ? 'minor' : 'major'
            return void (await town.ask(publisher, 'reject_submission', { submission_id, notes, severity }))
          }
          case 7: {
            const reason = 'It is all there, look again.'
            task.dispute = (await town.ask(worker, 'open_dispute', { submission_id, reason })).dispute_id
            return
          }
          case 8: {
            const decision = {
              dispute_id,
              verdict: 'split',
              split_percent: 1 + pick(99),
              reason: 'So it be, then.',
            }
            return void (await town.ask(arbiter, 'resolve_dispute', decision))
          }
          case 9:
            return void (await (pick(2) === 0
              ? town.ask(publisher, 'cancel_task', { task_id })
              : town.ask(worker, 'abandon_task', { task_id })))
          case 10: {
            const amount_usd = (0.01 + pick(30) / 1000).toFixed(3)
            return void (await town.ask(publisher, 'release_payment', { task_id, amount_usd }))
          }
          default:
            return town.carryOnce()
        }
      }

      for (let n = 0; n < steps; n++)
        await operate().catch((error: { code?: string }) => {
          if (!['conflict', 'forbidden', 'not_found', 'payment_required'].includes(error.code ?? ''))
            throw error
        })
      await town.carry()

      const expected = wallets.map(() => 20_000_000n)
      const add = (who: number, amount: bigint) => {
        expected[who] = (expected[who] ?? 0n) + amount
      }
      let [fees, held] = [0n, 0n]
      for (const { id, publisher, worker } of tasks) {
        const { funds, ended } = await town.task(id)
        const [deposited, released, refunded, taken] = [
          funds.deposited,
          funds.released,
          funds.refunded,
          funds.taken,
        ].map(BigInt) as [bigint, bigint, bigint, bigint]
        const left = deposited - released - refunded - taken
        if (ended) expect(left).toBe(0n)
        const { state } = await town.held(id)
        expect(state).toMatchObject({ capturable: left, captured: released + taken, fees: taken })
        add(publisher, refunded - deposited)
        add(worker, released)
        fees += taken
        held += left
      }
      for (let n = 0; n < people; n++) expect(await chain.usdc(wallet(n).address)).toBe(expected[n])
      expect((await chain.usdc(chain.house)) - house).toBe(fees)
      expect(expected.reduce((sum, amount) => sum + amount, 0n) + fees + held).toBe(
        BigInt(people) * 20_000_000n,
      )
      expect(tasks.length).toBeGreaterThan(10)
      await town.stop()
      await store.close()
      await place.clean()
    })
  })
})
