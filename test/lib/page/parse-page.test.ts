import { describe, expect, test } from 'vitest'
import type { PageNode } from '../../../mcp/lib/page/dom.ts'
import { parsePage } from '../../../mcp/lib/page/parse-page.ts'

const find = async (markup: string, selector: string) => {
  const { document } = await parsePage(markup)
  return [...document.querySelectorAll(selector)].map(element => element.textContent)
}

describe('parsePage', () => {
  test('reads 500 nested elements and stops at more than 512', async () => {
    expect((await parsePage('<div>'.repeat(500))).cut).toBeNull()
    const { cut, document } = await parsePage(`<title>Deep</title>${'<div>'.repeat(600)}`)
    expect(cut).toBe('depth')
    expect(document.querySelector('title')?.textContent).toBe('Deep')
    expect([...document.querySelectorAll('div')].length).toBeLessThan(513)
  })

  test('counts open elements, not all: 5,000 in a row are not deep', async () => {
    const { cut, document } = await parsePage('<div>x</div>'.repeat(5000))
    expect(cut).toBeNull()
    expect([...document.querySelectorAll('div')]).toHaveLength(5000)
  })

  test('stops at the most nodes', async () => {
    expect((await parsePage('<br>'.repeat(200), 100)).cut).toBe('nodes')
    expect((await parsePage('<br>'.repeat(90), 100)).cut).toBeNull()
  })

  test('keeps the first 256 attributes', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `a${i}=x`).join(' ')
    const { document } = await parsePage(`<p ${names}>`)
    const p = document.querySelector('p')
    expect(p?.getAttribute('a255')).toBe('x')
    expect(p?.getAttribute('a256')).toBeNull()
  })

  test('builds the tree that the standard asks for', async () => {
    expect(await find('<table><tr><td>1<td>2</table>', 'table > tbody > tr > td')).toEqual(['1', '2'])
    expect(await find('<table>out<tr><td>in</table>', 'body > table')).toEqual(['in'])
    expect(await find('<p>a<b>b<p>c</b>d', 'p > b')).toEqual(['b', 'c'])
    expect(await find('<html lang=a><body><html lang=b class=c>', 'html.c[lang=a]')).toHaveLength(1)
    expect(await find('<svg><title>icon</title></svg>', 'svg > title')).toEqual(['icon'])
    expect(await find('<template><p>hidden</template><p>shown', 'body > p')).toEqual(['shown'])
  })

  test('gives each call a document of its own', async () => {
    const [one, two] = await Promise.all([parsePage('<i>1'), parsePage('<i>2')])
    expect([one, two].map(({ document }) => document.querySelector('i')?.textContent)).toEqual(['1', '2'])
  })
})

const element = async (markup: string, selector: string): Promise<PageNode> => {
  const { document } = await parsePage(markup)
  const match = document.querySelector(selector)
  if (!match) throw new Error(`no ${selector}`)
  return match
}

describe('the elements of a page', () => {
  test('have their attributes as they are written, in order', async () => {
    const p = await element('<p class="b a  b" ID=x data-Y="1&amp;2">', 'p')
    expect([...p.attributes].map(({ name, value }) => [name, value])).toEqual([
      ['class', 'b a  b'],
      ['id', 'x'],
      ['data-y', '1&2'],
    ])
    expect(p.getAttributeNames()).toEqual(['class', 'id', 'data-y'])
    expect([p.className, p.getAttribute('class')]).toEqual(['b a  b', 'b a  b'])
    expect(await element('<svg class=c xlink:href=#a>', 'svg.c')).toMatchObject({ tagName: 'SVG' })
  })

  test('change as any element does', async () => {
    const p = await element('<p class=a>x</p>', 'p')
    p.className = 'b'
    expect(p.getAttribute('class')).toBe('b')
    p.removeAttribute('class')
    expect([p.className, p.getAttribute('class')]).toEqual(['', null])
    p.setAttribute('class', 'd')
    p.appendChild(p.ownerDocument.createElement('i'))
    expect(p.parentNode?.innerHTML).toBe('<p class="d">x<i></i></p>')
  })

  test('give and take markup as the standard has it', async () => {
    const div = await element(
      '<div><p title="a&quot;<">1 &lt; 2&nbsp;<br><script>a < b</script><!--c--></div>',
      'div',
    )
    const markup = '<p title="a&quot;&lt;">1 &lt; 2&nbsp;<br><script>a < b</script><!--c--></p>'
    expect(div.innerHTML).toBe(markup)
    div.innerHTML = '<td>x</td><p>1<p>2<b>3'
    expect(div.innerHTML).toBe('x<p>1</p><p>2<b>3</b></p>')
    expect([...div.getElementsByTagName('P')].map(({ textContent }) => textContent)).toEqual(['1', '23'])
    expect([...div.children].map(({ tagName }) => tagName)).toEqual(['P', 'P'])
    expect([...div.getElementsByTagName('*')]).toHaveLength(3)
  })

  test('know what hides them', async () => {
    const readStyle = async (style: string) => (await element(`<p style="${style}">`, 'p')).style
    expect(await readStyle('color:red; DISPLAY : None !important')).toMatchObject({
      display: 'none',
      visibility: '',
    })
    expect(await readStyle('visibility:hidden;display:block;display:none')).toEqual({
      display: 'none',
      visibility: 'hidden',
    })
    expect((await element('<p>', 'p')).style.display).toBe('')
  })

  test('are left in one piece when others go', async () => {
    const { document } = await parsePage('<ul><li>1<li>2<b>x</b><li>3</ul>')
    const [, second] = document.querySelectorAll('li')
    second?.remove()
    expect(document.querySelector('ul')?.innerHTML).toBe('<li>1</li><li>3</li>')
    expect(second?.parentNode).toBeNull()
  })
})

test('stops at as many attributes as nodes', async () => {
  const many = `<p ${Array.from({ length: 100 }, (_, i) => `a${i}`).join(' ')}>`
  expect((await parsePage(many.repeat(20), 1000)).cut).toBe('nodes')
  expect((await parsePage(many.repeat(9), 1000)).cut).toBeNull()
})
