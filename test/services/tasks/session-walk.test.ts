import { expect, test } from 'vitest'
import type { Channels } from '../../../mcp/services/tasks/channel/channels.ts'
import { type Session, sessionsIn } from '../../../mcp/services/tasks/session.ts'
import { anvilClient, canPay } from '../../payment/evm-chain.ts'
import { onBothEngines } from '../../payment/ledger-engines.ts'
import { randomFrom } from '../../random.ts'
import { runs } from '../../stress.ts'
import { openSessionTown, type SessionTown } from './sessions.ts'
import { accountOf } from './town.ts'

type Pick = (below: number) => number

/** Channels of a process that dies now and then: before it sends, or after, when nobody hears of it. */
const mortal =
  (pick: Pick, isOn: () => boolean) =>
  (channels: Channels): Channels => {
    const die = () => {
      if (isOn() && pick(12) === 0) throw new Error('killed')
    }
    const dying =
      <input extends unknown[], output>(work: (...input: input) => Promise<output>) =>
      async (...input: input): Promise<output> => {
        die()
        const output = await work(...input)
        die()
        return output
      }
    return {
      ...channels,
      openChannel: dying(channels.openChannel),
      topUp: dying(channels.topUp),
      close: dying(channels.close),
      read: dying(channels.read),
    }
  }

const price = 105_000n
const worker = accountOf(0x77)

type Walker = {
  person: Awaited<ReturnType<SessionTown['payer']>>
  before: bigint
  task: string | undefined
  session: string | undefined
  /** The highest that was seen of the session. */
  seen: { session: string; accepted: bigint; spent: bigint }
}

/** One step of somebody who pays, by the rules or against them; what is refused is no fault. */
const step = async (town: SessionTown, walker: Walker, pick: Pick, pass: (ms: number) => Promise<void>) => {
  const { person } = walker
  const stored = walker.session === undefined ? undefined : await town.load(walker.session)
  const session = stored?.ended === false ? stored : undefined
  const session_id = session?.id
  // The job comes by more often than anything else happens.
  if (session && session.state !== 'open' && pick(3) > 0) return town.run(session_id)
  switch (session ? pick(16) : 20) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 12:
    case 13:
    case 14:
    case 15: {
      const units = BigInt(pick(6))
      const odd = pick(8) === 0 ? 1n : 0n
      const highest = BigInt(session?.accepted ?? 0)
      const cumulative = pick(8) === 0 ? highest / 2n : highest + units * price + odd
      return town.voucher(person, session_id, cumulative)
    }
    case 4:
      return town.ask(
        person.id,
        'top_up_session',
        await town.topUpInput(person, session_id, BigInt(1 + pick(20)) * 100_000n),
      )
    case 5: {
      const cumulative = BigInt(session?.spent ?? 0) + BigInt(pick(3)) * price
      return town.ask(person.id, 'close_session', {
        session_id,
        cumulative_amount: String(cumulative),
        signature: await town.signVoucher(person, session_id, cumulative),
      })
    }
    case 6:
      return town.ask(pick(2) === 0 ? worker : person.id, 'close_session', { session_id })
    case 7:
    case 8:
      return pass(pick(300_000))
    case 9:
      return town.run(session_id)
    case 10: {
      if (!session) return
      const exit = town.channels.exitCalls(session.channel, session.channel_id)
      await person.send(exit.request_close)
      if (pick(2) === 0) return
      await pass(901_000)
      return person.send(exit.withdraw)
    }
    case 11:
      if (pick(3) > 0) return
      return town.ask(worker, 'abandon_task', { task_id: walker.task })
    default: {
      if (pick(3) > 0 || walker.task === undefined) walker.task = await town.workedOn(person)
      const opening = await town.opening(person, walker.task, { cap_usdc: (0.2 + pick(30) / 10).toFixed(2) })
      try {
        await town.ask(person.id, 'open_session', opening)
      } finally {
        const where = { channel_id: opening.channel_id as Session['channel_id'] }
        const [begun] = (await sessionsIn(town.store).find({ index: 'channel', where, limit: 1 })).rows
        if (begun) walker.session = begun.id
      }
    }
  }
}

