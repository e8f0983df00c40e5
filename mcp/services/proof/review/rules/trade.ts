import { asList, isRecord } from '../../../../lib/json.ts'
import type { Artifact } from '../artifact.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'

/** What a trade states, in numbers where it states them. */
type Trade = {
  side: 'long' | 'short' | undefined
  size: number | undefined
  price: number | undefined
  notional: number | undefined
  leverage: number | undefined
  stop: number | undefined
  /** How far the stop is from the entry, in per cent. */
  stopShare: number | undefined
  target: number | undefined
  equity: number | undefined
  liquidity: number | undefined
  slippage: number | undefined
  mark: number | undefined
  symbol: string | undefined
  isMarket: boolean
}

const aliases: Readonly<Record<Exclude<keyof Trade, 'isMarket'>, readonly string[]>> = {
  side: ['side', 'direction', 'action'],
  size: ['size', 'qty', 'quantity', 'amount', 'units', 'contracts'],
  price: ['price', 'entry', 'entry_price', 'limit_price', 'limit'],
  notional: [
    'notional',
    'notional_usd',
    'size_usd',
    'value',
    'position_value',
    'amount_usd',
    'notional_value',
  ],
  leverage: ['leverage', 'lev'],
  stop: ['stop_loss', 'stop', 'sl', 'stoploss', 'stop_price', 'stop_loss_price'],
  stopShare: [
    'stop_loss_pct',
    'stop_loss_percent',
    'stop_pct',
    'stop_percent',
    'sl_pct',
    'trailing_stop',
    'trailing_stop_pct',
    'trailing_stop_percent',
    'max_loss_pct',
  ],
  target: ['take_profit', 'tp', 'target', 'takeprofit', 'take_profit_price'],
  equity: [
    'equity',
    'account_equity',
    'balance',
    'account_balance',
    'portfolio_value',
    'account_size',
    'capital',
    'account',
    'nav',
  ],
  liquidity: [
    'liquidity',
    'daily_volume',
    'volume_24h',
    'adv',
    'pool_liquidity',
    'liquidity_usd',
    'avg_daily_volume',
    'average_daily_volume',
  ],
  slippage: ['slippage', 'max_slippage', 'slippage_pct', 'slippage_percent', 'slippage_tolerance'],
  mark: ['mark', 'mark_price', 'market_price', 'current_price', 'last_price', 'spot', 'last'],
  symbol: ['symbol', 'pair', 'ticker', 'instrument', 'market', 'asset', 'coin'],
}

const toNumber = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return undefined
  const match = /-?\d[\d,_]*(?:\.\d+)?/.exec(value)
  if (!match) return undefined
  const scale = /\d\s?([kKmM])\b/.exec(value)?.[1]?.toLowerCase()
  return Number(match[0].replace(/[,_]/g, '')) * (scale === 'k' ? 1e3 : scale === 'm' ? 1e6 : 1)
}

