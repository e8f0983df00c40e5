import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findEntities } from '../../../mcp/services/data/entities/find.ts'
import { runs } from '../../stress.ts'

/** Labelled sentences by language. The forms are those that the public suites of recognisers hold; the sentences are our own. */
const readLabelled = <row>(name: string): Readonly<Record<string, readonly row[]>> =>
  JSON.parse(readFileSync(new URL(`./entities/${name}.json`, import.meta.url), 'utf8'))

/** A sentence, its amount in whole units, and the currency. */
const amounts = readLabelled<[text: string, amount: string, currency: string | null]>('amounts')

/** A sentence and the readings that are right, counted from the reference; where a year or a week is left open, both neighbours are. */
const dates = readLabelled<[text: string, ...readings: string[]]>('dates')
const reference = '2016-11-07T00:00:00Z'

const locales =
  'en en-GB en-IN en-ZA en-CA fr fr-CA fr-CH de de-AT de-CH es es-MX es-AR it nl nl-BE pt pt-BR pl cs sk hu ro bg ru uk sr hr sl bs mk sq el tr az kk uz ky ka hy he ar ar-EG ar-SA fa ur hi bn ta te kn ml mr gu pa ne si th lo my km vi id ms fil ja ko zh zh-TW sv da nb nn fi et lv lt is ga cy mt af sw zu am ca eu gl lb be mn'.split(
    ' ',
  )

/** Digits of the language itself, or of another script. */
const figures = fc.constantFrom(
  '',
  '',
  '-u-nu-arab',
  '-u-nu-arabext',
  '-u-nu-deva',
  '-u-nu-beng',
  '-u-nu-thai',
  '-u-nu-fullwide',
)

const find = async (text: string, options: Parameters<typeof findEntities>[1] = {}) =>
  findEntities(text, options)

describe.each(Object.entries(amounts))('amounts in %s', (_language, labelled) => {
  test.each(labelled)('%s is %s %s', async (text, amount, currency) => {
    const { found } = await find(text)
    expect(found.money.map(each => [each.amount, each.currency])).toContainEqual([amount, currency])
  })
})

describe.each(Object.entries(dates))('dates in %s', (_language, labelled) => {
  test.each(labelled.map(([text, ...readings]) => ({ text, readings })))(
    '$text',
    async ({ text, readings }) => {
      const { found } = await find(text, { reference: new Date(reference) })
      expect(found.dates.some(({ iso }) => iso !== null && readings.includes(iso))).toBe(true)
    },
  )
})

describe('a mark before exactly three digits', () => {
  test.each([
    ['$1.500', '1500', '1.5'],
    ['It costs €1.500 in the shop', '1500', '1.5'],
    ['Les prix commencent à 12,345 $.', '12345', '12.345'],
    ['0.1234 and 1.234 BTC', '1234', '1.234'],
  ])('groups in %s, and the other reading is told', async (text, amount, otherAmount) => {
    expect((await find(text)).found.money.at(-1)).toMatchObject({
      amount,
      other_amount: otherAmount,
      ambiguous: true,
    })
  })

  test.each([
    ['The price is $1,500 today', '1500'],
    ['Der Preis ist 1.500 Euro', '1500'],
    ['€1.500', '1500'],
    ['£0.999', '0.999'],
    ['1234.567 USD', '1234.567'],
    ['1.234.567 €', '1234567'],
    ['Sums: 12,50 € and 1.500 €', '1500'],
  ])('leaves no doubt in %s', async (text, amount) => {
    expect((await find(text)).found.money.at(-1)).toMatchObject({
      amount,
      other_amount: null,
      ambiguous: false,
    })
  })
})

test('a "billion" is 10^9 in English and 10^12 in German, and both where no language shows', async () => {
  const read = async (text: string) => (await find(text)).found.money[0]
  expect(await read('They have $1 billion of debt')).toMatchObject({ amount: '1000000000', ambiguous: false })
  expect(await read('Das ist 1 Billion Euro wert')).toMatchObject({
    amount: '1000000000000',
    ambiguous: false,
  })
  expect(await read('1 billion EUR')).toMatchObject({ amount: '1000000000', other_amount: '1000000000000' })
})

