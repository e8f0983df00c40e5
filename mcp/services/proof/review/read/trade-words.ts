/** What a trade says in words. What is not certain of itself is undefined. */
export type TradeWords = {
  side: 'long' | 'short' | undefined
  /** Whether words of one side only are in the text. */
  isSureSide: boolean
  /** Pieces that are bought or sold. */
  size: number | undefined
  /** Whether a piece is one share or coin, so that price times size is its worth. */
  isPlainSize: boolean
  prices: readonly number[]
  stops: readonly number[]
  targets: readonly number[]
  notional: number | undefined
  equity: number | undefined
  leverage: number | undefined
  /** What the order is at odds with in its own text. */
  contradiction: string | undefined
}

const amount = String.raw`(\d[\d,']{0,17}(?:\.\d{1,8})?)`
const scaleForm = String.raw`(?:\s?(k|m|mn|mio|million|thousand|bn|billion)\b)?`
/** The end of a number that is a price: no share, distance, count or time of day. */
const priceEnd = String.raw`(?![\d:]|[.,']\d|\s?(?:%|per\s?cent|percent|pips?\b|points?\b|ticks?\b|bps?\b|basis\b|shares?\b|lots?\b|contracts?\b|units?\b|days?\b|weeks?\b|hours?\b|minutes?\b|[ap]m\b|UTC\b|CET\b|x\b|k\b|m\b|mn\b|ATR\b|of\b))`
const money = '(?:[$€£]|USDC?|USDT|EUR|GBP|CHF|JPY|SEK|NOK|DKK|CAD|AUD)'

const scales: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mn: 1e6,
  mio: 1e6,
  million: 1e6,
  bn: 1e9,
  billion: 1e9,
}

