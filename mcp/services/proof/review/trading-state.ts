/** State of a trading service's own book. Amounts in the currency of the account. */
export type TradingState = {
  equity: number
  paused: boolean
  regime: string | null
  positions: readonly { symbol: string; size: number; pnl: number }[]
  at: string
}
