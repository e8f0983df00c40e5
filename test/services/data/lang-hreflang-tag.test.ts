import { describe, expect, test } from 'vitest'
import { readLinkHeader } from '../../../mcp/services/data/language/link-header.ts'
import { isCountry, parseLanguageTag, readHreflang } from '../../../mcp/services/data/language/tag.ts'

const two = [...'abcdefghijklmnopqrstuvwxyz'].flatMap(a => [...'abcdefghijklmnopqrstuvwxyz'].map(b => a + b))

describe('a language tag', () => {
  test.each([
    ['en', 'en'],
    ['EN-gb', 'en-GB'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['es-419', 'es-419'],
    ['de-CH-1996', 'de-CH-1996'],
    ['zh-cmn-hans-cn', 'zh-Hans-CN'],
    ['tl', 'fil'],
    ['sr-Latn', 'sr-Latn'],
    [' nl ', 'nl'],
    ['haw', 'haw'],
  ])('%j is valid', (text, canonical) =>
    expect(parseLanguageTag(text)).toMatchObject({ valid: true, canonical, problem: null }),
  )

  test.each([
    ['en_GB', 'en-GB'],
    ['en-UK', 'en-GB'],
    ['eng', 'en'],
    ['jp', 'ja'],
    ['cz-CZ', 'cs-CZ'],
    ['GB-en', 'en-GB'],
    ['en-SU', 'en-RU'],
    ['english', null],
    ['xx', null],
    ['en-', null],
    ['en GB', null],
    ['', null],
    ['*', null],
    ['en-ZQ', null],
    ['<script>', null],
    [`en-${'a'.repeat(5000)}`, null],
  ])('%j is not, %j was meant', (text, suggestion) =>
    expect(parseLanguageTag(text)).toMatchObject({ valid: false, suggestion, problem: expect.any(String) }),
  )

  test.each([
    ['iw', 'he'],
    ['in-ID', 'id-ID'],
  ])('%j is valid but old', (text, suggestion) =>
    expect(parseLanguageTag(text)).toMatchObject({ valid: true, suggestion, problem: expect.any(String) }),
  )

  test('knows the 183 languages of ISO 639-1 and those that were renamed', () => {
    const known = two.filter(code => parseLanguageTag(code).valid)
    expect(known.length).toBe(183 + 7)
  })

  test('knows the 249 countries of ISO 3166-1', () => {
    expect(two.filter(code => isCountry(code.toUpperCase()))).toHaveLength(249)
  })
})

describe('an hreflang value', () => {
  test.each(['x-default', 'X-Default', 'nl-BE', 'zh-Hans', 'pt-br', 'be'])('%j is valid', text =>
    expect(readHreflang(text)).toMatchObject({ valid: true, problem: null }),
  )

  test('with an area is valid with a doubt, with a union of countries it is not', () => {
    expect(readHreflang('es-419')).toMatchObject({ valid: true, problem: expect.stringContaining('area') })
    expect(readHreflang('en-EU')).toMatchObject({ valid: false, suggestion: 'en' })
  })
})

describe('a Link header', () => {
  const read = (text: string) =>
    readLinkHeader(text).map(({ href, params }) => [href, Object.fromEntries(params)])

  test.each([
    ['<a>; rel=alternate; hreflang=de', [['a', { rel: 'alternate', hreflang: 'de' }]]],
    [
      '<a,b>;rel="alternate";title="x, <y>; z", <c> ; REL = next',
      [
        ['a,b', { rel: 'alternate', title: 'x, <y>; z' }],
        ['c', { rel: 'next' }],
      ],
    ],
    ['<a>; rel="a\\"b"; rel=second; x', [['a', { rel: 'a"b', x: '' }]]],
    [
      '<a>;; ;rel=x,<b>',
      [
        ['a', { rel: 'x' }],
        ['b', {}],
      ],
    ],
    ['<a', []],
    ['nothing', []],
    ['<a>; =; rel=x', [['a', {}]]],
  ])('%j is read', (text, links) => expect(read(text)).toEqual(links))

  test.each(['<', '<>', '<a>;', '<a>;x="', ';<a>'])('of many %j is read at once', piece => {
    expect(readLinkHeader(piece.repeat(100_000)).length).toBeLessThanOrEqual(500)
  })
})
