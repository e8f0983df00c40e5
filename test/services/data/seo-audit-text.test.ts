import { describe, expect, test } from 'vitest'
import { parsePage } from '../../../mcp/lib/page/parse-page.ts'
import { readContent } from '../../../mcp/services/data/seo/content-reader.ts'
import { isVague } from '../../../mcp/services/data/seo/page-anchors.ts'
import { measurePixels } from '../../../mcp/services/data/seo/pixels.ts'
import { readRobots } from '../../../mcp/services/data/seo/robots.ts'
import { seoRules } from '../../../mcp/services/data/seo/score.ts'

const read = async (markup: string) => {
  const { document } = await parsePage(markup)
  const url = 'https://example.com/page'
  return readContent(document, { base: url, url, language: null })
}

describe('words', () => {
  test.each([
    ['<p>one two<p>three', 3],
    ['<p>o<b>n</b>e<br>two<div>three</div>four', 4],
    ['<p>one<script>a b c</script><style>d e</style><noscript>f g</noscript><template>h</template>', 1],
    ['<nav>menu</nav><header>head</header><p>one two</p><aside>b</aside><footer>foot</footer>', 2],
    ['<article><header><h1>Title here</h1></header><p>one</p><footer>by me</footer></article>', 5],
    ['<p>outside</p><main>in side</main><p>after</p>', 2],
    ['<p>outside text here</p><main><nav>x</nav></main>', 3],
    ['<div role=main>in side</div><p>out', 2],
    ['<p hidden>a b</p><p style="color:red; display : NONE">c d</p><p>one</p>', 1],
    ['<svg><title>drawing</title><text>x</text></svg><p>one', 1],
    ['<button>Press me</button><select><option>a</select><textarea>b c</textarea><p>one', 1],
    ['<p>日本語のページです</p>', 4],
    ['<table><tr><td>a</td><td>b</td></tr></table>', 2],
  ])('of %s are %i', async (markup, count) => expect((await read(markup)).word_count).toBe(count))
})

describe('a line', () => {
  test('is as wide as its letters are', () => {
    expect(measurePixels('', 20)).toBe(0)
    expect(measurePixels('MMMM', 20)).toBe(67)
    expect(measurePixels('iiii', 20)).toBe(18)
    expect(measurePixels('日本語', 20)).toBe(60)
    expect(measurePixels('한국어', 20)).toBe(60)
    expect(measurePixels('ＡＢ', 20)).toBe(40)
    expect(measurePixels('éé', 20)).toBe(measurePixels('ee', 20))
    expect(measurePixels('e\u0301', 20)).toBe(measurePixels('e', 20))
    expect(measurePixels('😀', 20)).toBe(20)
  })
})

describe('headings', () => {
  test('are listed in their order with their text, hidden ones not', async () => {
    const { headings, headingCount } = await read(
      '<header><h1>One <em>two</em><img alt=three></h1></header><h2 hidden>x</h2><div role=heading aria-level=3>Deep</div><h2><script>x</script></h2><div style="display:none"><h4>no</h4></div>',
    )
    expect(headings).toEqual([
      { level: 1, text: 'One two three' },
      { level: 3, text: 'Deep' },
      { level: 2, text: '' },
    ])
    expect(headingCount).toBe(3)
  })
})

describe('images', () => {
  test('with an empty text are decoration, without one it is missing', async () => {
    const { images } = await read(
      `<img src=a alt="A cat"><img src=b alt=""><img src=c alt><img src=d><img src=e alt="  "><img src=f role=presentation><img src=g aria-hidden=true><img src=h aria-label=H><img src=i title=I><noscript><img src=j></noscript><img>`,
    )
    expect(images).toEqual({ total: 10, with_alt: 3, empty_alt: 5, missing_alt: 2, missing: ['d'] })
  })
})

