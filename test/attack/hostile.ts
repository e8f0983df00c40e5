import fc from 'fast-check'
import { ToolError } from '../../mcp/kernel/error.ts'
import type { startData } from '../services/data/run.ts'
import { hostileTexts } from './values.ts'

type Data = Awaited<ReturnType<typeof startData>>

/** Skills that read what a site sends, and the media type they look for. */
const readers: readonly { skill: string; field: string; path: string; type: string }[] = [
  ...[
    'readability',
    'html-table',
    'structured-data',
    'url-metadata',
    'seo-audit',
    'security-headers',
    'tech-detect',
  ].map(skill => ({ skill, field: 'url', path: '/', type: 'text/html; charset=utf-8' })),
  ...['brand-assets', 'lang-hreflang', 'redirect-trace'].map(skill => ({
    skill,
    field: 'url',
    path: '/',
    type: 'text/html',
  })),
  { skill: 'rss-to-json', field: 'url', path: '/', type: 'application/rss+xml' },
  { skill: 'robots-analyze', field: 'domain', path: '/robots.txt', type: 'text/plain' },
  { skill: 'sitemap-extract', field: 'domain', path: '/sitemap.xml', type: 'application/xml' },
]

const pieces = [
  '<div>',
  '</div>',
  '<p',
  '<table><tr><td colspan=65535 rowspan=65535>',
  '<script type="application/ld+json">{"@type":["A"],"a":',
  '</script>',
  '<meta property="og:title" content="',
  '">',
  '<link rel=canonical href="//',
  '<link rel="alternate" hreflang="x-default" href="',
  '<base href="',
  '<template>',
  '<svg><foreignObject>',
  '<math><mtext>',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '&#x110000;',
  '&amp;amp;',
  '\0',
  '<?xml version="1.0"?><rss><channel><item><title>',
  '</title></item>',
  '<!DOCTYPE a [<!ENTITY x "y"><!ENTITY z "&x;&x;">]>',
  '&z;',
  '<urlset><url><loc>',
  '</loc>',
  '<sitemapindex><sitemap><loc>',
  'User-agent: *\nDisallow: /*$*$*$\n',
  'Sitemap: ',
  'Crawl-delay: 1e999\n',
  '<meta http-equiv=refresh content="0;url=',
  '<a href="',
  '<img srcset="a 1x, b 99999999999w,,,',
  '<p itemscope itemref="a b" id=a itemprop=c>',
  '<time datetime="',
]

const page = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...pieces) },
      { weight: 1, arbitrary: fc.constantFrom(...hostileTexts) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom(...pieces), fc.integer({ min: 2, max: 3000 }))
          .map(([piece, times]) => piece.repeat(times)),
      },
    ),
    { maxLength: 40 },
  )
  .map(parts => parts.join(''))

const headers = fc.record(
  {
    'content-security-policy': fc.constantFrom(
      "default-src 'none';;;;",
      `script-src ${'a '.repeat(2000)}`,
      '%%%',
    ),
    'strict-transport-security': fc.constantFrom('max-age=-1', 'max-age=999999999999999999999', ';;'),
    link: fc.constantFrom('<>; rel=canonical', '<x>; rel="alternate"; hreflang="', '<'.repeat(3000)),
    refresh: fc.constantFrom('0;url=javascript:1', '1e9', ''),
    'content-encoding': fc.constantFrom(...Array<string>(9).fill('identity'), 'gzip', 'br'),
    'x-robots-tag': fc.constantFrom('unavailable_after: never', 'noindex,'.repeat(500)),
  },
  { requiredKeys: [] },
)

