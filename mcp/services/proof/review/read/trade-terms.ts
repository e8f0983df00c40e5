import { isRecord, parseJson } from '../../../../lib/json.ts'
import aliases from '../data/trade-fields.json' with { type: 'json' }

/** The terms of a trade, in numbers where it states them. */
export type TradeTerms = {
  side: 'long' | 'short' | undefined
  size: number | undefined
  price: number | undefined
  notional: number | undefined
  leverage: number | undefined
  stop: number | undefined
  target: number | undefined
  equity: number | undefined
  liquidity: number | undefined
  slippage: number | undefined
  mark: number | undefined
  symbol: string | undefined
  /** True where one price and one side are stated, so that they can be compared. */
  isSure: boolean
  /** The terms are fields of JSON. */
  isRecord: boolean
  /** It closes what is held, so that its price may stand beyond its stop. */
  isClosing: boolean
  /** The text of this order alone. */
  text: string
  /** Every field at any depth, by its own name in snake case. */
  fields: Readonly<Record<string, unknown>>
}

const amount = String.raw`(\d[\d,']{0,17}(?:\.\d{1,8})?)`
const scaleForm = String.raw`(?:\s?(k|m|mn|mio|million|thousand|bn|billion)\b)?`
const money = '(?:[$€£]|USDC?|USDT|EUR|GBP|CHF|JPY|SEK|NOK|DKK|CAD|AUD)'
/** The end of a number that is a price: no share, distance, count or time of day. */
const priceEnd = String.raw`(?![\d:]|[.,']\d|\s?(?:%|per\s?cent|percent|pips?\b|points?\b|ticks?\b|bps?\b|shares?\b|lots?\b|contracts?\b|units?\b|days?\b|weeks?\b|hours?\b|[ap]m\b|x\b|k\b|m\b|mn\b|ATR\b|of\b))`

const pricePattern = (label: string): RegExp =>
  new RegExp(String.raw`${label}\s{0,3}[:=]?\s{0,3}(?:${money}\s?)?${amount}${priceEnd}`, 'gi')

const stopPattern = pricePattern(
  String.raw`\b(?:stop(?:[- ]?loss)?|SL)(?:\s(?:price|order|level))?(?:\s(?:at|of|below|above|is|to))?`,
)
const targetPattern = pricePattern(
  String.raw`\b(?:take[- ]?profit|target|TP)(?:\s(?:price))?(?:\s(?:at|of|is))?`,
)
const entryPattern = pricePattern(
  String.raw`(?:\b(?:entry|price|limit)(?:\s(?:price))?(?:\s(?:at|of|is))?|@|(?<!\b(?:stop|loss|SL|profit|target|TP|exit|account)\s)\bat)`,
)
const markPattern = pricePattern(
  String.raw`\b(?:mark|market|spot|last|current(?:ly)?|trades|trading|quoted)(?:\s(?:price|mid|bid|ask))?(?:\s(?:at|is|of|now))?`,
)
const sizePattern = new RegExp(
  String.raw`\b(?:buy|sell|long|short|bought|sold|purchase)\s+(?:about\s+|another\s+|up\s+to\s+)?(${money}\s?)?${amount}${scaleForm}(?![\d:%]|[.,']\d|\s?%|\s?x\b)\s?(${money}\b|lots?\b|contracts?\b|calls?\b|puts?\b|options?\b|futures?\b)?`,
  'i',
)
const notionalPattern = new RegExp(
  String.raw`\b(?:notional|position|worth|value)\s*(?:of|:|is)?\s*${money}\s?${amount}${scaleForm}(?!\s?%)`,
  'i',
)
const equityPattern = new RegExp(
  String.raw`\b(?:equity|account|balance|portfolio|nav|capital)\s*(?:size\s*|value\s*|worth\s*)?(?:of|is|:|=)?\s*(?:${money}\s?)${amount}${scaleForm}(?![\d:]|[.,']\d|\s?%)`,
  'i',
)
const leveragePattern =
  /(?<![\d.,])(\d{1,4}(?:\.\d{1,3})?)\s?x\s+leverage|\bleverage\s*(?:of|:|=|is)?\s*(\d{1,4}(?:\.\d{1,3})?)(?!\d|\s?%)|(?<![\d.,])(\d{1,3})x\s+(?:long|short)|\b(?:long|short)\b[^.\n]{0,30}?(?<![\d.,])(\d{1,3})x\b/i
const slippagePattern =
  /(?<![\d.])(\d{1,9}(?:\.\d{1,6})?)\s?%\s{1,4}slippage|slippage\s*(?:of|:|tolerance|up\s+to){0,2}\s*(\d+(?:\.\d+)?)\s?%/i
const closingPattern =
  /reduce[_ -]?only|close[_ -]?only|\b(?:sell|buy)[_ -]to[_ -]close\b|\bclos(?:e|es|ing)\s+(?:out|half|part|the|my|our)\b|\b(?:exit|trim|unwind|take\s+profit\s+on|cover\s+(?:the|my|our)\s+short|flatten)\w*\b/i

const scales: Readonly<Record<string, number>> = { k: 1e3, t: 1e3, m: 1e6, b: 1e9 }