describe('links', () => {
  test('are counted by where they lead', async () => {
    const { links } = await read(
      `<a href=/a>About us</a><a href="https://www.example.com/b">Bees</a><a href="https://example.org" rel="noopener NOFOLLOW">Else</a><a href="mailto:x@example.com">Mail</a><a href="#here">Jump</a><a rel=sponsored href="https://sub.example.com/">Sub</a>`,
    )
    expect(links).toMatchObject({
      internal: 3,
      external: 2,
      nofollow: 2,
      vague: 0,
      unnamed: 0,
      uncrawlable: 0,
    })
  })

  test('are judged by what they are called', async () => {
    const { links } = await read(
      `<a href=/1>Click here</a><a href=/2> Read <b>more</b> » </a><a href=/3><img alt=""></a><a href=/4><img alt="Cats"></a><a href=/5 aria-label="All about dogs">more</a><a href=/6><svg><title>Home</title></svg></a><a href=/7></a><a href="#x">here</a><h2><a href=/8>Lees meer</a></h2>`,
    )
    expect(links).toMatchObject({ vague: 3, unnamed: 2 })
    expect(links.vagueLinks).toEqual([
      { text: 'Click here', href: 'https://example.com/1' },
      { text: 'Read more »', href: 'https://example.com/2' },
      { text: 'Lees meer', href: 'https://example.com/8' },
    ])
  })

  test('can be followed only with an address', async () => {
    const { links } = await read(
      `<a href="javascript:void(0)">a</a><a onclick="go()">b</a><a name=top>c</a><a id=x>d</a><a role=button tabindex=0>e</a><a href=" javascript:x" role=button>f</a><a routerlink="/x">g</a><a>h</a><a href="">i</a><a href="file:///c:/x">j</a><a href="ftp://">k</a><a aria-current=page>l</a><a target=_blank>m</a><a href="javascript : void(0)">n</a><a href="#">o</a><a role=" ">p</a><a href="tel:1">q</a>`,
    )
    expect(links.uncrawlable).toBe(9)
  })

  test.each([
    ['Here', 'en'],
    [' more… ', null],
    ['click here', 'fr'],
    ['En savoir plus', 'fr'],
    ["plus d'infos", 'fr'],
    ['weiterlesen →', null],
    ['もっと見る', 'ja'],
    ['https://example.org/page', 'en'],
  ])('%j on a page in %s says nothing', (text, language) => expect(isVague(text, language)).toBe(true))

  test.each([
    ['More about cats', 'en'],
    ['Here and there', null],
    ['Startup', 'en'],
    ['Suite', 'en'],
    ['Hier', 'fr'],
    ['example.org', 'en'],
  ])('%j on a page in %s says something', (text, language) => expect(isVague(text, language)).toBe(false))
})

describe('directives for robots', () => {
  const now = new Date('2026-06-01T00:00:00Z')
  const read = (metas: string[], headers: string[] = []) =>
    readRobots(
      metas.map(content => ({ name: 'robots', content })),
      headers,
      now,
    )

  test.each([
    [[], [], true, true, null],
    [['index, follow'], [], true, true, 'meta'],
    [['NOINDEX'], [], false, true, 'meta'],
    [['none'], [], false, false, 'meta'],
    [['index', 'noindex'], [], false, true, 'meta'],
    [['max-image-preview:none, max-snippet:-1'], [], true, true, 'meta'],
    [[], ['noindex, nofollow'], false, false, 'header'],
    [['index'], ['nofollow'], true, false, 'both'],
    [[], ['otherbot: noindex, nofollow'], true, true, null],
    [[], ['googlebot: nofollow', 'otherbot: noindex'], true, false, 'header'],
    [[], ['otherbot: noindex, googlebot: noarchive'], true, true, 'header'],
    [[], ['unavailable_after: 25 Jun 2010 15:00:00 PST'], false, true, 'header'],
    [['unavailable_after: 2030-01-01'], [], true, true, 'meta'],
    [[], ['max-snippet: 20, noindex'], false, true, 'header'],
  ])('%j and %j', (metas, headers, index, follow, source) =>
    expect(read(metas, headers)).toMatchObject({ index, follow, source }),
  )
})

test('the weights of all rules add up to 100, and no two have one name', () => {
  expect(seoRules.reduce((sum, { weight }) => sum + weight, 0)).toBe(100)
  expect(new Set(seoRules.map(({ id }) => id)).size).toBe(seoRules.length)
})
