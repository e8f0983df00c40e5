import { ToolError } from '../../../kernel/error.ts'
import { formatUsd } from '../../../lib/usd.ts'
import type { Book } from '../../../ports/books/port.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'

type Ledger = Ports['ledger']

const unit = 'USDC' as const
const micro = (value: bigint) => ({ unit, value })

/** An account's name in the ledger. */
export const walletAccount = (account: string) => `agent:tasks:${account}` as const

/** The dollars of an account. No card and no rate brings any, so all of them may leave. */
export const walletBook = (account: string): Book => ({
  account: walletAccount(account),
  unit,
  isOpen: true,
})

/** Account of a task's money until it is paid. */
export const escrowAccount = (task: string) => `escrow:tasks:${task}` as const

const feeAccount = 'house:tasks-fees'
const paidIn = 'world:tasks-x402'

/** Loads a spendable balance, in millionths. */
export const loadSpendableBalance = async (tx: Tx, ledger: Ledger, account: string): Promise<bigint> =>
  (await ledger.balance(tx, unit, walletAccount(account))).available.value

/** Loads the balance of a task's escrow, in millionths. */
export const loadEscrow = async (tx: Tx, ledger: Ledger, task: string): Promise<bigint> =>
  (await ledger.balance(tx, unit, escrowAccount(task))).total.value

/** Credits an account with a payment that came, once per receipt. */
export const addPayment = async (
  tx: Tx,
  ledger: Ledger,
  { receipt, account, amount }: { receipt: string; account: string; amount: bigint },
): Promise<void> => {
  await ledger.post(tx, {
    id: `tasks-paid:${receipt}`,
    unit,
    memo: 'deposit',
    postings: [
      { account: walletAccount(account), amount: micro(amount) },
      { account: paidIn, amount: micro(-amount) },
    ],
  })
}

/** Pays one account from the balance of another, once per id. Throws `conflict` when it has less. */
export const payBonus = async (
  tx: Tx,
  ledger: Ledger,
  { id, task, from, to, amount }: { id: string; task: string; from: string; to: string; amount: bigint },
): Promise<void> => {
  await ledger.post(tx, {
    id: `tasks-bonus:${id}`,
    unit,
    memo: `bonus ${task}`,
    postings: [
      { account: walletAccount(from), amount: micro(-amount) },
      { account: walletAccount(to), amount: micro(amount) },
    ],
  })
}

/** Moves the money of one place from the escrow of a task to that of the task that is split off. */
export const moveEscrow = async (
  tx: Tx,
  ledger: Ledger,
  { from, to, amount }: { from: string; to: string; amount: bigint },
): Promise<void> => {
  if (amount === 0n) return
  const postings = [
    { account: escrowAccount(from), amount: micro(-amount) },
    { account: escrowAccount(to), amount: micro(amount) },
  ] as const
  await ledger.post(tx, { id: `tasks-split:${to}`, unit, memo: `escrow ${to}`, postings })
}

/**
 * Where the money of a task lies between publisher and worker. Each step happens in the caller's transaction, once per `id`, and
 * moves exactly what it is told or fails whole.
 */
export type Escrow = {
  /** Puts money aside for a task. Throws `conflict` when the publisher has less. */
  deposit(tx: Tx, step: { id: string; task: string; from: string; amount: bigint }): Promise<void>
  /** Pays the worker, and the fee with it. */
  release(
    tx: Tx,
    step: { id: string; task: string; to: string; amount: bigint; fee: bigint; now: Date },
  ): Promise<void>
  /** Gives money back to the publisher. */
  refund(tx: Tx, step: { id: string; task: string; to: string; amount: bigint; now: Date }): Promise<void>
}

/** The escrow in the books of the house: no chain, no gas, final at once. */
export const ledgerEscrow = (ledger: Ledger): Escrow => ({
  async deposit(tx, { id, task, from, amount }) {
    const available = await loadSpendableBalance(tx, ledger, from)
    if (available < amount)
      throw new ToolError(
        'conflict',
        `The task needs ${formatUsd(amount)} USD; your balance is ${formatUsd(available)} USD.`,
        {
          reason: 'insufficient_balance',
          params: { needed_usd: formatUsd(amount), available_usd: formatUsd(available) },
          next: ['deposit_funds'],
        },
      )
    const postings = [
      { account: walletAccount(from), amount: micro(-amount) },
      { account: escrowAccount(task), amount: micro(amount) },
    ]
    await ledger.post(tx, { id: `tasks-escrow:${id}`, unit, memo: `escrow ${task}`, postings })
  },
  async release(tx, { id, task, to, amount, fee }) {
    const postings = [
      { account: escrowAccount(task), amount: micro(-(amount + fee)) },
      ...(amount > 0n ? [{ account: walletAccount(to), amount: micro(amount) }] : []),
      ...(fee > 0n ? [{ account: feeAccount, amount: micro(fee) } as const] : []),
    ]
    if (postings.length > 1)
      await ledger.post(tx, { id: `tasks-release:${id}`, unit, memo: `release ${task}`, postings })
  },
  async refund(tx, { id, task, to, amount }) {
    if (amount === 0n) return
    const postings = [
      { account: escrowAccount(task), amount: micro(-amount) },
      { account: walletAccount(to), amount: micro(amount) },
    ]
    await ledger.post(tx, { id: `tasks-refund:${id}`, unit, memo: `refund ${task}`, postings })
  },
})
