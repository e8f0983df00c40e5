import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { openWorkers } from '../../../mcp/ports/workers/workers.ts'
import { Meta } from '../../../mcp/services/data/meta.ts'
import textEntities from '../../../mcp/services/data/text-entities.ts'
import { runs, sample } from '../../stress.ts'

const kinds = [
  'emails',
  'urls',
  'ips',
  'phones',
  'dates',
  'hashtags',
  'mentions',
  'money',
  'ibans',
  'vat_numbers',
  'crypto_addresses',
] as const

const workers = openWorkers()
afterAll(() => workers.close())

const find = async (text: string, more: object = {}) => {
  const input = textEntities.input.parse({ text, ...more })
  const ctx = { clock: { now: () => new Date('2026-01-01T00:00:00Z') }, workers }
  const answer = await textEntities.run(ctx as never, input)
  return { ...textEntities.own.parse(answer), meta: Meta.parse(answer.meta) }
}

type Span = { start: number; end: number; raw: string }

const all = (found: Awaited<ReturnType<typeof find>>) => kinds.flatMap((kind): Span[] => found[kind])

describe('text-entities', () => {
  test('finds e-mail addresses and leaves out what only looks like one', async () => {
    const { emails } = await find(
      'Ada@Example.com, <bob.smith+tag@sub.example.co.uk>. info@bücher.de user@localhost a..b@c.com x@1.2.3.4',
    )
    expect(emails.map(({ email }) => email)).toEqual([
      'Ada@example.com',
      'bob.smith+tag@sub.example.co.uk',
      'info@xn--bcher-kva.de',
    ])
  })

  test('reads addresses written with "at" and "dot" only when asked to', async () => {
    const text = 'ada [at] example [dot] com, meet me at noon'
    expect((await find(text)).emails).toEqual([])
    const { emails } = await find(text, { deobfuscate: true })
    expect(emails).toMatchObject([
      { email: 'ada@example.com', obfuscated: true, raw: 'ada [at] example [dot] com' },
    ])
  })

  test.each([
    ['[a](https://a.com/x_(y))[b](https://b.com/y)', ['https://a.com/x_(y)', 'https://b.com/y']],
    ['[https://a.com](https://b.com)', ['https://a.com/', 'https://b.com/']],
    ["url('https://a.com/x','https://b.com/y')", ['https://a.com/x', 'https://b.com/y']],
    ['{"u":"https://a.com/{id}/x"} {https://b.com}', ['https://a.com/%7Bid%7D/x', 'https://b.com/']],
    [
      'https://a.com/x,https://b.com/y;https://c.com/?u=https://d.com',
      ['https://a.com/x', 'https://b.com/y', 'https://c.com/?u=https://d.com'],
    ],
    ['https://a.com:65536/x b.com:70000/y https://c.com:65535/', ['https://c.com:65535/']],
    ['a:b:c.pm std::x.io 12:30.pm site:a.com', ['https://a.com/']],
  ])('ends where its brackets, quotes and lists do: %s', async (text, expected) => {
    expect((await find(text)).urls.map(({ url }) => url)).toEqual(expected)
  })

  test('finds domain names before text without spaces', async () => {
    const { urls } = await find('見て、example.comです。例え.jp example.org한국')
    expect(urls.map(({ raw }) => raw)).toEqual(['example.com', '例え.jp', 'example.org'])
  })

  test('cuts the punctuation of the sentence off URLs, and keeps balanced brackets', async () => {
    const { urls } = await find(
      'See https://en.wikipedia.org/wiki/Foo_(bar). (http://a.com/x), "https://b.org/?q=1#z"! 见https://c.net/路，好',
    )
    expect(urls.map(({ raw }) => raw)).toEqual([
      'https://en.wikipedia.org/wiki/Foo_(bar)',
      'http://a.com/x',
      'https://b.org/?q=1#z',
      'https://c.net/路',
    ])
  })

  test('finds domains without a scheme, but no file names, abbreviations or code', async () => {
    const { urls } = await find(
      'www.test.org/path, example.com; müller.de README.md main.py e.g. i.e. node.js foo.bar()',
    )
    expect(urls.map(({ url, kind }) => [url, kind])).toEqual([
      ['https://www.test.org/path', 'url'],
      ['https://example.com/', 'domain'],
      ['https://xn--mller-kva.de/', 'domain'],
    ])
  })

  test('prefers the URL to the e-mail address in it, and that to its domain', async () => {
    const found = await find('https://example.com/?to=ada@example.org bob@example.net')
    expect(found.urls).toHaveLength(1)
    expect(found.emails.map(({ email }) => email)).toEqual(['bob@example.net'])
    expect(found.mentions).toEqual([])
  })

  test('finds IP addresses and no version numbers, times or code', async () => {
    const { ips } = await find(
      'at 1.2.3.4, net 10.0.0.0/8, 2001:DB8:0::1 and fe80::1. v1.2.3.4 1.2.3.4.5 256.1.1.1 version 4.3.2.1 12:30:45 std::string',
    )
    expect(ips.map(({ ip, version, prefix, ...rest }) => [ip, version, prefix, rest.private])).toEqual([
      ['1.2.3.4', 4, null, false],
      ['10.0.0.0', 4, 8, true],
      ['2001:db8::1', 6, null, false],
      ['fe80::1', 6, null, true],
    ])
  })

  test('finds international phone numbers, also in other digits, and no bare digits without a country', async () => {
    const { phones } = await find(
      '+32 2 555 12 12, +1 (415) 555-2671 ext. 12. +٣٢ ٤٧٠ ١٢ ٣٤ ٥٦ 0470 12 34 56 order 123456789012',
    )
    expect(phones.map(({ e164, country, extension }) => [e164, country, extension])).toEqual([
      ['+3225551212', 'BE', null],
      ['+14155552671', 'US', '12'],
      ['+32470123456', 'BE', null],
    ])
  })

  test('finds national phone numbers of the country that is given', async () => {
    const { phones } = await find('Call 0470 12 34 56 today', { country: 'be' })
    expect(phones).toMatchObject([{ e164: '+32470123456', valid: true, raw: '0470 12 34 56' }])
  })

  test('refuses a country that does not exist', async () => {
    await expect(find('x', { country: 'QQ' })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('reads dates at their own precision', async () => {
    const { dates } = await find(
      '2024-02-29 · 2024-03-05T10:30+02:00 · 2024-03-06 10:30 · March 7, 2024 · 8th of March 2024 · April 2024 · 2024-05 · 09.03.2024 · 31/12/99 · 2023-02-29 · 2024-13-45',
    )
    expect(dates.map(({ iso, precision }) => [iso, precision])).toEqual([
      ['2024-02-29', 'day'],
      ['2024-03-05T08:30:00Z', 'minute'],
      ['2024-03-06T10:30:00', 'minute'],
      ['2024-03-07', 'day'],
      ['2024-03-08', 'day'],
      ['2024-04', 'month'],
      ['2024-05', 'month'],
      ['2024-03-09', 'day'],
      ['1999-12-31', 'day'],
    ])
  })

  test('flags a date whose day and month may be swapped, and follows the country', async () => {
    const [first] = (await find('3/4/2024')).dates
    expect(first).toMatchObject({ iso: '2024-03-04', ambiguous: true, other_iso: '2024-04-03' })
    const [belgian] = (await find('3/4/2024', { country: 'BE' })).dates
    expect(belgian).toMatchObject({ iso: '2024-04-03', ambiguous: true, other_iso: '2024-03-04' })
    expect((await find('13/4/2024')).dates).toMatchObject([
      { iso: '2024-04-13', ambiguous: false, other_iso: null },
    ])
  })

  test('leaves relative dates open without a reference, and counts them from one', async () => {
    const text = 'tomorrow at 5pm, 3 days ago, on March 5'
    const open = await find(text)
    expect(open.dates).toMatchObject([{ raw: 'March 5', iso: null, ambiguous: true }])
    expect(open.meta.warnings).toMatchObject([{ code: 'needs_reference' }])
    const { dates } = await find(text, { reference: '2025-06-10T12:00:00Z' })
    expect(dates.map(({ iso, relative }) => [iso, relative])).toEqual([
      ['2025-06-11T17:00:00', true],
      ['2025-06-07', true],
      ['2025-03-05', true],
    ])
  })

  test('has no fifth Friday in a month of four', async () => {
    const reference = '2026-01-10T12:00:00Z'
    const { dates } = await find("I'll be back the fifth friday of february", { reference })
    expect(dates).toMatchObject([{ iso: null }])
    const five = await find("I'll be back the fifth friday of january", { reference })
    expect(five.dates).toMatchObject([{ iso: '2026-01-30' }])
  })

  test.each([
    ['the fifth Friday of February 2026', null],
    ['See you on the fifth Friday of January 2026.', '2026-01-30'],
    ['am ersten Montag im März 2027', '2027-03-01'],
    ['le deuxième mardi de mai 2026', '2026-05-12'],
    ['el tercer jueves de junio de 2026', '2026-06-18'],
    ['the last Friday of February 2026', '2026-02-27'],
    ['der letzte Montag im August 2026', '2026-08-31'],
    ["l'ultimo venerdì di maggio 2026", '2026-05-29'],
  ])('reads %s as one date, which needs no reference', async (text, iso) => {
    for (const more of [{}, { reference: '2025-01-10T12:00:00Z' }]) {
      const { dates } = await find(text, more)
      expect(dates).toMatchObject([{ iso, precision: 'day', relative: false }])
    }
  })

  test('finds hashtags in every script, and no numbers, anchors or entities', async () => {
    const { hashtags } = await find(
      '#foo #日本語, #café! #2024goals ＃全角 #123 a#b &#39; https://x.com/#frag',
    )
    expect(hashtags.map(({ tag }) => tag)).toEqual(['foo', '日本語', 'café', '2024goals', '全角'])
  })

  test('finds mentions, with the host where there is one', async () => {
    const { mentions, emails } = await find('@ada, (@bob.c) @eve@social.example.org mail@example.com')
    expect(mentions.map(({ name, host }) => [name, host])).toEqual([
      ['ada', null],
      ['bob.c', null],
      ['eve', 'social.example.org'],
    ])
    expect(emails).toHaveLength(1)
  })

  test.each([
    ['$5.4 million', '5400000', 'USD'],
    ['€1.500,75', '1500.75', 'EUR'],
    ['1.500,75 €', '1500.75', 'EUR'],
    ['1 234,50 EUR', '1234.5', 'EUR'],
    ['USD 1,234.56', '1234.56', 'USD'],
    ['€1.500', '1500', 'EUR'],
    ['$1.500', '1500', 'USD'],
    ["CHF 1'500.50", '1500.5', 'CHF'],
    ['₹1,00,000', '100000', 'INR'],
    ['-$5', '-5', 'USD'],
    ['US$ 10bn', '10000000000', 'USD'],
    ['5k dollars', '5000', 'USD'],
    ['0.1 BTC', '0.1', 'BTC'],
    ['100 kr', '100', null],
    ['£0.999', '0.999', 'GBP'],
  ])('reads %s as %s %s', async (raw, amount, currency) => {
    expect((await find(`It costs ${raw}, yes.`)).money).toMatchObject([{ raw, amount, currency }])
  })

  test('lists a value once with its number of places, or every place when asked', async () => {
    const text = 'a@x.com b@x.com a@x.com'
    const once = await find(text)
    expect(once.emails.map(({ email, occurrences }) => [email, occurrences])).toEqual([
      ['a@x.com', 2],
      ['b@x.com', 1],
    ])
    expect(once).toMatchObject({ counts: { emails: 2, urls: 0 }, count: 2, truncated: false })
    expect((await find(text, { each: true })).emails.map(({ start }) => start)).toEqual([0, 8, 16])
  })

  test('lists 1,000 entries of a kind, counts all, and says that it cut', async () => {
    const text = Array.from({ length: 1500 }, (_, i) => `u${i}@x.com`).join(' ')
    const { emails, counts, truncated, meta } = await find(text)
    expect(emails).toHaveLength(1000)
    expect(counts.emails).toBe(1500)
    expect(truncated && meta.truncated).toBe(true)
  })

  test('finds nothing in nothing', async () => {
    expect(await find('')).toMatchObject({ count: 0, emails: [], truncated: false })
  })
})

const scraps = fc.constantFrom(
  ...'@#.:/,-+()$€ 1a\n日',
  ...[
    'http://',
    'www.',
    'x.com',
    '1.2.3.4',
    '::1',
    '+32 2 555 12 12',
    'March 5',
    '2024-03-05',
    '3/4/25',
    'USD',
    ' zwei ',
    ' Euro',
    ' cents',
    'next Friday',
    ' il y a 2 jours',
    '5. März',
    '11月22日',
    'DE89 3704 0044 0532 0130 00',
    'BE0403019261',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    'million',
    ' [at] ',
    '#tag',
    '@ada',
    '٣',
  ],
)

test('text-entities, for any text, gives spans that hold the raw text and do not overlap', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(scraps, { maxLength: 40 }), async parts => {
      const text = parts.join('')
      const found = await find(text, {
        each: true,
        country: 'US',
        deobfuscate: true,
        reference: '2025-01-01T00:00:00Z',
      })
      const spans = all(found).sort((a, b) => a.start - b.start)
      for (const [index, { start, end, raw }] of spans.entries()) {
        expect(text.slice(start, end)).toBe(raw)
        expect(start).toBeGreaterThanOrEqual(spans[index - 1]?.end ?? 0)
      }
    }),
    { numRuns: runs(1000) },
  )
})

/** What an expression or a window that looks back might read again and again: quadratic work on one of them takes minutes. */
const repeated = [
  'a',
  '@',
  'a@',
  'a.',
  '#a',
  '1 ',
  '+1 ',
  '1.',
  '1:',
  'http://',
  'www.',
  '$1,',
  '1,000,',
  'March 5 ',
  '2024-03-05 ',
  '(',
  ' at ',
  '日本',
  'a-',
  '3 days ago ',
  'one ',
  'cent ',
  'zwei und ',
  'mai ',
  '1 mai ',
  'deux mille ',
  '5 m ',
  'DE89 ',
  'dollars ',
  '0x',
  '12/',
  'vor 3 ',
  '十',
]

test.each(sample(repeated, 8))('text-entities gets through 300 KB of %j', async unit => {
  const text = unit.repeat(Math.ceil(300_000 / unit.length))
  const found = await find(text, { country: 'US', deobfuscate: true, reference: '2025-01-01T00:00:00Z' })
  expect(all(found).length).toBeLessThanOrEqual(8000)
})