describe('a number beside a date', () => {
  test.each([
    'On 22 November 14 people came',
    'Le 22 novembre 14 personnes sont venues',
    'El 22 de noviembre 14 personas vinieron',
    'Am 22. November 14 Leute kamen',
  ])('is no hour in: %s', async text => {
    const { found } = await find(text, { reference: new Date(reference) })
    expect(found.dates).toMatchObject([{ iso: '2016-11-22', precision: 'day' }])
  })

  test('is one with a mark of time', async () => {
    const iso = async (text: string) => (await find(text)).found.dates[0]?.iso
    expect(await iso('22 November 2026 14:30')).toBe('2026-11-22T14:30:00')
    expect(await iso('el 22 de noviembre de 2026 a las 14:30')).toBe('2026-11-22T14:30:00')
    expect(await iso('22.11.2026 um 9 Uhr')).toBe('2026-11-22T09:00:00')
    expect(await iso('22 novembre 2026 à 9h')).toBe('2026-11-22T09:00:00')
  })
})

test('dates of East Asia are read in every digit', async () => {
  const { found } = await find(
    '2026年11月22日、２０２６年１１月２３日、二〇二六年十一月二十四日、2026년 11월 25일, 2026年11月',
  )
  expect(found.dates.map(({ iso }) => iso)).toEqual([
    '2026-11-22',
    '2026-11-23',
    '2026-11-24',
    '2026-11-25',
    '2026-11',
  ])
})

test('the order of day and month follows the language of the text', async () => {
  const first = async (text: string) => (await find(text)).found.dates[0]
  expect(await first('Nous partons le 3/4/2024 pour Paris')).toMatchObject({
    iso: '2024-04-03',
    other_iso: '2024-03-04',
  })
  expect(await first('We leave on 3/4/2024 for Paris')).toMatchObject({
    iso: '2024-03-04',
    other_iso: '2024-04-03',
  })
})

test.each([
  'set 5 alarms',
  'you may 2',
  'out 10 times',
  'Mars 2 rover',
  '24/7 support',
  '3/4 cup',
  'a ratio of 16/9',
  'go to the 27th floor',
  'version 4.22',
])('no date is found in %s', async text => {
  const { found } = await find(`They ${text} of the`, { reference: new Date(reference) })
  expect(found.dates.filter(({ raw }) => !/^may 2$/i.test(raw))).toEqual([])
})

test.each([
  'the cent and the euro',
  'once upon a time a pound',
  'page 12 of 20',
  'rooms 12 and 500',
  'a due date, ten more',
])('no amount is found in %s', async text => {
  const { found } = await find(text)
  expect(found.money.filter(({ amount }) => amount !== '1')).toEqual([])
})

test('phone numbers that need a country are told of, and nothing else is', async () => {
  expect((await find('Tel. 030 1234 5678, or (030) 12345 678')).withoutCountry).toBe(2)
  expect((await find('Ordered 12 of 3456 on 2024-03-05, $1,234,567')).withoutCountry).toBe(0)
  expect((await find('Tel. 030 12345678', { country: 'DE' })).withoutCountry).toBe(0)
})

test('IBANs are found with the verdict of their check digits', async () => {
  const { found } = await find(
    'DE89 3704 0044 0532 0130 00 BITTE, GB82WEST12345698765432; NL91 ABNA 0417 1643 01 and BE68539007547034',
  )
  expect(found.ibans.map(({ iban, country, valid }) => [iban, country, valid])).toEqual([
    ['DE89370400440532013000', 'DE', true],
    ['GB82WEST12345698765432', 'GB', true],
    ['NL91ABNA0417164301', 'NL', false],
    ['BE68539007547034', 'BE', true],
  ])
})

test('VAT numbers are found with the verdict of their check digits', async () => {
  const { found } = await find(
    'VAT BE 0403.019.261, DE136695976 and DE136695977; BTW NL004495445B01. Call BE 12.',
  )
  expect(found.vat_numbers.map(({ vat, valid }) => [vat, valid])).toEqual([
    ['BE0403019261', true],
    ['DE136695976', true],
    ['DE136695977', false],
    ['NL004495445B01', true],
  ])
})