const toAmount = (digits = '', scale = ''): number =>
  Number(digits.replace(/[,'_]/g, '')) * (scales[scale.charAt(0).toLowerCase()] ?? 1)

/** The number in a field. */
export const toNumber = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return undefined
  const [, digits, scale] = /(-?\d[\d,_']*(?:\.\d+)?)\s?([kKmM]\b)?/.exec(value) ?? []
  return digits === undefined ? undefined : toAmount(digits, scale)
}

/** A price: no share, no distance in pips, no time of day. */
const toPrice = (value: unknown): number | undefined =>
  typeof value === 'string' &&
  /\d\s?(?:%|per\s?cent|pips?\b|points?\b|ticks?\b|bps?\b)|\d{1,2}:\d{2}/i.test(value)
    ? undefined
    : toNumber(value)

const snake = (key: string): string =>
  key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[ /-]+/g, '_')

/** Every field at any depth by its own name; of two of a name the one nearer to the top. */
const deepFields = (record: unknown): Record<string, unknown> => {
  const fields: Record<string, unknown> = {}
  let level: unknown[] = [record]
  for (let depth = 0; depth < 8 && level.length > 0; depth++) {
    const next: unknown[] = []
    for (const one of level.slice(0, 200)) {
      if (Array.isArray(one)) next.push(...one.slice(0, 200))
      if (!isRecord(one)) continue
      for (const [key, value] of Object.entries(one)) {
        if (!(snake(key) in fields)) fields[snake(key)] = value
        if (typeof value === 'object' && value !== null) next.push(value)
      }
    }
    level = next
  }
  return fields
}

/** The `key: value` rows of a text. */
const rowFields = (text: string): Record<string, unknown> =>
  Object.fromEntries(
    text.split('\n').flatMap((row): [string, string][] => {
      const [, key, value] =
        /^(?:[-*][ \t]*)?["']?([A-Za-z][\w %/-]{1,40}?)["']?[ \t]{0,4}[:=][ \t]{0,4}(\S.*)$/.exec(
          row.trim().slice(0, 300),
        ) ?? []
      return key === undefined || value === undefined ? [] : [[snake(key), value.replace(/,$/, '')]]
    }),
  )

/** Fields that say what an order is for. */
const kindFields = [
  'reduce_only',
  'close_only',
  'type',
  'order_type',
  'order',
  'action',
  'intent',
  'purpose',
  'instruction',
]

const isClosingField = (key: string, value: unknown): boolean =>
  value !== undefined &&
  !/^(?:false|no|0)\b/i.test(String(value)) &&
  closingPattern.test(`${key}: ${String(value)}`)

const maxText = 100_000

const longWord = /\b(?:buy(?:s|ing)?|long|accumulat\w+)\b(?![- ]term)/i
const shortWord = /\b(?:sell(?:s|ing)?|short)\b(?![- ]term)/i
const sentenceBreak = /\n|(?<=[.!?])\s+(?=[A-Z])/

/** What names an order among others of one record. */
const isOrder = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) &&
  [...aliases.side, ...aliases.price, ...aliases.size].filter(name =>
    Object.keys(value).some(key => snake(key) === name),
  ).length >= 2

/** The orders of a list in a record, at any depth that is written, each with the fields around it. */
const splitRecord = (value: unknown, around: Record<string, unknown> = {}, depth = 0): unknown[] => {
  if (Array.isArray(value) && value.filter(isOrder).length > 1)
    return value.map(one => ({ ...around, ...(isRecord(one) ? one : {}) }))
  if (!isRecord(value) || depth > 4) return []
  for (const [key, inner] of Object.entries(value)) {
    const { [key]: _, ...others } = value
    const found = splitRecord(inner, { ...around, ...others }, depth + 1)
    if (found.length > 0) return found
  }
  return []
}

const pricesIn = (pattern: RegExp, text: string): number[] =>
  [...text.matchAll(pattern)].map(([, digits]) => toAmount(digits)).filter(value => value > 0)

const isOrderSentence = (sentence: string): boolean =>
  (longWord.test(sentence) || shortWord.test(sentence)) && pricesIn(entryPattern, sentence).length === 1

const namesOfOrder = new Set<string>([...aliases.side, ...aliases.price, ...aliases.size, ...aliases.symbol])

/**
 * Splits a text where a second order begins: with a sentence of its own, or with the row of a field that the order before has already.
 * What stands before the first one belongs to it.
 */
const splitText = (text: string): string[] => {
  const parts: string[] = []
  let [start, hasSentence] = [0, false]
  let fields = new Set<string>()
  let at = 0
  for (const sentence of text.split(sentenceBreak)) {
    const from = text.indexOf(sentence, at)
    at = from + sentence.length
    const [field] = Object.keys(rowFields(sentence))
    const isField = field !== undefined && namesOfOrder.has(field)
    const isSentence = !isField && isOrderSentence(sentence)
    if ((isSentence && hasSentence) || (isField && fields.has(field))) {
      parts.push(text.slice(start, from))
      start = from
      hasSentence = false
      fields = new Set()
    }
    hasSentence ||= isSentence
    if (isField) fields.add(field)
  }
  return [...parts, text.slice(start)]
}

/** What is said once of all orders: the account, and an exit that stands alone. */
const withShared = (order: TradeTerms, whole: TradeTerms, exits: boolean): TradeTerms => ({
  ...order,
  equity: order.equity ?? whole.equity,
  leverage: order.leverage ?? whole.leverage,
  slippage: order.slippage ?? whole.slippage,
  ...(exits && { stop: order.stop ?? whole.stop, target: order.target ?? whole.target }),
})

const maxOrders = 50

/** The orders of an artifact, each with its own terms, at least one; `isCut` where there are more than are read. */
export const parseOrders = (whole: string): { orders: TradeTerms[]; isCut: boolean } => {
  const value = parseJson(whole)
  if (value !== undefined && typeof value === 'object') {
    const records = splitRecord(value)
    return {
      orders: (records.length > 1 ? records.slice(0, maxOrders) : [value]).map(one =>
        toTerms(deepFields(one), '', JSON.stringify(one)),
      ),
      isCut: records.length > maxOrders,
    }
  }
  const text = whole.slice(0, maxText)
  const terms = toTerms(rowFields(text), text)
  const parts = splitText(text)
  if (parts.length === 1) return { orders: [terms], isCut: false }
  const orders = parts.slice(0, maxOrders).map(part => toTerms(rowFields(part), part))
  // An exit that is stated once, on a row of its own, may be that of any of them: the worst decides.
  const isAlone = orders.filter(({ stop, target }) => stop !== undefined || target !== undefined).length === 1
  return {
    orders: orders.map(order => withShared(order, terms, isAlone)),
    isCut: parts.length > maxOrders,
  }
}
/** The terms of one order from its fields, and from the words of a text; `record` is that of JSON. */
const toTerms = (fields: Readonly<Record<string, unknown>>, words: string, record?: string): TradeTerms => {
  const pick = (name: keyof typeof aliases) =>
    aliases[name].map(key => fields[key]).find(value => value !== undefined && value !== null && value !== '')
  const first = (pattern: RegExp): number | undefined => {
    const digits = pattern
      .exec(words)
      ?.slice(1)
      .find(group => group !== undefined)
    return digits === undefined ? undefined : toAmount(digits)
  }
  const scaled = (pattern: RegExp): number | undefined => {
    const [, digits, scale] = pattern.exec(words) ?? []
    return digits === undefined ? undefined : toAmount(digits, scale)
  }
  // Where one sentence is the order, words elsewhere ("a short review", "at eight") change neither its side nor its price.
  const orders = words.split(sentenceBreak).filter(isOrderSentence)
  const order = orders.length === 1 ? (orders[0] ?? '') : words
  const isLong = longWord.exec(order)
  const isShort = shortWord.exec(order)
  const sideField = pick('side')
  const stated = String(
    sideField ?? (record !== undefined ? '' : (isLong?.[0] ?? isShort?.[0] ?? '')),
  ).toLowerCase()
  const side = /^(?:buy|long|bid|accumul)/.test(stated)
    ? 'long'
    : /^(?:sell|short|ask)/.test(stated)
      ? 'short'
      : undefined
  const [, currency, digits, scale, unit = ''] = sizePattern.exec(words) ?? []
  const isMoney = currency !== undefined || new RegExp(`^${money}`, 'i').test(unit)
  const isPlain = !/lot|contract|call|put|option|future/i.test(unit)
  const size =
    toNumber(pick('size')) ?? (digits === undefined || isMoney ? undefined : toAmount(digits, scale))
  const entries = pricesIn(entryPattern, order)
  const price = toPrice(pick('price')) ?? entries[0]
  const [stops, targets] = [pricesIn(stopPattern, words), pricesIn(targetPattern, words)]
  const notional =
    toNumber(pick('notional')) ??
    scaled(notionalPattern) ??
    (isMoney && digits !== undefined
      ? toAmount(digits, scale)
      : size !== undefined && price !== undefined && isPlain
        ? size * price
        : undefined)
  const symbol = pick('symbol')
  return {
    side,
    size,
    price,
    notional,
    leverage: toNumber(pick('leverage')) ?? first(leveragePattern),
    stop: toPrice(pick('stop')) ?? (stops.length === 1 ? stops[0] : undefined),
    target: toPrice(pick('target')) ?? (targets.length === 1 ? targets[0] : undefined),
    equity: toNumber(pick('equity')) ?? scaled(equityPattern),
    liquidity: toNumber(pick('liquidity')),
    slippage: toNumber(pick('slippage')) ?? first(slippagePattern),
    mark: toNumber(pick('mark')) ?? pricesIn(markPattern, words)[0],
    symbol: typeof symbol === 'string' ? symbol : undefined,
    isSure:
      record !== undefined ||
      ((sideField !== undefined || !(isLong && isShort)) &&
        (pick('price') !== undefined || new Set(entries).size === 1)),
    isRecord: record !== undefined,
    isClosing:
      closingPattern.test(record ?? order) || kindFields.some(key => isClosingField(key, fields[key])),
    text: record ?? words,
    fields,
  }
}
