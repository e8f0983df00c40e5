import { describe, expect, test } from 'vitest'
import { worldLocales } from '../../../mcp/lib/text/amount/native.ts'
import { findEntities } from '../../../mcp/services/data/entities/find.ts'
import { runs } from '../../stress.ts'

/** The same numbers each time: 0 up to but without `below`. */
const createRandom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

const reference = new Date('2026-11-07T00:00:00Z')

const own = [
  ...['en-US USD', 'en-GB GBP', 'fr-CA CAD', 'de-AT EUR', 'de-CH CHF', 'en-ZA ZAR', 'en-AU AUD'],
  ...['pl-PL PLN', 'cs-CZ CZK', 'hu-HU HUF', 'ro-RO RON', 'bg-BG BGN', 'sr-RS RSD', 'ru-RU RUB', 'uk-UA UAH'],
  ...['be-BY BYN', 'kk-KZ KZT', 'tr-TR TRY', 'he-IL ILS', 'ar-EG EGP', 'ar-SA SAR', 'ar-KW KWD', 'ar-TN TND'],
  ...['fa-IR IRR', 'ur-PK PKR', 'hi-IN INR', 'bn-BD BDT', 'mr-IN INR', 'ta-IN INR', 'ne-NP NPR', 'th-TH THB'],
  ...[
    'id-ID IDR',
    'ms-MY MYR',
    'vi-VN VND',
    'fil-PH PHP',
    'ja-JP JPY',
    'ko-KR KRW',
    'zh-CN CNY',
    'zh-TW TWD',
  ],
  ...['sv-SE SEK', 'nb-NO NOK', 'da-DK DKK', 'is-IS ISK', 'pt-BR BRL', 'es-MX MXN', 'es-PE PEN', 'ka-GE GEL'],
].map(row => row.split(' '))

const displays = ['symbol', 'narrowSymbol', 'code', 'name'] as const

/** Amounts as Intl writes them, with what they are worth. */
const amounts = (count: number) => {
  const random = createRandom(20_261_127)
  return Array.from({ length: count }, () => {
    const [locale = '', home = ''] = own[random(own.length)] ?? []
    const currency = [home, home, 'USD', 'EUR', 'GBP', 'JPY', 'CNY'][random(7)] ?? home
    const currencyDisplay = displays[random(4)] ?? 'code'
    const style = { style: 'currency', currency, currencyDisplay } as const
    const compact = { notation: 'compact', compactDisplay: random(2) === 0 ? 'short' : 'long' } as const
    const isCompact = random(6) === 0
    const format = new Intl.NumberFormat(locale, isCompact ? { ...style, ...compact } : style)
    const digits = format.resolvedOptions().maximumFractionDigits ?? 0
    const size = 10 ** (1 + random(8))
    const exact = Number((random(size * 10) / (random(3) === 0 ? 1 : 10 ** digits)).toFixed(digits))
    const value = isCompact ? (1 + random(99)) * 10 ** (3 + random(10)) : random(10) === 0 ? -exact : exact
    const sign = format.formatToParts(1).find(({ type }) => type === 'currency')?.value ?? ''
    return { text: format.format(value), value, currency, sign }
  }).filter(
    // A dollar sign alone is that of the United States, as the schema says.
    ({ currency, sign }) => currency === 'USD' || sign.replace(/[\u200e\u200f]/g, '') !== '$',
  )
}

