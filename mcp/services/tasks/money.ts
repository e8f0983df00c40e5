import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Book, Withdrawal } from '../../ports/books/port.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Tx } from '../../ports/store/port.ts'

const form = /^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/

/** Reads dollars such as `12.50` as millionths; the text must have the form of `UsdText`. */
export const parseUsd = (text: string): bigint => {
  const [whole = '', part = ''] = text.split('.')
  return BigInt(whole + part.padEnd(6, '0'))
}

/** Dollars as they come: a decimal text, or a number that is one without doubt. Millionths at the finest. */
export const usdInput = ({ min, max }: { min: string; max: string }) =>
  z
    .union([z.string(), z.number()])
    .transform(value => (typeof value === 'number' ? String(value) : value.trim().replace(/^\$\s*/, '')))
    .refine(text => form.test(text), 'an amount in USD such as 12.50, at most 6 digits after the point')
    .refine(
      text => !form.test(text) || (parseUsd(text) >= parseUsd(min) && parseUsd(text) <= parseUsd(max)),
      `${min} to ${max} USD`,
    )

/** Share of `whole` for `part` of `total`, rounded down; the whole for the whole. */
export const share = (whole: bigint, part: bigint, total: bigint): bigint =>
  part === total ? whole : (whole * part) / total

/** The money of a task in millionths of a dollar, as text. Nothing is lost: deposited = released + refunded + fee + what is left. */
export type Funds = {
  bounty: string
  /** The fee on the whole bounty. */
  fee: string
  deposited: string
  released: string
  refunded: string
  /** The fee that was taken. */
  taken: string
}

/** The fee on a bounty, rounded up to the millionth: shown before anything is published. */
export const computeBountyFee = (bounty: bigint, feeBps: number): bigint =>
  (bounty * BigInt(feeBps) + 9_999n) / 10_000n

export const newFunds = (bounty: bigint, feeBps: number): Funds => ({
  bounty: bounty.toString(),
  fee: computeBountyFee(bounty, feeBps).toString(),
  deposited: '0',
  released: '0',
  refunded: '0',
  taken: '0',
})

/** Deposit of a publisher into a task's escrow: bounty and fee. */
export const computeDeposit = ({ bounty, fee }: Pick<Funds, 'bounty' | 'fee'>): bigint =>
  BigInt(bounty) + BigInt(fee)

/** Amount left in escrow. */
export const leftOf = ({ deposited, released, refunded, taken }: Funds): bigint =>
  BigInt(deposited) - BigInt(released) - BigInt(refunded) - BigInt(taken)

/** Computes the unpaid bounty. */
export const computeUnpaid = ({ bounty, released }: Funds): bigint => BigInt(bounty) - BigInt(released)

const plus = (one: string, other: bigint): string => (BigInt(one) + other).toString()

/** Cost of all places of a task: its own, and the spare ones that are split off from it. */
export const computeTotal = ({
  funds,
  spare = 0,
}: {
  funds: Pick<Funds, 'bounty' | 'fee'>
  spare?: number
}): bigint => computeDeposit(funds) * BigInt(1 + spare)

/** Moves the money of one place out of the escrow of a task, into that of the task that is split off. */
export const splitFunds = (funds: Funds, isFunded: boolean): { rest: Funds; part: Funds; amount: bigint } => {
  const amount = isFunded ? computeDeposit(funds) : 0n
  const part = { ...funds, deposited: amount.toString(), released: '0', refunded: '0', taken: '0' }
  return { rest: { ...funds, deposited: plus(funds.deposited, -amount) }, part, amount }
}

export const withDeposit = (
  funds: Funds,
  amount = computeDeposit(funds),
): { amount: bigint; funds: Funds } => {
  return { amount, funds: { ...funds, deposited: plus(funds.deposited, amount) } }
}

/** Pays `amount` of the bounty and the part of the fee that belongs to it; the last payment takes what is left of the fee. */
export const withPayout = (funds: Funds, amount: bigint): { amount: bigint; fee: bigint; funds: Funds } => {
  const left = BigInt(funds.fee) - BigInt(funds.taken)
  const fee = amount === computeUnpaid(funds) ? left : share(BigInt(funds.fee), amount, BigInt(funds.bounty))
  const released = plus(funds.released, amount)
  return { amount, fee, funds: { ...funds, released, taken: plus(funds.taken, fee) } }
}

/** Notes what the publisher paid the worker past the escrow. */
export const withDirectPayment = (funds: Funds, amount: bigint): Funds => ({
  ...funds,
  deposited: plus(funds.deposited, amount),
  released: plus(funds.released, amount),
})

/** Gives back all that is left. */
export const withRefund = (funds: Funds): { amount: bigint; funds: Funds } => {
  const amount = leftOf(funds)
  return { amount, funds: { ...funds, refunded: plus(funds.refunded, amount) } }
}

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

export const BalanceOut = z.object({
  account_id: z.string().describe('The account'),
  available_usd: z.string().describe('What it can spend'),
})

/** Kinds of money movements. */
const lineKinds = [
  'deposit',
  'escrow',
  'release',
  'refund',
  'bonus',
  'session',
  'withdrawal',
  'other',
] as const

export const LineOut = z.object({
  kind: z.enum(lineKinds).describe('What it is'),
  task_id: z.string().nullable().describe('The task that it belongs to'),
  reference: z.string().nullable().describe('The session or the withdrawal that it belongs to'),
  amount_usd: z.string().describe('What came, with a minus what went'),
  at: z.iso.datetime().describe('When'),
})

type Line = Awaited<ReturnType<Ports['ledger']['statement']>>['lines'][number]

export const toPublicLine = ({ memo, amount: { value }, time }: Line): z.output<typeof LineOut> => {
  const [name, reference = null] = memo.split(' ')
  const isTask = reference?.startsWith('task_') === true
  return {
    kind: lineKinds.find(kind => kind === name) ?? 'other',
    task_id: isTask ? reference : null,
    reference: isTask ? null : reference,
    amount_usd: value < 0n ? `-${formatUsd(-value)}` : formatUsd(value),
    at: time,
  }
}

export const WithdrawalOut = z.object({
  withdrawal_id: z.string().describe('Id of the withdrawal'),
  amount_usd: z.string().describe('How much, in USDC'),
  to: z.string().describe('The wallet that gets it, on Base'),
  state: z
    .enum(['queued', 'sent'])
    .describe('queued: it is sent within a minute, and tried again until it goes'),
  transaction: z.string().nullable().describe('The transaction on Base'),
  problem: z.string().nullable().describe('Why the last try did not go'),
  created_at: z.iso.datetime().describe('When it was asked for'),
})

export const toPublicWithdrawal = ({
  id,
  value,
  to,
  state,
  proof,
  problem,
  created_at,
}: Withdrawal): z.output<typeof WithdrawalOut> => ({
  withdrawal_id: id,
  amount_usd: formatUsd(value),
  to,
  state: state === 'sent' ? 'sent' : 'queued',
  transaction: proof,
  problem,
  created_at,
})
