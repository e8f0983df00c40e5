import type { Hex, PublicClient } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import type { Store } from '../../../ports/store/port.ts'
import { type Deposit, depositsIn, type EscrowChain, type Step, stepsIn } from '../chain.ts'
import { type EscrowState, encodeCall, readPurse, readState } from './contract.ts'
import { returnDeposit } from './escrow.ts'

type Deps = { store: Store; clock: Clock; escrowChain: EscrowChain }

/** The contract's state of a step's payment at a block, and the balance of its purse. */
type Seen = EscrowState & { purse: bigint }

const look = async (reader: PublicClient, step: Step, blockNumber?: bigint): Promise<Seen> => {
  const [state, purse] = await Promise.all([
    readState(reader, step.contract, step.hash, blockNumber),
    step.kind === 'excess' ? readPurse(reader, step.info.token, step.purse) : 0n,
  ])
  return { ...state, purse }
}

const isCarriedOut = ({ kind, before, amount }: Step, seen: Seen): boolean => {
  switch (kind) {
    case 'authorize':
      return seen.collected
    case 'capture':
      return seen.captured >= BigInt(before) + BigInt(amount)
    case 'void':
      return seen.closed
    case 'excess':
      return (seen.collected || seen.closed) && seen.purse === 0n
  }
}

/** Why a step can never be carried out any more; undefined for one that can. */
const findEnd = ({ kind }: Step, { closed }: Seen): string | undefined =>
  closed && kind !== 'excess' ? 'The payer has taken back what was held.' : undefined

/** True when the steps before have been carried out, as far as this one needs it. */
const isReady = ({ kind, before, capturable }: Step, seen: Seen): boolean => {
  if (kind === 'capture') return seen.captured === BigInt(before) && seen.capturable === BigInt(capturable)
  if (kind === 'void') return seen.captured === BigInt(before)
  return kind === 'authorize' || seen.collected || seen.closed
}

const toCall = ({ kind, info, amount, fee, capturable }: Step): Hex => {
  switch (kind) {
    case 'authorize':
      return encodeCall.authorize(info)
    case 'capture':
      return encodeCall.capture(info, BigInt(amount), BigInt(fee), BigInt(capturable))
    case 'void':
      return encodeCall.void(info)
    case 'excess':
      return encodeCall.returnExcess(info)
  }
}

const confirmMs = 20_000
const secondMs = 1000
const maxPauseMs = 600_000

const save = (store: Store, { id }: Step, patch: Partial<Step>) =>
  stepsIn(store).update(id, row => (row.open ? { ...row, ...patch } : row))

const later = ({ clock }: Deps, ms: number): string => new Date(clock.now().getTime() + ms).toISOString()

const broadcast = async ({ store, escrowChain }: Deps, step: Step): Promise<void> => {
  const operator = await escrowChain.operator()
  await operator.carry(
    {
      to: step.contract,
      data: toCall(step),
      onSigned: async ({ hash }) => void (await save(store, step, { transaction: hash })),
    },
    confirmMs,
  )
}

/** Describes a failure: a node's own words quote addresses and whole calls. */
const toProblem = (error: unknown): string =>
  error instanceof ToolError
    ? error.message
    : 'The contract refused it, or the chain does not answer; it is tried again.'

/** A void waits until the captures before it are carried out: it would take what they pay. */
const waitsForOthers = async ({ store }: Deps, { task, hash, n }: Step): Promise<boolean> => {
  const { rows } = await stepsIn(store).find({ index: 'task', where: { task }, limit: 1000 })
  return rows.some(step => step.hash === hash && step.n < n && step.state === 'queued')
}

/**
 * Brings a step on: carries it out where the chain does not show it, and ends it once it is in a block that stays. However often and
 * by however many it is called, and wherever it broke off, the money moves once: the contract refuses the second time.
 */
const advanceStep = async (deps: Deps, step: Step): Promise<void> => {
  const { store, clock, escrowChain } = deps
  try {
    if (await waitsForOthers(deps, step)) return
    const reader = await escrowChain.reader()
    const head = await reader.getBlockNumber({ cacheTime: 0 })
    const depth = BigInt(escrowChain.confirmations - 1)
    let latest = await look(reader, step)
    if (!isCarriedOut(step, latest)) {
      const end = findEnd(step, latest)
      if (end !== undefined) {
        await save(store, step, { state: 'failed', open: false, problem: end })
        return
      }
      // It was there and is not: the block that had it is gone.
      if (step.state === 'sent') await save(store, step, { state: 'queued' })
      if (!isReady(step, latest)) {
        await save(store, step, { due: later(deps, secondMs) })
        return
      }
      await broadcast(deps, step)
      latest = await look(reader, step)
    }
    if (!isCarriedOut(step, latest)) {
      await retryLater(deps, step, 'No block has it yet; it is tried again.')
      return
    }
    const isFinal =
      depth === 0n || (head > depth && isCarriedOut(step, await look(reader, step, head - depth)))
    await save(
      store,
      step,
      isFinal
        ? { state: 'done', open: false, problem: null, done_at: clock.now().toISOString() }
        : { state: 'sent', problem: null, due: later(deps, 5 * secondMs) },
    )
  } catch (error) {
    await retryLater(deps, step, toProblem(error))
  }
}

const retryLater = async (deps: Deps, step: Step, problem: string): Promise<void> => {
  const pause = Math.min(maxPauseMs, 2 ** Math.min(step.tries, 10) * 2 * secondMs)
  await save(deps.store, step, { problem, tries: step.tries + 1, due: later(deps, pause) })
}

/** Brings on every step that is due, the oldest first, and those of one payment in their order. */
export const advanceDueSteps = async (deps: Deps, signal: AbortSignal): Promise<void> => {
  const { store, clock } = deps
  const where = { open: true, due: { lte: clock.now().toISOString() } }
  const { rows } = await stepsIn(store).find({ index: 'due', where, limit: 200 })
  const inOrder = [...rows].sort((a, b) =>
    a.created_at === b.created_at ? a.n - b.n : a.created_at < b.created_at ? -1 : 1,
  )
  for (const { id } of inOrder) {
    if (signal.aborted) return
    const step = await stepsIn(store).get(id)
    if (step?.open) await advanceStep(deps, step)
  }
}

/** A payment is good for five minutes; what has not come a while after that never will. */
const orphanMs = 15 * 60_000

const settleOrphan = async ({ store, clock, escrowChain }: Deps, { id }: Deposit): Promise<void> => {
  const deposit = await depositsIn(store).get(id)
  if (deposit?.state !== 'quoted') return
  const purse = await readPurse(await escrowChain.reader(), deposit.info.token, deposit.purse)
  await store.transaction(async tx => {
    const row = await depositsIn(tx).get(id)
    if (row?.state !== 'quoted') return
    if (purse > 0n) await returnDeposit(tx, id, clock.now())
    else await depositsIn(tx).put({ ...row, state: 'unpaid' })
  })
}

/** Sends back what was paid for a call that never ended, as when this program was killed and the payer did not ask again. */
export const returnOrphans = async (deps: Deps, signal: AbortSignal): Promise<void> => {
  const { store, clock } = deps
  const before = new Date(clock.now().getTime() - orphanMs).toISOString()
  const where = { state: 'quoted', created: { lt: before } }
  const { rows } = await depositsIn(store).find({ index: 'state', where, limit: 100 })
  for (const deposit of rows) {
    if (signal.aborted) return
    await settleOrphan(deps, deposit)
  }
}
