import { type Convention, findConvention, type Numeral, readNumeral, toDecimal } from './amount.ts'
import {
  codes,
  countryWords,
  dollarLetters,
  dollarMarks,
  findFullName,
  isCoin,
  lowerCodes,
  minorWords,
  nameWords,
  readCurrency,
} from './currency.ts'
import {
  endsWithNativeScale,
  findNativeScale,
  findNativeUnitAfter,
  findNativeUnitBefore,
  hasThousandths,
  homeDecimal,
  type NativeWord,
} from './native.ts'
import { readNumberAfter, readNumberBefore, scaleZeros } from './number-words.ts'
import type { Cover, TextSpan } from './span.ts'

export type FoundMoney = TextSpan & {
  key: string
  raw: string
  amount: string
  currency: string | null
  ambiguous: boolean
  other_amount: string | null
}

const space = '[ \\u00a0\\u202f\\u2009]'
const signClass = '€£¥￥₹₨₩₽₺₪₫₴₦₱฿₿₡₲₸₾₼₭₮₵৳៛'
const letter = '[\\p{L}\\p{M}\\p{N}]'

const number =
  "\\d{1,3}(?:[.,'’\\u00a0\\u202f\\u2009 ]\\d{3}){1,6}(?:[.,٫]\\d{1,8})?(?![\\d])|\\d{1,2}(?:,\\d{2}){1,4},\\d{3}(?:[.٫]\\d{1,8})?(?!\\d)|\\d{1,18}(?:[.,٫]\\d{1,18})?(?!\\d)"
const numeral = new RegExp(
  `(?<![\\p{N}_]|[\\d][.,])(?:${number}|(?<![.,\\p{L}\\p{M}])[.,]\\d{1,18}(?![\\d]|[.,]\\d))(?:[.,][-–—]{1,2}(?!\\d))?`,
  'gu',
)

/** Text a letter before a number may end: a code, a sign of any language, or a sentence in a script without spaces. */
const codeBefore = new RegExp(`(?<![\\p{L}\\p{N}])(?:${codes}|RM|Rs)$`, 'u')
const clauseBefore =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}](?<![万萬億亿兆千百十만억조천백십])$/u
const canFollow = (before: string): boolean =>
  !/[\p{L}\p{M}]$/u.test(before) ||
  codeBefore.test(before) ||
  clauseBefore.test(before) ||
  findNativeUnitBefore(before) !== undefined

/** Abbreviated scales; the case matters where "m" and "M" are different words. */
const short: Readonly<Record<string, number>> = {
  k: 3,
  K: 3,
  tsd: 3,
  m: 6,
  M: 6,
  mm: 6,
  MM: 6,
  mn: 6,
  mln: 6,
  mio: 6,
  mill: 6,
  mi: 6,
  b: 9,
  B: 9,
  bn: 9,
  md: 9,
  Md: 9,
  mld: 9,
  mrd: 9,
  bi: 9,
  t: 12,
  tn: 12,
  tri: 12,
  bln: 9,
  cr: 7,
}

const scaleWord =
  'thousands?|millions?|billions?|trillions?|lakhs?|crores?|mille|milliers?|milliards?|tausend|millionen|milliarden?|billionen|mil millones|mil milh[oõ]es|miles de millones|miles|millones|mill[oó]n|millardos?|bill[oó]n|billones|mila|milioni|milione|miliard[oi]|biliard[oi]|bilion[ei]|duizend|miljoen(?:en)?|miljard(?:en)?|biljoen|milhares|milh[ãa]o|milh[õo]es|bilh[ãa]o|bilh[õo]es|bili[ãa]o|trilh[ãa]o|trilh[õo]es|mil'
const shortScale = 'tsd|mio|mrd|mld|mln|bln|mill|mn|mm|MM|bn|Md|md|tri|tn|bi|mi|cr|[kKmMbBt]'
const scaleAfter = new RegExp(
  `^(?:${space}?(${scaleWord})(?!${letter})|${space}?(${shortScale})(?:\\.(?=${space}))?(?![\\p{L}\\p{M}]))`,
  'iu',
)
const scaleBeforeSign = new RegExp(`^(?:${space}?(${shortScale})\\.?)(?=${space}?[$${signClass}])`, 'iu')

const connector = `(?:${space}?(?:de |di |d['’]|of |do |da |von |van )?)`

