import type { Page } from './web-server.ts'

const html = (body: string): Page => ({ headers: { 'content-type': 'text/html; charset=utf-8' }, body })

const paragraph = (about: string) =>
  `<p>${about} was seen at the harbour on Monday, and again on Tuesday, when the ferry came in late. People who waited there say that it swam beside the boat, turned once, and was gone before anyone had a camera ready.</p>`

/** An article with all that surrounds one on the web. */
const story = html(`<!doctype html>
<html lang="en-GB" dir="ltr">
<head>
<title>A seal in the harbour | The Example Times</title>
<meta name="author" content="Ada Example">
<meta property="og:site_name" content="The Example Times">
<meta property="og:title" content="A seal in the harbour">
<meta property="og:description" content="A seal was seen twice.">
<meta property="article:published_time" content="2026-02-03T08:30:00+01:00">
<script>window.tracker = { id: 'never shown' }</script>
</head>
<body>
<header class="site-header"><nav><a href="/">Home</a> <a href="/news">News</a> <a href="/login">Log in</a></nav></header>
<aside class="sidebar ad-break"><p>Buy a boat today, buy a boat today.</p></aside>
<article>
<h1>A seal in the harbour</h1>
${paragraph('A grey seal')}
<h2>What the <em>crew</em> says</h2>
${paragraph('The animal')}
<blockquote><p>It looked at us, and we looked at it, for what felt like a very long minute.</p></blockquote>
<p>Read the <a href="/rules#seals">rules for seals</a>, <code>seal --keep-away</code>, and mind <strong>this</strong>:</p>
<ul><li>Keep a distance of one hundred metres, at least.</li><li>Do not feed them, even when they ask nicely.</li></ul>
<figure><img src="/seal.jpg" alt="A seal, from afar"><figcaption>A seal, from afar, on Tuesday morning.</figcaption></figure>
<table><tr><th>Day</th><th>Seals</th></tr><tr><td>Monday</td><td>1</td></tr><tr><td>Tuesday</td><td>1</td></tr></table>
${paragraph('Another seal')}
</article>
<footer><p>All rights reserved, as ever, by nobody in particular.</p></footer>
</body>
</html>
`)

/** Tables with merged cells, header rows of two levels, and one that is there for looks. */
const prices = html(`<!doctype html>
<title>Prices</title>
<table role="presentation"><tr><td>Menu</td><td>Search</td></tr></table>
<table id="prices" class="wide data">
<caption>Prices in euro</caption>
<thead>
<tr><th rowspan="2">Fruit</th><th colspan="2">Price</th></tr>
<tr><th>Shop</th><th>Market</th></tr>
</thead>
<tbody>
<tr><td><a href="/apple">Apple</a></td><td>1.20</td><td>0.90</td></tr>
<tr><td>Pear</td><td colspan="2">1.10</td></tr>
<tr><td>Fig</td><td></td><td>3.00</td></tr>
</tbody>
</table>
`)

/** A product in each format that pages use. */
const product = html(`<!doctype html>
<html lang="en" prefix="og: http://ogp.me/ns#">
<head>
<title>Kettle</title>
<meta property="og:type" content="product">
<meta property="og:title" content="Kettle">
<meta name="DC.creator" content="Ada Example">
<script type="application/ld+json">
{"@context": "https://schema.org", "@type": "Product", "@id": "#kettle", "name": "Kettle",
 "offers": {"@type": "Offer", "price": "39.00", "priceCurrency": "EUR"}}
</script>
</head>
<body>
<div itemscope itemtype="https://schema.org/BreadcrumbList"><a itemprop="item" href="/kitchen">Kitchen</a></div>
<div vocab="http://schema.org/" typeof="Organization"><span property="name">Example Works</span></div>
</body>
</html>
`)

/** Pages whose content is read: an article, tables and a product. */
export const articles: readonly (readonly [host: string, path: string, page: Page])[] = [
  ['example.com', '/story', story],
  ['example.com', '/prices', prices],
  ['example.com', '/product', product],
]
