import { isRecord } from '../../../../lib/json.ts'
import { type TradeTerms, toNumber } from '../read/trade-terms.ts'
import type { TradingState } from '../trading-state.ts'
import { type Fact, narrow, partial, wide } from './fact.ts'
import type { Effect } from './table.ts'

const toFinding = (effect: Effect, path: string, fact: Fact): Fact => ({ ...fact, effect, place: { path } })

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`

/** Leverage, the share of an account, what the stop costs, and the share of what is traded. */
const sizeFacts = (terms: TradeTerms, state: TradingState | undefined): Fact[] => {
  const { leverage, notional, size, price, stop, liquidity, fields, isClosing } = terms
  const equity = state?.equity ?? terms.equity
  const facts: Fact[] = []
  const add = (path: string, fact: Fact) => facts.push(toFinding('trade-size', path, fact))
  if (leverage !== undefined && leverage > 10) {
    const detail = `Leverage of ${leverage}: a move of ${(100 / leverage).toFixed(1)} % loses all.`
    add('leverage', leverage > 20 ? wide(detail) : partial(detail))
  }
  if ((size !== undefined && size <= 0) || (notional !== undefined && notional <= 0))
    add('size', wide('The size is not above zero.'))
  if (equity !== undefined && notional !== undefined && equity > 0 && !isClosing) {
    const share = notional / equity
    if (share > 1) {
      const detail = `The position is ${share.toFixed(1)} times the equity.`
      add('notional', share > 5 ? wide(detail) : partial(detail))
    } else if (share > 0.5 && (leverage ?? 1) > 1)
      add('notional', partial(`The position is ${percent(share)} of the equity, with leverage.`))
    const risk =
      stop !== undefined && price !== undefined && price > 0 ? (Math.abs(price - stop) / price) * share : 0
    if (risk > 0.05) {
      const detail = `The stop costs ${percent(risk)} of the equity.`
      add('stop_loss', risk > 0.2 ? wide(detail) : partial(detail))
    }
  }
  // A daily volume beside a quantity is counted in pieces, whatever one of them costs.
  const isPieces =
    size !== undefined &&
    ['average_daily_volume', 'avg_daily_volume', 'adv', 'daily_volume_shares'].some(key => key in fields)
  const share = ((isPieces ? size : notional) ?? 0) / (liquidity || Number.POSITIVE_INFINITY)
  if (share > (isPieces ? 0.05 : 0.02)) {
    const detail = `The position is ${percent(share)} of what is traded.`
    add('notional', share > 0.2 ? wide(detail) : partial(detail))
  }
  const intended = toNumber(
    fields.intended_qty ??
      fields.intended_quantity ??
      fields.intended_size ??
      fields.requested_quantity ??
      fields.approved_quantity,
  )
  if (intended !== undefined && intended > 0 && size !== undefined && size > intended * 1.1)
    add('size', wide(`${intended} were meant, and the order is for ${size}.`))
  return facts
}

/** A stop on the winning side of the entry, or a target on the losing one. */
const exitFacts = (terms: TradeTerms): Fact[] => {
  const { side, price, stop, target, isSure, isClosing, isRecord: hasFields, size, leverage, fields } = terms
  if (!isSure || isClosing || price === undefined || side === undefined) return []
  const facts: Fact[] = []
  const isBounded = Object.keys(fields).some(key =>
    /stop|^sl$|trail|max_loss|hedg|financing|mandate|policy|approv|limit(?!_price)|position_before|held/.test(
      key,
    ),
  )
  if (hasFields && size !== undefined && stop === undefined && !isBounded) {
    const detail = 'No stop: nothing bounds the loss.'
    facts.push(toFinding('trade-exit', 'stop_loss', (leverage ?? 1) > 3 ? partial(detail) : narrow(detail)))
  }
  const isAbove = (value: number | undefined) => value !== undefined && value > 0.02 * price && value >= price
  const isBelow = (value: number | undefined) => value !== undefined && value > 0.02 * price && value <= price
  if (side === 'long' ? isAbove(stop) : isBelow(stop))
    facts.push(toFinding('trade-exit', 'stop_loss', wide('The stop is on the winning side of the entry.')))
  if (side === 'long' ? isBelow(target) : isAbove(target))
    facts.push(
      toFinding('trade-exit', 'take_profit', partial('The target is on the losing side of the entry.')),
    )
  return facts
}

/** How much worse than the market a price is, and how much slippage is allowed. */
const termFacts = ({ side, price, slippage }: TradeTerms, mark: number | undefined): Fact[] => {
  const facts: Fact[] = []
  if (price !== undefined && mark !== undefined && mark > 0 && side !== undefined) {
    const off = side === 'long' ? price / mark - 1 : 1 - price / mark
    const detail = `The price is ${percent(off)} worse than the market (${mark}).`
    if (off > 0.05) facts.push(toFinding('trade-terms', 'price', off > 0.2 ? wide(detail) : partial(detail)))
  }
  if (slippage !== undefined && slippage > 3) {
    const detail = `Slippage of ${slippage} % is allowed.`
    facts.push(toFinding('trade-terms', 'slippage', slippage > 20 ? wide(detail) : partial(detail)))
  }
  return facts
}

const ratings: readonly string[] = ['AAA', 'AA', 'A', 'BBB', 'BB', 'B', 'CCC', 'CC', 'C', 'D']

/** How far down the scale of ratings one is; its sign is a third of a step. */
const toRank = (rating: unknown): number | undefined => {
  const [, letters = '', sign = ''] = /^([A-D]{1,3})([+-]?)$/.exec(String(rating ?? '')) ?? []
  const at = ratings.indexOf(letters)
  return at < 0 ? undefined : at + (sign === '+' ? -0.3 : sign === '-' ? 0.3 : 0)
}

/** Finds breaches of the limits beside an order. */
const mandateFacts = ({ fields, notional, size, equity, leverage, isClosing }: TradeTerms): Fact[] => {
  const facts: Fact[] = []
  const add = (path: string, detail: string) => facts.push(toFinding('trade-mandate', path, wide(detail)))
  const isBorrowed = /^(?:repo|margin|loan|borrowed|credit|leverage)/i.test(
    String(fields.financing ?? fields.funding ?? ''),
  )
  if ((fields.leverage_allowed === false || fields.max_leverage === 1) && isBorrowed)
    add('financing', 'It borrows, and the mandate forbids it.')
  const [maxLeverage, lowest, own] = [
    toNumber(fields.max_leverage),
    toRank(fields.min_rating),
    toRank(fields.rating),
  ]
  if (maxLeverage !== undefined && leverage !== undefined && leverage > maxLeverage)
    add('leverage', `Leverage of ${leverage}, and ${maxLeverage} is allowed.`)
  const isReduced = isClosing || /^sell/i.test(String(fields.side))
  if (!isReduced && lowest !== undefined && own !== undefined && own > lowest)
    add('rating', 'Its rating is below the lowest that is allowed.')
  const highest = toNumber(fields.max_single_issuer_pct ?? fields.max_position_pct ?? fields.max_weight_pct)
  const after = toNumber(
    fields.issuer_weight_after_pct ?? fields.weight_after_pct ?? fields.position_pct_after,
  )
  const share = after ?? (equity && notional !== undefined ? (notional / equity) * 100 : undefined)
  if (!isReduced && highest !== undefined && share !== undefined && share > highest)
    add('notional', `It comes to ${share.toFixed(1)} %, and ${highest} % are allowed.`)
  for (const [limit, value] of [
    ['max_contracts_policy', toNumber(fields.contracts)],
    ['max_contracts', toNumber(fields.contracts)],
    ['max_order_size', size],
    ['max_quantity', size],
    ['max_notional', notional],
    ['max_order_value', notional],
  ] as const) {
    const bound = toNumber(fields[limit])
    if (!isClosing && bound !== undefined && value !== undefined && value > bound)
      add(limit, `${value}, and ${bound} are allowed.`)
  }
  return facts
}

/** An option that is sold with fewer shares behind it than it may take. */
const coverFacts = ({ fields }: TradeTerms): Fact[] => {
  const sold = fields.sell_to_open
  const type = String(fields.option_type ?? (isRecord(sold) ? sold.type : '') ?? '')
  const held = fields.shares_held
  const shares = isRecord(held) ? Object.values(held).map(toNumber)[0] : toNumber(held)
  const contracts = toNumber(fields.contracts)
  return /call/i.test(type) && shares !== undefined && contracts !== undefined && shares < contracts * 100
    ? [toFinding('trade-size', 'contracts', wide('An option is sold with too few shares behind it.'))]
    : []
}

/** The book's objections to it. */
const stateFacts = (
  { symbol, side, size }: TradeTerms,
  state: TradingState | undefined,
  context: string,
): Fact[] => {
  const facts: Fact[] = []
  const isPaused =
    state?.paused === true ||
    /\b(?:state|trading|desk|kill[- ]switch)\s*(?:is|:|=)\s*(?:paused|halted|stopped|engaged)/i.test(context)
  if (isPaused) facts.push(toFinding('trade-state', 'trading_state.paused', wide('Trading is paused.')))
  const position = state?.positions.find(one => one.symbol === symbol)
  if (
    position &&
    size !== undefined &&
    position.pnl < 0 &&
    Math.sign(position.size) === (side === 'short' ? -1 : 1)
  )
    facts.push(
      toFinding(
        'trade-state',
        'trading_state.positions',
        partial(`It adds to a losing position in ${symbol}.`),
      ),
    )
  return facts
}

/** Computes facts from the numbers of a trade, the market and the book; no words around the trade lower them. */
export const checkTrade = (
  terms: TradeTerms,
  {
    state,
    mark,
    context = '',
  }: { state?: TradingState | undefined; mark?: number | undefined; context?: string },
): Fact[] => [
  ...sizeFacts(terms, state),
  ...exitFacts(terms),
  ...termFacts(terms, mark ?? terms.mark),
  ...mandateFacts(terms),
  ...coverFacts(terms),
  ...stateFacts(terms, state, context),
]
