import { collection } from '../../../kernel/collection.ts'
import type { JournalFields } from '../../../kernel/tool.ts'
import type { Index, Tx } from '../../../ports/store/port.ts'
import type { EscrowInfo } from './info.ts'

type Hex = `0x${string}`

/** Which payment on the chain is meant: its name, where it is made, and what its payer agreed to. */
export type EscrowPayment = { contract: Hex; hash: Hex; purse: Hex; info: EscrowInfo }

/** The money of a task in escrow on the chain, as this side has decided on it; the chain follows step by step. */
export type ChainEscrow = EscrowPayment & {
  /** Id of the task. */
  id: string
  receipt: string
  /** How many steps there are. */
  steps: number
  /** Captured amount, fees included, and capturable, once all steps are carried out. */
  captured: string
  capturable: string
}

const escrowTable = { name: 'tasks.escrows', indexes: [{ name: 'hash', fields: ['hash'] }] } as const

export const escrowsIn = collection<ChainEscrow>({
  name: escrowTable.name,
  indexes: escrowTable.indexes,
  bounded: 'As many as were paid for.',
})

/**
 * A payment that may be on its way: written down before its money can move, under the id of its receipt. `quoted`: the call that it
 * pays for has not ended; `held`: it pays a task; `returning`: it goes back to its payer; `unpaid`: no money came.
 */
export type Deposit = JournalFields & DepositTerms

export type DepositTerms = EscrowPayment & {
  task: string
  worker: string
  state: 'quoted' | 'held' | 'returning' | 'unpaid'
}

export const depositCollection = 'tasks.deposits'

export const depositIndexes: readonly Index[] = [
  { name: 'state', fields: ['state', 'created'] },
  { name: 'task', fields: ['task', 'created'] },
]

export const depositsIn = collection<Deposit>({
  name: depositCollection,
  indexes: depositIndexes,
  bounded: 'As many as were paid for.',
})

/** Step for the contract: each is written down with the decision for it, and carried out afterwards, once. */
export type Step = EscrowPayment & {
  /** `<hash>.<number>` */
  id: string
  task: string
  n: number
  kind: 'authorize' | 'capture' | 'void' | 'excess'
  /** Of a capture: what is paid, fee included, the fee, and what was captured and could be before. */
  amount: string
  fee: string
  before: string
  capturable: string
  /** `sent`: the chain shows it, in a block that may yet go. `failed`: it can never be carried out. */
  state: 'queued' | 'sent' | 'done' | 'failed'
  open: boolean
  due: string
  tries: number
  /** The last transaction, written down before it is broadcast. */
  transaction: string | null
  /** Why the last try did not go. */
  problem: string | null
  created_at: string
  done_at: string | null
}

export const stepsIn = collection<Step>({
  name: 'tasks.escrow-steps',
  indexes: [
    { name: 'due', fields: ['open', 'due'] },
    { name: 'task', fields: ['task', 'n'] },
  ],
  bounded: 'The few steps of an escrow that was paid in.',
})

type NewStep = Pick<Step, 'kind'> & Partial<Pick<Step, 'amount' | 'fee' | 'before' | 'capturable'>>

/** Writes down a step of a payment; a second one with its number is the program's fault. */
export const addStep = async (
  tx: Tx,
  { contract, hash, purse, info }: EscrowPayment,
  { task, n, now }: { task: string; n: number; now: Date },
  step: NewStep,
): Promise<void> => {
  const at = now.toISOString()
  const row: Step = {
    id: `${hash}.${n}`,
    contract,
    hash,
    purse,
    info,
    task,
    n,
    amount: '0',
    fee: '0',
    before: '0',
    capturable: '0',
    ...step,
    state: 'queued',
    open: true,
    due: at,
    tries: 0,
    transaction: null,
    problem: null,
    created_at: at,
    done_at: null,
  }
  if (!(await stepsIn(tx).insert(row))) throw new Error(`${row.id}: this step is there already`)
}