const unitAfter = new RegExp(
  `^${connector}${space}?(?:` +
    `(?<sign>\\$(?=${space}?(?:${'us|u\\.s|usd|au|aud|cad|ca|can|hk|hkd|nz|nzd|sg|sgd|c|a'})(?!${letter}))${space}?(?<dollar>us|u\\.s|usd|aud?|cad|can?|hkd?|nzd?|sgd?|c|a)(?!${letter})` +
    `|(?<prefixed>(?:${dollarMarks}|${dollarLetters})\\$)|[${signClass}$](?<one>)(?![\\d])|[元円원]|ரூ|zł|Kč|kr(?!${letter})|CHF\\.?(?!${letter}))` +
    `|(?:(?<country>${countryWords})${space})?(?<name>${nameWords}|${minorWords}|rm|rs|${codes})(?!${letter})(?:${space}(?:de |du |di |d['’]|of )?(?<place>${countryWords}|hong kong)(?!${letter}))?)`,
  'iu',
)

/** Start of a unit, after a space; most numbers are followed by something else. */
const mayBeUnit = new RegExp(`^${space}{0,2}[\\p{L}$¢${signClass}]`, 'u')
const mayEndUnit = new RegExp(`[\\p{L}.$${signClass}]${space}{0,2}[-−]?$`, 'u')

const unitBefore = new RegExp(
  `(?:(?<![\\p{L}\\p{N}])(?<dollar>(?:U\\$D|u\\.s\\.?|${dollarMarks}|c)${space}?|${dollarLetters})\\$|(?<![\\p{L}\\p{N}])(?<usd>U\\$D)|(?<sign>[$${signClass}])|(?<![\\p{L}\\p{N}])(?<code>${codes}|RM|Rs\\.?|Fr\\.|ringgits?|sen))${space}{0,2}(?<minus>[-−]?)$`,
  'iu',
)

const codeOnly = new RegExp(`^(?:${codes})$`)
const lowerCode = new RegExp(`^(?:${lowerCodes})$`, 'i')
const anyCaseCode = new RegExp(`^(?:${codes})$`, 'i')

type Unit = { length: number; code: string | null; minor: boolean; isName: boolean }

/** The currency of hundredths: "80 centimes d'euro". */
const majorAfter = new RegExp(
  `^${space}(?:d['’]|(?:de|du|di|do|von|van|of(?: an?| the)?)${space})(?<name>${nameWords}|${codes})(?!${letter})`,
  'iu',
)