/** What never goes back: vouchers and time. Neither is ever above what covers it. */
const checkSteps = async (town: SessionTown, walker: Walker) => {
  if (walker.session === undefined) return
  const session = await town.load(walker.session)
  const [accepted, spent] = [BigInt(session.accepted), BigInt(session.spent)]
  const { seen } = walker
  if (seen.session === session.id) expect(accepted >= seen.accepted && spent >= seen.spent).toBe(true)
  walker.seen = { session: session.id, accepted, spent }
  expect(spent <= accepted).toBe(true)
  if (session.state === 'open') expect(accepted <= BigInt(session.deposit)).toBe(true)
}

const drive = async (town: SessionTown, pass: (ms: number) => Promise<void>) => {
  for (let round = 0; round < 40; round++) {
    const { rows } = await sessionsIn(town.store).find({ index: 'due', where: { ended: false }, limit: 100 })
    if (rows.length === 0) return
    await pass(400_000)
    for (const { id } of rows) await town.run(id).catch(() => undefined)
  }
  throw new Error('a session does not end')
}

onBothEngines(engine => {
  test.skipIf(!canPay)(
    'whatever is done in any order, all that was deposited is settled or comes back',
    async () => {
      const place = await engine.place()
      for (let walk = 0; walk < runs(10); walk++) {
        const seed = Number(process.env.WALK_SEED ?? 1_000 + walk)
        const pick = randomFrom(seed).below
        let isDying = false
        const store = await place.open()
        const town = await openSessionTown({ store, wrap: mortal(pick, () => isDying) })
        const anvil = await anvilClient(town.devnet.chain('base'))
        await town.channels.network('base')
        const pass = async (ms: number) => {
          town.later(ms)
          await anvil.increaseTime({ seconds: Math.ceil(ms / 1000) })
          await anvil.mine({ blocks: 1 })
        }
        const walkers: Walker[] = []
        for (let n = 0; n < 3; n++) {
          const person = await town.payer()
          const seen = { session: '', accepted: 0n, spent: 0n }
          walkers.push({ person, before: await person.balance(), task: undefined, session: undefined, seen })
        }
        for (let n = 0; n < 400; n++) {
          isDying = true
          const walker = walkers[pick(walkers.length)]
          if (!walker) continue
          const times = pick(8) === 0 ? 2 : 1
          await Promise.allSettled(Array.from({ length: times }, () => step(town, walker, pick, pass)))
          isDying = false
          await checkSteps(town, walker)
        }
        await drive(town, pass)

        const { rows } = await sessionsIn(store).find({ index: 'due', where: { ended: true }, limit: 1000 })
        const sum = (list: readonly Session[], name: 'settled' | 'earned' | 'fee_taken' | 'credited') =>
          list.reduce((total, session) => total + BigInt(session[name] ?? 0), 0n)
        for (const session of rows) {
          if (session.state === 'errored') continue
          const of = (name: 'settled' | 'refunded' | 'earned' | 'fee_taken' | 'credited') =>
            BigInt(session[name] ?? 0)
          expect(of('settled') + of('refunded'), session.id).toBe(BigInt(session.deposit))
          expect(of('earned') + of('fee_taken') + of('credited'), session.id).toBe(of('settled'))
          const owed = BigInt(session.spent) < of('settled') ? BigInt(session.spent) : of('settled')
          expect(of('earned') + of('fee_taken'), session.id).toBe(owed)
        }
        const states = rows.map(({ state }) => state)
        expect(states.filter(state => state === 'settled').length).toBeGreaterThan(10)
        expect(await town.held()).toBe(0n)
        expect(await town.balance(worker)).toBe(sum(rows, 'earned'))
        for (const { person, before } of walkers) {
          const own = rows.filter(({ publisher }) => publisher === person.id)
          expect(before - (await person.balance())).toBe(sum(own, 'settled'))
        }
        const outside = (await town.ledger.balance(store, 'USDC', 'world:tasks-sessions')).total.value
        expect(-outside).toBe(sum(rows, 'settled'))
        await town.stop()
        await store.close()
      }
      await place.clean()
    },
    600_000,
  )
})
