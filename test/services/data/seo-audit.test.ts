import { beforeAll, describe, expect, test } from 'vitest'
import { html, openHosts } from '../../internet/site-audits.ts'
import type { Page } from '../../internet/web-server.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)
type Issue = { id: string; severity: string; message: string; fix: string }

const audit = async (url: string) => {
  const found = (await data.ask('seo-audit', { url })) as Record<string, unknown> & {
    score: number
    issues: Issue[]
    passed: string[]
  }
  return {
    found,
    ids: found.issues.map(({ id }) => id),
    issue: (id: string) => found.issues.find(one => one.id === id),
  }
}

const { next, serve: serveAt } = openHosts(() => data.internet.web, 'seo')
const site = (host: string, path: string, page: Page) => data.internet.web.site(host, path, page)

/** Serves markup on a host of its own. */
const serve = (...page: Parameters<typeof html>) => serveAt(html(...page))

const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`).join(' ')

const goodHead = (url: string) => `<meta charset=utf-8><title>How to keep bees through a cold winter</title>
  <meta name=description content="What bees need from October to March, how much they eat, and five ways to tell that a colony will not see the spring.">
  <meta name=viewport content="width=device-width, initial-scale=1"><link rel=canonical href="${url}">
  <meta property=og:title content=Bees><meta property=og:type content=article><meta property=og:image content=/bee.png>
  <meta property=og:url content="${url}"><meta property=og:description content=Winter><meta name=twitter:card content=summary>
  <script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","author":{"@type":"Person"}}</script>`

const goodBody = `<h1>Bees in winter</h1><h2>Food</h2><p>${words(320)}</p><img src=bee.png alt="A bee"><a href=/food>What bees eat</a>`

