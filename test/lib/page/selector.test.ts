import { describe, expect, test } from 'vitest'
import type { Element } from '../../../mcp/lib/page/element.ts'
import { lookUp } from '../../../mcp/lib/page/lookup.ts'
import { parsePage } from '../../../mcp/lib/page/parse-page.ts'
import { parseSelector } from '../../../mcp/lib/page/selector.ts'

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
      // linkedom takes an empty word for one that an empty value has; by Selectors 4 §6.1 there is none.
      () => `[${one(names)}~="${one(values) || 'a'}"]`,
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

type Selecting = { querySelectorAll(this: unknown, selector: string): Iterable<Element> }

/** The elements as linkedom finds them, without what stands before it. */
const peer = (document: Element, selector: string): Element[] => [
  ...(Object.getPrototypeOf(document) as Selecting).querySelectorAll.call(document, selector),
]

describe('what selectors find', () => {
  test('is what linkedom finds, for selectors and pages in no order', async () => {
    let total = 0
    for (let seed = 1; seed <= 60; seed++) {
      const dice = openDice(seed)
      const page = makePage(dice)
      const { document } = await parsePage(page)
      const lists = lookUp(document)
      for (let nth = 0; nth < 40; nth++) {
        const selector = makeSelector(dice)
        expect(parseSelector(selector), selector).toBeDefined()
        const wanted = peer(document, selector)
        total += wanted.length
        for (const root of [document, lists]) {
          expect([...root.querySelectorAll(selector)], `${selector} in ${page}`).toEqual(wanted)
          expect(root.querySelector(selector)).toBe(wanted[0] ?? null)
        }
      }
    }
    expect(total).toBeGreaterThan(2000)
  })

  test('within an element is what linkedom finds there, the element and what is around it left out', async () => {
    const { document } = await parsePage('<div class=a><p class=b><i class=c>1</i></p></div><i class=c>2</i>')
    const p = document.querySelector('p') as Element
    expect([...p.querySelectorAll('.a .c')].map(({ textContent }) => textContent)).toEqual(['1'])
    expect(p.querySelector('p')).toBeNull()
    expect(p.querySelector('.b i')?.textContent).toBe('1')
  })

  test.each([
    'script:not([src])',
    'a > b',
    'a + b',
    'p::before',
    '[a=1]',
    'p[',
    'p [',
    '[lang|=en]',
    '[a="x" i]',
    '.1',
  ])('%s is left to linkedom', selector => {
    expect(parseSelector(selector)).toBeUndefined()
  })

  test('goes on after the page was changed, unless it was looked up', async () => {
    const { document } = await parsePage('<p class=a>1</p><p class=a>2</p>')
    const first = document.querySelector('.a') as Element & { remove(): void }
    first.remove()
    expect([...document.querySelectorAll('.a')].map(({ textContent }) => textContent)).toEqual(['2'])
  })
})
