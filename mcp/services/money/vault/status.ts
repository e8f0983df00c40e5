import { type Address, encodeFunctionData, erc20Abi, formatUnits } from 'viem'
import { readAddress } from '../address.ts'
import { simulateCalls } from '../calldata/simulate.ts'
import { type Basket, vaultChainId } from './basket.ts'
import { waitingTokens } from './exit.ts'
import { readMarketHours } from './market-hours.ts'
import { dryRunVault, invalid, priceWarnings, readOwner, readVault } from './prepare.ts'
import { currentBps, formatCash, formatShares, type Holding, valueHolding, valueVault } from './state.ts'

type Question = { owner?: string | undefined; vault?: string | undefined; receiver?: string | undefined }

const readPlace = async (basket: Basket, { owner, vault }: Question) => {
  if (vault !== undefined && owner !== undefined)
    throw invalid('vault', 'does not go with owner', 'Give either owner or vault.')
  if (vault !== undefined) return { ...(await readVault(basket, vault)), isOpen: true }
  if (owner === undefined) throw invalid('owner', 'is needed, or vault', 'Give either owner or vault.')
  return readOwner(basket, owner)
}

/** Tries to move the smallest amount of each token: no token says in a common way that it is paused, or whom it blocks. */
const tryTransfers = async (
  basket: Basket,
  vault: Address,
  receiver: Address,
): Promise<(boolean | undefined)[]> => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [receiver, 1n] })
  const questions = basket.stocks.map(({ token }) => ({ to: token, data }))
  const { answers } = await simulateCalls(basket.reader, {
    account: vault,
    calls: [],
    questions,
    now: basket.now,
  })
  return answers.map(answer => answer !== undefined)
}

const toPublicHolding = (holding: Holding, transferable: boolean | undefined) => {
  const { symbol, token, amount, decimals, answer, updatedAt, reserved } = holding
  const value = valueHolding(holding)
  return {
    symbol,
    token,
    amount: amount === undefined ? null : formatUnits(amount, decimals),
    value: value === undefined ? null : formatCash(value),
    price: answer === undefined || answer <= 0n ? null : formatUnits(answer, 8),
    price_at: updatedAt === undefined ? null : new Date(updatedAt * 1000).toISOString(),
    transferable: transferable === undefined || !amount ? null : transferable,
    reserved: reserved === undefined ? null : formatUnits(reserved, decimals),
  }
}

/** Answer of `vault_status`. */
export const describeVault = async (basket: Basket, question: Question) => {
  const { owner, vault, isOpen } = await readPlace(basket, question)
  const receiver = question.receiver === undefined ? owner : await readAddress(question.receiver, 'receiver')
  const [{ stateBefore: state }, transfers] = await Promise.all([
    dryRunVault(basket, { holder: owner, vault, receiver, calls: [] }),
    isOpen ? tryTransfers(basket, vault, receiver) : [],
  ])
  // A vault that is not there holds nothing; one whose token does not answer holds nobody knows what.
  const none = isOpen ? undefined : 0n
  const holdings = state.holdings.map(holding => ({
    ...holding,
    amount: holding.amount ?? none,
    reserved: holding.reserved ?? none,
  }))
  const facts = { ...state, holdings, cash: state.cash ?? none }
  const value = valueVault(facts)
  const current = currentBps(facts)
  const isEmpty = current?.every(part => part === 0) ?? false
  const drifts = current?.map((part, index) => Math.abs(part - (state.weightsBps[index] ?? 0)))
  const { open, since } = readMarketHours(basket.now)
  const mute = holdings.filter(({ amount }) => amount === undefined).map(({ symbol }) => symbol)
  return {
    chainId: vaultChainId,
    vault,
    owner,
    exists: isOpen,
    shares: formatShares(state.shares),
    total_shares: formatShares(state.supply),
    cash: facts.cash === undefined ? null : formatCash(facts.cash),
    value: value === undefined ? null : formatCash(value),
    weightsBps: [...state.weightsBps],
    current_bps: current,
    max_drift_bps: isEmpty || !drifts ? (isEmpty ? 0 : null) : Math.max(...drifts),
    holdings: holdings.map((holding, index) => toPublicHolding(holding, transfers[index])),
    set_aside: waitingTokens(basket, state),
    market: { open, since: since.toISOString() },
    warnings: [
      ...(mute.length > 0 ? [`${mute.join(', ')} does not say what the vault has.`] : []),
      ...priceWarnings(basket, state),
    ],
    simulated: basket.simulated,
  }
}