test('crypto addresses are found with the verdict of their checksums', async () => {
  const { found } = await find(
    [
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed',
      '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    ].join(' '),
  )
  expect(found.crypto_addresses.map(({ network, valid }) => [network, valid])).toEqual([
    ['bitcoin', true],
    ['bitcoin', true],
    ['bitcoin', false],
    ['evm', true],
    ['evm', false],
    ['evm', null],
    ['tron', true],
  ])
})

test('text of a script without spaces joins neither a domain nor an address', async () => {
  const { found } = await find(
    '请访问example.com了解，联系ada@example.org或https://example.net请看、www.example.edu網站。例え.jp',
  )
  expect(found.urls.map(({ raw }) => raw)).toEqual([
    'example.com',
    'https://example.net',
    'www.example.edu',
    '例え.jp',
  ])
  expect(found.emails.map(({ email }) => email)).toEqual(['ada@example.org'])
})

describe('a year that stands before its month', () => {
  test.each([
    ['Built 2024 Aug 5 and 2019/sep/01, sold 2021-Oct-03', ['2024-08-05', '2019-09-01', '2021-10-03']],
    ['Fertig am 2024 März 5', ['2024-03-05']],
    ['5 Aug 2024 Sep 3', ['2024-08-05']],
    ['It ended 2024 August', ['2024-08']],
  ])('is read in: %s', async (text, days) => {
    for (const options of [{}, { reference: new Date(reference) }]) {
      const { found } = await find(text, options)
      expect(found.dates.map(({ iso }) => iso).filter(iso => iso?.startsWith('20'))).toEqual(
        expect.arrayContaining(days),
      )
    }
  })

  const languages = ['en', 'fr', 'de', 'es', 'it', 'nl', 'pt']
  test.each(languages)('is read with every month that CLDR names in %s', async language => {
    for (const style of ['long', 'short'] as const) {
      const name = new Intl.DateTimeFormat(language, { month: style, timeZone: 'UTC' })
      for (let month = 1; month <= 12; month++) {
        const word = name.format(Date.UTC(2021, month - 1, 15))
        for (const text of [`2021 ${word} 17`, `2021-${word.replace('.', '')}-17`]) {
          const { dates } = (await find(text, { reference: new Date(reference) })).found
          expect({ text, dates: dates.map(({ iso }) => iso) }).toEqual({
            text,
            dates: [`2021-${String(month).padStart(2, '0')}-17`],
          })
        }
      }
    }
  })
})

test('two digits after a day and month are its year, and are marked', async () => {
  const first = async (text: string) => (await find(text, { reference: new Date(reference) })).found.dates[0]
  expect(await first('Né le 1er avril 78')).toMatchObject({ iso: '1978-04-01', ambiguous: true })
  expect(await first('Le 22 novembre 14 personnes')).toMatchObject({ iso: '2016-11-22' })
})

test.each([
  ['Urlaub 03.08.15-04.08.15', ['2015-08-03', '2015-08-04']],
  ['Urlaub 16.8.-1.9.', ['2016-08-16', '2016-09-01']],
  ['Urlaub 16.8.-1.9', ['2016-08-16', '2016-09-01']],
  ['Urlaub 28.12.-3.1.2016', ['2015-12-28', '2016-01-03']],
  ['Vom 30.04.2015 – 02.05.2015', ['2015-04-30', '2015-05-02']],
])('days joined by a dash are dates and no phone number: %s', async (text, days) => {
  const { found } = await find(text, { reference: new Date(reference), country: 'DE' })
  expect(found.dates.map(({ iso }) => iso)).toEqual(days)
  expect(found.phones).toEqual([])
})

describe('what stands beside a number', () => {
  test.each([
    ['It is .75 €', '0.75', null],
    ['1.837, 32 €', '1837.32', '32'],
    ['130, 38 zł', '130.38', '38'],
    ['$ 8. 94', '8.94', '8'],
    ['I paid $8. 94 people came', '8', '8.94'],
    ['1 T$', '1000000000000', '1'],
    ['between $5 and $10 million', '5000000', '5'],
    ['between 5 and 10 million dollars', '5000000', '5'],
    ['10, 20, 30 €', '30', null],
    ['sold.75 €', '75', '0.75'],
  ])('counts or is told of: %s', async (text, amount, otherAmount) => {
    expect((await find(text)).found.money[0]).toMatchObject({
      amount,
      other_amount: otherAmount,
      ambiguous: otherAmount !== null,
    })
  })

  test('names the currency of hundredths', async () => {
    expect((await find("80 centimes d'euro")).found.money).toMatchObject([{ amount: '0.8', currency: 'EUR' }])
  })

  test.each([
    ['1.234.56 €', '1234.56', '123456'],
    ['€1,000,00', '1000', '100000'],
    ['1,234 567 €', '1234567', '1.234567'],
    ['2 BN$ paid', '2000000000', '2'],
  ])('gives both readings where no rule writes it so: %s', async (text, amount, otherAmount) => {
    expect((await find(text)).found.money[0]).toMatchObject({ amount, other_amount: otherAmount })
  })

  test.each([
    ['12 руб. 50 коп.', '12.5', 'RUB', false],
    ['Cela coûte 5€50 ici', '5.5', 'EUR', false],
    ['20 zł 50 gr', '20', 'PLN', true],
    ['a AUD 20 note', '20', 'AUD', false],
    ['25 700 NT$', '25700', 'TWD', false],
    ['١٢٣٫٥٠ ر.س', '123.5', 'SAR', false],
    ['Costă 250 de lei', '250', 'RON', true],
    ['20 lei moldovenești', '20', 'MDL', false],
    ['12 dólares hongkoneses', '12', 'HKD', false],
    ['64 livres syriennes', '64', 'SYP', false],
    ['20 francs CFA', '20', null, false],
    ['7 dollars de Trinité-et-Tobago', '7', 'TTD', false],
    ['5 dolar Kanada', '5', 'CAD', false],
    ['<b>-5 €</b>', '-5', 'EUR', false],
    ['"-\u200f٥ ر.س"', '-5', 'SAR', false],
    ['+-5 €', '5', 'EUR', true],
    ['١،٦٥ BYN', '65', 'BYN', true],
    ['JMD 93,387', '93387', 'JMD', false],
    ['A dinari za Kuwait 3,718', '1', null, true],
  ])('is read or marked: %s is %s %s', async (text, amount, currency, ambiguous) => {
    expect((await find(text)).found.money).toMatchObject([{ amount, currency, ambiguous }])
  })

  test('never turns a number into another without a word', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 99_999_999 }),
        fc.constantFrom(0, 2),
        fc.constantFrom(...locales),
        fc.constantFrom(...Intl.supportedValuesOf('currency').filter(code => !code.startsWith('X'))),
        fc.constantFrom<'code' | 'symbol' | 'name'>('code', 'symbol', 'name'),
        fc.constantFrom('', ' '),
        fc.constantFrom('x: #', '#', '(#)', '# .', '"#"', '<b>#</b>', '#\n12 345', '12 × #', '# / #'),
        figures,
        async (digits, places, locale, currency, currencyDisplay, gap, around, nu) => {
          const value = digits / 10 ** places
          const written = new Intl.NumberFormat(`${locale}${nu}`, {
            style: 'currency',
            currency,
            currencyDisplay,
          })
            .formatToParts(value)
            .map(({ type, value }) => (type === 'decimal' && /[.,]/.test(value) ? value + gap : value))
            .join('')
          const shown = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
          const amount = Number(value.toFixed(shown.maximumFractionDigits))
          const { money } = (await find(around.replaceAll('#', () => written))).found
          const wrong = money.filter(
            each =>
              !each.ambiguous &&
              (Number(each.amount) !== amount ||
                // The bare sign is that of the US dollar in every language.
                (currencyDisplay !== 'name' &&
                  each.currency !== null &&
                  each.currency !== currency &&
                  !/(?<!\p{L})\$/u.test(each.raw))),
          )
          expect({ locale, currency, written, wrong }).toEqual({ locale, currency, written, wrong: [] })
        },
      ),
      { seed: 4217, numRuns: runs(10_000) },
    )
  })
})

