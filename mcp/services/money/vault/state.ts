import { type Address, formatUnits, type Hex, parseAbi } from 'viem'
import { basketOracle } from '../../../../contracts/basket-oracle.ts'
import { basketVault } from '../../../../contracts/basket-vault.ts'
import { toBps } from '../../../lib/signals.ts'
import type { Question } from '../calldata/simulate.ts'
import { type ContractView, readAnswers, view } from '../calldata/views.ts'
import { tokenAbi } from '../stablecoin/token.ts'
import type { Basket, BasketFacts } from './basket.ts'

const { abi } = basketVault

const feedAbi = parseAbi([
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])

/** A stock and what its feed says. `price` is the oracle's, in stablecoins of 8 decimals: undefined while it takes none. */
export type StockPrice = {
  symbol: string
  token: Address
  feed: Address
  price: bigint | undefined
  answer: bigint | undefined
  updatedAt: number | undefined
}

/** One stock in a vault. What a token does not answer is undefined. */
export type Holding = StockPrice & {
  decimals: number
  amount: bigint | undefined
  /** Set aside for anybody, and for the claimant. */
  reserved: bigint | undefined
  deferred: bigint | undefined
  /** The receiver's amount of it outside. */
  outside: bigint | undefined
}

/** A vault at one block, as its holder and a receiver see it. One that is not open has nothing. */
export type VaultState = {
  shares: bigint
  supply: bigint
  weightsBps: readonly number[]
  cash: bigint | undefined
  /** Stablecoins set aside for the claimant, which was blocked. */
  deferredCash: bigint | undefined
  /** Stablecoins of the holder and of the receiver, outside. */
  holderCash: bigint | undefined
  receiverCash: bigint | undefined
  holdings: readonly Holding[]
}

const feedViews = ({ oracle, stocks }: BasketFacts) =>
  stocks.flatMap(({ feed }) => [
    view(oracle, basketOracle.abi, 'price', [feed]),
    view(feed, feedAbi, 'latestRoundData', []),
  ])

const readPrices = ({ stocks }: BasketFacts, values: readonly unknown[]): StockPrice[] =>
  stocks.map(({ symbol, token, feed }, index) => {
    const [price, round] = values.slice(2 * index) as [bigint | undefined, readonly bigint[] | undefined]
    const updatedAt = round?.[3]
    return {
      symbol,
      token,
      feed,
      price,
      answer: round?.[1],
      updatedAt: updatedAt === undefined || updatedAt === 0n ? undefined : Number(updatedAt),
    }
  })

/** Views of all that is asked about prices, and what reads the answers. */
export const priceQuestions = (facts: BasketFacts) => {
  const views = feedViews(facts)
  return {
    questions: views as readonly Question[],
    read: (answers: readonly (Hex | undefined)[]) => readPrices(facts, readAnswers(views, answers)),
  }
}

/** Views of all that is asked about a vault, and what reads the answers. */
export const vaultQuestions = (
  facts: BasketFacts,
  {
    vault,
    holder,
    receiver,
    claimant = receiver,
  }: { vault: Address; holder: Address; receiver: Address; claimant?: Address | undefined },
) => {
  const { stablecoin, stocks } = facts
  const feeds = feedViews(facts)
  const own = [
    view(vault, abi, 'balanceOf', [holder]),
    view(vault, abi, 'totalSupply', []),
    view(vault, abi, 'weightsBps', []),
    view(vault, abi, 'holding', [stablecoin]),
    view(vault, abi, 'deferred', [claimant, stablecoin]),
    view(stablecoin, tokenAbi, 'balanceOf', [holder]),
    view(stablecoin, tokenAbi, 'balanceOf', [receiver]),
  ] as const
  const perStock: readonly ContractView<bigint>[] = stocks.flatMap(({ token }) => [
    view(vault, abi, 'holding', [token]),
    view(vault, abi, 'reserved', [token]),
    view(vault, abi, 'deferred', [claimant, token]),
    view(token, tokenAbi, 'balanceOf', [receiver]),
  ])
  return {
    questions: [...own, ...perStock, ...feeds] as readonly Question[],
    read(answers: readonly (Hex | undefined)[]): VaultState {
      const [shares = 0n, supply = 0n, weights, cash, deferredCash, holderCash, receiverCash] = readAnswers(
        own,
        answers,
      )
      const amounts = readAnswers(perStock, answers.slice(own.length))
      const prices = readPrices(facts, readAnswers(feeds, answers.slice(own.length + perStock.length)))
      return {
        shares,
        supply,
        weightsBps: weights ?? [2_500, 2_500, 2_500, 2_500],
        cash,
        deferredCash,
        holderCash,
        receiverCash,
        holdings: prices.map((price, index) => {
          const [amount, reserved, deferred, outside] = amounts.slice(4 * index)
          const decimals = stocks[index]?.decimals ?? 8
          return { ...price, decimals, amount, reserved, deferred, outside }
        }),
      }
    },
  }
}

/** Digits of a stablecoin, and of the oracle's prices. */
const cashDecimals = 6
const priceDecimals = 8

/** Values an amount in the smallest unit of the stablecoin; undefined without a price. */
export const valueHolding = ({ amount, price, decimals }: Holding): bigint | undefined => {
  if (amount === 0n) return 0n
  if (amount === undefined || price === undefined) return undefined
  return (amount * price) / 10n ** BigInt(decimals + priceDecimals - cashDecimals)
}

/** Values the vault; undefined when a price or a balance is missing. */
export const valueVault = ({ cash, holdings }: VaultState): bigint | undefined =>
  holdings
    .map(valueHolding)
    .reduce<bigint | undefined>(
      (sum, value) => (sum === undefined || value === undefined ? undefined : sum + value),
      cash,
    )

/** Parts of ten thousand of each stock, by value; null when a price is missing, zeros for an empty vault. */
export const currentBps = ({ holdings }: VaultState): number[] | null => {
  const values = holdings.map(valueHolding)
  if (values.some(value => value === undefined)) return null
  const numbers = values.map(Number)
  return numbers.every(value => value === 0) ? numbers : toBps(numbers)
}

export const formatCash = (amount: bigint): string => formatUnits(amount, cashDecimals)
export const formatShares = (amount: bigint): string => formatUnits(amount, 18)

/** The basket and what is read of it now. */
export const isStale = ({ feed, updatedAt }: StockPrice, { maxAges, now }: Basket): boolean =>
  updatedAt === undefined || now.getTime() / 1000 - updatedAt > (maxAges[feed.toLowerCase()] ?? 0)