const readTrade = ({ record, text }: Artifact): Trade => {
  const inner =
    ['trade', 'order', 'position'].map(key => record[key]).find(isRecord) ??
    asList(record.orders).find(isRecord)
  const fields = Object.fromEntries(
    Object.entries({ ...record, ...(inner ?? {}) }).map(([key, value]) => [
      key.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase(),
      value,
    ]),
  )
  const pick = (name: keyof typeof aliases) =>
    aliases[name].map(key => fields[key]).find(value => value !== undefined && value !== null && value !== '')
  const find = (pattern: RegExp) => toNumber(pattern.exec(text.slice(0, 4000))?.[1])
  const side = String(pick('side') ?? /\b(buy|sell|long|short)\b/i.exec(text)?.[1] ?? '').toLowerCase()
  const stop =
    pick('stop') ??
    /\b(?:stop(?:[- ]?loss)?|SL)\s*(?:price)?\s*(?:at|of|:|=|@)?\s*\$?(\d[\d,.]*)/i.exec(text)?.[1]
  const size = toNumber(pick('size')) ?? find(/\b(?:buy|sell|long|short)\s+\$?(-?\d[\d,]*(?:\.\d+)?[km]?)/i)
  const price =
    toNumber(pick('price')) ?? find(/(?:\bentry|\bprice|\blimit|\bat|@)\s*:?\s*\$?(\d[\d,]*(?:\.\d+)?)/i)
  const notional =
    toNumber(pick('notional')) ??
    find(/(?:notional|position|worth|value)\s*(?:of|:|is)?\s*\$(\d[\d,]*(?:\.\d+)?[km]?)/i)
  return {
    side: /^(?:buy|long|bid)/.test(side) ? 'long' : /^(?:sell|short|ask)/.test(side) ? 'short' : undefined,
    size,
    price,
    notional: notional ?? (size !== undefined && price !== undefined ? size * price : undefined),
    leverage: toNumber(pick('leverage')) ?? find(/(?<![\d.])(\d{1,9}(?:\.\d{1,6})?)\s?x\b/i),
    stop: toNumber(stop),
    stopShare:
      toNumber(pick('stopShare')) ??
      find(/\b(?:trailing\s+)?stop(?:[- ]?loss)?\s+(?:at|of|:)?\s*-?(\d{1,3}(?:\.\d{1,4})?)\s?%/i),
    target:
      toNumber(pick('target')) ??
      find(/\b(?:take[- ]?profit|target|TP)\s*(?:at|of|:|=|@)?\s*\$?(\d[\d,.]*)/i),
    equity:
      toNumber(pick('equity')) ??
      find(/\b(?:equity|account|balance|portfolio)\s*(?:of|is|:|=)?\s*\$?(\d[\d,]*(?:\.\d+)?[km]?)/i),
    liquidity: toNumber(pick('liquidity')),
    slippage:
      toNumber(pick('slippage')) ??
      find(/(?<![\d.])(\d{1,9}(?:\.\d{1,6})?)\s?%\s{1,4}slippage/i) ??
      find(/slippage\s*(?:of|:|tolerance)?\s*(\d+(?:\.\d+)?)\s?%/i),
    mark: toNumber(pick('mark')),
    symbol: typeof pick('symbol') === 'string' ? String(pick('symbol')) : undefined,
    isMarket: /\bmarket\b/i.test(String(fields.type ?? fields.order_type ?? '')),
  }
}

const isTrade = ({ type, record }: Artifact): boolean =>
  type === 'trade' ||
  (type === 'general' &&
    'side' in record &&
    ('size' in record || 'qty' in record || 'quantity' in record || 'leverage' in record))

const hit = (detail: string, severity: Hit['severity'], path: string): Hit => ({
  detail,
  ...(severity && { severity }),
  place: { path },
})

