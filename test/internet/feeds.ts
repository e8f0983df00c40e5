import { gzipSync } from 'node:zlib'
import type { Page } from './web-server.ts'

type Route = readonly [host: string, path: string, page: Page]

const typed = (type: string, body: Buffer | string): Page => ({ headers: { 'content-type': type }, body })

const robots = `# The rules of example.com
User-agent: *
Disallow: /private/
Allow: /private/open
Crawl-delay: 2

User-agent: GPTBot
User-agent: CCBot
Disallow: /

Sitemap: https://example.com/sitemap.xml
Content-Signal: search=yes, ai-train=no
`

const index = `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <sitemap><loc>https://example.com/sitemap-pages.xml</loc><lastmod>2026-01-02</lastmod></sitemap>
  <sitemap><loc>https://example.com/sitemap-news.xml.gz</loc></sitemap>
</sitemapindex>
`

const urlset = (urls: string) => `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${urls}
</urlset>
`

const pagesMap = urlset(`  <url>
    <loc>https://example.com/</loc><lastmod>2026-01-02T10:00:00+01:00</lastmod>
    <changefreq>daily</changefreq><priority>1.0</priority>
    <xhtml:link rel="alternate" hreflang="de" href="https://example.com/de/"/>
  </url>
  <url><loc>https://example.com/about</loc></url>`)

const newsMap = urlset('  <url><loc>https://example.com/news?a=1&amp;b=2</loc></url>')

const rss = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel>
  <title>Example news</title>
  <link>https://example.com/</link>
  <description>What is new</description>
  <language>en-gb</language>
  <item>
    <title>Second &amp; newest</title>
    <link>https://example.com/second</link>
    <guid isPermaLink="false">tag:example.com,2026:2</guid>
    <pubDate>Fri, 02 Jan 2026 10:00:00 +0100</pubDate>
    <dc:creator>Ada Example</dc:creator>
    <category>News</category>
    <description>&lt;p&gt;A &lt;b&gt;short&lt;/b&gt; text.&lt;/p&gt;</description>
    <content:encoded><![CDATA[<p>The whole <a href="/second">text</a>.</p>]]></content:encoded>
    <enclosure url="https://example.com/second.mp3" type="audio/mpeg" length="1234"/>
  </item>
  <item>
    <title>First</title>
    <guid>https://example.com/first</guid>
    <pubDate>Thu, 01 Jan 2026 09:00:00 GMT</pubDate>
    <description>Plain text</description>
  </item>
</channel>
</rss>
`

/** The robots.txt, the sitemaps and the feed of example.com, which its front page names. */
export const feeds: readonly Route[] = [
  ['example.com', '/robots.txt', typed('text/plain', robots)],
  ['example.com', '/sitemap.xml', typed('application/xml', index)],
  ['example.com', '/sitemap-pages.xml', typed('application/xml', pagesMap)],
  ['example.com', '/sitemap-news.xml.gz', typed('application/gzip', gzipSync(newsMap))],
  ['example.com', '/feed.xml', typed('application/rss+xml', rss)],
]
