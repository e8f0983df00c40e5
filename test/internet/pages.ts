import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { articles } from './articles.ts'
import { audits } from './audits.ts'
import { feeds } from './feeds.ts'
import { rdapPages } from './rdap.ts'
import { registries } from './registries.ts'
import { viesPages } from './vies.ts'
import type { Page } from './web-server.ts'

type Route = readonly [host: string, path: string, page: Page]

const richPage = `<!doctype html>
<html lang="en-GB" prefix="og: https://ogp.me/ns#">
<head>
<meta charset="utf-8">
<title>Example Domain &amp; friends</title>
<meta name="description" content="A page that tells everything about itself.">
<meta name="author" content="Ada Example">
<meta name="robots" content="index, follow, max-image-preview:large">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="theme-color" content="#0a7">
<link rel="canonical" href="https://example.com/">
<link rel="icon" type="image/svg+xml" href="/icon.svg">
<link rel="apple-touch-icon" sizes="180x180" href="/touch.png">
<link rel="alternate" type="application/rss+xml" title="News" href="/feed.xml">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Example">
<meta property="og:title" content="Example, shared">
<meta property="og:description" content="What is shown when the page is shared.">
<meta property="og:url" content="https://example.com/">
<meta property="og:image" content="/cover.png">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:locale" content="en_GB">
<meta name="twitter:card" content="summary_large_image">
<meta name="twitter:site" content="@example">
<meta name="twitter:title" content="Example, tweeted">
<meta name="twitter:image" content="https://example.com/cover.png">
</head>
<body>
<header><nav><a href="/about">About</a> <a href="https://example.org/">Elsewhere</a></nav></header>
<main><h1>Example Domain</h1>
<p>This domain is for use in illustrative examples in documents. It may be used without asking.</p></main>
</body>
</html>
`

const html = (body: Buffer | string, headers: Record<string, string> = {}): Page => ({
  headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
  body,
})

const packed = '<title>Packed</title><p>Small on the wire.</p>'

const redirect = (location: string, status = 302): Page => ({ status, headers: { location }, body: 'moved' })

const encoded = (encoding: string, body: Buffer): Page => html(body, { 'content-encoding': encoding })

const legacy = Buffer.from('<title>Caf\xe9 \x80 5</title><p>\x93quoted\x94 \x96 dash</p>', 'latin1')

/** Ordinary pages of the local internet, and redirects among them. */
export const pages: readonly Route[] = [
  ...registries,
  ['example.com', '/', html(richPage)],
  ['www.example.com', '/', html(richPage)],
  ['example.org', '/', html('<title>Elsewhere</title><p>Another site.</p>')],
  ['six.example.org', '/', html('<title>IPv6 only</title>')],
  ['例え.jp', '/', html('<html lang="ja"><title>例え</title><p>日本語のページ。</p>')],
  ['example.com', '/windows-1252', html(legacy, { 'content-type': 'text/html; charset=windows-1252' })],
  ['example.com', '/undeclared', html(legacy, { 'content-type': 'text/html' })],
  ['example.com', '/gzip', encoded('gzip', gzipSync(packed))],
  ['example.com', '/x-gzip', encoded('x-gzip', gzipSync(packed))],
  ['example.com', '/deflate', encoded('deflate', deflateSync(packed))],
  ['example.com', '/raw-deflate', encoded('deflate', deflateRawSync(packed))],
  ['example.com', '/br', encoded('br', brotliCompressSync(packed))],
  ['example.com', '/gzip-br', encoded('gzip, br', brotliCompressSync(gzipSync(packed)))],
  ['example.com', '/empty-gzip', encoded('gzip', Buffer.alloc(0))],
  ['example.com', '/json', { headers: { 'content-type': 'application/json' }, body: '{"ok":true}' }],
  ['example.com', '/big', html(`<p>${'x'.repeat(6 * 1024 * 1024)}</p>`)],
  ['example.com', '/chain/1', redirect('/chain/2', 301)],
  ['example.com', '/chain/2', redirect('http://www.example.com/chain/3')],
  ['www.example.com', '/chain/3', redirect('//example.com/chain/4', 307)],
  ['example.com', '/chain/4', redirect('/chain/5', 308)],
  ['example.com', '/chain/5', redirect('../', 303)],
  ['example.com', '/chain/0', redirect('/chain/1')],
  ['example.com', '/loop/a', redirect('/loop/b')],
  ['example.com', '/loop/b', redirect('/loop/a')],
  ['example.com', '/secure', redirect('https://example.com/', 301)],
  ...articles,
  ...feeds,
  ...rdapPages,
  ...viesPages,
  ...audits,
]
