import { ToolError } from '../../../kernel/error.ts'
import { formatUsd } from '../../../lib/usd.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { addStep, type ChainEscrow, type Deposit, depositsIn, escrowsIn, stepsIn } from '../chain.ts'
import { emitEvent } from '../event.ts'
import { type Escrow, withDeposit } from '../money.ts'
import { type Task, tasksIn, withEscrow } from '../task.ts'

const nextStep = async (tx: Tx, escrow: ChainEscrow, now: Date, step: Parameters<typeof addStep>[3]) => {
  const n = escrow.steps + 1
  await addStep(tx, escrow, { task: escrow.id, n, now }, step)
  return n
}

const requireEscrow = async (tx: Tx, task: string): Promise<ChainEscrow> => {
  const escrow = await escrowsIn(tx).get(task)
  if (escrow) return escrow
  throw new Error(`${task}: nothing is held for it on the chain`)
}

/**
 * The escrow in a contract. What is decided here is written down as a step in the caller's transaction, and carried out on the chain
 * afterwards; so of two decisions one wins, whatever the chain does meanwhile.
 */
export const chainEscrow: Omit<Escrow, 'deposit'> = {
  async release(tx, { task, amount, fee, now }) {
    const gross = amount + fee
    if (gross === 0n) return
    const escrow = await requireEscrow(tx, task)
    const { captured, capturable } = escrow
    const steps = await nextStep(tx, escrow, now, {
      kind: 'capture',
      amount: gross.toString(),
      fee: fee.toString(),
      before: captured,
      capturable,
    })
    await escrowsIn(tx).put({
      ...escrow,
      steps,
      captured: (BigInt(captured) + gross).toString(),
      capturable: (BigInt(capturable) - gross).toString(),
    })
  },
  async refund(tx, { task, amount, now }) {
    if (amount === 0n) return
    const escrow = await requireEscrow(tx, task)
    const steps = await nextStep(tx, escrow, now, { kind: 'void', before: escrow.captured })
    await escrowsIn(tx).put({ ...escrow, steps, capturable: '0' })
  },
}

/** True when the money of a task lies in the contract. */
export const isOnChain = async (tx: Tx, task: string): Promise<boolean> =>
  (await escrowsIn(tx).get(task)) !== undefined

/** Takes a payment that came to its purse as the deposit of a task. Throws `conflict` for one that goes back already. */
export const fundOnChain = async (tx: Tx, task: Task, deposit: Deposit, now: Date): Promise<Task> => {
  if (deposit.state !== 'quoted')
    throw new ToolError('conflict', 'This payment came too late.', { reason: 'deposit_returned' })
  const { contract, hash, purse, info } = deposit
  await depositsIn(tx).put({ ...deposit, state: 'held' })
  const escrow: ChainEscrow = {
    id: task.id,
    contract,
    hash,
    purse,
    info,
    receipt: deposit.id,
    steps: 0,
    captured: '0',
    capturable: info.maxAmount,
  }
  const steps = await nextStep(tx, escrow, now, { kind: 'authorize' })
  await escrowsIn(tx).put({ ...escrow, steps })
  const { amount, funds } = withDeposit(task.funds)
  const next = withEscrow(task, funds, now)
  await tasksIn(tx).put(next)
  await emitEvent(tx, next, { kind: 'task.funded', amount_usd: formatUsd(amount) }, now.toISOString())
  return next
}

/**
 * Sends a payment that nothing was done for back to its payer. False where the receipt is none of a deposit on the chain. A second
 * payment to the same purse goes back beside the first one, which stays.
 */
export const returnDeposit = async (tx: Tx, receipt: string, now: Date): Promise<boolean> => {
  const deposit = await depositsIn(tx).get(receipt)
  if (!deposit) return false
  if (deposit.state === 'held') throw new Error(`${receipt}: this deposit pays a task`)
  if (deposit.state === 'returning') return true
  await depositsIn(tx).put({ ...deposit, state: 'returning' })
  const { rows } = await escrowsIn(tx).find({ index: 'hash', where: { hash: deposit.hash }, limit: 1 })
  const [escrow] = rows
  if (escrow) {
    const steps = await nextStep(tx, escrow, now, { kind: 'excess' })
    await escrowsIn(tx).put({ ...escrow, steps })
    return true
  }
  const isVoided = (await stepsIn(tx).get(`${deposit.hash}.1`)) !== undefined
  const n = isVoided ? (await countSteps(tx, deposit)) + 1 : 1
  await addStep(tx, deposit, { task: deposit.task, n, now }, { kind: isVoided ? 'excess' : 'void' })
  return true
}

const countSteps = async (tx: Tx, { task, hash }: Deposit): Promise<number> => {
  const { rows } = await stepsIn(tx).find({ index: 'task', where: { task }, limit: 1000 })
  return rows.filter(step => step.hash === hash).length
}
