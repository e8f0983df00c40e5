const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('')

const sentence = 'The harbour was full of seals that day, and nobody who waited there minded the late ferry. '

const link = (index: number) =>
  `<li class="nav-item"><a href="/topic/${index}" title="Topic ${index}">Topic ${index}</a></li>`

const comment = (index: number) =>
  `<div class="comment" id="c${index}"><a class="user" href="/u/${index}">User ${index}</a><time datetime="2026-01-02">2 Jan</time><p>${sentence}</p></div>`

const section = (index: number) =>
  `<h2 id="s${index}">Part ${index}</h2>${times(4, () => `<p>${sentence.repeat(3)}<a href="/more/${index}">More</a> and <em>so on</em>.</p>`)}`

/** What pages carry along for their scripts: JSON without spaces. */
const story = (index: number) =>
  `{"id":${index},"type":"story","url":"https://example.com/news/${index}?from=home","tags":["sea","seals"],"n":${index * 7}},`

const table = `<table class="wide"><caption>Seals</caption><thead><tr><th>Day<th>Place<th>Seals</thead><tbody>${times(
  200,
  index => `<tr><td>${index}<td>Pier ${index % 7}<td>${index * 3}`,
)}</tbody></table>`

const data = JSON.stringify({
  '@context': 'https://schema.org',
  '@type': 'NewsArticle',
  headline: 'Seals',
  datePublished: '2026-01-02T03:04:05Z',
  author: [{ '@type': 'Person', name: 'Ada Example' }],
})

/** A news page of half a megabyte, almost half of it scripts: navigation, an article, a table and comments. */
export const newsPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Seals</title>
<meta property="og:title" content="Seals"><meta property="og:type" content="article"><meta name="description" content="On seals.">
<script type="application/ld+json">${data}</script><script>window.state=[${times(1900, story)}]</script>
<style>${'.nav-item { display: inline; color: #123456 }\n'.repeat(500)}</style></head>
<body><nav><ul>${times(400, link)}</ul></nav><main><article itemscope itemtype="https://schema.org/Article"><h1 itemprop="headline">Seals</h1>
${times(60, section)}${table}</article></main><section class="comments">${times(700, comment)}</section><footer>${times(200, link)}</footer></body></html>`

/** An article of 40 KB, as most pages are. */
export const articlePage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Seals</title><meta name="description" content="On seals."></head>
<body><nav><ul>${times(30, link)}</ul></nav><main><article><h1>Seals</h1>${times(24, section)}</article></main><section class="comments">${times(20, comment)}</section></body></html>`

/** Lists in lists over lines: the search for an article takes minutes. */
export const stuckPage = `<title>Stuck</title>${'<ul><li>'.repeat(250)}${'z <br>'.repeat(9000)}`

/** Pages that are made to cost much, by what they do. */
export const hostilePages: Readonly<Record<string, string>> = {
  'nested elements': '<div>'.repeat(100_000),
  'formatting elements': '<b><i>'.repeat(50_000),
  'links in links': '<a href=x>y'.repeat(50_000),
  'reopened elements': '<b><i><u><p>x'.repeat(4000),
  'many attributes': `<p ${times(200_000, index => `a${index} `)}>`,
  'many elements': '<p>x'.repeat(300_000),
  'opening brackets': '<'.repeat(2_000_000),
  'five megabytes': 'text '.repeat(1_000_000),
  'rows without end': `<table>${'<tr><td>1<td>2'.repeat(60_000)}`,
  'wide cells': `<table>${`<tr>${'<td>b<td colspan=1000 rowspan=65534>a'.repeat(20)}`.repeat(1000)}`,
  'shared items': `<div id=big>${'<i itemprop=a>x</i>'.repeat(20_000)}</div>${'<p itemscope itemref=big></p>'.repeat(500)}`,
  'broken data': `<script type="application/ld+json">[${"{'@type':'A',},".repeat(70_000)}</script>`,
}
