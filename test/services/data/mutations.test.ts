import { test } from 'vitest'
import { parsePolicies } from '../../../mcp/lib/csp/parse.ts'
import { readFeed } from '../../../mcp/lib/feed/read-feed.ts'
import { repair } from '../../../mcp/lib/json-repair/repair.ts'
import { parseKey } from '../../../mcp/lib/mail-auth/dkim/key.ts'
import { parseDmarc } from '../../../mcp/lib/mail-auth/dmarc/record.ts'
import { parseSpf } from '../../../mcp/lib/mail-auth/spf/parse.ts'
import { parseStsPolicy } from '../../../mcp/lib/mail-auth/sts-policy.ts'
import { metadata } from '../../../mcp/lib/page/metadata.ts'
import { parsePage } from '../../../mcp/lib/page/parse-page.ts'
import { readSecurityTxt } from '../../../mcp/lib/security-txt.ts'
import { readText } from '../../../mcp/ports/fetch/charset.ts'
import { parseWhois } from '../../../mcp/ports/rdap/whois/read.ts'
import { findEntities } from '../../../mcp/services/data/entities/find.ts'
import { readCookie } from '../../../mcp/services/data/headers/cookie.ts'
import { parseMailbox } from '../../../mcp/services/data/mailbox/syntax.ts'
import { isAllowed } from '../../../mcp/services/data/robots/allowed.ts'
import { readMap } from '../../../mcp/services/data/sitemap/read-map.ts'
import { readStructured } from '../../../mcp/services/data/structured/structured.ts'
import { readTables } from '../../../mcp/services/data/table/tables.ts'
import { isStress } from '../../stress.ts'

const url = 'https://a.example/2024/08/05/x'
const page =
  '<!doctype html><html lang=en prefix="og: http://ogp.me/ns#"><head><meta charset=utf-8><title>Cats</title><meta property="og:title" content="Cats"><script type="application/ld+json">{"@type":"Article","author":{"name":"Ann"},"datePublished":"2024-08-05"}</script></head><body><article itemscope itemtype="http://schema.org/Article"><h1 itemprop=name>Cats</h1><time datetime="2024-08-05">5 août 2024</time><table><tr><th rowspan=2>a<th colspan=2>b<tr><td>1<td>2<tr><td>3</table><a href="/x">x</a></article></body></html>'
const rss =
  '<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>T</title><item><title>A &amp; B</title><link>/x</link><pubDate>Mon, 05 Aug 2024 10:00:00 GMT</pubDate><dc:creator>Ann</dc:creator><description><![CDATA[<p>x]]></description></item></channel></rss>'
const atom =
  '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://a.example/"><title type="xhtml"><div>t</div></title><entry><id>1</id><updated>2024-08-05T10:00:00Z</updated><link rel="alternate" href="x"/><content type="html">&lt;p></content></entry></feed>'
const jsonFeed =
  '{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","url":"/x","content_html":"<p>","date_published":"2024-08-05T10:00:00Z","authors":[{"name":"A"}],"attachments":[{"url":"a","mime_type":"b"}]}]}'
const sitemap =
  '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.example/x?a=1&amp;b=2</loc><lastmod>2024-08-05</lastmod><priority>0.5</priority></url></urlset>'

const feed = (text: string) => readFeed(text, { url, contentType: '' })

