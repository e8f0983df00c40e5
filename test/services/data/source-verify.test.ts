import { describe, expect, test } from 'vitest'
import { judgePublisher } from '../../../mcp/services/data/publisher/verdict.ts'
import type { Page } from '../../internet/web-server.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

type Verified = {
  reasons: { code: string }[]
  meta: { cached: boolean; warnings: { code: string }[] }
  [field: string]: unknown
}

const verify = async (url: string) => (await data.ask('source-verify', { url })) as unknown as Verified

const serve = (host: string, path: string, page: Page) => {
  data.internet.web.site(host, path, page)
  return `http://${host}${path}`
}
const codes = ({ reasons }: Verified) => reasons.map(({ code }) => code)

describe('an official source', () => {
  test('is told with its publisher, its title and the identifiers of the text', async () => {
    const url = serve('eur-lex.europa.eu', '/eli/reg/2016/679/oj', {
      body: '<title>Regulation - 2016/679</title>',
    })
    expect(await verify(url)).toMatchObject({
      skill: 'source-verify',
      url,
      live: true,
      status: 200,
      final_url: url,
      redirected: false,
      title: 'Regulation - 2016/679',
      official: true,
      confidence: 'medium',
      host: 'eur-lex.europa.eu',
      matched_by: 'list',
      publisher: { country: 'EU', kind: 'legislation', level: 'eu' },
      lookalike: null,
      archive: null,
      identifiers: [{ scheme: 'ELI', id: 'eli/reg/2016/679/oj' }],
      reasons: [{ code: 'listed' }, { code: 'not_https' }],
    })
  })

  test('may be a document that is no page', async () => {
    const url = serve('www.ejustice.just.fgov.be', '/mopdf/2020.pdf', {
      headers: { 'content-type': 'application/pdf' },
      body: '%PDF-1.7',
    })
    expect(await verify(url)).toMatchObject({
      live: true,
      title: null,
      content_type: 'application/pdf',
      official: true,
      publisher: { country: 'BE', kind: 'gazette', level: 'national' },
    })
  })

  test('stays official when its page is behind a wall, broken or down, and that is unknown, not gone', async () => {
    for (const status of [401, 403, 429, 451, 500, 503]) {
      const url = serve(`s${status}.rechtspraak.nl`, '/', { status, body: '<title>Sorry</title>' })
      expect(await verify(url)).toMatchObject({ live: null, status, official: true, matched_by: 'list' })
    }
    data.internet.dns.zone.set('down.overheid.nl', { A: ['93.184.216.99'] })
    const down = await verify('http://down.overheid.nl/')
    expect(down).toMatchObject({
      live: null,
      status: null,
      final_url: null,
      redirected: null,
      official: true,
    })
    expect(codes(down)).toContain('unreachable')
    const silent = await verify('https://silent.example.org/')
    expect(silent).toMatchObject({ live: null, official: false })
  })

  test('that failed is asked again, not kept', async () => {
    data.internet.dns.zone.set('back.overheid.nl', { A: ['93.184.216.99'] })
    expect(await verify('http://back.overheid.nl/')).toMatchObject({ live: null })
    data.internet.dns.zone.delete('back.overheid.nl')
    serve('back.overheid.nl', '/', { body: 'x' })
    expect(await verify('http://back.overheid.nl/')).toMatchObject({ live: true, meta: { cached: false } })
  })

  test('is gone when it says so, or when its name does not exist', async () => {
    expect(await verify(serve('www.boe.es', '/gone', { status: 410 }))).toMatchObject({ live: false })
    expect(await verify(serve('www.boe.es', '/no', { status: 404 }))).toMatchObject({
      live: false,
      official: true,
    })
    const nowhere = await verify('https://no-such-name.gouv.fr/')
    expect(nowhere).toMatchObject({ live: false, official: true, matched_by: 'tld' })
    expect(codes(nowhere)).toContain('no_such_host')
  })

  test('is unknown when the page only says that it is missing', async () => {
    const url = serve('wetten.overheid.nl', '/x', { body: '<title>404 - Pagina niet gevonden</title>' })
    const found = await verify(url)
    expect(found).toMatchObject({ live: null, status: 200, official: true })
    expect(codes(found)).toContain('soft_404')
  })

  test('is not trusted over a broken certificate', async () => {
    serve('wrong.europa.eu', '/', { body: 'x' })
    expect(await verify('https://wrong.europa.eu/')).toMatchObject({
      live: null,
      reasons: [{ code: 'listed' }, { code: 'unreachable', message: expect.stringContaining('certificate') }],
    })
  })
})

