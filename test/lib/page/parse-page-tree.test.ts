import { type DefaultTreeAdapterTypes, parse, serialize } from 'parse5'
import { describe, expect, test } from 'vitest'
import type { Content } from '../../../mcp/lib/page/element.ts'
import { parsePage } from '../../../mcp/lib/page/parse-page.ts'

/** What is in the `html` element as we have it, and as the parser builds it with nodes of its own. */
const trees = async (markup: string) => {
  const { document } = await parsePage(markup)
  const root = document.querySelector('html') as unknown as Content
  const whole = parse(markup, { scriptingEnabled: false }).childNodes.find(
    ({ nodeName }) => nodeName === 'html',
  )
  return { ours: root.innerHTML, theirs: serialize(whole as DefaultTreeAdapterTypes.Element) }
}

describe('the tree of a page is the one of the standard', () => {
  test.each([
    '<b>1<p>2</b>3</p>4',
    '<b>1<i>2<p>3</b>4</i>5</p>6',
    '<a href=1>x<div><a href=2>y</a>z</div>w',
    '<p><b><b><b><b><p>x',
    '<table>a<b>b<tr>c<td>d</b>e</table>f',
    '<table><tr><td><table>x<tr><td>y</table>z',
    '<table><caption>c<td>x</table><select><option>1<tr><option>2</select>',
    '<svg><foreignObject><p>x<svg><g/></svg></foreignObject><title>t</title></svg><math><mi>x<annotation-xml encoding="text/html"><p>y',
    '<body class=a><p>x</body><p>y</html><!--c--><body id=b class=c>',
    '<form><div></form><form><p>x</div>y',
    '<ul><li>1<ul><li>2</ul><li>3<p>4<li>5',
    '<h1>a<h2>b</h1>c<button>d<button>e',
    'a<head><title>x</title><p>y<frameset>',
    '<pre>\n\nx</pre><textarea>\n<b></textarea><noscript><p>x</noscript>',
    '<nobr>a<nobr>b<p>c<nobr>d',
  ])('for %s', async markup => {
    const { ours, theirs } = await trees(markup)
    expect(ours).toBe(theirs)
  })

  const tags =
    'a b i p div table tr td th tbody ul li h1 span svg select option form button nobr font em'.split(' ')

  /** Tags in no order at all, the same ones in every run. */
  const soup = (seed: number): string => {
    let state = seed
    const next = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return (state >>> 8) % below
    }
    const piece = () => {
      const tag = tags[next(tags.length)]
      return [`<${tag}>`, `</${tag}>`, `<${tag} id=x${next(9)}>`, `t${next(99)}`][next(4)]
    }
    return Array.from({ length: 80 }, piece).join('')
  }

  test('for 300 pages of tags in no order', async () => {
    for (let seed = 1; seed <= 300; seed++) {
      const { ours, theirs } = await trees(soup(seed))
      expect(ours, soup(seed)).toBe(theirs)
    }
  })
})