describe('seo-audit', () => {
  test('gives a page that does everything right 100 points and an A', async () => {
    const url = 'https://bees.example.com/winter'
    site(
      'bees.example.com',
      '/winter',
      html(`<html lang=en><head>${goodHead(url)}</head><body><main>${goodBody}`),
    )
    const { found } = await audit(url)
    expect(found.issues).toEqual([])
    expect(found).toMatchObject({
      url,
      final_url: url,
      status: 200,
      score: 100,
      grade: 'A',
      title: { text: 'How to keep bees through a cold winter', length: 38, verdict: 'ok' },
      meta_description: { verdict: 'ok' },
      h1: { count: 1, texts: ['Bees in winter'] },
      headings: { count: 2, levels: { h1: 1, h2: 1, h3: 0 }, skips_levels: false },
      canonical: { href: url, self: true, ok: true, problems: [] },
      robots: { index: true, follow: true, source: null, directives: [] },
      open_graph: { present: true, missing: [] },
      twitter_card: { present: true, card: 'summary', missing: [] },
      images: { total: 1, with_alt: 1, missing_alt: 0, coverage: 1 },
      word_count: 327,
      lang: 'en',
      hreflang: { count: 0, self: null },
      structured_data: { types: ['Article', 'Person'], count: 2, broken: 0 },
      links: { total: 1, internal: 1, external: 0, nofollow: 0 },
      is_shell: false,
      issue_count: 0,
      meta: { warnings: [], truncated: false },
    })
  })

  test('says what an empty page lacks, the worst first, each with a fix', async () => {
    const { found, ids } = await audit(serve('<p>hello'))
    expect(found).toMatchObject({
      grade: 'F',
      images: { coverage: null },
      title: { text: null, verdict: 'missing' },
    })
    expect(ids).toEqual(
      expect.arrayContaining([
        'https',
        'document-title',
        'meta-description',
        'html-lang',
        'viewport',
        'h1',
        'word-count',
        'canonical',
        'open-graph',
        'twitter-card',
        'structured-data',
      ]),
    )
    expect(ids).not.toContain('title-length')
    const order = ['critical', 'high', 'medium', 'low']
    const ranks = found.issues.map(({ severity }) => order.indexOf(severity))
    expect(ranks).toEqual([...ranks].sort())
    for (const { message, fix } of found.issues) expect(`${message} ${fix}`).toMatch(/^[A-Z<].*\. .*\.$/)
  })

  test.each([
    ['meta', '<meta name=robots content="noindex, follow">', {}],
    ['header', '', { 'x-robots-tag': 'noindex' }],
    ['meta', '<meta name=GoogleBot content=none>', {}],
  ])('makes noindex in the %s critical', async (source, markup, headers) => {
    const { found, issue } = await audit(serve(`${markup}<title>x</title>${goodBody}`, headers))
    expect(issue('is-crawlable')?.severity).toBe('critical')
    expect(found).toMatchObject({ grade: 'F', robots: { index: false, source } })
    expect(found.score).toBeLessThanOrEqual(40)
    expect(found.issues[0]?.severity).toBe('critical')
  })

  test('reads every line of X-Robots-Tag, each for its own robots', async () => {
    const host = next()
    site(host, '/', (_request, response) => {
      response.writeHead(200, [
        ['content-type', 'text/html'],
        ['x-robots-tag', 'otherbot: noindex'],
        ['x-robots-tag', 'nofollow'],
      ] as never)
      response.end(goodBody)
    })
    expect((await audit(`http://${host}/`)).found).toMatchObject({
      robots: { index: true, follow: false, source: 'header', directives: ['nofollow'] },
    })
  })

  test.each([
    ['Bees', 'short'],
    [
      'A title that is much too long, because it says everything about bees and then says it all again',
      'long',
    ],
    ['冬のミツバチの世話のしかた', 'ok'],
    ['冬のミツバチの世話のしかたと春までに群れを失わないための五つの方法について', 'long'],
    ['illicit lilliputian illicit lilliputian illicit lilliputian illicit lilliputian', 'ok'],
  ])('judges the title %j by its width: %s', async (title, verdict) => {
    const { found, ids } = await audit(serve(`<title>${title}</title>`))
    expect(found).toMatchObject({ title: { text: title, length: [...title].length, verdict } })
    expect(ids.includes('title-length')).toBe(verdict !== 'ok')
  })

  test('takes no title of a drawing, and the first of several', async () => {
    expect((await audit(serve('<body><svg><title>Icon</title></svg>'))).found).toMatchObject({
      title: { text: null },
    })
    const { found, issue } = await audit(
      serve('<svg><g><title>Icon</title></g></svg><title>One</title><title>Two</title>'),
    )
    expect(found).toMatchObject({ title: { text: 'One' } })
    expect(issue('document-title')).toMatchObject({ severity: 'low' })
  })

  test('warns of several h1, of left out levels and of an h1 without text', async () => {
    const { found, ids } = await audit(serve('<h1>One</h1><h1>Two</h1><h4>Deep</h4>'))
    expect(found).toMatchObject({ h1: { count: 2, texts: ['One', 'Two'] }, headings: { skips_levels: true } })
    expect(ids).toEqual(expect.arrayContaining(['h1-single', 'heading-order']))
    expect(ids).not.toContain('h1')
    expect((await audit(serve('<h1><img src=x></h1>'))).ids).toContain('h1')
    expect((await audit(serve('<h1><img src=x alt=Logo></h1>'))).ids).not.toContain('h1')
  })

  test('counts a decorative image as fine and loses points by the share of the others', async () => {
    const half = await audit(serve('<img src=a alt=""><img src=b>'))
    expect(half.found).toMatchObject({
      images: { empty_alt: 1, missing_alt: 1, coverage: 0.5, missing: ['b'] },
    })
    expect(half.issue('image-alt')).toMatchObject({ severity: 'medium' })
    const none = await audit(serve('<img src=a><img src=b>'))
    expect(none.issue('image-alt')).toMatchObject({ severity: 'high' })
    expect(half.found.score).toBeGreaterThan(none.found.score)
  })

  test('tells a page that is empty until scripts run from one with little text', async () => {
    const shell = await audit(
      serve(
        '<head><script type=module src=/app.js></script></head><div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript>',
      ),
    )
    expect(shell.found).toMatchObject({
      is_shell: true,
      word_count: 0,
      meta: { warnings: [{ code: 'spa_shell' }] },
    })
    expect(shell.ids).toContain('spa-shell')
    expect(shell.ids).not.toContain('word-count')
    const plain = await audit(serve('<p>A short page without any script.'))
    expect(plain.found.is_shell).toBe(false)
    expect(plain.ids).toContain('word-count')
    const rendered = await audit(
      serve(`<script src=/app.js></script><div id=root><p>${words(400)}</p></div>`),
    )
    expect(rendered.found.is_shell).toBe(false)
  })

  test('reports broken JSON-LD, and types of all three formats', async () => {
    const { found, issue } = await audit(
      serve(
        `<script type="application/ld+json">{"@graph":[{"@type":["Organization","https://schema.org/Brand"]}]}</script><script type='application/ld+json'>{broken</script><script type="application/ld+json"><!-- {"@type":"schema:Offer"} --></script><div itemscope itemtype="https://schema.org/Product"></div><p vocab="https://schema.org/" typeof="Event">`,
      ),
    )
    expect(found).toMatchObject({
      structured_data: { types: ['Organization', 'Brand', 'Offer', 'Product', 'Event'], broken: 1 },
    })
    expect(issue('structured-data')).toMatchObject({ severity: 'medium' })
  })

  test('takes no description of a thing in the page for that of the page', async () => {
    const { found } = await audit(
      serve('<meta itemprop=description content="Of a product"><meta property=description content="Odd">'),
    )
    expect(found).toMatchObject({ meta_description: { text: null, verdict: 'missing' } })
  })

  test('takes OpenGraph for what a Twitter card leaves out', async () => {
    const { found } = await audit(
      serve(
        '<meta name=twitter:card content=summary><meta property=og:title content=T><meta property=og:image content=i.png>',
      ),
    )
    expect(found).toMatchObject({
      open_graph: { present: true, missing: ['type', 'url', 'description'] },
      twitter_card: { present: true, card: 'summary', missing: ['description'] },
    })
  })

  test.each([
    ['<meta name=viewport content="width=1024">', 'medium'],
    ['<meta name=viewport content="width=device-width, user-scalable=no">', 'low'],
    ['<meta name=viewport content="width=device-width, maximum-scale=1.0">', 'low'],
    ['<meta name=viewport content="width=device-width, maximum-scale=10">', undefined],
    ['', 'high'],
  ])('judges the viewport %j', async (markup, severity) =>
    expect((await audit(serve(markup))).issue('viewport')?.severity).toBe(severity),
  )

  test('notices links without an address or a telling text, wrong versions and a refresh', async () => {
    const { found, ids } = await audit(
      serve(
        `<meta http-equiv=refresh content="5"><link rel=alternate hreflang=en-UK href="https://example.com/uk"><a href="javascript:go()">Go on</a><a href=/x>click here</a>`,
      ),
    )
    expect(ids).toEqual(
      expect.arrayContaining(['crawlable-anchors', 'link-text', 'hreflang', 'meta-refresh']),
    )
    expect(found).toMatchObject({
      hreflang: { count: 1, invalid: 1, self: false },
      links: { vague: 1, uncrawlable: 1 },
    })
  })

  test('audits a page for "not found", as critical', async () => {
    const { found, issue } = await audit(serve(`<title>Not found</title>`, {}, 404))
    expect(issue('http-status')?.severity).toBe('critical')
    expect(found).toMatchObject({ status: 404, grade: 'F' })
  })

  test.each([
    [503, {}, true],
    [429, {}, true],
    [403, {}, false],
    [403, { 'cf-mitigated': 'challenge' }, false],
  ])('does not judge a site by %i', async (status, headers, retryable) => {
    const error = await refused(audit(serve('<title>x', headers, status)))
    expect(error.code).toBe('upstream')
    expect(error.toProblem().retryable).toBe(retryable)
  })
})