/** What strangers send, and what reads it: none of these refuses, so that whatever is thrown would be a fault of the program. */
const parsers: readonly (readonly [name: string, text: string, parse: (text: string) => unknown])[] = [
  [
    'whois',
    'Domain Name: A.COM\nCreation Date: 2001-02-03\nStatus: ok\nnserver: ns1.a.com, ns2.a.com\n[whois.nic.com]\nregistrant:\n  name: X\n',
    parseWhois,
  ],
  [
    'charset',
    'P\xf8\xedli\xb9 <meta charset="iso-8859-2"> <?xml version="1.0" encoding="x"?>',
    text => readText(Buffer.from(text, 'latin1'), ''),
  ],
  ['json', '{"a": [1, 2.5e3, "x\\n", null], \'b\': {c: True}, } // c', repair],
  [
    'entities',
    'Paid €1.234,56 and 5 млн ₽ on 5 August 2024, 16.8.-1.9; https://a.com/x[1](y) +32 2 555 12 12, ١٢٣ ر.س., DE89370400440532013000, 192.168.0.1/24, @a #b',
    text => findEntities(text, { reference: new Date(0) }),
  ],
  [
    'page',
    page,
    async text =>
      metadata.read(
        { document: (await parsePage(text)).document, url, status: 200, headers: {}, markup: text },
        {},
      ),
  ],
  ['tables', page, text => readTables(text, url)],
  ['structured', page, text => readStructured(text, url)],
  [
    'spf',
    'v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 a:%{d}/24//64 include:_spf.a.com exists:%{ir}.%{v}._spf.%{d2} ~all redirect=a.com exp=e.%{o}',
    parseSpf,
  ],
  [
    'dmarc',
    'v=DMARC1; p=reject; sp=none; rua=mailto:a@b.com!10m,mailto:c@d.com; adkim=s; fo=0:1:d:s; t=y; np=quarantine',
    parseDmarc,
  ],
  ['dkim', 'v=DKIM1; h=sha256; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC; t=s:y; s=email', parseKey],
  ['mta-sts', 'version: STSv1\nmode: enforce\nmx: *.a.com\nmax_age: 604800\n', parseStsPolicy],
  [
    'csp',
    "default-src 'self' https://*.a.com:*; script-src 'nonce-abc' 'strict-dynamic' 'sha256-x='; report-uri /r",
    text => parsePolicies([text], 'header'),
  ],
  ['rss', rss, feed],
  ['atom', atom, feed],
  ['json feed', jsonFeed, feed],
  ['sitemap', sitemap, text => readMap({ bytes: Buffer.from(text), url, most: 100 })],
  [
    'robots',
    'User-agent: *\nDisallow: /a%3cd*$\nAllow: //x\nCrawl-delay: 5\nSitemap: /s.xml\n',
    text => isAllowed(text, 'cat', url),
  ],
  [
    'security.txt',
    'Contact: mailto:a@b.com\nExpires: 2030-01-01T00:00:00Z\nPreferred-Languages: en, de\n',
    text => readSecurityTxt(text, url, new Date(0)),
  ],
  [
    'cookie',
    '__Host-a=b; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=10; Expires=Mon, 05 Aug 2024 10:00:00 GMT',
    text => readCookie(text, 'a.com'),
  ],
  ['mailbox', '"a b"@[IPv6:2001:db8::1]', parseMailbox],
  ['international mailbox', 'Ann <ann+x@exämple.com>', parseMailbox],
]

const pieces =
  '" \' < > & { } [ ] \\ \0 \ud800 \u202e é 🎉 0 9 , ; : = % \n \r \t / // - e 99999999999999999999 %ff __proto__ ٣ \u200f --> <![CDATA['.split(
    ' ',
  )

const createMutator = (seed: number) => {
  let state = seed
  const below = (limit: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % limit
  }
  const piece = () => pieces[below(pieces.length)] ?? ''
  const change = (text: string): string => {
    const from = below(text.length + 1)
    const to = Math.min(text.length, from + below(12))
    const [head, middle, tail] = [text.slice(0, from), text.slice(from, to), text.slice(to)]
    return (
      [
        head + tail,
        head + piece() + middle + tail,
        head + middle + middle + tail,
        head + piece() + tail,
        below(8) === 0 ? head : text,
      ][below(5)] ?? text
    )
  }
  return (text: string) =>
    Array.from({ length: 1 + below(6) }).reduce<string>(changed => change(changed), text)
}

test.each(parsers)('%s: whatever is changed in it, it is read', async (_, text, parse) => {
  const mutate = createMutator(20_261_127)
  // A million in the long run, over all of them.
  for (let nth = 0; nth < (isStress ? 48_000 : 150); nth++) {
    const changed = mutate(text)
    try {
      await parse(changed)
    } catch (cause) {
      throw new Error(`Not read: ${JSON.stringify(changed)}`, { cause })
    }
  }
})