test('never turns a day into another without a word', async () => {
  const form = fc.constantFrom<Intl.DateTimeFormatOptions>(
    { dateStyle: 'full' },
    { dateStyle: 'long' },
    { dateStyle: 'medium' },
    { dateStyle: 'short' },
    { year: 'numeric', month: '2-digit', day: '2-digit' },
    { year: 'numeric', month: 'long' },
    { month: 'short', day: 'numeric' },
    { weekday: 'long', day: 'numeric', month: 'long' },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: Date.UTC(1950, 0, 1) / 86_400_000, max: Date.UTC(2049, 11, 31) / 86_400_000 }),
      // ICU has no other digits for Azerbaijani days. In Kirghiz figures the day stands between year and month, and in Basque the year of two figures first.
      fc.constantFrom(...locales.filter(locale => !/^(?:ky|eu)/.test(locale))),
      form,
      fc.constantFrom(undefined, new Date(reference)),
      fc.constantFrom('x: # .', '3 #', '[#]', '# – #', 'from # to #', '#: 12 items', 'Nr. 5, #', '#/'),
      figures,
      async (days, locale, shape, now, around, nu) => {
        const time = days * 86_400_000
        const iso = new Date(time).toISOString().slice(0, 10)
        const format = new Intl.DateTimeFormat(
          `${locale}-u-ca-gregory${locale === 'az' ? '' : nu.replace('-u', '')}`,
          {
            ...shape,
            timeZone: 'UTC',
          },
        )
        const written = format.format(time)
        const hasYear = shape.dateStyle !== undefined || shape.year !== undefined
        const hasDay = shape.dateStyle !== undefined || shape.day !== undefined
        const part = (text: string) => text.slice(hasYear ? 0 : 5, hasDay ? 10 : 7)
        const { dates } = (
          await find(
            around.replaceAll('#', () => written),
            { reference: now },
          )
        ).found
        const wrong = dates.filter(each => !each.ambiguous && part(each.iso ?? '') !== part(iso))
        expect({ locale, iso, written, wrong }).toEqual({ locale, iso, written, wrong: [] })
      },
    ),
    { seed: 4218, numRuns: runs(10_000) },
  )
})

