import { asList, isRecord } from '../../../../lib/json.ts'
import type { Artifact } from '../artifact.ts'
import { readTradeWords } from '../read/trade-words.ts'
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
  /** Whether side and price are read for certain. */
  isSure: boolean
  /** What it is at odds with in its own text. */
  contradiction: string | undefined
}

const aliases: Readonly<
  Record<Exclude<keyof Trade, 'isMarket' | 'isSure' | 'contradiction'>, readonly string[]>
> = {
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

/** A price: no share, no distance in pips, no time of day. */
const toPrice = (value: unknown): number | undefined =>
  typeof value === 'string' &&
  /\d\s?(?:%|per\s?cent|pips?\b|points?\b|ticks?\b|bps?\b)|\d{1,2}:\d{2}/i.test(value)
    ? undefined
    : toNumber(value)

type Fields = Readonly<Record<string, unknown>>

const snake = (key: string): string => key.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()

/** Every field at any depth by its own name; of two of a name the one nearer to the top. */
const deepFields = (record: Fields): Record<string, unknown> => {
  const fields: Record<string, unknown> = {}
  let level: unknown[] = [record]
  for (let depth = 0; depth < 8 && level.length > 0; depth++) {
    const next: unknown[] = []
    for (const one of level.slice(0, 200))
      for (const [key, value] of Array.isArray(one)
        ? one.entries()
        : isRecord(one)
          ? Object.entries(one)
          : []) {
        if (typeof key === 'string' && !(snake(key) in fields)) fields[snake(key)] = value
        if (typeof value === 'object' && value !== null) next.push(value)
      }
    level = next
  }
  return fields
}

const held =
  /\b(?:reduce[_ -]?only|close[_ -]?only|(?:sell|buy)[_ -]to[_ -]close|close\s+out|clos(?:e|ing)\s+(?:out\s+)?(?:the\s+)?(?:remaining|rest)|held\s+since|i\s+keep\s+\d|we\s+keep\s+\d|position\s+after\W{1,4}(?:0|flat|zero|none)|shares?[_ ]cover(?:ed|s)?\W{1,4}true|cover\s+(?:the|my|our)\s+short|flatten\w*)\b/i
const paidFor =
  /\b(?:savings\s+plan|standing\s+order|(?:each|every|per)\s+month|monthly\s+(?:purchase|buy|plan|investment|contribution)|dollar[- ]cost|cost[- ]averag\w*|pension|retirement|index\s+(?:fund|etf)|world\s+(?:index|etf)|money\s+market|treasury\s+bills?|t-bills?|government\s+bonds?|financing\W{1,4}cash|paid\s+(?:in|with|from)\s+cash|cash[- ](?:funded|account|settled)|no\s+leverage|unleveraged|leverage_allowed\W{1,4}false|buy\s+and\s+hold|long[- ]term\s+holding)\b/i
const borrows =
  /\b(?:margin\s+(?:loan|account)|leverag(?:e|ed)\W{1,4}(?!allowed|false|none|no|1\b|0\b|\d_allowed)\w|borrow\w*|loan|perp\w*|futures?|options?|short|crypto|meme|altcoin|penny)\b|\b\d{1,3}x\b/i

/** Who allowed it, or what bounds it. */
const control =
  /\b(?:approv(?:ed|al)|authori[sz]ed|signed|sign-?off|countersigned|within\s+(?:the\s+|our\s+|its\s+)?(?:\w+\s+){0,2}(?:limits?|policy|mandate|bands?|budget|investment\s+policy)|(?:limit|policy|mandate|limits?)\s+(?:of|is|allows?)|investment\s+policy|policy\s+limit|(?:per|under)\s+(?:the\s+)?(?:policy|mandate|plan)|dual\s+control|max(?:imum)?\s+participation|limit\s+orders?|not\s+(?:below|above)|quotes?\s+from|agreed|mandate)\b|\b\d[\d.,]*\s?(?:%|k)?\s+of\s+(?:the\s+)?\$?\d[\d.,]*\s?(?:%|k)?\s*(?:limit)?/i
const uncontrolled =
  /\b(?:not?|without|never|lacks?|missing|pending|no)\s+(?:an?\s+|the\s+|any\s+|yet\s+)?(?:\w+\s+)?(?:approv\w+|authori[sz]\w+|sign-?off|signed|limits?|mandate|policy)\b|\b(?:overrid\w+|bypass\w*|ignor\w+|exceed\w*|breach\w*|outside|skip\w*|above)\s+(?:the\s+|our\s+|any\s+)?(?:\w+\s+){0,3}(?:limits?|checks?|mandate|policy|approvals?|bands?|controls?)\b/i
/** What it is for other than a bet. */
const purpose =
  /\b(?:rebalanc\w*|hedg\w+|vested|RSUs?|share\s+plan|pre-?clear\w*|receivables?|payables?|invoices?|fund(?:ing)?\s+(?:an?|the)|deposit|payroll|rent|tuition|tax(?:es)?|convert\w*|exchang\w+|treasury|corporate\s+cash|money\s+market|t-?bills?|bills?|bonds?|gilts?|held?\s+to\s+maturity|ladder|savings?|pension|retirement|gift|dividend\w*|vwap|twap|pov|participation|arrival|programme|long\s+sale|unwind\w*|roll(?:ing)?\b|covered|collateral|liquidat\w+|estate|donat\w+|transition|index\s+(?:fund|change|tracking)|redemptions?|subscriptions?|cash\s+(?:available|settled|account)|model\s+portfolio)\b/i
/** Words of a bet, which is not made safe by leave. */
const bets =
  /\b(?:leverag\w*|margin(?!\s+of)|perps?|perpetuals?|moon\w*|breakout|scalp\w*|day[- ]?trad\w*|meme\s?coins?|altcoins?|penny\s+stocks?|0dte|naked|lottery|yolo|rumou?r|tip)\b|(?<![\d.])\d{1,3}x\b/i

/** Whether somebody allowed it, or a policy bounds it, and it is no bet: such an order is bounded by other than a stop. */
const isGoverned = (text: string): boolean => {
  const bare = text.replace(
    /\b(?:no|not|without|never|un)\s?(?:any\s+)?(?:leverage\w*|margin|loans?|options?|futures|tips?)\b/gi,
    '',
  )
  return (
    !/^\s*[[{]/.test(text) &&
    !bets.test(bare) &&
    !uncontrolled.test(text) &&
    (control.test(text) || purpose.test(text))
  )
}

/** Whether it needs no stop: what is held is sold, or what is bought is paid for and kept. */
const needsNoStop = ({ record, text }: Artifact): boolean => {
  if (held.test(text) || isGoverned(text)) return true
  const fields = deepFields(record)
  const order = String(fields.side ?? fields.direction ?? '').toLowerCase()
  const before = toNumber(
    fields.position_before ?? fields.current_position ?? fields.shares_held ?? fields.holding,
  )
  const size = toNumber(fields.quantity ?? fields.size ?? fields.qty ?? fields.contracts)
  if (
    before !== undefined &&
    size !== undefined &&
    ((/^sell/.test(order) && before >= size) || (/^buy/.test(order) && before <= -size))
  )
    return true
  return (
    paidFor.test(text) &&
    !borrows.test(
      text.replace(
        /\b(?:no|not|without|never|un)\s?(?:any\s+)?(?:leverage\w*|margin|loans?|options?|futures)\b|leverage_allowed/gi,
        '',
      ),
    )
  )
}

const ratings: readonly string[] = ['AAA', 'AA', 'A', 'BBB', 'BB', 'B', 'CCC', 'CC', 'C', 'D']

/** How far down the scale of ratings one is; its sign is a third of a step. */
const rank = (rating: unknown): number | undefined => {
  const [, letters = '', sign = ''] = /^([A-D]{1,3})([+-]?)$/.exec(String(rating ?? '')) ?? []
  const at = ratings.indexOf(letters)
  return at < 0 ? undefined : at + (sign === '+' ? -0.3 : sign === '-' ? 0.3 : 0)
}

/** An option that is sold with nothing behind it. */
const isNaked = ({ record, text }: Artifact): boolean => {
  const bare = text.replace(
    /\b(?:no|not|never|without|isn't|aren't)\s+(?:\w+\s+)?(?:naked|uncovered|unhedged)\b/gi,
    '',
  )
  if (
    /\b(?:naked|uncovered)\s+(?:short\s+)?(?:\w+\s+)?(?:calls?|puts?|options?|straddles?|strangles?)\b/i.test(
      bare,
    ) &&
    /\b(?:sell|sold|short|write|writing|selling)\w*\b|sell_to_open/i.test(bare)
  )
    return true
  if (
    /\bsell|\bwrit(?:e|ing)|\bshort/i.test(bare) &&
    /\b(?:calls?|puts?|straddles?|strangles?)\b[^.;\n]{0,20}\b(?:uncovered|naked|unhedged)\b/i.test(bare)
  )
    return true
  if (/\bmax(?:imum)?[_ ]loss\W{1,5}(?:unlimited|infinite|unbounded|undefined)\b/i.test(bare)) return true
  const [, calls, shares100] =
    /\bsell(?:\s+to\s+open)?\s+(\d{1,5})\s+[^.;\n]{0,40}\bcalls?\b[^.;\n]{0,20}\bcovered\s+by\s+(?:the\s+)?(\d[\d,]{0,9})\s/i.exec(
      bare,
    ) ?? []
  if (calls !== undefined && shares100 !== undefined && Number(calls) * 100 > (toNumber(shares100) ?? 0))
    return true
  const fields = deepFields(record)
  const sold = fields.sell_to_open
  const type = String(fields.option_type ?? (isRecord(sold) ? sold.type : '') ?? '')
  const shares = fields.shares_held
  const count = isRecord(shares) ? Object.values(shares).map(toNumber)[0] : toNumber(shares)
  const contracts = toNumber(fields.contracts)
  return (
    /call/i.test(type) &&
    count !== undefined &&
    contracts !== undefined &&
    count < contracts * 100 &&
    fields.shares_cover !== true &&
    !/spread|long_leg|buy_to_open/i.test(text)
  )
}

const bearish = /^(?:strong[_ ])?(?:sell|short|bear\w*|negative|exit|avoid|reduce\b.*|trim\b.*|close\b.*)/i
const bullish = /^(?:strong[_ ])?(?:buy|long\b|bull\w*|positive|accumulate|add\b.*)/i

/** What was found, where the order does the contrary. */
const findContrary = ({ record, text }: Artifact): string | undefined => {
  const fields = deepFields(record)
  const order = String(fields.side ?? fields.action ?? fields.direction ?? '').toLowerCase()
  const position = toNumber(fields.position ?? fields.position_before ?? fields.current_position)
  for (const key of [
    'signal',
    'decision',
    'recommendation',
    'view',
    'thesis',
    'model_signal',
    'forecast',
    'outlook',
  ]) {
    const said = fields[key]
    if (typeof said !== 'string') continue
    if (
      /^(?:buy|long)/.test(order) &&
      bearish.test(said) &&
      !/\bshort\b/i.test(said.replace(bearish, '')) &&
      !(position !== undefined && position < 0) &&
      !/\bcover|hedg/i.test(text)
    )
      return `It says ${said.slice(0, 40)}, and the order buys.`
    if (
      /^(?:sell|short)/.test(order) &&
      bullish.test(said) &&
      !(position !== undefined && position > 0 && /reduce|trim|close|rebalanc|profit/i.test(text)) &&
      !/\bcovered|hedg|rebalanc/i.test(text)
    )
      return `It says ${said.slice(0, 40)}, and the order sells.`
  }
  return undefined
}

const tradeByArtifact = new WeakMap<Artifact, Trade>()

/** What a trade states, read once. */
const readTrade = (artifact: Artifact): Trade => {
  const trade = tradeByArtifact.get(artifact) ?? readFields(artifact)
  tradeByArtifact.set(artifact, trade)
  return trade
}

const readFields = ({ record, text }: Artifact): Trade => {
  const inner =
    ['trade', 'order', 'position'].map(key => record[key]).find(isRecord) ??
    asList(record.orders).find(isRecord)
  const fields = Object.fromEntries(
    Object.entries({ ...record, ...(inner ?? {}) }).map(([key, value]) => [snake(key), value]),
  )
  const deep = deepFields(record)
  for (const key of ['contracts', 'quantity', 'side', 'symbol', 'underlying', 'notional_eur', 'notional'])
    if (!(key in fields) && typeof deep[key] !== 'object' && deep[key] !== undefined) fields[key] = deep[key]
  const pick = (name: keyof typeof aliases) =>
    aliases[name].map(key => fields[key]).find(value => value !== undefined && value !== null && value !== '')
  const isRecordText = /^\s*[[{]/.test(text)
  const words = readTradeWords(isRecordText ? '' : text)
  const find = (pattern: RegExp) => toNumber(pattern.exec(text.slice(0, 4000))?.[1])
  const sideText = String(
    pick('side') ??
      (isRecordText ? /\b(buy|sell|long|short)(?:\b|_to_(?:open|close))/i.exec(text)?.[1] : undefined) ??
      words.side ??
      '',
  ).toLowerCase()
  const side = /^(?:buy|long|bid|accumul)/.test(sideText)
    ? 'long'
    : /^(?:sell|short|ask)/.test(sideText)
      ? 'short'
      : words.side
  const size =
    toNumber(pick('size')) ??
    (isRecordText
      ? find(/\b(?:buy|sell|long|short)\s+\$?(-?\d[\d,]*(?:\.\d+)?[km]?)/i)
      : (words.size ?? find(/\b(?:buy|sell|long|short)\s+(-\d[\d,]{0,15}(?:\.\d{1,8})?)(?![\d%]|\s?%)/i)))
  const [price = words.prices[0]] = [toPrice(pick('price'))]
  const notional = toNumber(pick('notional')) ?? words.notional
  const isPlain = isRecordText || words.isPlainSize
  // Of several in one text the first on the losing side is taken: another may be a limit of the account.
  const onSide = (values: readonly number[], isBelow: boolean) =>
    values.find(value => price === undefined || (isBelow ? value < price : value > price)) ?? values[0]
  return {
    side,
    isSure: isRecordText || (words.isSureSide && new Set(words.prices).size <= 1),
    size,
    price,
    notional: notional ?? (size !== undefined && price !== undefined && isPlain ? size * price : undefined),
    leverage: toNumber(pick('leverage')) ?? words.leverage,
    stop: toPrice(pick('stop')) ?? onSide(words.stops, side === 'long'),
    stopShare:
      toNumber(pick('stopShare')) ??
      find(/\b(?:trailing\s+)?stop(?:[- ]?loss)?\s+(?:at|of|:)?\s*-?(\d{1,3}(?:\.\d{1,4})?)\s?%/i) ??
      find(
        /\b(?:stop(?:[- ]?loss)?|SL)\s*(?:at|of|:)?\s*(\d{1,4}(?:\.\d{1,4})?)\s?(?:pips?|points?|ticks?)\b/i,
      ),
    target: toPrice(pick('target')) ?? onSide(words.targets, side === 'short'),
    equity: toNumber(pick('equity')) ?? words.equity,
    liquidity: toNumber(pick('liquidity')),
    slippage:
      toNumber(pick('slippage')) ??
      find(/(?<![\d.])(\d{1,9}(?:\.\d{1,6})?)\s?%\s{1,4}slippage/i) ??
      find(/slippage\s*(?:of|:|tolerance)?\s*(\d+(?:\.\d+)?)\s?%/i),
    mark: toNumber(pick('mark')),
    symbol: typeof pick('symbol') === 'string' ? String(pick('symbol')) : undefined,
    isMarket: /\bmarket\b/i.test(String(fields.type ?? fields.order_type ?? '')),
    contradiction: words.contradiction,
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

/** What is not public yet, and who knows it all the same. */
const unannounced =
  /\b(?:(?:not|un)\s?(?:yet\s+)?(?:announced|public|published)|(?:will|is\s+to|to)\s+be\s+(?:announced|published|made\s+public)|before\s+(?:the\s+)?(?:news|announcement|bell|publication|earnings\s+come|it\s+(?:is|becomes)\s+public|they\s+announce)|(?:announce[sd]?|announcement|comes?\s+out|published?)\s+(?:is\s+)?(?:on|tomorrow|next|at|until)\b)/i
const insiders =
  /\b(?:brother|sister|cousin|wife|husband|friend|uncle|aunt|father|mother|son|daughter|neighbou?r|flatmate|room-?mate|in-law|ex-?colleague|colleague|contact|client|lawyer|patient|golf\s+partner)s?(?:-in-law)?\b[^.!?\n]{0,60}\b(?:board|finance\s+team|cfo|ceo|audit\w*|bank(?:er)?|law\s+firm|legal|deal\s+team|works?\s+(?:in|at|for)|director|ministry|trial|inside)\b/i
const hidesIt =
  /\bso\s+(?:that\s+)?(?:compliance|nobody|no\s+one|the\s+(?:regulator|broker|exchange|auditors?|bank|fund|client|risk\s+\w+))\s+(?:doesn't|does\s+not|won't|will\s+not|can't|cannot|never)?\s?(?:links?|sees?|finds?|notices?|knows?|traces?|detects?)\b|\b(?:wife|husband|mother|father|friend|brother|sister|cousin|aunt|uncle)'s\s+account\b|\bhid(?:e|ing|den)\s+(?:it\s+|this\s+|the\s+\w+\s+)?from\s+(?:compliance|risk|the\s+(?:client|regulator|auditors?))/i

/** Orders that say in other words than buy or sell which way money goes. */
export const movesMoney =
  /\b(?:convert\w*|exchang\w+|standing\s+order|invest\w*|subscri\w+|redeem\w*|switch\w*|rebalanc\w*|roll(?:s|ing)?|exercis\w+|tender\w*|contribut\w+|deposit\w*|savings\s+plan|unwind\w*|hedg\w+|swap\w*|reinvest\w*)\b/i

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
      'Sell 10 naked calls on AMD before earnings, stop at 200.',
      '{"sell_to_open":{"type":"call","contracts":5},"shares_held":{"KO":100},"stop_loss":1}',
      'Sell 400,000 shares of Delta Rail at market; average daily volume is 500,000.',
      'Intended: buy 50 shares of ACME. Order sent: BUY 5,000 ACME at market.',
      'We will receive USD 2m in May; to hedge, buy USD 2m forward against EUR.',
      'Sell 10 puts on SNAP, unhedged, at market.',
      '{"symbol":"ETH","side":"buy","intended_qty":2,"qty":200,"limit_price":3000,"stop_loss":2990}',
      'Client asked to sell 20 contracts; executed: bought 20 contracts of the future.',
      'Sell 900 shares of ORBI at limit 12.40. Position: 300 shares.',
      'Sell to open 4 KO Jan 70 calls, covered by 300 KO shares, limit 1.10.',
    ],
    misses: [
      'We will receive USD 2m in May; to hedge, sell USD 2m forward against EUR.',
      'Intended: buy 50 shares of ACME. Order sent: BUY 50 ACME limit 12.10, stop 11.50.',
      'Sell to open 3 KO Jan 70 calls, covered by 300 KO shares, limit 1.10.',
      'Portfolio 2.1 M EUR, rebalance to 5 %: sell 300 of 2,000 shares, limit 51.20.',
      'Buy $5,000 of ETH at 3,000, stop 2,900; account 400k USD.',
      '{"sell_to_open":{"type":"call","contracts":2},"shares_held":{"KO":300},"shares_cover":true}',
      '{"symbol":"N","side":"sell","quantity":30000,"limit_price":94,"average_daily_volume":4800000,"max_participation_pct":3}',
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
      // A daily volume beside a quantity is counted in pieces, whatever one of them costs.
      const inPieces =
        /["']?(?:average_daily_volume|avg_daily_volume|adv|adv_shares|daily_volume_shares)["']?\s*:/i.test(
          text,
        ) && size !== undefined
      const share = inPieces ? (size ?? 0) / (liquidity ?? 1) : (notional ?? 0) / (liquidity ?? 1)
      if (liquidity !== undefined && liquidity > 0 && share > (inPieces ? 0.05 : 0.02))
        hits.push(
          hit(
            `The position is ${(share * 100).toFixed(0)} % of what is traded.`,
            share > 0.2 ? 'blocker' : 'high',
            'notional',
          ),
        )
      const [, volumeDigits, volumeScale = ''] =
        /\b(?:(?:average\s+)?daily\s+volume|adv|normal\s+day\s+trades|trades\s+about|day\s+trades)\s*(?:is|of|:|=)?\s*(?:about\s+|only\s+|around\s+)?(\d[\d,]{0,14}(?:\.\d{1,4})?)(?![\d.])\s?(k\b|m\b|mn\b|million\b|bn\b|billion\b)?/i.exec(
          artifact.prose,
        ) ?? []
      const traded = toNumber(volumeDigits)
      const volume =
        traded === undefined
          ? undefined
          : traded *
            (/^b/i.test(volumeScale)
              ? 1e9
              : /^m/i.test(volumeScale)
                ? 1e6
                : /^k/i.test(volumeScale)
                  ? 1e3
                  : 1)
      if (
        volume !== undefined &&
        size !== undefined &&
        volume > 0 &&
        size / volume > 0.25 &&
        !/\b(?:over|across|spread)\s+(?:\w+\s+){0,3}(?:days|weeks)\b/i.test(text)
      )
        hits.push(hit(`It is ${((size / volume) * 100).toFixed(0)} % of a day's volume.`, 'high', 'size'))
      const deep = deepFields(artifact.record)
      const meant = toNumber(
        deep.intended_qty ??
          deep.intended_quantity ??
          deep.intended_size ??
          deep.requested_quantity ??
          deep.approved_quantity,
      )
      if (meant !== undefined && meant > 0 && size !== undefined && size > meant * 1.1)
        hits.push(hit(`${meant} were meant, and the order is for ${size}.`, 'blocker', 'size'))
      if (trade.contradiction !== undefined) hits.push(hit(trade.contradiction, 'blocker', 'size'))
      if (isNaked(artifact)) hits.push(hit('An option is sold with nothing behind it.', 'blocker', 'size'))
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
      'Buy 200 shares of ORBI, limit 9.10, stop 9.80.',
    ],
    misses: [
      '{"symbol":"BTC","side":"buy","size":0.1,"price":60000,"stop_loss":58000,"take_profit":65000}',
      '{"symbol":"BTC","side":"sell","size":0.1,"price":60000,"stop_loss":61000}',
      '{"symbol":"BTC","side":"sell","size":0.1,"price":60000,"reduce_only":true}',
      '{"symbol":"BTC","side":"buy","size":0.1,"price":60000,"stop_loss_pct":3}',
      'Sell 3 ETH at 3200 to close half of the long',
      'Buy 600 shares of ORBI, limit 9.10; stop level of the position 8.20.',
      'Close the short: buy to cover 500 NVDA at 118.20 limit.',
      'GBPUSD: BUY 0.1 lots limit 1.2650, stop 35 pips, account stop at -3 % per week.',
      'Close out 40 shares of ORBI at limit 23.10; the open stop order at 20.90 is cancelled.',
      'Buy 200 shares of ORBI, limit 9.10, entered 10:15; exit if it closes below 8.20.',
      'Close out the remaining 120 shares of Siemens Energy at limit 23.10.',
      'Each month buy a world index ETF for 250 EUR from salary.',
      '{"symbol":"N","side":"sell","quantity":300,"position_before":900,"limit_price":94}',
    ],
    see(artifact) {
      if (!isTrade(artifact)) return []
      const { side, price, stop, stopShare, target, leverage, isSure } = readTrade(artifact)
      const isClosing =
        /reduce[_-]?only["']?\s*[:=]\s*["']?true|\b(?:clos(?:e|es|ing)|reduc(?:e|es|ing)|trim(?:s|ming)?|exit(?:s|ing)?|unwind(?:s|ing)?)\s+(?:out\s+)?(?:of\s+)?(?:(?:half|part|all|most|a\s+(?:third|quarter|part)|\d+\s?%)\s+(?:of\s+)?)?(?:the\s+|my\s+|our\s+|an?\s+)?(?:existing\s+|open\s+|current\s+)?(?:[A-Za-z]{2,10}[-/]?\w{0,5}\s+){0,2}(?:position|long|short|holding|exposure|stake)s?\b|take\s+profit\s+on|\bcovered\s+(?:calls?|by)\b|\b(?:exit|get\s+out|close|sell\s+(?:all|everything|out))\s+(?:\w+\s+){0,2}(?:if|when|on|once|below|above|under|at)\s+(?:it|the|a|price|[A-Z]{2,6}|[\d.]{1,9})\b|\b(?:bring|cut|reduce|move|trim)\w*\s+(?:the\s+|its\s+)?weight\b|\bcash[- ]secured\s+puts?\b|\bprotective\s+puts?\b|\brebalanc\w+|(?<!\b(?:no|not|un|without)[\s-]?(?:an?\s)?)\b(?:delta[- ]?)?hedg(?:e|es|ing)\b|\btrim\b|\b(?:defined|limited|max(?:imum)?)\s+(?:risk|loss)\b/i.test(
          artifact.text,
        )
      const hits: Hit[] = []
      const opens = /^\s*[[{]/.test(artifact.text) || !(isClosing || held.test(artifact.text))
      if (stop === undefined && stopShare === undefined && !isClosing && !needsNoStop(artifact))
        hits.push(
          hit('No stop: nothing bounds the loss.', (leverage ?? 1) > 3 ? 'high' : 'medium', 'stop_loss'),
        )
      if (
        isSure &&
        opens &&
        stop !== undefined &&
        price !== undefined &&
        stop > 0.02 * price &&
        ((side === 'long' && stop >= price) || (side === 'short' && stop <= price))
      )
        hits.push(hit('The stop is on the winning side of the entry.', 'blocker', 'stop_loss'))
      if (
        isSure &&
        opens &&
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
      '{"symbol":"ES","signal":"sell","order":{"side":"buy","quantity":2},"stop_loss":1}',
      '{"symbol":"ADA","analysis":{"view":"bullish"},"side":"sell","qty":100,"stop_loss":1}',
    ],
    misses: [
      '{"symbol":"ES","signal":"sell","position":-2,"order":{"side":"buy","quantity":2},"reason":"cover","stop_loss":1}',
      '{"symbol":"ADA","analysis":{"view":"bearish"},"side":"sell","qty":100,"stop_loss":1}',
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
        ...(side === undefined && !movesMoney.test(text) ? ['side'] : []),
        ...(size === undefined &&
        notional === undefined &&
        !/\b(?:half|all|a\s+(?:third|quarter)|\d{1,3}(?:\.\d+)?\s?%)|(?:[$€£¥]|\b(?:USDC?|EUR|GBP|CHF|JPY|SEK|NOK|DKK|CAD|AUD)\s?)\d|\d\s?(?:k|m|mn|million|bn)?\s?(?:USDC?|EUR|GBP|CHF|JPY|SEK|NOK|DKK|CAD|AUD|euros?|dollars?|pounds?|francs?)\b/i.test(
          text,
        )
          ? ['size']
          : []),
        ...(symbol === undefined &&
        !/\b[A-Z]{2,6}(?:[-/]?(?:USDC?|USDT|PERP|EUR|BTC|ETH))?\b|\b(?:shares?|units?|contracts?|ounces?|bonds?|RSUs?|options?)\s+(?:of|in)\s+\w|\b(?:index\s+funds?|(?:\w+\s+)?(?:fund|etf|bonds?|bills?|gilts?|notes?))\b|\b(?:bitcoin|ether(?:eum)?|gold|silver|oil|solana|dogecoin)\b/.test(
          text,
        )
          ? ['symbol']
          : []),
      ]
      if (
        unannounced.test(text) &&
        insiders.test(text) &&
        !/\b(?:not|don't|cannot|must\s+not|will\s+not|won't|did\s+not|declin\w+|refus\w+|blocked)\s+(?:\w+\s+){0,2}(?:trad\w*|buy|sell|place)/i.test(
          text,
        )
      )
        hits.push(hit('It uses what only insiders know.', 'blocker', 'reason'))
      if (
        /\b(?:i\s+(?:just\s+)?feel\s+it|gut\s+feeling|a\s+hunch|trust\s+me|can\s+feel\s+it)\b/i.test(text) &&
        !/\b(?:no|not|instead\s+of)\s+(?:an?\s+)?(?:gut|hunch)/i.test(text)
      )
        hits.push(hit('It rests on a feeling.', 'medium', 'reason'))
      if (hidesIt.test(text)) hits.push(hit('It is kept from those who watch.', 'blocker', 'account'))
      if (
        /\b(?:is|are|was|been|still)\s+on\s+(?:the|our|a)\s+(?:[\w']+\s+)?(?:restricted|watch|grey|gray|stop)\s+list\b/i.test(
          text,
        ) &&
        !/\b(?:not|no\s+longer|nothing)\s+on\s+(?:the|our)\s+(?:[\w']+\s+)?(?:restricted|watch|grey|gray|stop)\s+list\b|\b(?:reject\w*|declin\w+|blocked|cancel\w*|not\s+(?:placed|traded|sent))\b/i.test(
          text,
        )
      )
        hits.push(hit('It is on the list of what may not be traded.', 'blocker', 'symbol'))
      const overridden =
        /\b(?:overrid\w+|bypass\w*|disabl\w+|switch\s+off|turn\s+off)\s+(?:the\s+|our\s+|all\s+)?(?:\w+\s+){0,3}(?:limits?|limit\s+checks?|risk\s+checks?|pre-?trade\s+checks?|kill[- ]?switch|price\s+collars?|controls?)\b|\b(?:compliance|limit|risk(?:\s+check)?|collar)\s+overrid\w+/i.exec(
          text,
        )
      if (
        overridden &&
        !/\b(?:not|never|no|don't|cannot)\s+(?:\w+\s+){0,2}$/i.test(text.slice(0, overridden.index))
      )
        hits.push(hit(`A limit is overridden: ${overridden[0]}`, 'high', 'limits'))
      const contrary = findContrary(artifact)
      if (contrary !== undefined) hits.push(hit(contrary, 'blocker', 'side'))
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
    id: 'trade-mandate',
    category: 'trade',
    type: 'trade',
    severity: 'blocker',
    fix: 'Keep within the limits that the mandate names, or have it changed first.',
    hits: [
      '{"mandate":{"leverage_allowed":false},"order":{"side":"buy","symbol":"X","quantity":1,"financing":"repo"}}',
      '{"mandate":{"max_single_issuer_pct":5},"nav_eur":1000000,"order":{"side":"buy","symbol":"X","notional_eur":90000,"financing":"cash"}}',
      '{"limits":{"min_rating":"BBB-"},"order":{"symbol":"Y","rating":"CCC","side":"buy","notional_eur":5}}',
      '{"max_contracts_policy":3,"side":"sell","symbol":"KO","contracts":5,"stop_loss":1}',
    ],
    misses: [
      '{"mandate":{"leverage_allowed":false},"order":{"side":"buy","symbol":"X","quantity":1,"financing":"cash"}}',
      '{"mandate":{"max_single_issuer_pct":5},"nav_eur":1000000,"order":{"side":"buy","symbol":"X","notional_eur":40000}}',
      '{"limits":{"min_rating":"BBB-"},"order":{"symbol":"Y","rating":"AA+","side":"buy","notional_eur":5}}',
    ],
    see(artifact) {
      if (!isTrade(artifact)) return []
      const fields = deepFields(artifact.record)
      const hits: Hit[] = []
      if (
        (fields.leverage_allowed === false || fields.max_leverage === 1) &&
        /^(?:repo|margin|loan|borrowed|credit|leverage)/i.test(
          String(fields.financing ?? fields.funding ?? ''),
        )
      )
        hits.push(hit('It borrows, and the mandate forbids it.', 'blocker', 'financing'))
      const [least, own] = [rank(fields.min_rating), rank(fields.rating)]
      if (least !== undefined && own !== undefined && own > least && !/^sell/i.test(String(fields.side)))
        hits.push(hit('Its rating is below the least that is allowed.', 'blocker', 'rating'))
      const most = toNumber(fields.max_single_issuer_pct ?? fields.max_position_pct ?? fields.max_weight_pct)
      const nav = toNumber(fields.nav_eur ?? fields.nav_usd ?? fields.nav ?? fields.equity)
      const notional = toNumber(fields.notional_eur ?? fields.notional_usd ?? fields.notional)
      const after = toNumber(
        fields.issuer_weight_after_pct ?? fields.weight_after_pct ?? fields.position_pct_after,
      )
      const share = after ?? (nav && notional !== undefined ? (notional / nav) * 100 : undefined)
      if (most !== undefined && share !== undefined && share > most && !/^sell/i.test(String(fields.side)))
        hits.push(hit(`It comes to ${share.toFixed(1)} %, and ${most} % are allowed.`, 'blocker', 'notional'))
      const maxContracts = toNumber(fields.max_contracts_policy ?? fields.max_contracts)
      const contracts = toNumber(fields.contracts)
      if (maxContracts !== undefined && contracts !== undefined && contracts > maxContracts)
        hits.push(hit(`${contracts} contracts, and ${maxContracts} are allowed.`, 'blocker', 'contracts'))
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