const shapes: readonly Intl.DateTimeFormatOptions[] = [
  { dateStyle: 'full' },
  { dateStyle: 'long' },
  { dateStyle: 'medium' },
  { dateStyle: 'short' },
  { day: '2-digit', month: '2-digit', year: 'numeric' },
  { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
]

/** Kyrgyz writes the day before the month in what looks like ISO 8601, and Thai a year of the Buddha in two digits. */
const isUndecidable = (locale: string, text: string): boolean =>
  (locale === 'ky-KG' && /^\d{4}-/.test(text)) || (locale === 'th-TH' && /^\d+\/\d+\/\d{2}$/.test(text))

const days = (count: number) => {
  const random = createRandom(7)
  const locales = [...worldLocales(), 'en-US', 'en-GB', 'fr-CA', 'de-AT', 'es-AR']
  return Array.from({ length: count }, () => {
    const locale = locales[random(locales.length)] ?? ''
    const shape = shapes[random(shapes.length)]
    const time = Date.UTC(1970 + random(80), random(12), 1 + random(28))
    const text = new Intl.DateTimeFormat(locale, { ...shape, timeZone: 'UTC' }).format(time)
    return { locale, text, day: new Date(time).toISOString().slice(0, 10) }
  }).filter(({ locale, text }) => !isUndecidable(locale, text))
}

describe('what Intl writes in the languages of the world', () => {
  test('amounts are read, or marked, or left alone', async () => {
    const wrong: string[] = []
    let right = 0
    const all = amounts(runs(10_000))
    for (const { text, value, currency } of all) {
      const { money } = (await findEntities(text, {})).found
      const isRight = (amount: string, code: string | null) => Number(amount) === value && code === currency
      if (money.length === 1 && money.every(one => isRight(one.amount, one.currency))) right++
      else if (money.some(one => !one.ambiguous && one.currency !== null))
        wrong.push(`${text}: ${money.map(one => `${one.amount} ${one.currency}`)} is ${value} ${currency}`)
    }
    expect(wrong).toEqual([])
    expect(right / all.length).toBeGreaterThan(0.92)
  })

  test('dates are read, or marked, or left alone', async () => {
    const wrong: string[] = []
    let right = 0
    const all = days(runs(10_000))
    for (const { locale, text, day } of all) {
      const { dates } = (await findEntities(text, { reference })).found
      if (dates.length === 1 && dates.every(date => date.iso === day)) right++
      else if (dates.some(date => !date.ambiguous))
        wrong.push(`${locale} ${text}: ${dates.map(({ iso }) => iso)} is ${day}`)
    }
    expect(wrong).toEqual([])
    expect(right / all.length).toBeGreaterThan(0.8)
  })
})

describe('money in its own language', () => {
  test.each([
    ['1500 руб', '1500', 'RUB'],
    ['12 грн.', '12', 'UAH'],
    ['500 Ft', '500', 'HUF'],
    ['Rp15.000', '15000', 'IDR'],
    ['100 pln', '100', 'PLN'],
    ['12 Br', '12', 'BYN'],
    ['5.000 đ', '5000', 'VND'],
    ['٥٠ د.إ.', '50', 'AED'],
    ['१२३ रुपये', '123', 'INR'],
    ['約5000円です', '5000', 'JPY'],
    ['5만원', '50000', 'KRW'],
    ['1,5 млн ₽', '1500000', 'RUB'],
    ['$1.5 thousand million', '1500000000', 'USD'],
    ['E£ 5', '5', 'EGP'],
  ])('%s', async (text, amount, currency) => {
    const { money } = (await findEntities(text, {})).found
    expect(money).toMatchObject([{ amount, currency, ambiguous: false }])
  })

  test.each(['12 34 €', '€1.2.3', '$5-10', '$5½', 'Rs 500', '¥500', '￥79万', 'USD 8 B', '£7,2 M'])(
    '%s is marked',
    async text => {
      const { money } = (await findEntities(text, {})).found
      expect(money).toMatchObject([{ ambiguous: true }])
    },
  )
})

describe('days in their own language', () => {
  test.each([
    ['5. srpna 2024', '2024-08-05'],
    ['2024. gada 5. augusts', '2024-08-05'],
    ['5 สิงหาคม 2567', '2024-08-05'],
    ['ngày 5 tháng 8 năm 2024', '2024-08-05'],
    ['17 במאי 2030', '2030-05-17'],
    ["20 d'octubre del 2010", '2010-10-20'],
    ['mar. 14 déc. 1971', '1971-12-14'],
    ['2001. 05. 21.', '2001-05-21'],
  ])('%s', async (text, iso) => {
    const { dates } = (await findEntities(text, { reference })).found
    expect(dates).toMatchObject([{ iso, ambiguous: false }])
  })

  test('a month that two languages give to different words is marked', async () => {
    const { dates } = (await findEntities('5. listopada 2024', {})).found
    expect(dates).toMatchObject([{ ambiguous: true, iso: expect.any(String), other_iso: expect.any(String) }])
  })

  test('the year of another calendar is none of ours', async () => {
    const { dates } = (await findEntities('۱۳۵۴/۶/۱۱ و 13/10/2515', {})).found
    expect(dates).toMatchObject([
      { iso: null, ambiguous: true },
      { iso: '2515-10-13', other_iso: '1972-10-13', ambiguous: true },
    ])
  })
})