const toAmount = (digits = '', scale = ''): number =>
  Number(digits.replace(/[,']/g, '')) * (scales[scale.toLowerCase()] ?? 1)

const labelledPrice = (label: string): RegExp =>
  new RegExp(String.raw`${label}\s{0,3}[:=]?\s{0,3}(?:${money}\s?)?${amount}${priceEnd}`, 'gi')

const stopForm = labelledPrice(
  String.raw`\b(?:stop(?:[- ]?loss)?|SL)(?:\s(?:price|order|level))?(?:\s(?:for|of)\s(?:the\s)?\w{1,9})?(?:\s(?:at|of|below|above|is|to))?`,
)
const targetForm = labelledPrice(
  String.raw`\b(?:take[- ]?profit|target|TP)(?:\s(?:price))?(?:\s(?:at|of|is))?`,
)
const firmPriceForm = labelledPrice(
  String.raw`(?:\b(?:entry|price|limit)(?:\s(?:price))?(?:\s(?:at|of|is))?|@)`,
)
const loosePriceForm = labelledPrice(String.raw`(?<!\b(?:stop|loss|SL|profit|target|TP|exit|account)\s)\bat`)

const valuesOf = (form: RegExp, text: string): number[] =>
  [...text.matchAll(form)].map(([, digits]) => toAmount(digits)).filter(value => value > 0)

const longWord = /\b(?:buy(?:s|ing)?|bought|long|accumulat(?:e|es|ing)|purchas(?:e|es|ing))\b(?![- ]term)/i
const shortWord = /\b(?:sell(?:s|ing)?|sold|short)\b(?![- ]term)/i

const sizeForm = new RegExp(
  String.raw`\b(?:buy|sell|long|short|bought|sold|accumulate|purchase)(?:\s+to\s+(?:open|close|cover)|\s+back)?\s+(?:about\s+|another\s+|up\s+to\s+)?(${money}\s?)?${amount}${scaleForm}(?![\d:%]|[.,']\d|\s?%|\s?x\b)\s?(${money}\b|lots?\b|contracts?\b|calls?\b|puts?\b|options?\b|futures?\b|\w{1,6}\s\w{3,9}\s\d{1,5}\s(?:calls?|puts?)\b)?`,
  'gi',
)
const countForm = new RegExp(
  String.raw`(?<![\d.,:'])${amount}${scaleForm}\s+(shares|contracts|units|lots|coins|ounces)\b`,
  'i',
)
const notionalForm = new RegExp(
  String.raw`\b(?:notional|position|worth|value)\s*(?:of|:|is)?\s*${money}\s?${amount}${scaleForm}(?!\s?%)`,
  'i',
)
const equityForm = new RegExp(
  String.raw`\b(?:equity|account|balance|portfolio|nav|capital)\s*(?:size\s*|value\s*|worth\s*)?(?:of|is|:|=)?\s*(?:${money}\s?)?${amount}${scaleForm}(?![\d:]|[.,']\d|\s?%)`,
  'gi',
)
/** An account with a bare number is named by it, not worth it. */
const isAccountNumber = (whole: string): boolean => /^(?:account|portfolio)\s*\W?\s*\d[\d]*$/i.test(whole)
const leverageForm =
  /(?<![\d.,])(\d{1,4}(?:\.\d{1,3})?)x\b(?!\s?\d|\s+(?:the\s+)?(?:average|atr|daily|volume|adv|risk|reward|spread|normal|usual|earnings|sales|book))|\b(\d{1,4})\s?x\s+leverage|\bleverage\s*(?:of|:|=|is)?\s*(\d{1,4}(?:\.\d{1,3})?)(?!\d|\s?%)/i

const intends =
  /\b(?:intended|intention|instructions?|instructed|requested|planned|wanted|client\s+(?:asked|order(?:ed)?|request)|ticket\s+says|approved(?:\s+(?:order|size))?|mandate\s+says)\b/i
const sends =
  /\b(?:order\s+(?:as\s+)?(?:sent|placed|entered|submitted|routed|generated)|(?:sent|placed|entered|submitted|routed|executed|keyed(?:\s+in)?|typed)(?:\s+order)?)\s*(?::|as\b|to\b|was\b|is\b|a\b)?/i
const holds = new RegExp(
  String.raw`\b(?:position\s+held|positions?|holdings?|currently\s+hold(?:s|ing)?|we\s+hold|i\s+hold|account\s+holds|held|owned|inventory)\s*(?:is|are|of|:|=|before)?\s*(?:only\s+|about\s+)?${amount}${scaleForm}\s?(?:shares|units|coins|contracts)?(?![\d:%]|[.,']\d|\s?%)`,
  'i',
)
/** A quantity after a verb, or of shares. */
const quantityForm = new RegExp(
  String.raw`\b(buy|sell|bought|sold)\s+${amount}${scaleForm}(?![\d:]|[.,']\d|\s?%)(?!\s?${money})|(?<![\d.,:'])${amount}${scaleForm}\s+(?:shares|contracts|units|lots|coins)\b`,
  'i',
)

type Quantity = { side: string; count: number }

const quantityIn = (text: string): Quantity | undefined => {
  const match = quantityForm.exec(text)
  if (!match) return undefined
  const [, verb = '', digits, scale, otherDigits, otherScale] = match
  return {
    side: /^b/i.test(verb) ? 'buy' : /^s/i.test(verb) ? 'sell' : '',
    count: toAmount(digits ?? otherDigits, scale ?? otherScale),
  }
}

const sellsShort =
  /\b(?:short\s+s(?:ale|ell\w*)|sell\s+short|go(?:ing)?\s+short|borrow(?:ed|ing)?|locate|flip|revers\w+)\b/i

/** What a hedge is to protect from. */
const feared = {
  falling:
    /\b(?:afraid|fear\w*|worr(?:y|ied)|protect\w*|concern\w*|risk|against)\b[^.;\n]{0,40}\b(?:fall(?:s|ing)?|drop(?:s|ping)?|declin(?:e|es|ing)|lower\s+prices?)\b/i,
  rising:
    /\b(?:afraid|fear\w*|worr(?:y|ied)|protect\w*|concern\w*|risk|against)\b[^.;\n]{0,40}\b(?:ris(?:e|es|ing)|increas(?:e|es|ing)|higher\s+prices?)\b/i,
}

const digitWords: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
}

/** "one thousand" as 1,000, so that an instruction in words can be set beside an order in figures. */
const withFigures = (text: string): string =>
  text.replace(
    /\b(an?|one|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty)\s+(hundred|thousand|million)\b/gi,
    (_, count: string, scale: string) =>
      String(
        (digitWords[count.toLowerCase()] ?? 1) * (/^h/i.test(scale) ? 100 : /^t/i.test(scale) ? 1e3 : 1e6),
      ),
  )

/** What was meant beside what was sent, and what is sold beside what is held. */
const findContradiction = (text: string): string | undefined => {
  const [, flow = '', currency = ''] =
    /\b(receiv\w*|receivables?|invoiced\s+in|income\s+in|pay|owe|payables?)\b[^.;\n]{0,30}?\b(USD|EUR|GBP|CHF|JPY|SEK|NOK)\b/.exec(
      text,
    ) ?? []
  const [, hedge = ''] =
    currency !== '' && /\bhedg/i.test(text)
      ? (new RegExp(`\\b([Bb]uy|BUY|[Ss]ell|SELL)\\s+${currency}\\b`).exec(text) ?? [])
      : []
  if (hedge !== '' && /^b/i.test(hedge) === /^(?:rec|inv|inc)/i.test(flow))
    return `${currency} is ${/^b/i.test(hedge) ? 'received and bought' : 'paid and sold'}: that doubles what was to be hedged.`
  if (
    /\b(?:harvest|crop|grow(?:s|er|ers|ing)?|produc(?:e|es|er|tion)|inventory|we\s+(?:hold|own)|receiv\w+)\b/i.test(
      text,
    ) &&
    feared.falling.test(text) &&
    /\b(?:BUY|buy|long)\s+[^.;\n]{0,30}\b(?:futures?|forwards?|calls?)\b/.test(text)
  )
    return 'Falling prices are feared, and the order buys: that doubles what was to be hedged.'
  if (
    /\bhedg|\bprotect/i.test(text) &&
    feared.rising.test(text) &&
    !feared.falling.test(text) &&
    /\b(?:SELL|sell|short)\s+[^.;\n]{0,30}\b(?:futures?|forwards?)\b/.test(text)
  )
    return 'Rising prices are feared, and the order sells: that doubles what was to be hedged.'
  const parts = text.split(/\n|;\s|\.\s(?=[A-Z])/)
  const [meant] = parts
    .filter(part => intends.test(part) && !sends.test(part))
    .flatMap(part => quantityIn(part) ?? [])
  const sentPart = parts.find(
    part =>
      sends.test(part) &&
      quantityIn(part) !== undefined &&
      !/\b(?:partial(?:ly)?|child|slice|tranche|rest|remaining)\b/i.test(part),
  )
  // An order in capitals is the order, whatever the instruction beside it says.
  const order = parts.find(part => /^\s*(?:Order:\s*)?(?:BUY|SELL)\s+\d/.test(part) && !intends.test(part))
  const sent =
    sentPart !== undefined
      ? quantityIn(sentPart.slice(sends.exec(sentPart)?.index ?? 0))
      : order === undefined
        ? undefined
        : quantityIn(order)
  if (meant && sent && meant.count > 0) {
    if (meant.side !== '' && sent.side !== '' && meant.side !== sent.side)
      return `It was to ${meant.side}, and the order is to ${sent.side}.`
    if (sent.count > meant.count * 1.1)
      return `${meant.count} were meant, and the order is for ${sent.count}.`
  }
  const [, heldDigits, heldScale] = holds.exec(text) ?? []
  const sale = sent ?? quantityIn(text)
  if (heldDigits !== undefined && sale?.side === 'sell' && !sellsShort.test(text)) {
    const held = toAmount(heldDigits, heldScale)
    if (held > 0 && sale.count > held * 1.001) return `${sale.count} are sold, and ${held} are held.`
  }
  return undefined
}

/** Reads a trade that is told in sentences. */
export const readTradeWords = (whole: string): TradeWords => {
  const text = whole.slice(0, 4000)
  const isLong = longWord.exec(text)
  const isShort = shortWord.exec(text)
  const side =
    isLong && (!isShort || isLong.index < isShort.index)
      ? 'long'
      : isShort || /\bclose\s+out\b/i.test(text)
        ? 'short'
        : undefined
  const found = [...text.matchAll(sizeForm)]
  // Of several orders none is known to be the one.
  const counts = found.filter(
    ([, before, , , after = '']) => before === undefined && !new RegExp(`^${money}`, 'i').test(after),
  )
  const [first] = counts
  const paid = found.find(one => !counts.includes(one))
  const count = first ? undefined : countForm.exec(text)
  const unit = first?.[4] ?? count?.[3] ?? ''
  const size = first ? toAmount(first[2], first[3]) : count ? toAmount(count[1], count[2]) : undefined
  const firm = valuesOf(firmPriceForm, text)
  const worth = notionalForm.exec(text)
  const leverage = leverageForm.exec(text)
  const equity = [...text.matchAll(equityForm)].find(([whole]) => !isAccountNumber(whole))
  const [, notionalDigits, notionalScale] = worth ?? []
  return {
    side,
    isSureSide: !(isLong && isShort),
    size,
    isPlainSize:
      !/lot|contract|call|put|option|future/i.test(unit) &&
      new Set(counts.map(([, , digits, scale]) => toAmount(digits, scale))).size < 2 &&
      !/\b(?:calls?|puts?|options?|futures?|lots?|contracts?|bonds?|notes?)\b/i.test(text),
    prices: firm.length > 0 ? firm : valuesOf(loosePriceForm, text),
    stops: valuesOf(stopForm, text),
    targets: valuesOf(targetForm, text),
    notional:
      notionalDigits !== undefined
        ? toAmount(notionalDigits, notionalScale)
        : paid
          ? toAmount(paid[2], paid[3])
          : undefined,
    equity: equity ? toAmount(equity[1], equity[2]) : undefined,
    leverage: leverage ? Number(leverage[1] ?? leverage[2] ?? leverage[3]) : undefined,
    contradiction: findContradiction(withFigures(text)),
  }
}
