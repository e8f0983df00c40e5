import { type Address, encodeFunctionData } from 'viem'
import { basketVault } from '../../../../contracts/basket-vault.ts'
import { ToolError } from '../../../kernel/error.ts'
import type { Call } from '../calldata/simulate.ts'
import type { Basket } from './basket.ts'
import {
  type DryRun,
  dryRunVault,
  requireVault,
  toAfter,
  toAnswer,
  toCostBps,
  weightsCall,
} from './prepare.ts'
import { checkSlippage, refuseCost } from './purchase.ts'
import { currentBps, type VaultState, valueHolding } from './state.ts'

type LeaveOut = readonly [boolean, boolean, boolean, boolean]

const rebalanceCall = (vault: Address, leaveOut: LeaveOut): Call => ({
  to: vault,
  data: encodeFunctionData({ abi: basketVault.abi, functionName: 'rebalance', args: [leaveOut] }),
})

const toLeaveOut = (mask: number): LeaveOut =>
  [1, 2, 4, 8].map(bit => (mask & bit) !== 0) as unknown as LeaveOut

const bits = (mask: number): number => toLeaveOut(mask).filter(Boolean).length

/** Stocks that may be left out, the fewest first: a single stock cannot be rebalanced. */
const masks = Array.from({ length: 15 }, (_, mask) => mask)
  .filter(mask => bits(mask) <= 2)
  .sort((a, b) => bits(a) - bits(b))

/** True for what may end when a stock is left out: not for what the vault has lost before. */
const isRefusal = (error: unknown): error is ToolError =>
  error instanceof ToolError &&
  ['conflict', 'unavailable'].includes(error.code) &&
  error.extra.reason !== 'loss_too_large'

/**
 * The dry run that leaves out the fewest stocks. What cannot be traded is found by trying: a token says in no common way that it is
 * paused, and a pool says nothing. Throws what the whole basket fails with when nothing helps.
 */
const findRun = async (run: (mask: number) => Promise<DryRun>): Promise<{ mask: number; result: DryRun }> => {
  let first: ToolError | undefined
  for (const count of [0, 1, 2]) {
    const tried = await Promise.allSettled(
      masks.filter(mask => bits(mask) === count).map(async mask => ({ mask, result: await run(mask) })),
    )
    for (const outcome of tried) {
      if (outcome.status === 'fulfilled') return outcome.value
      if (!isRefusal(outcome.reason)) throw outcome.reason
      first ??= outcome.reason
    }
  }
  throw first
}

/** Value of what takes part; undefined when a price is missing. */
const sumValues = ({ holdings, cash = 0n }: VaultState, leaveOut: LeaveOut): bigint | undefined =>
  holdings
    .filter((_, index) => !leaveOut[index])
    .map(valueHolding)
    .reduce<bigint | undefined>(
      (sum, value) => (sum === undefined || value === undefined ? undefined : sum + value),
      cash,
    )

type Rebalancing = {
  owner: string
  weightsBps?: readonly number[] | undefined
  slippage_bps?: number | undefined
}

/** The calls that bring a vault to its weights: weights? rebalance. */
export const prepareRebalance = async (
  basket: Basket,
  { owner: ownerText, weightsBps, slippage_bps: slippageBps }: Rebalancing,
) => {
  checkSlippage(basket, slippageBps)
  const { owner, vault } = await requireVault(basket, ownerText)
  const run = (mask: number) =>
    dryRunVault(basket, {
      holder: owner,
      vault,
      calls: [
        ...(weightsBps ? [weightsCall(vault, weightsBps)] : []),
        rebalanceCall(vault, toLeaveOut(mask)),
      ],
    })
  const { mask, result } = await findRun(run)
  const { stateBefore, stateAfter } = result
  if (stateBefore.supply === 0n)
    throw new ToolError('conflict', `The vault ${vault} holds nothing that could be rebalanced.`, {
      reason: 'empty_vault',
      issues: [{ path: 'owner', message: 'has an empty vault' }],
      next: ['buy_stocks'],
    })
  const leaveOut = toLeaveOut(mask)
  const [before, after] = [sumValues(stateBefore, leaveOut), sumValues(stateAfter, leaveOut)]
  const costBps = before === undefined || after === undefined ? null : toCostBps(before - after, before)
  refuseCost(costBps, slippageBps)
  const leftOut = stateBefore.holdings.filter((_, index) => leaveOut[index]).map(({ symbol }) => symbol)
  const warnings =
    leftOut.length > 0 ? [`${leftOut.join(', ')} cannot be traded just now and is left as it is.`] : []
  return toAnswer(
    basket,
    { owner, vault },
    result,
    {
      left_out: leftOut,
      before_bps: currentBps(stateBefore),
      after_bps: currentBps(stateAfter),
      cost_bps: costBps,
      vault: toAfter(stateAfter),
    },
    warnings,
  )
}