const findListedUnitAfter = (rest: string): Unit | undefined => {
  const match = mayBeUnit.test(rest) ? unitAfter.exec(rest) : null
  if (!match) return undefined
  const { sign, dollar, name, country, place } = match.groups ?? {}
  const length = match[0].length
  if (name !== undefined) {
    const isCode = codeOnly.test(name)
    // Codes in lower case are words of some language ("try", "all"); only the common ones are taken.
    if (anyCaseCode.test(name) && !isCode && !lowerCode.test(name)) return undefined
    if (/^(?:rm|rs)$/i.test(name) && !/^(?:RM|Rs|RS)$/.test(name)) return undefined
    const currency = readCurrency(name, country ?? place)
    const major = currency.minor && currency.code === null ? majorAfter.exec(rest.slice(length)) : null
    const full =
      isCode || currency.minor || place !== undefined || country !== undefined
        ? undefined
        : findFullName(name, rest.slice(length))
    return {
      length: length + (major?.[0].length ?? full?.length ?? 0),
      ...currency,
      ...(major && { code: readCurrency(major.groups?.name ?? '').code }),
      ...(full && { code: full.code }),
      isName: true,
    }
  }
  const text = match[0].replace(/^(?:\s|de |di |d['’]|of |do |da |von |van )+/i, '')
  if (sign !== undefined && dollar !== undefined)
    return { length, ...readCurrency('$', dollar), isName: false }
  const prefixed = /^([A-Z]{1,3})\$$/i.exec(text)
  const currency = prefixed ? readCurrency('$', prefixed[1]) : readCurrency(text.replace(/^CHF\.$/i, 'CHF'))
  return { length, ...currency, isName: false }
}

/** A unit that is listed, or a longer one that CLDR has in some language; several currencies share some of the latter. */
const toNativeUnit = (native: NativeWord<string[]> | undefined, listedLength = 0): Unit | undefined =>
  native && native.length > listedLength
    ? {
        length: native.length,
        code: native.value.length === 1 ? (native.value[0] ?? null) : null,
        minor: false,
        isName: false,
      }
    : undefined

const readUnitAfter = (rest: string): Unit | undefined => {
  const listed = findListedUnitAfter(rest)
  const unit = toNativeUnit(findNativeUnitAfter(rest), listed?.length)
  if (!unit) return listed
  const noun = rest.slice(0, unit.length).trim()
  const full = noun.length > 3 ? findFullName(noun, rest.slice(unit.length)) : undefined
  return full ? { ...unit, code: full.code, length: unit.length + full.length } : unit
}

const hasNativeUnit = (rest: string): boolean =>
  (findNativeUnitAfter(rest)?.length ?? 0) > (findListedUnitAfter(rest)?.length ?? 0)

type UnitBefore = Unit & { minus: boolean }

const parseUnitBefore = (text: string): UnitBefore | undefined => {
  const listed = findListedUnitBefore(text)
  const minus = /[-−]$/.exec(text)?.[0].length ?? 0
  const native = findNativeUnitBefore(text.slice(0, text.length - minus))
  const unit = toNativeUnit(native && { ...native, length: native.length + minus }, listed?.length)
  return unit ? { ...unit, minus: minus > 0 } : listed
}

const findListedUnitBefore = (text: string): UnitBefore | undefined => {
  const match = mayEndUnit.test(text) ? unitBefore.exec(text) : null
  if (!match) return undefined
  const { dollar, usd, sign, code, minus } = match.groups ?? {}
  const length = match[0].length
  if (code !== undefined && !/^(?:[A-Z]{3,4}|RM|Rs\.?|RS\.?|Fr\.|ringgits?|sen)$/.test(code)) return undefined
  const currency =
    dollar !== undefined || usd !== undefined
      ? readCurrency('$', (dollar ?? 'us').trim().toLowerCase().replace('u$d', 'us'))
      : readCurrency(sign ?? code ?? '')
  const isMinor = code !== undefined && /^sen$/i.test(code)
  return {
    length,
    ...currency,
    minor: isMinor,
    isName: code !== undefined,
    minus: minus !== '' && minus !== undefined,
  }
}

/** Hundredths that follow an amount: "20 dollars 43 cents", "3 euro en 50 cent", "5 euro 50". */
const minorTail = new RegExp(
  `^${space}?(?:(?:and|et|und|y|e|en|con|mit|i|и|і|og|och|ve|és|și)${space})?(?<digits>\\d{1,2})(?:${space}?(?<unit>${minorWords}|c|p|ct)(?!${letter}))`,
  'iu',
)
const bareTail = new RegExp(
  `^${space}(?:(?:and|et|und|y|e|en|con)${space})?(?<digits>\\d{2})(?=${space}?(?:[.!?;:)\\n]|,(?!\\d))?(?:\\s|$)(?!${space}?[\\p{L}$${signClass}]|\\d))`,
  'iu',
)
const minorUnit = new RegExp(`^${space}(?:${minorWords})(?!${letter})`, 'iu')
const wordedTail = new RegExp(`^${space}(?:(?:and|et|und|y|e|en|con|mit)${space})?`, 'iu')

const readMinorTail = (
  rest: string,
  language: Convention['language'],
): { length: number; cents: string } | undefined => {
  const match = minorTail.exec(rest)
  if (match) return { length: match[0].length, cents: (match.groups?.digits ?? '').padStart(2, '0') }
  const lead = wordedTail.exec(rest)?.[0].length
  if (lead !== undefined) {
    const words = readNumberAfter(rest.slice(lead, lead + 40), language)
    const after = words && rest.slice(lead + words.end, lead + words.end + 14)
    const unit = after === undefined ? undefined : minorUnit.exec(after)
    if (words && words.value < 100 && unit)
      return { length: lead + words.end + unit[0].length, cents: String(words.value).padStart(2, '0') }
  }
  const bare = bareTail.exec(rest)
  return bare ? { length: bare[0].length, cents: bare.groups?.digits ?? '' } : undefined
}

type Scale = { length: number; zeros: number[] }

const readScale = (rest: string, { language, decimal }: Convention, hasUnit: boolean): Scale | undefined => {
  const match = scaleAfter.exec(rest) ?? scaleBeforeSign.exec(rest)
  const scale = findNativeScale(rest)
  // "5 E£" begins with what Hungarians write for thousand, and "5 NT$" with a Vietnamese 10^12.
  const native = scale && (readUnitAfter(rest)?.length ?? 0) > scale.length ? undefined : scale
  if (native && native.length > (match?.[0].length ?? 0) && !(native.length === 1 && hasUnit)) {
    // "5 min" may be minutes: a word in Latin letters alone is a scale for sure where a currency follows it.
    const isSure =
      !/\p{Script=Latin}/u.test(rest.slice(0, native.length)) || readUnitAfter(rest.slice(native.length))
    return { length: native.length, zeros: isSure ? native.value : [...native.value, 0] }
  }
  if (!match) return undefined
  const [text, word, abbreviation] = match
  if (word !== undefined) {
    const compound = /^(?:mil|miles de) (?:millones|milh)/i.test(word)
    const zeros = compound ? [9] : scaleZeros(word, language)
    // "mil millones" may also stand as two words after another number.
    return zeros.length > 0 ? { length: text.length, zeros } : undefined
  }
  const sign = abbreviation ?? match[1] ?? ''
  const zeros = short[sign] ?? short[sign.toLowerCase()]
  const isSpaced = /^\s/.test(text)
  // "Bln" and "mM" mean other powers in some languages, and so do "bn" and "M" where nothing shows that the text is English.
  const isEnglish =
    !isSpaced && decimal !== ',' && /^(?:.|[bmt]n)$/.test(sign) && !hasNativeUnit(rest.slice(text.length))
  const isOpen = language === undefined || (language !== 'en' && sign.length > 1)
  const others = isOpen && !isEnglish && native?.length === text.length ? native.value : []
  if (zeros === undefined) return undefined
  // A letter with a space before it is a word of its own unless the currency stands beside it.
  if (isSpaced && sign.length === 1 && !hasUnit && !unitAfter.test(rest.slice(text.length))) return undefined
  if (sign === 't' && isSpaced) return undefined
  // "T$", "B$" and "BN$" are the dollars of Tonga and of Brunei too.
  const isDollarLetter = /^(?:[TB]|BN)$/.test(sign) && rest.startsWith('$', text.length)
  return { length: text.length, zeros: isDollarLetter ? [zeros, 0] : [...new Set([zeros, ...others])] }
}

const settle = (convention: Convention, code: string | null, raw: string): '.' | ',' | undefined => {
  if (/[.,]/.exec(raw) === null) return convention.decimal
  if (convention.decimal !== undefined) return convention.decimal
  return code === null ? undefined : homeDecimal(code)
}

/** Windows on both sides of a number in which its unit, scale and hundredths are looked for. */
const ahead = 96
const behind = 48

type Reading = {
  start: number
  end: number
  amount: string
  other: string | undefined
  code: string | null
  /** The scale word after the digits, as zeros. */
  zeros?: number | undefined
  /** Digits without a scale of their own: a range may end with the scale of both. */
  unscaled?: Numeral | undefined
  isRangeStart?: boolean
}

/** A mark and a space before digits: one number written with a space, or the end of a clause and a new number. */
const spacedFraction = new RegExp(`^[.,٫]${space}{1,2}(\\d{1,3})(?![\\d%])(?![.,:/-]\\d)`, 'u')
const spacedWhole = new RegExp(`(?<![\\p{L}\\p{N}.,])(${number})([.,٫])${space}{1,2}$`, 'u')
const listBefore = new RegExp(`\\d[.,;]${space}{1,2}(?:${number})[.,]${space}{1,2}$`, 'u')

/** The number that digits make with those before a spaced mark: "1.837, 32 €" is 1837.32 or 32. A list stays a list. */
const joinBefore = (
  text: string,
  start: number,
  raw: string,
  code: string | null,
): { start: number; raw: string } | undefined => {
  if (!(hasThousandths(code) ? /^\d{1,3}$/ : /^(?:\d{1,2}|0\d\d)$/).test(raw)) return undefined
  const before = text.slice(Math.max(0, start - 40), start)
  const [whole, digits = '', mark = ''] = listBefore.test(before) ? [] : (spacedWhole.exec(before) ?? [])
  if (whole === undefined || digits.includes(mark)) return undefined
  return { start: start - whole.length, raw: digits + mark + raw }
}

/** Where the minus before a number stands; undefined where none does. */
const minusBefore = (text: string, start: number): number | undefined => {
  const sign = /(?<=^|[\s>"'~\p{Ps}\p{Pi}])[-−]\u2009{0,3}$/u.exec(text.slice(Math.max(0, start - 5), start))
  return sign ? start - sign[0].length : undefined
}

const withSign = (amount: string, minus: boolean) => (minus && amount !== '0' ? `-${amount}` : amount)

const readDigits = (
  text: string,
  hit: { start: number; end: number; raw: string },
  convention: Convention,
  free: number,
): Reading | undefined => {
  const left = parseUnitBefore(text.slice(Math.max(free, hit.start - behind), hit.start))
  const rest = text.slice(hit.end, hit.end + ahead)
  let scale = readScale(rest, convention, left !== undefined)
  let right = readUnitAfter(rest.slice(scale?.length ?? 0))
  if (!right && scale && !left) {
    // "10 m" without a currency is no money, but "10 mille euro" is read again without the scale.
    scale = undefined
    right = readUnitAfter(rest)
  }
  const second =
    scale && right === undefined ? readScale(rest.slice(scale.length), convention, true) : undefined
  // "mil millones", "thousand million": one scale after the other.
  const hasLonger = second && /\p{L}{3}/u.test(rest.slice(0, scale?.length ?? 0))
  // "$ 20 $ 30": the second sign belongs to the next number.
  if (left && right && !right.isName && /^\s?\d/.test(rest.slice((scale?.length ?? 0) + right.length)))
    right = undefined
  const unit = left ?? right
  if (!unit) return undefined
  const isLeft = left !== undefined
  if (!isLeft && right?.isName && right.minor && /^\s?c$/i.test(rest)) return undefined
  const code = unit.code ?? (isLeft ? (right?.minor === false ? right.code : null) : null)
  const plain = readNumeral(hit.raw, settle(convention, code, hit.raw), isCoin(code) || hasThousandths(code))
  const spans = [
    scale?.length ?? 0,
    hasLonger ? (second?.length ?? 0) : 0,
    isLeft && !(right && !right.minor && right.code === unit.code && right.isName === false)
      ? 0
      : (right?.length ?? 0),
  ]
  let end = hit.end + spans.reduce((sum, each) => sum + each, 0)
  if (isLeft && right && right.code !== null && right.code === unit.code && !right.minor)
    end = hit.end + (scale?.length ?? 0) + right.length
  const zeros = (scale?.zeros ?? [0]).map(
    each => each + (hasLonger ? (second?.zeros[0] ?? 0) : 0) - (unit.minor ? 2 : 0),
  )
  const start = isLeft ? hit.start - left.length : hit.start
  const minusAt = isLeft && left.minus ? start : minusBefore(text, start)
  const minus = minusAt !== undefined
  let amount = toDecimal(plain, zeros[0] ?? 0)
  const others = [
    ...(plain.other ? [toDecimal(plain.other, zeros[0] ?? 0)] : []),
    ...zeros.slice(1).map(each => toDecimal(plain, each)),
  ]
  if (plain.fraction === '' && !unit.minor && !scale) {
    const tail = readMinorTail(text.slice(end, end + 60), convention.language)
    if (tail) {
      amount = toDecimal({ whole: plain.whole, fraction: tail.cents }, 0)
      end += tail.length
    }
  }
  const reading = {
    start: minusAt ?? start,
    end,
    amount: withSign(amount, minus),
    other: others[0] === undefined ? undefined : withSign(others[0], minus),
    code,
    zeros: scale?.zeros[0],
    unscaled: scale || unit.minor ? undefined : plain,
  }
  // "5€50": the sign stands where the mark of the decimals would.
  const cents =
    !isLeft &&
    right?.isName === false &&
    plain.fraction === '' &&
    !scale &&
    /^\d{2}(?![\d.,:/%])/.exec(text.slice(end, end + 3))
  if (cents && !/^\s/.test(rest))
    return {
      ...reading,
      end: end + 2,
      amount: withSign(toDecimal({ whole: plain.whole, fraction: cents[0] }, 0), minus),
    }
  // A mark that was not understood stands beside the number: both readings are given.
  const amountOf = (raw: string) =>
    withSign(toDecimal(readNumeral(raw, settle(convention, code, raw), false), zeros[0] ?? 0), minus)
  const wider = isLeft ? undefined : joinBefore(text, hit.start, hit.raw, code)
  if (wider && wider.start >= free)
    return { ...reading, start: wider.start, amount: amountOf(wider.raw), other: reading.amount }
  const fraction =
    plain.fraction === '' && !scale && isLeft && end === hit.end ? spacedFraction.exec(rest) : null
  if (fraction && (fraction[1]?.length !== 3 || hasThousandths(code))) {
    const joined = amountOf(hit.raw + fraction[0].replace(/\s/g, ''))
    const isEnd = fraction[1]?.length !== 1 && /^\s*(?:$|[.,;!?)\n])/.test(rest.slice(fraction[0].length))
    return isEnd
      ? { ...reading, end: hit.end + fraction[0].length, amount: joined, other: reading.amount }
      : { ...reading, other: joined }
  }
  // "sold.75 €": the mark ends a sentence, or it is that of the decimals.
  const [mark] = isLeft
    ? []
    : (/(?<=[\p{L})])[.,]$/u.exec(text.slice(Math.max(0, hit.start - 2), hit.start)) ?? [])
  if (mark !== undefined && /^\d+$/.test(hit.raw)) return { ...reading, other: amountOf(mark + hit.raw) }
  return reading
}

const mentions = new RegExp(
  `(?<![\\p{L}\\p{M}\\p{N}])(?<name>${nameWords}|${minorWords}|${codes})(?!${letter})|[€$£](?=${space}?\\p{L})`,
  'giu',
)
const countryBefore = new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(?<country>${countryWords})${space}$`, 'iu')
const countryAfter = new RegExp(
  `^${space}(?:de |du |di |d['’]|of )?(?<country>${countryWords})(?!${letter})`,
  'iu',
)

/** Adjectives and joints between a number in words and its currency. */
const joint = /(?:\s(?:de|di|of|do|da)|\sd['’])?\s?$/iu

/** Numbers in words before the name of a currency, or after a sign: "neuf livres", "$ un mil millones". */
const readWords = (
  text: string,
  mention: RegExpExecArray | RegExpMatchArray,
  convention: Convention,
): Reading | undefined => {
  const { name } = mention.groups ?? {}
  const at = mention.index ?? 0
  if (name === undefined) {
    const gap = /^\s?/.exec(text.slice(at + 1, at + 3))?.[0].length ?? 0
    const words = readNumberAfter(text.slice(at + 1 + gap, at + 1 + gap + ahead), convention.language)
    // A lone "a" or "one" after a sign is a word of the sentence.
    if (!words || (words.value <= 1 && !/\s/.test(text.slice(at + 1 + gap, at + 1 + gap + words.end).trim())))
      return undefined
    return {
      start: at,
      end: at + 1 + gap + words.end,
      amount: String(words.value),
      other: undefined,
      code: readCurrency(mention[0]).code,
    }
  }
  // "a EUR 20 note": the number of a code may stand after it, and "a" is none.
  if (
    anyCaseCode.test(name) &&
    (name !== name.toUpperCase() || digitAfter.test(text.slice(at + name.length)))
  )
    return undefined
  // A number in words ends in a letter, then comes a space or an apostrophe.
  if (!/[\p{L}.]['’\s]$/u.test(text.slice(Math.max(0, at - 2), at))) return undefined
  const nameEnd = at + mention[0].length
  const country = countryBefore.exec(text.slice(Math.max(0, at - 32), at))
  const nounStart = at - (country?.[0].length ?? 0)
  const from = Math.max(0, nounStart - ahead)
  const before = text.slice(from, nounStart).replace(joint, '')
  if (before.length === nounStart - from && nounStart > 0) return undefined
  const words = readNumberBefore(before, convention.language)
  if (!words || /[\d.,]\s?$/.test(before.slice(0, words.start))) return undefined
  const place = country ? null : countryAfter.exec(text.slice(nameEnd, nameEnd + 32))
  const currency = readCurrency(name, country?.groups?.country ?? place?.groups?.country)
  const plain = { whole: String(words.value), fraction: '' }
  let end = nameEnd + (place?.[0].length ?? 0)
  let amount = toDecimal(plain, currency.minor ? -2 : 0)
  if (!currency.minor) {
    const tail =
      readMinorTail(text.slice(end, end + 60), convention.language) ??
      readBareWords(text.slice(end, end + 40), convention.language)
    if (tail) {
      amount = toDecimal({ whole: plain.whole, fraction: tail.cents }, 0)
      end += tail.length
    }
  }
  // "A dinari za Kuwait 3,718": the article stands before a name that goes before its number.
  const number =
    words.value === 1 && words.words === 1 ? numberLater.exec(text.slice(end, end + 32))?.[1] : undefined
  const other = number && toDecimal(readNumeral(number, convention.decimal, false), 0)
  return { start: from + words.start, end, amount, other, code: currency.code }
}

const numberLater = new RegExp(`^(?:${space}\\p{L}+){0,3}${space}[-−]?(${number})`, 'u')

const minorNames = new RegExp(`^(?:${minorWords})$`, 'iu')

const isHundredths = ({ groups }: RegExpMatchArray): boolean =>
  groups?.name !== undefined && minorNames.test(groups.name)

/** "thirteen dollars forty five": two digits in words at the end of a clause. */
const readBareWords = (
  rest: string,
  language: Convention['language'],
): { length: number; cents: string } | undefined => {
  const lead = wordedTail.exec(rest)?.[0].length
  if (lead === undefined) return undefined
  const words = readNumberAfter(rest.slice(lead), language)
  if (
    !words ||
    words.value < 1 ||
    words.value > 99 ||
    !/^\s*(?:[.!?;:)]|$)/.test(rest.slice(lead + words.end))
  )
    return undefined
  return { length: lead + words.end, cents: String(words.value).padStart(2, '0') }
}

/** Text right beside an amount that is no part of it: digits, a letter, a fraction, the other end of a range. */
const unreadBefore =
  /(?:[\p{N}\p{L}](?<![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}])|\p{N}[.,،:/×*^'’-]|[+=±][-−]\u2009?)$/u
const unreadAfter =
  /^(?:[\p{L}\p{M}\p{N}](?<![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}])|[.,،٫:/×*^'’–—-]\d| ?[\p{No}%‰])/u

const hanScale = /^ ?[十百千仟佰拾万萬億亿兆천만억조백]/u
const digitBefore = new RegExp(`\\d${space}$`)
const digitAfter = new RegExp(`^${space}\\d`)

/** A number and a word after a unit: "20 zł 50 gr" may be one amount. */
const looseAfter = new RegExp(`^${space}\\d{1,2}(?=${space}?\\p{L})`, 'u')

const isBesideLoose = (text: string, end: number): boolean => {
  const loose = /[\d.]$/.test(text.charAt(end - 1)) ? null : looseAfter.exec(text.slice(end, end + 8))
  return loose !== null && readUnitAfter(text.slice(end + loose[0].length, end + ahead)) === undefined
}

const isBesideUnread = (text: string, start: number, end: number, isRangeStart: boolean): boolean => {
  const before = text.slice(Math.max(0, start - 2), start)
  const after = text.slice(end, end + 2)
  const [first, last] = [text.charAt(start), text.charAt(end - 1)]
  return (
    endsWithNativeScale(text.slice(Math.max(0, start - 24), start)) ||
    (/\d/.test(last) && hanScale.test(after)) ||
    (unreadBefore.test(before) && !/[$€£-]/.test(first)) ||
    (unreadAfter.test(after) && !isRangeStart) ||
    isBesideLoose(text, end) ||
    (/\d/.test(first) && digitBefore.test(before)) ||
    (/\d/.test(last) && digitAfter.test(after))
  )
}

/** Signs and names of two currencies where the text does not tell which: "Rs" is Indian, Pakistani and Sri Lankan, "lei" Moldovan too. */
const sharedSign = /(?<!\p{L})(?:Rs\.?(?!\p{L})|[Ll]e[iu]$)/u

const yenSign = /(?<!\p{L})[¥￥](?!\p{Script=Latin})/u
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}円]/u

/** The yen sign stands for the yuan as well. The yen has no hundredths, and Chinese has no kana; else the sign alone leaves it open. */
const readYenSign = (text: string, raw: string): { code: string; isOpen: boolean } | undefined => {
  if (!yenSign.test(raw)) return undefined
  if (/\d[.,٫]\d{1,2}(?![.,]?\d)/.test(raw) && !/[\p{L}]/u.test(raw)) return { code: 'CNY', isOpen: false }
  const around = text.replace(raw, '')
  if (kana.test(around)) return { code: 'JPY', isOpen: false }
  return /\p{Script=Han}/u.test(around) ? { code: 'CNY', isOpen: false } : { code: 'JPY', isOpen: true }
}

const range = new RegExp(`^${space}?(?:[-–—]|to|bis|tot|à|a|al|and|und|et|y|e|en|ou|or)${space}?$`, 'iu')

const isRangeOf = (text: string, from: Reading, to: Reading): boolean =>
  from.code === to.code && to.start - from.end < 8 && range.test(text.slice(from.end, to.start))

/** The start of a range whose end has a scale word: with that scale, and as it stands. */
const withScaleOf = ({ zeros }: Reading, from: Reading): Reading => {
  if (zeros === undefined || from.unscaled === undefined) return { ...from, isRangeStart: true }
  const scaled = toDecimal(from.unscaled, zeros)
  return {
    ...from,
    amount: from.amount.startsWith('-') ? `-${scaled}` : scaled,
    other: from.amount,
    isRangeStart: true,
  }
}

/**
 * Amounts of money with a sign, an ISO 4217 code or a name for the currency, before or after the number, in digits or
 * words. `amount` is in whole units: 50 cents are 0.5. An amount that may be read in two ways, a thousand times apart, has
 * the second reading in `otherAmount`.
 */
export const findMoney = (text: string, cover: Cover): FoundMoney[] => {
  const convention = findConvention(text)
  const amounts: FoundMoney[] = []
  const keep = ({ start, end, amount, other, code, isRangeStart = false }: Reading) => {
    const raw = text.slice(start, end)
    const otherAmount = other === undefined || other === amount ? null : other
    const yen = code === 'JPY' ? readYenSign(text, raw) : undefined
    const currency = yen?.code ?? code
    const money = {
      key: `${amount} ${currency}`,
      raw,
      amount,
      currency,
      ambiguous:
        otherAmount !== null ||
        yen?.isOpen === true ||
        sharedSign.test(raw) ||
        isBesideUnread(text, start, end, isRangeStart),
      other_amount: otherAmount,
      start,
      end,
    }
    if (cover.take(money)) amounts.push(money)
  }
  const named = [...text.matchAll(mentions)]
  const minor: RegExpExecArray[] = []
  const major: RegExpExecArray[] = []
  for (const mention of named) (isHundredths(mention) ? minor : major).push(mention)
  const worded = (isMinor: boolean) => {
    for (const mention of isMinor ? minor : major) {
      const reading = readWords(text, mention, convention)
      if (reading) keep(reading)
    }
  }
  // "deux cents euros" goes before "deux cents", and "twenty dollars 43 cents" before "43 cents".
  worded(false)
  let loose: { start: number; end: number; raw: string } | undefined
  let covered = 0
  let before: Reading | undefined
  for (const match of text.matchAll(numeral)) {
    const raw = match[0].trim()
    const hit = { start: match.index, end: match.index + raw.length, raw }
    if (hit.start < covered || !canFollow(text.slice(Math.max(covered, hit.start - 48), hit.start))) continue
    const reading = readDigits(text, hit, convention, covered)
    if (reading) {
      const isRange = loose && hit.start - loose.end < 8 && range.test(text.slice(loose.end, hit.start))
      const isBetween =
        loose &&
        /(?:between|zwischen|entre|tra|fra|tussen|from|von|da|de|van|vanaf|around|about|rond de|circa|[-–—])/i.test(
          text.slice(Math.max(0, loose.start - 12), hit.start),
        )
      if (loose && isRange && isBetween) {
        const plain = readNumeral(
          loose.raw,
          settle(convention, reading.code, loose.raw),
          isCoin(reading.code),
        )
        const amount = toDecimal(plain, 0)
        const loosely = {
          ...loose,
          amount,
          other: plain.other && toDecimal(plain.other, 0),
          code: reading.code,
        }
        keep(withScaleOf(reading, { ...loosely, unscaled: plain }))
      }
      // "between $5 and $10 million": the scale may stand for both.
      if (before) keep(isRangeOf(text, before, reading) ? withScaleOf(reading, before) : before)
      before = reading
      covered = reading.end
      loose = undefined
    } else loose = hit
  }
  if (before) keep(before)
  worded(true)
  return amounts
}
