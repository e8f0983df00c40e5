import { describe, expect, test } from 'vitest'
import { parsePage } from '../../../mcp/services/data/page/parse-page.ts'

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
