import { formatUnits } from 'viem'
import { askTogether, type ContractView } from '../calldata/views.ts'
import { type Basket, vaultChainId } from './basket.ts'
import { readMarketHours } from './market-hours.ts'
import { priceWarnings } from './prepare.ts'
import { isStale, priceQuestions, type StockPrice } from './state.ts'

const priceState = (basket: Basket, price: StockPrice, open: boolean) => {
  if (price.answer === undefined || price.answer <= 0n || price.updatedAt === undefined)
    return 'dead' as const
  if (isStale(price, basket)) return 'stale' as const
  return open ? ('live' as const) : ('frozen' as const)
}

const flow = [
  'buy_stocks with an owner and an amount: calls that create the vault where there is none, approve USDC and buy by the weights.',
  'vault_status shows what the vault holds; basket_signals suggests weights.',
  'set_weights and rebalance change what it holds.',
  'redeem leaves: to USDC, or in kind. Exits need no price, and nobody can stop them.',
]

/** Answer of `discover_index`. */
export const describeIndex = async (basket: Basket) => {
  const { questions, read } = priceQuestions(basket)
  const raw: ContractView<`0x${string}`>[] = questions.map(question => ({
    ...question,
    read: answer => answer,
  }))
  const prices = read(await askTogether(basket.reader, raw, basket.now))
  const { open, since } = readMarketHours(basket.now)
  const seconds = basket.now.getTime() / 1000
  return {
    chainId: vaultChainId,
    stablecoin: basket.stablecoin,
    constituents: prices.map((price, index) => {
      const { symbol, token, feed, answer, updatedAt } = price
      const state = priceState(basket, price, open)
      return {
        symbol,
        token,
        decimals: basket.stocks[index]?.decimals ?? 8,
        feed,
        price: state === 'dead' || answer === undefined ? null : formatUnits(answer, 8),
        price_at: updatedAt === undefined ? null : new Date(updatedAt * 1000).toISOString(),
        price_age_seconds: updatedAt === undefined ? null : Math.max(0, Math.floor(seconds - updatedAt)),
        state,
      }
    }),
    market: { open, since: since.toISOString() },
    fees: { vault_bps: 0, max_slippage_bps: basket.slippageBps },
    contracts: { factory: basket.factory, oracle: basket.oracle, venue: basket.venue },
    flow,
    note: 'Tokenized stocks are not for US persons. Nothing here is advice; calls are unsigned, and nobody but the owner can send them.',
    warnings: priceWarnings(basket, {
      holdings: prices.map((price, index) => ({
        ...price,
        decimals: basket.stocks[index]?.decimals ?? 8,
        amount: undefined,
        reserved: undefined,
        deferred: undefined,
        outside: undefined,
      })),
    }),
    simulated: basket.simulated,
  }
}