describe('the canonical address', () => {
  const at = (path: string) => `http://canonical.example.net${path}`
  const page = (path: string, href: string, more = '') =>
    site('canonical.example.net', path, html(`<head><link rel=canonical href="${href}">${more}`))
  const canonical = async (path: string) => (await audit(at(path))).found.canonical

  beforeAll(() => {
    page('/end', at('/end'))
    site('canonical.example.net', '/bare', html('<p>x'))
    page('/', at('/'))
    site('canonical.example.net', '/moved', { status: 301, headers: { location: '/end' } })
    site('canonical.example.net', '/down', { status: 503 })
    page('/hidden', at('/hidden'), '<meta name=robots content=noindex>')
    page('/step', at('/end'))
  })

  test.each([
    ['/self', '/self', { self: true, ok: true, problems: [] }],
    ['/hash', '/hash#x', { self: true, ok: true, problems: [expect.stringContaining('fragment')] }],
    ['/other', '/end', { self: false, ok: true, problems: [] }],
    ['/deep', '/', { self: false, ok: true, problems: [expect.stringContaining('home page')] }],
    ['/to-bare', '/bare', { self: false, ok: true }],
    ['/chain', '/step', { self: false, ok: false, chain: [at('/step'), at('/end')] }],
    ['/redirect', '/moved', { self: false, ok: false, chain: [at('/moved'), at('/end')] }],
    ['/dead', '/nothing', { self: false, ok: false, problems: [expect.stringContaining('404')] }],
    ['/closed', '/hidden', { self: false, ok: false, problems: [expect.stringContaining('noindex')] }],
    ['/outage', '/down', { self: false, ok: null, problems: [] }],
  ])('at %s to %s', async (path, target, expected) => {
    page(path, at(target))
    expect(await canonical(path)).toMatchObject({ href: at(target), ...expected })
  })

  test('that nobody can read is a warning and no issue', async () => {
    page('/unsure', at('/down'))
    const { found, ids } = await audit(at('/unsure'))
    expect(ids).not.toContain('canonical')
    expect(found.meta).toMatchObject({ warnings: [{ code: 'canonical_unknown' }] })
  })

  test('may be relative, with a doubt, and resolves against the base', async () => {
    page('/dir/relative', 'relative', '<base href="/dir/">')
    expect(await canonical('/dir/relative')).toMatchObject({
      href: at('/dir/relative'),
      self: true,
      ok: true,
      problems: [expect.stringContaining('in full')],
    })
  })

  test('in the body is left out', async () => {
    site('canonical.example.net', '/body', html(`<p>x<link rel=canonical href="${at('/end')}">`))
    expect(await canonical('/body')).toMatchObject({ href: null, self: null, ok: false })
  })

  test('in a head that an image in noscript ends is taken all the same', async () => {
    const link = `<link rel=canonical href="${at('/pixel')}">`
    site(
      'canonical.example.net',
      '/pixel',
      html(`<head><noscript><img src="/pixel.gif"></noscript>${link}</head>`),
    )
    expect(await canonical('/pixel')).toMatchObject({ self: true, ok: true, problems: [] })
    site('canonical.example.net', '/pixel', html(`<head><img src="/pixel.gif">${link}</head>`))
    expect(await canonical('/pixel?2')).toMatchObject({ href: null, ok: false })
  })

  test('must not contradict another, also one in the header', async () => {
    site(
      'canonical.example.net',
      '/two',
      html(`<link rel=canonical href="${at('/two')}">`, { link: `<${at('/end')}>; rel="canonical"` }),
    )
    expect(await canonical('/two')).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('contradict')],
    })
    site('canonical.example.net', '/header', html('<p>x', { link: '</header>; rel="canonical"' }))
    expect(await canonical('/header')).toMatchObject({ href: at('/header'), self: true, ok: true })
  })

  test('that is no public web address is wrong', async () => {
    page('/private', 'http://10.0.0.1/')
    expect(await canonical('/private')).toMatchObject({ ok: false })
    page('/none', 'javascript:x')
    expect(await canonical('/none')).toMatchObject({ href: null, ok: false })
  })
})
