import type { Task } from '../task/task.ts'
import { autoAcceptMs, disputeWindowMs, maxRounds, reworkMs } from '../task/task.ts'

type Hex = `0x${string}`

/** Place of escrows, and who moves what is in them. */
export type Place = {
  chainId: number
  contract: Hex
  token: Hex
  /** The account that authorizes, captures and voids. */
  operator: Hex
  /** Receiver of fees. */
  feeReceiver: Hex
}

/** The terms of a payment as the contract knows them (`PaymentInfo`), as JSON. */
export type EscrowInfo = {
  operator: Hex
  payer: Hex
  receiver: Hex
  token: Hex
  /** Atomic units, fee included. */
  maxAmount: string
  /** Seconds since 1970. */
  preApprovalExpiry: number
  authorizationExpiry: number
  refundExpiry: number
  minFeeBps: number
  maxFeeBps: number
  feeReceiver: Hex
  salt: Hex
}

const hourMs = 3_600_000

/**
 * When the payer of a task can take back what is left without our help: after the longest way that the task can go from its
 * deadline, by every round of more work, every review and every window, and a week for chains that stand still.
 */
export const reclaimTime = ({ terms, funds }: Pick<Task, 'terms' | 'funds'>): Date => {
  const window = disputeWindowMs(BigInt(funds.bounty))
  const reviews = (maxRounds + 1) * (autoAcceptMs + window)
  return new Date(Date.parse(terms.deadline) + reviews + maxRounds * reworkMs + window + 7 * 24 * hourMs)
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

/** The terms under which the money of a task is held for a worker. The `attempt` tells payments apart of which one went back. */
export const toEscrowInfo = async (
  place: Place,
  task: Pick<Task, 'id' | 'publisher' | 'terms' | 'funds'>,
  { publisher, worker, attempt }: { publisher: string; worker: string; attempt: number },
): Promise<EscrowInfo> => {
  const { keccak256, stringToHex } = await import('viem')
  const [bounty, fee] = [BigInt(task.funds.bounty), BigInt(task.funds.fee)]
  const total = bounty + fee
  const expiry = seconds(reclaimTime(task))
  return {
    operator: place.operator,
    payer: publisher as Hex,
    receiver: worker as Hex,
    token: place.token,
    maxAmount: total.toString(),
    preApprovalExpiry: seconds(new Date(Date.parse(task.terms.deadline) + 24 * hourMs)),
    authorizationExpiry: expiry,
    refundExpiry: expiry,
    minFeeBps: 0,
    maxFeeBps: Number((fee * 10_000n + total - 1n) / total),
    feeReceiver: place.feeReceiver,
    salt: keccak256(stringToHex(JSON.stringify([task.id, worker, attempt]))),
  }
}
