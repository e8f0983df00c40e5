import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { html, openHosts } from '../../internet/site-audits.ts'
import { refused, startData } from './run.ts'

let data: Awaited<ReturnType<typeof startData>>
beforeAll(async () => {
  data = await startData()
})
afterAll(() => data.stop())

const { serve: serveAt } = openHosts(() => data.internet.web, 'lang')

/** Serves a page on a host of its own. */
const serve = (...page: Parameters<typeof html>) => serveAt(html(...page))

type Issue = { code: string; severity: string; message: string }

const read = async (url: string, more: object = {}) => {
  const found = await data.ask('lang-hreflang', { url, ...more })
  const list = <T>(name: string) => ([] as T[]).concat((found as Record<string, T[]>)[name] ?? [])
  const issues = list<Issue>('issues')
  return {
    found,
    issues,
    codes: issues.map(({ code }) => code),
    alternates: list<Record<string, unknown>>('alternates'),
  }
}

const version = (hreflang: string, href: string) =>
  `<link rel="alternate" hreflang="${hreflang}" href="${href}">`

describe('the language', () => {
  test('is read from the html element, with direction and validity', async () => {
    const { found, codes } = await read(serve('<html lang="ar-EG" dir=RTL><meta charset=utf-8><p>x'))
    expect(found).toMatchObject({
      lang: 'ar-EG',
      langSource: 'html',
      langValid: true,
      dir: 'rtl',
      contentLanguage: null,
      count: 0,
      alternates: [],
      xDefault: null,
      selfListed: null,
      reciprocal: null,
    })
    expect(codes).toEqual([])
  })

  test.each([
    ['<html xml:lang=fr>', {}, 'fr', 'xml:lang'],
    ['<html lang="" xml:lang=fr>', {}, 'fr', 'xml:lang'],
    ['<meta http-equiv=Content-Language content=nl>', { 'content-language': 'de' }, 'nl', 'meta'],
    ['<meta http-equiv=Content-Language content="nl, fr">', { 'content-language': 'de' }, 'de', 'header'],
    ['<p>', { 'content-language': 'de, en' }, null, null],
    ['<p>', {}, null, null],
  ] as const)('of %j with %j is %j', async (markup, headers, lang, langSource) => {
    const { found, codes } = await read(serve(markup, headers))
    expect(found).toMatchObject({ lang, langSource, langValid: lang === null ? null : true })
    expect(codes.includes('lang_missing')).toBe(langSource !== 'xml:lang')
  })

  test.each([
    ['<html lang=en_US>', 'lang_invalid'],
    ['<html lang=english>', 'lang_invalid'],
    ['<html lang=he>', 'dir_missing'],
    ['<html lang=pa-Arab>', 'dir_missing'],
    ['<html lang=en xml:lang=fr>', 'xml_lang_differs'],
    ['<html lang=en><meta http-equiv=content-language content=de>', 'meta_language_differs'],
  ])('%j has the issue %s', async (markup, code) => expect((await read(serve(markup))).codes).toContain(code))

  test('is compared with the Content-Language header, which may name several', async () => {
    const differs = 'content_language_differs'
    expect((await read(serve('<html lang=en>', { 'content-language': 'de, fr' }))).codes).toContain(differs)
    expect((await read(serve('<html lang=en-GB>', { 'content-language': 'de, en' }))).codes).not.toContain(
      differs,
    )
  })
})

describe('the charset', () => {
  test('is named with what told it', async () => {
    expect((await read(serve('<html lang=en><meta charset=utf-8>'))).found).toMatchObject({
      charset: 'utf-8',
      charsetSource: 'header',
      charsetHeader: 'utf-8',
      charsetMeta: 'utf-8',
      issues: [],
    })
    const html = { 'content-type': 'text/html' }
    expect(
      (
        await read(
          serve(
            '<html lang=en><meta http-equiv="content-type" content="text/html; charset=Shift_JIS">',
            html,
          ),
        )
      ).found,
    ).toMatchObject({
      charset: 'shift_jis',
      charsetSource: 'meta',
      charsetHeader: null,
      charsetMeta: 'Shift_JIS',
      issues: [{ code: 'charset_not_utf8' }],
    })
    expect((await read(serve('\ufeff<html lang=en>', html))).found).toMatchObject({
      charsetSource: 'bom',
      issues: [],
    })
    const clash = await read(serve('\ufeff<html lang=en><meta charset=iso-8859-1>', html))
    expect(clash.codes).toEqual(['charset_clash'])
  })

  test.each([
    ['<meta charset=iso-8859-1>', 'text/html; charset=utf-8', ['charset_clash']],
    ['<meta charset=windows-1252>', 'text/html; charset=ISO-8859-1', ['charset_not_utf8']],
    ['<meta charset=utf-16>', 'text/html; charset=utf-8', []],
    ['<p>plain', 'text/html', ['charset_missing']],
    ['<meta charset=utf8mb4>', 'text/html; charset=utf-8', ['charset_unknown']],
    [`<script>${'x'.repeat(1200)}</script><meta charset=utf-8>`, 'text/html; charset="UTF-8"', []],
    [`<!--${'é'.repeat(600)}--><meta charset=utf-8>`, 'text/html', ['charset_late']],
  ])('%j as %s has the issues %j', async (markup, type, codes) =>
    expect((await read(serve(`<html lang=en>${markup}`, { 'content-type': type }))).codes).toEqual(codes),
  )
})

describe('a hostile page', () => {
  test('with 20,000 versions is read, and 500 of them listed', async () => {
    const { found, alternates } = await read(serve(version('zz', '/x').repeat(20_000)))
    expect(found).toMatchObject({ count: 20_000, meta: { truncated: true } })
    expect(alternates).toHaveLength(500)
  })

  test('has its marks taken out', async () => {
    const { found } = await read(serve('<html lang="e\u202en\u0007">'))
    expect(found.lang).toBe('en')
  })

  test('that is down is an error, not a verdict', async () => {
    data.internet.dns.zone.set('lang-down.example.net', { A: ['93.184.216.99'] })
    const error = await refused(read('http://lang-down.example.net/'))
    expect(error.code).toBe('upstream')
    expect(error.toProblem().retryable).toBe(true)
  })

  test('that answers with an error is read, with a warning', async () => {
    expect((await read(serve('<html lang=en>', {}, 404))).found).toMatchObject({
      lang: 'en',
      status: 404,
      meta: { warnings: [{ code: 'http_error' }] },
    })
  })
})