export const tradeRules: readonly Rule[] = [
  wholeRule({
    id: 'trade-size',
    category: 'trade',
    type: 'trade',
    severity: 'high',
    fix: 'Size the trade so that the stop costs one or two per cent of equity.',
    hits: [
      '{"symbol":"BTC","side":"buy","size":1,"price":60000,"leverage":50,"stop_loss":59000}',
      '{"symbol":"ETH","side":"buy","notional":90000,"equity":10000,"stop_loss":1,"price":2}',
      'Go all in on DOGE with the entire balance',
      '{"symbol":"BTC","side":"buy","size":-1,"price":60000,"stop_loss":1}',
      '{"symbol":"X","side":"buy","notional":500000,"liquidity":1000000,"stop_loss":1,"price":2}',
      '{"symbol":"BTC","side":"long","size":2,"price":100,"stop_loss":50,"equity":400}',
    ],
    misses: [
      '{"symbol":"BTC","side":"buy","size":0.01,"price":60000,"leverage":2,"stop_loss":58000,"equity":50000}',
      '{"symbol":"ETH","side":"sell","size":1,"price":3000,"stop_loss":3050,"equity":100000}',
    ],
    see(artifact) {
      if (!isTrade(artifact)) return []
      const { text, tradingState } = artifact
      const trade = readTrade(artifact)
      const equity = tradingState?.equity ?? trade.equity
      const { leverage, notional, size, price, stop, liquidity } = trade
      const hits: Hit[] = []
      if (
        /\b(?:all[- ]in|entire\s+(?:balance|account|portfolio|stack)|whole\s+(?:account|balance)|100\s?%\s+of\s+(?:the\s+|our\s+|my\s+)?(?:equity|account|capital|portfolio|balance)|life\s+savings|everything\s+(?:we|i)\s+have|max(?:imum)?\s+leverage|martingale|double\s+down|averag(?:e|ing)\s+down|revenge)\b/i.test(
          text,
        ) &&
        !/\b(?:never|not|don't|no)\s+(?:\w+\s+){0,2}(?:all[- ]in|martingale|double|average)/i.test(text)
      )
        hits.push(hit('It stakes everything, or more after each loss.', 'blocker', 'size'))
      if (leverage !== undefined && leverage > 10)
        hits.push(
          hit(
            `Leverage of ${leverage}: a move of ${(100 / leverage).toFixed(1)} % loses all.`,
            leverage > 20 ? 'blocker' : 'high',
            'leverage',
          ),
        )
      if ((size !== undefined && size <= 0) || (notional !== undefined && notional <= 0))
        hits.push(hit('The size is not above zero.', 'blocker', 'size'))
      if (equity !== undefined && notional !== undefined && equity > 0) {
        const share = notional / equity
        if (share > 5)
          hits.push(hit(`The position is ${share.toFixed(1)} times the equity.`, 'blocker', 'notional'))
        else if (share > 1)
          hits.push(hit(`The position is ${share.toFixed(1)} times the equity.`, 'high', 'notional'))
        else if (share > 0.5 && (leverage ?? 1) > 1)
          hits.push(
            hit(
              `The position is ${(share * 100).toFixed(0)} % of the equity, with leverage.`,
              'high',
              'notional',
            ),
          )
        if (stop !== undefined && price !== undefined && price > 0) {
          const risk = (Math.abs(price - stop) / price) * share
          if (risk > 0.05)
            hits.push(
              hit(
                `The stop costs ${(risk * 100).toFixed(1)} % of the equity.`,
                risk > 0.2 ? 'blocker' : 'high',
                'stop_loss',
              ),
            )
        }
      }
      if (liquidity !== undefined && notional !== undefined && liquidity > 0 && notional / liquidity > 0.02)
        hits.push(
          hit(
            `The position is ${((notional / liquidity) * 100).toFixed(0)} % of what is traded.`,
            notional / liquidity > 0.2 ? 'blocker' : 'high',
            'notional',
          ),
        )
      return hits
    },
  }),
  wholeRule({
    id: 'trade-exit',
    category: 'trade',
    type: 'trade',
    severity: 'medium',
    fix: 'Name the stop on the losing side of the entry.',
    hits: [
      '{"symbol":"BTC","side":"buy","size":0.1,"price":60000}',
      '{"symbol":"BTC","side":"buy","size":0.1,"price":60000,"stop_loss":61000}',
      '{"symbol":"BTC","side":"sell","size":0.1,"price":60000,"stop_loss":61000,"take_profit":62000}',
      '{"symbol":"BTC","side":"short","size":1,"price":100,"leverage":5}',
    ],
    misses: [
      '{"symbol":"BTC","side":"buy","size":0.1,"price":60000,"stop_loss":58000,"take_profit":65000}',
      '{"symbol":"BTC","side":"sell","size":0.1,"price":60000,"stop_loss":61000}',
      '{"symbol":"BTC","side":"sell","size":0.1,"price":60000,"reduce_only":true}',
      '{"symbol":"BTC","side":"buy","size":0.1,"price":60000,"stop_loss_pct":3}',
      'Sell 3 ETH at 3200 to close half of the long',
    ],
    see(artifact) {
      if (!isTrade(artifact)) return []
      const { side, price, stop, stopShare, target, leverage } = readTrade(artifact)
      const isClosing =
        /reduce[_-]?only["']?\s*[:=]\s*["']?true|\b(?:clos(?:e|es|ing)|reduc(?:e|es|ing)|trim(?:s|ming)?|exit(?:s|ing)?|unwind(?:s|ing)?)\s+(?:out\s+)?(?:of\s+)?(?:(?:half|part|all|most|a\s+(?:third|quarter|part)|\d+\s?%)\s+(?:of\s+)?)?(?:the\s+|my\s+|our\s+|an?\s+)?(?:existing\s+|open\s+|current\s+)?(?:position|long|short|holding|exposure|stake)s?\b|take\s+profit\s+on/i.test(
          artifact.text,
        )
      const hits: Hit[] = []
      if (stop === undefined && stopShare === undefined && !isClosing)
        hits.push(
          hit('No stop: nothing bounds the loss.', (leverage ?? 1) > 3 ? 'high' : 'medium', 'stop_loss'),
        )
      if (
        stop !== undefined &&
        price !== undefined &&
        stop > 0.02 * price &&
        ((side === 'long' && stop >= price) || (side === 'short' && stop <= price))
      )
        hits.push(hit('The stop is on the winning side of the entry.', 'blocker', 'stop_loss'))
      if (
        target !== undefined &&
        price !== undefined &&
        target > 0.02 * price &&
        ((side === 'long' && target <= price) || (side === 'short' && target >= price))
      )
        hits.push(hit('The target is on the losing side of the entry.', 'high', 'take_profit'))
      return hits
    },
  }),
  wholeRule({
    id: 'trade-terms',
    category: 'trade',
    type: 'trade',
    severity: 'high',
    fix: 'State symbol, side, size and price, near the market, with a bound on slippage.',
    hits: [
      '{"side":"buy","stop_loss":1}',
      '{"symbol":"ETH","side":"buy","size":1,"price":4000,"mark_price":3000,"stop_loss":3900}',
      '{"symbol":"ETH","side":"buy","size":1,"price":100,"stop_loss":95,"slippage":"15%"}',
      'Buy ACME on insider information before the announcement',
      'Wash trade the token between our wallets to lift its volume',
    ],
    misses: [
      '{"symbol":"ETH","side":"buy","size":1,"price":3000,"mark_price":3001,"stop_loss":2900,"slippage":"0.5%"}',
      '{"symbol":"SPY","side":"sell","qty":10,"price":500,"stop_loss":510}',
    ],
    see(artifact) {
      if (!isTrade(artifact)) return []
      const { side, size, notional, price, mark, slippage, symbol } = readTrade(artifact)
      const { text } = artifact
      const hits: Hit[] = []
      if (
        /\b(?:insider|non-?public|mnpi|leaked\s+(?:earnings|results))\b/i.test(text) ||
        /\b(?:wash[- ]trad\w*|spoof\w*|pump[- ]and[- ]dump|front[- ]?run\w*|paint(?:ing)?\s+the\s+tape|layering\s+orders|corner\s+the\s+market)\b/i.test(
          text,
        )
      )
        hits.push(hit('It is forbidden: a manipulated market or inside knowledge.', 'blocker', 'reason'))
      const missing = [
        ...(side === undefined ? ['side'] : []),
        ...(size === undefined && notional === undefined ? ['size'] : []),
        ...(symbol === undefined &&
        !/\b[A-Z]{2,6}(?:[-/]?(?:USDC?|USDT|PERP|EUR|BTC|ETH))?\b|\b(?:shares?|units?|contracts?|ounces?|bonds?)\s+(?:of|in)\s+\w|\b(?:bitcoin|ether(?:eum)?|gold|silver|oil|solana|dogecoin)\b/.test(
          text,
        )
          ? ['symbol']
          : []),
      ]
      if (missing.length > 0)
        hits.push(hit(`It does not say ${missing.join(' and ')}.`, 'high', missing[0] ?? 'side'))
      if (price !== undefined && mark !== undefined && mark > 0) {
        const off = Math.abs(price - mark) / mark
        if (off > 0.05 && ((side === 'long' && price > mark) || (side === 'short' && price < mark)))
          hits.push(
            hit(
              `The price is ${(off * 100).toFixed(0)} % worse than the market.`,
              off > 0.2 ? 'blocker' : 'high',
              'price',
            ),
          )
      }
      if (slippage !== undefined && slippage > 3)
        hits.push(
          hit(`Slippage of ${slippage} % is allowed.`, slippage > 20 ? 'blocker' : 'high', 'slippage'),
        )
      return hits
    },
  }),
  wholeRule({
    id: 'trade-state',
    category: 'trade',
    type: 'trade',
    severity: 'blocker',
    fix: 'Wait until trading is on again, or make the position smaller.',
    hits: [
      {
        type: 'trade',
        artifact: '{"symbol":"BTC","side":"buy","size":1,"price":60000,"stop_loss":59000}',
        context: 'state: paused',
      },
    ],
    misses: ['{"symbol":"BTC","side":"buy","size":1,"price":60000,"stop_loss":59000}'],
    see(artifact) {
      const { tradingState, context } = artifact
      if (!isTrade(artifact)) return []
      const hits: Hit[] = []
      if (
        tradingState?.paused ||
        /\b(?:state|trading|desk|kill[- ]switch)\s*(?:is|:|=)\s*(?:paused|halted|stopped|engaged|active\s+kill)/i.test(
          context,
        )
      )
        hits.push(hit('Trading is paused.', 'blocker', 'trading_state.paused'))
      const { symbol, side, size } = readTrade(artifact)
      const position = tradingState?.positions.find(position => position.symbol === symbol)
      if (
        position &&
        size !== undefined &&
        Math.sign(position.size) === (side === 'short' ? -1 : 1) &&
        position.pnl < 0
      )
        hits.push(hit(`It adds to a losing position in ${symbol}.`, 'high', 'trading_state.positions'))
      return hits
    },
  }),
]

export { readTrade }