describe('what stands beside a date', () => {
  test.each([
    ['24/11/52', '1952-11-24', '2052-11-24'],
    ['May 5, 68', '1968-05-05', '2068-05-05'],
    ['12./13. Mai 2024', '2024-05', null],
    ['from 13. mar. 65 to', '2016-03-13', null],
    ['[11. jan. 86]', '2017-01-11', null],
    ['18 de nov. del 60:', '2016-11-18', null],
    ['3 Okt 5, 2043', '2016-10-03', null],
    ['Friday, Foo 3', '2016-11-11', null],
    ['Am 24年8月5日', '2024-08-05', null],
  ])('marks it: %s', async (text, iso, otherIso) => {
    const { found } = await find(text, { reference: new Date(reference) })
    expect(found.dates).toMatchObject([{ iso, other_iso: otherIso, ambiguous: true }])
  })

  test.each([
    ['令和6年8月5日、平成元年4月1日、民國113年8月5日', ['2024-08-05', '1989-04-01', '2024-08-05']],
    ['open 2015-08-03/2015-08-04', ['2015-08-03', '2015-08-04']],
    ['August 3-4, 2015', ['2015-08-03']],
    ['vom 3. bis 4. August 2015', ['2015-08-04']],
    ['Dydd Mawrth, 13 Chwefror 1968', ['1968-02-13']],
    ['1年3月', []],
    ['Freitag, २४. Oktober १९८६', ['1986-10-24']],
    ['3 février ۱۹۷۶', ['1976-02-03']],
    ['Donderdag ０１ Januarie １９７０', ['1970-01-01']],
    ['26. aug 1969, 21:29 – 27. aug 1969', ['1969-08-26T21:29:00', '1969-08-27']],
    ['DiS, 4 Iuch 1959', ['1959-07-04']],
    ['kəsr18 yanvar', []],
  ])('is read with it: %s', async (text, isos) => {
    const { found } = await find(text, { reference: new Date(reference) })
    expect(found.dates.map(({ iso, ambiguous }) => [iso, ambiguous])).toEqual(isos.map(iso => [iso, false]))
  })
})
