import { type Price, usd } from '../../../kernel/tool.ts'
import { formatUsd } from '../../../lib/usd.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { addressOf } from '../account/account.ts'
import { computeDeposit } from '../money/funds.ts'
import type { Task } from '../task/task.ts'
import { hashInfo, purseAddress } from './contract.ts'
import { reclaimTime, toEscrowInfo } from './info.ts'
import type { EscrowChain } from './port.ts'
import { type DepositTerms, depositCollection, depositIndexes, depositsIn } from './step.ts'

/** How many payments for a task went back: the next one is made elsewhere, since a purse is used once. */
const countReturned = async (store: Tx, task: string): Promise<number> => {
  const { rows } = await depositsIn(store).find({ index: 'task', where: { task }, limit: 1000 })
  return rows.filter(({ state }) => state === 'returning').length
}

/** Quotes an assignment whose money is held on the chain: bounty and fee, paid to an address made from the terms. */
export const quoteOnChain = async (
  store: Tx,
  chain: EscrowChain,
  task: Task,
  worker: string,
): Promise<Price> => {
  const [place, attempt] = await Promise.all([chain.place(), countReturned(store, task.id)])
  const sides = { publisher: addressOf(task.publisher), worker: addressOf(worker), attempt }
  const info = await toEscrowInfo(place, task, sides)
  const { contract } = place
  const purse = purseAddress(place, info)
  const row: DepositTerms = {
    contract,
    hash: hashInfo(place, info),
    purse,
    info,
    task: task.id,
    worker,
    state: 'quoted',
  }
  const needed = formatUsd(computeDeposit(task.funds))
  return {
    ...usd(needed),
    terms: {
      kind: 'eip3009',
      payTo: purse,
      amount: info.maxAmount,
      journal: { collection: depositCollection, indexes: depositIndexes, row },
    },
    reason: {
      reason: 'escrow_required',
      detail: `The task needs ${needed} USD in escrow on Base, fee included.`,
      params: {
        needed_usd: needed,
        contract,
        pay_to: purse,
        reclaim_after: reclaimTime(task).toISOString(),
      },
      hint: 'Pay with this call, from the wallet that published: what is not paid to the worker goes back there.',
    },
  }
}
