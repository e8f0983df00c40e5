import { share } from './amount.ts'

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