/** Every answer is a result or a failure that a caller may see: gives those that are neither, and counts the codes. */
export const readHostilePages = async (data: Data, { count, seed }: { count: number; seed: number }) => {
  const codes: Record<string, number> = {}
  const findings: string[] = []
  let next = 0
  const wishes = fc.sample(fc.record({ reader: fc.constantFrom(...readers), page, headers }), {
    numRuns: count,
    seed,
  })
  const work = async () => {
    for (let at = next++; at < wishes.length; at = next++) {
      const wish = wishes[at]
      if (!wish) return
      const { skill, field, path, type } = wish.reader
      const host = `hostile-${seed}-${at}.example.net`
      data.internet.web.site(host, path, {
        headers: { 'content-type': type, ...wish.headers },
        body: wish.page,
      })
      const input = { [field]: field === 'domain' ? host : `http://${host}${path}` }
      const code = await data.ask(skill, input).then(
        () => 'ok',
        (error: unknown) => (error instanceof ToolError ? error.code : 'no ToolError'),
      )
      codes[code] = (codes[code] ?? 0) + 1
      if (code === 'internal' || code === 'no ToolError')
        findings.push(`${skill}: ${JSON.stringify(wish.headers)} ${JSON.stringify(wish.page.slice(0, 500))}`)
    }
  }
  await Promise.all(Array.from({ length: 6 }, work))
  return { codes, findings }
}

const dnsText = fc.oneof(
  fc.constantFrom(...hostileTexts.map(text => Buffer.from(text).toString('latin1').slice(0, 2000))),
  fc.constantFrom(
    'v=spf1 include:_.%{i}.%{d2r}.invalid -all',
    'v=spf1 '.concat('include:a.invalid '.repeat(60)),
    'v=spf1 redirect=redirect=',
    'v=spf1 ip4:999.1.1.1/99 -all',
    'v=spf1 exists:%{',
    'v=DMARC1; p=reject; rua=mailto:a@b!99999999999999g',
    'v=DMARC1;;;;p=;',
    `v=DKIM1; k=rsa; p=${'A'.repeat(3000)}`,
    'v=DKIM1; k=ed25519; p=%%%',
    'v=STSv1; id=',
    'v=BIMI1; l=file:///etc/passwd',
  ),
)
const zoneData = fc.record(
  {
    TXT: fc.array(
      dnsText.map(text => [text.slice(0, 250)]),
      { maxLength: 5 },
    ),
    MX: fc.array(
      fc.record({
        preference: fc.nat(65_535),
        exchange: fc.constantFrom('.', 'a.invalid', 'x'.repeat(63), 'localhost'),
      }),
      { maxLength: 4 },
    ),
    A: fc.array(fc.constantFrom('127.0.0.1', '0.0.0.0', '198.51.100.7', '169.254.169.254', '10.0.0.1'), {
      maxLength: 3,
    }),
    AAAA: fc.array(fc.constantFrom('::1', '::', 'fe80::1', '2001:db8::1', '::ffff:127.0.0.1'), {
      maxLength: 3,
    }),
    CNAME: fc.array(fc.constantFrom('loop.example.net', 'a.invalid'), { maxLength: 1 }),
  },
  { requiredKeys: [] },
)

const askers = [
  'dns-lookup',
  'email-auth',
  'domain-intel',
  'ip-geo',
  'tech-detect',
  'verify-email',
  'robots-analyze',
] as const

const inputFor = (skill: (typeof askers)[number], host: string): object => {
  if (skill === 'ip-geo') return { host }
  if (skill === 'tech-detect') return { url: `http://${host}/` }
  return skill === 'verify-email' ? { email: `ada@${host}` } : { domain: host }
}

/** The same for what the DNS says of a domain: at the name itself and at those that mail looks at. */
export const readHostileZones = async (data: Data, { count, seed }: { count: number; seed: number }) => {
  const codes: Record<string, number> = {}
  const findings: string[] = []
  const wishes = fc.sample(
    fc.record({ skill: fc.constantFrom(...askers), zone: zoneData, below: zoneData }),
    { numRuns: count, seed },
  )
  for (const [at, { skill, zone, below }] of wishes.entries()) {
    const host = `zone-${seed}-${at}.example.net`
    data.internet.dns.zone.set(host, zone as never)
    for (const label of ['_dmarc', 'default._domainkey', '_mta-sts', 'www', 'default._bimi'])
      data.internet.dns.zone.set(`${label}.${host}`, below as never)
    const code = await data.ask(skill, inputFor(skill, host)).then(
      () => 'ok',
      (error: unknown) => (error instanceof ToolError ? error.code : 'no ToolError'),
    )
    codes[code] = (codes[code] ?? 0) + 1
    if (code === 'internal' || code === 'no ToolError')
      findings.push(`${skill}: ${JSON.stringify({ zone, below }).slice(0, 600)}`)
  }
  return { codes, findings }
}
