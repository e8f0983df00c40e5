import { describe, expect, test } from 'vitest'
import type { Page } from '../../internet/web-server.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

type Answer = {
  check: { allowed: boolean | null; user_agent: string; path: string; line: number | null }
  ai_bots: Record<string, boolean | null>
  syntax_errors: { line: number; code: string }[]
  meta: { warnings: { code: string }[] }
}

const analyze = async (domain: string, more: object = {}) =>
  (await data.ask('robots-analyze', { domain, ...more })) as Record<string, unknown> & Answer

let hosts = 0
const serve = (page: Page | string) => {
  const host = `robots-${++hosts}.example.org`
  data.internet.web.site(
    host,
    '/robots.txt',
    typeof page === 'string' ? { headers: { 'content-type': 'text/plain' }, body: page } : page,
  )
  return host
}

describe('robots-analyze', () => {
  test('gives groups, sitemaps and the verdict with its line', async () => {
    expect(await analyze('example.com', { path: '/private/x' })).toMatchObject({
      domain: 'example.com',
      robots_url: 'https://example.com/robots.txt',
      final_url: 'https://example.com/robots.txt',
      status: 200,
      exists: true,
      policy: 'rules',
      crawlable: false,
      check: {
        path: '/private/x',
        user_agent: '*',
        allowed: false,
        matched_rule: 'disallow: /private/',
        line: 3,
      },
      groups: [
        {
          user_agents: ['*'],
          rules: [
            { type: 'disallow', path: '/private/', line: 3 },
            { type: 'allow', path: '/private/open', line: 4 },
          ],
          crawl_delay: 2,
          line: 2,
        },
        {
          user_agents: ['GPTBot', 'CCBot'],
          rules: [{ type: 'disallow', path: '/', line: 9 }],
          crawl_delay: null,
        },
      ],
      group_count: 2,
      rule_count: 3,
      sitemaps: ['https://example.com/sitemap.xml'],
      sitemap_count: 1,
      content_signals: [{ user_agents: ['GPTBot', 'CCBot'], signals: { search: 'yes', 'ai-train': 'no' } }],
      syntax_errors: [],
      error_count: 0,
      meta: { warnings: [], truncated: false },
    })
  })

  test('says of each AI crawler whether it may fetch the path', async () => {
    const { ai_bots: aiBots } = await analyze('example.com')
    expect(aiBots).toMatchObject({ GPTBot: false, CCBot: false, ClaudeBot: true, 'Google-Extended': true })
  })

  test.each([
    ['GPTBot/1.2', 'GPTBot'],
    [
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://x.example)',
      'GPTBot',
    ],
    ['gptbot', 'gptbot'],
  ])('finds the crawler in %s', async (userAgent, token) => {
    expect((await analyze('example.com', { user_agent: userAgent })).check).toMatchObject({
      user_agent: token,
      allowed: false,
    })
  })

  test.each([
    ['private/é b?x', '/private/%C3%A9%20b?x'],
    ['https://example.com/private/open#top', '/private/open'],
    ['//odd', '//odd'],
    ['', '/'],
  ])('takes %j for the path %s', async (path, encoded) => {
    expect((await analyze('example.com', { path })).check.path).toBe(encoded)
  })

  test('matches a path that begins with two slashes as it is', async () => {
    const body = 'User-agent: *\nDisallow: //folder'
    expect(await analyze(serve({ body }), { path: '//folder/x' })).toMatchObject({ crawlable: false })
    expect(await analyze(serve({ body }), { path: '/folder/x' })).toMatchObject({ crawlable: true })
  })

  test('allows all when there is no file', async () => {
    for (const status of [404, 403, 410, 401]) {
      expect(await analyze(serve({ status, body: 'Disallow: /' }))).toMatchObject({
        status,
        exists: false,
        policy: 'allow_all',
        crawlable: true,
        check: { allowed: true, matched_rule: null, line: null },
        groups: [],
        meta: { warnings: [{ code: 'no_robots' }] },
      })
    }
  })

  test('knows nothing when the server fails, and gives no verdict', async () => {
    for (const status of [500, 503, 429]) {
      const found = await analyze(serve({ status, body: 'User-agent: *\nAllow: /' }))
      expect(found).toMatchObject({
        status,
        exists: null,
        policy: 'disallow_all',
        crawlable: null,
        check: { allowed: null },
        meta: { warnings: [{ code: 'robots_unavailable' }] },
      })
      expect(found.ai_bots.GPTBot).toBeNull()
    }
  })

  test('knows nothing when no server answers', async () => {
    data.internet.dns.zone.set('down.example.net', { A: ['93.184.216.99'] })
    expect(await analyze('down.example.net')).toMatchObject({
      status: null,
      exists: null,
      crawlable: null,
      meta: { warnings: [{ code: 'robots_unreachable' }] },
    })
  })

  test('asks over http when https does not connect', async () => {
    data.internet.web.site('self-signed.example.com', '/robots.txt', { body: 'User-agent: *\nDisallow: /' })
    expect(await analyze('self-signed.example.com')).toMatchObject({
      robots_url: 'http://self-signed.example.com/robots.txt',
      crawlable: false,
      meta: { warnings: [{ code: 'no_https' }, { code: 'wrong_type' }] },
    })
  })

  test('follows five redirects and takes more for no file', async () => {
    const host = serve({ status: 301, headers: { location: '/1' } })
    for (let hop = 1; hop < 7; hop++)
      data.internet.web.site(host, `/${hop}`, { status: 302, headers: { location: `/${hop + 1}` } })
    data.internet.web.site(host, '/7', { body: 'User-agent: *\nDisallow: /' })
    data.internet.web.site(host, '/5', {
      body: 'User-agent: *\nDisallow: /',
      headers: { 'content-type': 'text/plain' },
    })
    expect(await analyze(host)).toMatchObject({ final_url: `https://${host}/5`, crawlable: false })
    const longer = serve({ status: 301, headers: { location: `https://${host}/2` } })
    data.internet.web.site(host, '/5', { status: 302, headers: { location: '/6' } })
    expect(await analyze(longer)).toMatchObject({
      policy: 'allow_all',
      crawlable: true,
      meta: { warnings: [{ code: 'too_many_redirects' }] },
    })
  })

  test('flags a page of HTML', async () => {
    expect(await analyze(serve({ body: '<!doctype html><title>App</title>' }))).toMatchObject({
      status: 200,
      exists: false,
      crawlable: true,
      groups: [],
      meta: { warnings: [{ code: 'html' }] },
    })
  })

  test('names what is wrong with lines', async () => {
    const found = await analyze(
      serve(
        [
          'Disallow: /early',
          'Useragent: A',
          'Crawl-delay: soon',
          'Crawl-delay: 3',
          'User-agent: Foo Bar',
          'Disalow: /x',
          'Disallow /y',
          'Disallow: z',
          'what is this',
          'Sitemap: /relative.xml',
          'Unicorns: 1',
          'Host: example.net',
          `Disallow: /${'x'.repeat(17_000)}`,
        ].join('\n'),
      ),
    )
    expect(found.syntax_errors.map(({ line, code }) => [line, code])).toEqual([
      [1, 'rule_outside_group'],
      [2, 'misspelt'],
      [3, 'delay_not_a_number'],
      [5, 'user_agent_cut'],
      [5, 'group_not_ended'],
      [6, 'misspelt'],
      [7, 'colon_missing'],
      [8, 'path_without_slash'],
      [9, 'no_field'],
      [10, 'sitemap_not_absolute'],
      [11, 'field_unknown'],
      [13, 'line_too_long'],
    ])
    expect(found).toMatchObject({ hosts: ['example.net'], error_count: 12, sitemaps: ['/relative.xml'] })
  })

  test('reads 500 KiB, lists what fits and judges by all of it', async () => {
    const rules = Array.from({ length: 12_000 }, (_, i) => `Disallow: /rule/${i}`).join('\n')
    const found = await analyze(serve(`User-agent: *\n${rules}\nDisallow: /last`), { path: '/last' })
    expect(found).toMatchObject({
      rule_count: 12_001,
      crawlable: false,
      check: { line: 12_002 },
      meta: { truncated: true, warnings: [{ code: 'list_cut' }] },
    })
    const longer = await analyze(serve(`User-agent: *\n${'#'.repeat(520_000)}\nDisallow: /`))
    expect(longer).toMatchObject({
      size: 512_000,
      crawlable: true,
      meta: { truncated: true, warnings: [{ code: 'too_long' }] },
    })
  })

  test('survives a file of bytes', async () => {
    const body = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7919) % 256))
    expect(await analyze(serve({ headers: { 'content-type': 'text/plain' }, body }))).toMatchObject({
      status: 200,
      crawlable: true,
    })
  })

  test('refuses what is no domain', async () => {
    const error = await refused(analyze('localhost'))
    expect(error.code).toBe('invalid_input')
    expect(error.toProblem().issues).toMatchObject([{ path: 'domain' }])
  })
})
