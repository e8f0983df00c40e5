import { describe, expect, test } from 'vitest'
import { lookUp } from '../../../mcp/lib/page/lookup.ts'
import { parsePage } from '../../../mcp/lib/page/parse-page.ts'

/** Draws the same in every run. */
const openDice = (seed: number) => {
  let state = seed
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % limit
  }
  const one = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value
  return { below, one }
}

type Dice = ReturnType<typeof openDice>

const tags = ['a', 'p', 'div', 'time', 'article', 'h1', 'meta', 'svg', 'my-part']
const values = ['a', 'b', 'a b', 'A', '', ' a ', 'a-b', 'schema:name', 'b\ta', 'author name']
const names = ['class', 'id', 'rel', 'itemprop', 'type', 'data-a', 'href', 'HREFLANG']

const makePage = ({ below, one }: Dice): string =>
  Array.from({ length: 60 }, () => {
    const tag = one(tags)
    if (below(3) === 0) return `</${tag}>`
    const attributes = Array.from({ length: below(4) }, () => `${one(names)}="${one(values)}"`)
    return `<${tag} ${attributes.join(' ')}>x`
  }).join('')

const makeCompound = ({ below, one }: Dice): string => {
  const simple = () =>
    one([
      () => `.${one(['a', 'b', 'A', 'a-b'])}`,
      () => `#${one(['a', 'b', 'A'])}`,
      () => `[${one(names)}]`,
      () => `[${one(names)}${one(['=', '*=', '^=', '$='])}"${one(values)}"]`,
      () => `[${one(names)}~="${one(values)}"]`,
      () => `[${one(names)}=a]`,
    ])()
  const count = below(3)
  const tag = one([...tags, '*', ''])
  return `${count === 0 && tag === '' ? 'p' : tag}${Array.from({ length: count }, simple).join('')}`
}

const makeSelector = (dice: Dice): string =>
  Array.from({ length: 1 + dice.below(3) }, () =>
    Array.from({ length: 1 + dice.below(3) }, () => makeCompound(dice)).join(' '),
  ).join(dice.one([',', ', ']))

describe('what selectors find', () => {
  test('in lists of a page is what is found in the page itself, for selectors and pages in no order', async () => {
    let total = 0
    for (let seed = 1; seed <= 60; seed++) {
      const dice = openDice(seed)
      const page = makePage(dice)
      const { document } = await parsePage(page)
      const lists = lookUp(document)
      for (let nth = 0; nth < 40; nth++) {
        const selector = makeSelector(dice)
        const wanted = document.querySelectorAll(selector)
        total += wanted.length
        expect([...lists.querySelectorAll(selector)], `${selector} in ${page}`).toEqual(wanted)
        for (const root of [document, lists]) expect(root.querySelector(selector)).toBe(wanted[0] ?? null)
      }
    }
    expect(total).toBeGreaterThan(2000)
  })

  test('within an element leaves out the element and what is around it', async () => {
    const { document } = await parsePage('<div class=a><p class=b><i class=c>1</i></p></div><i class=c>2</i>')
    const p = document.querySelector('p') ?? document
    expect(p.querySelectorAll('.a .c').map(({ textContent }) => textContent)).toEqual(['1'])
    expect(p.querySelector('p')).toBeNull()
    expect(p.querySelector('.b i')?.textContent).toBe('1')
  })

  test.each([
    ['script:not([src])', ['inline']],
    ['p > b', ['bold']],
    ['b + i', ['next']],
    ['li:nth-child(2)', ['two']],
    ['[lang|=en]', ['bold']],
    ['[title="x" i]', ['next']],
    ['ul:has(li) li:last-child', ['two']],
  ])('for %s is %j', async (selector, texts) => {
    const { document } = await parsePage(
      '<script>inline</script><script src=a></script><p><b lang=en-GB>bold</b><i title=X>next</i><ul><li>one<li>two',
    )
    for (const root of [document, lookUp(document)])
      expect([...root.querySelectorAll(selector)].map(({ textContent }) => textContent)).toEqual(texts)
  })

  test.each(['p[', 'p [', ':unknown'])('%j cannot be read', async selector => {
    const { document } = await parsePage('<p>')
    expect(() => document.querySelectorAll(selector)).toThrow()
    expect(() => lookUp(document).querySelectorAll(selector)).toThrow()
  })

  test('goes on after the page was changed, unless it was looked up', async () => {
    const { document } = await parsePage('<p class=a>1</p><p class=a>2</p>')
    document.querySelector('.a')?.remove()
    expect(document.querySelectorAll('.a').map(({ textContent }) => textContent)).toEqual(['2'])
  })
})
