import { encodeFunctionData, erc20Abi, formatUnits, parseUnits } from 'viem'
import { basketVault } from '../../../../contracts/basket-vault.ts'
import { ToolError } from '../../../kernel/error.ts'
import { readAnswers, view } from '../calldata/views.ts'
import { onChain } from '../stablecoin/reader.ts'
import { tokenAbi } from '../stablecoin/token.ts'
import type { Basket } from './basket.ts'
import {
  createCall,
  type DryRun,
  dryRunVault,
  invalid,
  readOwner,
  toAfter,
  toAnswer,
  toCostBps,
  weightsCall,
} from './prepare.ts'
import { formatCash, formatShares, valueVault } from './state.ts'

type Purchase = {
  owner: string
  amount: string
  slippage_bps?: number | undefined
  weightsBps?: readonly number[] | undefined
}

/** Refuses a limit that the contract would not keep: it has one of its own. */
export const checkSlippage = ({ slippageBps: limit }: Basket, slippageBps: number | undefined): void => {
  if (slippageBps !== undefined && slippageBps > limit)
    throw invalid(
      'slippage_bps',
      `must be at most ${limit}`,
      `Vaults refuse trades that cost more than ${limit / 100}%, so slippage_bps is at most ${limit}.`,
    )
}

export const refuseCost = (costBps: number | null, slippageBps: number | undefined): void => {
  if (costBps === null || slippageBps === undefined || costBps <= slippageBps) return
  throw new ToolError(
    'conflict',
    `The trades would cost ${costBps / 100}% just now, and ${slippageBps / 100}% are allowed.`,
    {
      reason: 'slippage',
      issues: [{ path: 'slippage_bps', message: `is less than the ${costBps} that the trades cost` }],
      params: { cost_bps: costBps },
    },
  )
}

const measureCost = ({ stateBefore, stateAfter }: DryRun, amount: bigint): number | null => {
  const [before, after] = [
    valueVault(stateBefore) ?? (stateBefore.supply === 0n ? 0n : undefined),
    valueVault(stateAfter),
  ]
  return before === undefined || after === undefined ? null : toCostBps(amount - (after - before), amount)
}

/** The calls by which an account buys: create? weights? approve, deposit. */
export const preparePurchase = async (
  basket: Basket,
  { owner: ownerText, amount, slippage_bps: slippageBps, weightsBps }: Purchase,
) => {
  checkSlippage(basket, slippageBps)
  const { owner, vault, isOpen } = await readOwner(basket, ownerText)
  const { stablecoin } = basket
  const assets = parseUnits(amount, 6)
  const balance = view(stablecoin, tokenAbi, 'balanceOf', [owner])
  const { data } = await onChain(basket.reader.call({ to: balance.to, data: balance.data }))
  const [available = 0n] = readAnswers([balance], [data])
  if (available < assets)
    throw new ToolError(
      'conflict',
      `${owner} has ${formatCash(available)} USDC on Base, and ${amount} are to be spent.`,
      {
        reason: 'insufficient_balance',
        issues: [{ path: 'amount', message: `is more than the balance of ${formatCash(available)} USDC` }],
        params: { balance: formatCash(available) },
      },
    )
  const calls = [
    ...(isOpen ? [] : [createCall(basket)]),
    ...(weightsBps ? [weightsCall(vault, weightsBps)] : []),
    {
      to: stablecoin,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [vault, assets] }),
    },
    {
      to: vault,
      data: encodeFunctionData({ abi: basketVault.abi, functionName: 'deposit', args: [assets, owner] }),
    },
  ]
  const run = await dryRunVault(basket, { holder: owner, vault, calls })
  const { stateBefore, stateAfter } = run
  const costBps = measureCost(run, assets)
  refuseCost(costBps, slippageBps)
  return toAnswer(basket, { owner, vault }, run, {
    created: !isOpen,
    spent: formatCash((stateBefore.holderCash ?? 0n) - (stateAfter.holderCash ?? 0n)),
    shares: formatShares(stateAfter.shares - stateBefore.shares),
    bought: stateAfter.holdings.map(({ symbol, token, amount = 0n, decimals }, index) => ({
      symbol,
      token,
      amount: formatUnits(amount - (stateBefore.holdings[index]?.amount ?? 0n), decimals),
    })),
    cost_bps: costBps,
    vault: toAfter(stateAfter),
  })
}
