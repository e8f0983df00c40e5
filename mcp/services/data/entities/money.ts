import { readAmount } from './amount.ts'
import type { Cover, Span } from './span.ts'

export type FoundMoney = Span & { key: string; raw: string; amount: string; currency: string | null }

const signs: Readonly<Record<string, string | null>> = {
  $: 'USD',
  US$: 'USD',
  A$: 'AUD',
  AU$: 'AUD',
  C$: 'CAD',
  CA$: 'CAD',
  HK$: 'HKD',
  NZ$: 'NZD',
  S$: 'SGD',
  R$: 'BRL',
  MX$: 'MXN',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '￥': 'JPY',
  '₹': 'INR',
  '₩': 'KRW',
  '₽': 'RUB',
  '₺': 'TRY',
  '₪': 'ILS',
  '₫': 'VND',
  '₴': 'UAH',
  '₦': 'NGN',
  '₱': 'PHP',
  '฿': 'THB',
  '₿': 'BTC',
  zł: 'PLN',
  Kč: 'CZK',
  kr: null,
  'Fr.': 'CHF',
}

const words: Readonly<Record<string, string | null>> = {
  dollar: 'USD',
  dollars: 'USD',
  bucks: 'USD',
  euro: 'EUR',
  euros: 'EUR',
  pound: 'GBP',
  pounds: 'GBP',
  yen: 'JPY',
  yuan: 'CNY',
  rupee: 'INR',
  rupees: 'INR',
  franc: 'CHF',
  francs: 'CHF',
  won: 'KRW',
  rubles: 'RUB',
  kroner: null,
  kronor: null,
}

const codes =
  'USD|EUR|GBP|JPY|CHF|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|RUB|UAH|BRL|MXN|ARS|CLP|COP|ZAR|NGN|KES|EGP|ILS|SAR|AED|QAR|KWD|SGD|HKD|TWD|KRW|THB|IDR|MYR|VND|PKR|BDT|BTC|ETH|USDC|USDT'

const number =
  "\\d{1,3}(?:[.,'’\\u00a0\\u202f ]\\d{3}){1,6}(?:[.,]\\d{1,8})?(?!\\d)|\\d{1,2}(?:,\\d{2}){1,4},\\d{3}(?:\\.\\d{1,8})?(?!\\d)|\\d{1,15}(?:[.,]\\d{1,8})?(?!\\d)"
const scale =
  '(?:[ \\u00a0]?(k|thousand|mln|mn|mio|millions?|m|bn|billions?|b|tn|trillion|t|lakh|crore)(?![\\p{L}\\p{N}]))?'
const prefix = '(?:US|AU|CA|HK|NZ|MX|[ACSR])?\\$|[€£¥￥₹₩₽₺₪₫₴₦₱฿₿]|Fr\\.'
const suffix = `[€£¥￥₹₩₽₺₪₫₴₦₱฿₿$]|zł|Kč|kr|${codes}|dollars?|bucks|euros?|pounds?|yen|yuan|rupees?|francs?|won|rubles|kroner|kronor`

const before = new RegExp(
  `((?:(?<![\\p{L}\\p{N}])-)?)(?<![\\p{L}\\p{N}])(?:(${prefix})|(${codes})(?![\\p{L}\\p{N}]))[ \\u00a0]?(-?)(${number})${scale}`,
  'gu',
)
const after = new RegExp(
  `(?<![\\p{L}\\p{N}.,])(-?)(${number})${scale}[ \\u00a0\\u202f]?(${suffix})(?![\\p{L}\\p{N}])`,
  'gu',
)

const findCurrency = (sign: string): string | null => {
  if (sign in signs) return signs[sign] ?? null
  if (sign in words) return words[sign] ?? null
  return sign
}

const dotIsDecimal = new Set([
  'USD',
  'GBP',
  'JPY',
  'CNY',
  'INR',
  'AUD',
  'CAD',
  'NZD',
  'HKD',
  'SGD',
  'MXN',
  'BTC',
  'ETH',
  'USDC',
  'USDT',
])

type Parts = {
  raw: string
  start: number
  minus: string
  digits: string
  scale: string | undefined
  sign: string
}

const readMoney = ({ raw, start, minus, digits, scale, sign }: Parts): FoundMoney => {
  const currency = findCurrency(sign)
  const amount = readAmount(digits, scale, currency !== null && !dotIsDecimal.has(currency))
  const signedAmount = minus === '-' && amount !== '0' ? `-${amount}` : amount
  return {
    key: `${signedAmount} ${currency}`,
    raw,
    amount: signedAmount,
    currency,
    start,
    end: start + raw.length,
  }
}

/** Amounts of money with a sign, an ISO 4217 code or a word for the currency, before or after the number. */
export const findMoney = (text: string, cover: Cover): FoundMoney[] => {
  const amounts: FoundMoney[] = []
  const keep = (parts: Parts) => {
    const money = readMoney(parts)
    if (cover.take(money)) amounts.push(money)
  }
  for (const match of text.matchAll(before)) {
    const [raw, leftSign = '', sign, code, rightSign = '', digits = '', scale] = match
    keep({
      raw,
      start: match.index,
      minus: leftSign || rightSign,
      digits: digits,
      scale,
      sign: sign ?? code ?? '',
    })
  }
  for (const match of text.matchAll(after)) {
    const [raw, minus = '', digits = '', scale, sign = ''] = match
    keep({ raw, start: match.index, minus, digits: digits, scale, sign })
  }
  return amounts
}
