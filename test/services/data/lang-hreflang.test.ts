import { describe, expect, test } from 'vitest'
import { html, openHosts } from '../../internet/site-audits.ts'
import type { Page } from '../../internet/web-server.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)
const { next, serve: serveAt } = openHosts(() => data.internet.web, 'lang')

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
      lang_source: 'html',
      lang_valid: true,
      dir: 'rtl',
      content_language: null,
      count: 0,
      alternates: [],
      x_default: null,
      self_listed: null,
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
    expect(found).toMatchObject({ lang, lang_source: langSource, lang_valid: lang === null ? null : true })
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
      charset_source: 'header',
      charset_header: 'utf-8',
      charset_meta: 'utf-8',
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
      charset_source: 'meta',
      charset_header: null,
      charset_meta: 'Shift_JIS',
      issues: [{ code: 'charset_not_utf8' }],
    })
    expect((await read(serve('\ufeff<html lang=en>', html))).found).toMatchObject({
      charset_source: 'bom',
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

describe('language versions', () => {
  test('are listed with what is known of each, and nothing is wrong with good ones', async () => {
    const host = next()
    const self = `http://${host}/`
    data.internet.web.site(
      host,
      '/',
      html(
        `<html lang="en-GB"><head><link rel=canonical href="${self}">` +
          version('en-gb', self) +
          version('nl-BE', 'https://example.com/be#top') +
          version('zh-Hant', 'https://example.com/tw') +
          version('x-default', 'https://example.com/') +
          '<link rel="alternate" type="application/rss+xml" hreflang=en href=/feed><link rel="alternate stylesheet" hreflang=en href=/s.css><link rel=alternate media=print href=/print>',
      ),
    )
    const { found, alternates, codes } = await read(self)
    expect(codes).toEqual([])
    expect(found).toMatchObject({ count: 4, self_listed: true, x_default: 'https://example.com/' })
    expect(alternates).toMatchObject([
      {
        hreflang: 'en-gb',
        href: self,
        valid: true,
        self: true,
        language: 'en',
        region: 'GB',
        source: 'link',
        returns: null,
      },
      { hreflang: 'nl-BE', href: 'https://example.com/be#top', self: false, region: 'BE' },
      { hreflang: 'zh-Hant', valid: true, region: null },
      { hreflang: 'x-default', valid: true, language: null },
    ])
  })

  test('are read from the Link header too', async () => {
    const url = serve('<html lang=en>', {
      link: '</de>; rel="alternate"; hreflang="de", </dir/page>; rel=alternate; hreflang=en, </x.css>; rel=preload',
    })
    const { origin } = new URL(url)
    const { alternates, found } = await read(url)
    expect(alternates).toMatchObject([
      { hreflang: 'de', href: `${origin}/de`, source: 'header', self: false },
      { hreflang: 'en', href: url, source: 'header', self: true },
    ])
    expect(found.count).toBe(2)
  })

  test.each([
    [version('en-UK', 'https://example.com/'), 'hreflang_invalid', 'Write en-GB.'],
    [version('en_GB', 'https://example.com/'), 'hreflang_invalid', 'Write en-GB.'],
    [version('jp', 'https://example.com/'), 'hreflang_invalid', 'Write ja.'],
    [version('', 'https://example.com/'), 'hreflang_invalid', 'is empty'],
    [version('en-EU', 'https://example.com/'), 'hreflang_invalid', 'no country'],
    [version('es-419', 'https://example.com/'), 'hreflang_doubtful', 'area'],
    [version('de', '/de'), 'hreflang_relative', '"de"'],
    [version('de', '//example.com/de'), 'hreflang_relative', '"de"'],
    [version('de', 'javascript:x'), 'hreflang_no_address', '"de"'],
    [version('de', ''), 'hreflang_no_address', '"de"'],
    [
      version('de', 'https://example.com/1') + version('DE', 'https://example.com/2'),
      'hreflang_duplicate',
      'different',
    ],
    [
      version('de', 'https://example.com/1') + version('de', 'https://example.com/1'),
      'hreflang_duplicate',
      'the same',
    ],
    [version('de', 'https://example.com/1'), 'hreflang_no_self', 'itself'],
    [
      version('de', 'https://example.com/1') + version('fr', 'https://example.com/2'),
      'x_default_missing',
      'x-default',
    ],
    [`<body><p>${version('de', 'https://example.com/1')}`, 'hreflang_in_body', '"de"'],
    [`<div></div>${version('de', 'https://example.com/1')}`, 'hreflang_in_body', '"de"'],
  ])('%s has the issue %s', async (markup, code, message) => {
    const { issues } = await read(serve(`<html lang=en><head>${markup}`))
    expect(issues.find(issue => issue.code === code)?.message).toContain(message)
  })

  test('resolve against the base of the page', async () => {
    const { alternates } = await read(serve(`<base href="https://example.org/x/">${version('de', 'de')}`))
    expect(alternates).toMatchObject([{ href: 'https://example.org/x/de', valid: true }])
  })

  test('of a page in another language, or with another canonical address, are doubted', async () => {
    const host = next()
    data.internet.web.site(host, '/', html(`<html lang=fr>${version('de', `http://${host}/`)}`))
    expect((await read(`http://${host}/`)).codes).toContain('hreflang_lang_differs')
    const { found, codes } = await read(
      serve(
        `<html lang=de><link rel=canonical href="https://example.com/de">${version('de', 'https://example.com/de')}`,
      ),
    )
    expect(found.self_listed).toBe(true)
    expect(codes).toContain('hreflang_not_canonical')
  })
})

describe('a look at the versions', () => {
  const site = (path: string, page: Page) => data.internet.web.site('versions.example.net', path, page)
  const at = (path: string) => `http://versions.example.net${path}`

  test('tells those that link back from those that do not, and from those that nobody can read', async () => {
    data.internet.dns.zone.set('gone-host.example.net', 'SERVFAIL')
    const versions = ['good', 'silent', 'missing', 'down', 'moved', 'header', 'wall']
      .map((path, n) => version(['de', 'fr', 'nl', 'it', 'es', 'pt', 'pl'][n] ?? '', at(`/${path}`)))
      .join('')
    site('/', {
      body: `<html lang=en>${version('en', at('/'))}${versions}${version('sv', 'http://gone-host.example.net/')}`,
    })
    site('/good', { body: version('en', at('/#top')) })
    site('/silent', { body: version('fr', at('/silent')) })
    site('/down', { status: 503, body: 'sorry' })
    site('/moved', { status: 301, headers: { location: '/good' } })
    site('/header', { headers: { link: `<${at('/')}>; rel=alternate; hreflang=en` }, body: '<p>x' })
    site('/wall', { status: 403, headers: { 'cf-mitigated': 'challenge' }, body: 'checking' })
    const { found, alternates, issues } = await read(at('/'), { reciprocal: true })
    expect(Object.fromEntries(alternates.map(({ hreflang, returns }) => [hreflang, returns]))).toEqual({
      en: null,
      de: true,
      fr: false,
      nl: false,
      it: null,
      es: true,
      pt: true,
      pl: null,
      sv: null,
    })
    expect(found.reciprocal).toMatchObject({ checked: 8, returned: 3 })
    expect(issues.map(({ code, message }) => `${code} ${/versions\S+?(?= )/.exec(message)?.[0]}`)).toEqual(
      expect.arrayContaining([
        'hreflang_no_return versions.example.net/silent',
        'alternate_not_found versions.example.net/missing',
        'alternate_redirects versions.example.net/moved',
      ]),
    )
    expect(issues.filter(({ code }) => code === 'hreflang_no_return')).toHaveLength(1)
  })

  test('is at ten of them, each once, and never at the page itself', async () => {
    const all = Array.from({ length: 14 }, (_, n) =>
      version(n % 2 ? 'de' : 'fr', at(`/many/${n % 12}`)),
    ).join('')
    site('/many', { body: `${version('en', at('/many'))}${all}` })
    const before = data.internet.web.visits.length
    const { found } = await read(at('/many'), { reciprocal: true })
    expect(found.reciprocal).toMatchObject({ checked: 10 })
    const asked = data.internet.web.visits.slice(before).map(({ path }) => path)
    expect(asked.filter(path => path === '/many')).toHaveLength(1)
    expect(new Set(asked).size).toBe(11)
  })
})