describe('redirects', () => {
  test('are followed, and the final host is judged', async () => {
    const url = serve('www.lachambre.be', '/old', {
      status: 302,
      headers: { location: 'http://parked.example.net/' },
    })
    serve('parked.example.net', '/', { body: '<title>Buy this domain</title>' })
    const found = await verify(url)
    expect(found).toMatchObject({
      official: false,
      redirected: true,
      host: 'parked.example.net',
      final_url: 'http://parked.example.net/',
      publisher: null,
      requested: { host: 'www.lachambre.be', official: true, publisher: { kind: 'parliament' } },
    })
    expect(codes(found)).toEqual(['not_listed', 'leaves_official'])
  })

  test('from elsewhere to an official host make it official', async () => {
    serve('www.kvk.nl', '/', { body: '<title>KVK</title>' })
    const url = serve('short.example.net', '/k', { status: 301, headers: { location: 'http://www.kvk.nl/' } })
    const found = await verify(url)
    expect(found).toMatchObject({
      official: true,
      requested: { official: false },
      publisher: { kind: 'register' },
    })
    expect(codes(found)).toContain('leads_to_official')
  })

  test('to a private address leave it unknown', async () => {
    const url = serve('data.overheid.nl', '/in', { status: 302, headers: { location: 'http://127.0.0.1/' } })
    expect(await verify(url)).toMatchObject({ live: null, final_url: null, official: true })
  })

  test('to a look-alike are told', async () => {
    const evil = serve('eur-lex.europa.eu.example.net', '/', { body: '<title>EUR-Lex</title>' })
    const url = serve('short.example.net', '/e', { status: 302, headers: { location: evil } })
    expect(await verify(url)).toMatchObject({
      official: false,
      confidence: 'high',
      matched_by: 'none',
      lookalike: { of: 'eur-lex.europa.eu', how: 'embedded' },
    })
  })
})

test('refuses what is not visited', async () => {
  expect((await refused(verify('http://127.0.0.1/'))).code).toBe('invalid_input')
})

test('keeps identifiers of the address that was asked for when a redirect drops them', async () => {
  serve('uitspraken.rechtspraak.nl', '/', { body: 'x' })
  const url = serve('deeplink.rechtspraak.nl', '/uitspraak', {
    status: 302,
    headers: { location: 'http://uitspraken.rechtspraak.nl/' },
  })
  expect(await verify(`${url}?id=ECLI:NL:HR:2020:1234`)).toMatchObject({
    identifiers: [{ scheme: 'ECLI', id: 'ECLI:NL:HR:2020:1234' }],
  })
})

test('tells an archive copy and what it is of', async () => {
  data.internet.web.site('web.archive.org', '*', { body: '<title>Copy</title>' })
  const found = await verify('http://web.archive.org/web/2020/https://eur-lex.europa.eu/eli/reg/2016/679/oj')
  expect(found).toMatchObject({
    official: false,
    confidence: 'high',
    matched_by: 'list',
    publisher: { kind: 'archive' },
    archive: { original: 'https://eur-lex.europa.eu/eli/reg/2016/679/oj' },
    lookalike: null,
  })
  expect(codes(found)).toContain('archived_copy')
})

test('over https the list is sure and the suffix less so', () => {
  expect(judgePublisher('https://www.legifrance.gouv.fr/').confidence).toBe('high')
  expect(judgePublisher('https://www.prefecture.gouv.fr/').confidence).toBe('medium')
  expect(judgePublisher('http://www.prefecture.gouv.fr/').confidence).toBe('low')
  expect(judgePublisher('https://example.com/').confidence).toBe('low')
})
