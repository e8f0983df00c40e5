import type { Element } from '../../../lib/page/element.ts'

/** Elements that break no word. */
const inline = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
)

const besides = new Set(
  'head nav aside dialog menu select datalist button textarea iframe object svg'.split(' '),
)

/** Page headers and footers; one that belongs to an article is part of its text. */
const isFrame = (element: Element): boolean => {
  if (element.localName !== 'header' && element.localName !== 'footer') return false
  for (let around = element.parentNode; around; around = around.parentNode)
    if (/^(?:main|article|section)$/.test(around.localName)) return false
  return true
}

const isMain = (element: Element) =>
  element.localName === 'main' || element.getAttribute('role')?.trim().toLowerCase() === 'main'

const maxLength = 1_200_000

/** Collects the text that readers come for: what is in `main`, else all without menus, page header and footer. */
export const openMainText = () => {
  const leftElements: Element[] = []
  const main: Element[] = []
  const all: string[] = []
  const inMain: string[] = []
  let length = 0

  const add = (text: string) => {
    if (leftElements.length > 0 || length > maxLength) return
    length += text.length
    if (main.length > 0) inMain.push(text)
    else all.push(text)
  }
  const edge = (element: Element) => {
    if (!inline.has(element.localName)) add(' ')
  }
  return {
    add,
    enter(element: Element, isHidden: boolean) {
      edge(element)
      if (besides.has(element.localName) || isFrame(element) || isHidden) leftElements.push(element)
      else if (isMain(element)) main.push(element)
    },
    leave(element: Element) {
      if (leftElements.at(-1) === element) leftElements.pop()
      if (main.at(-1) === element) main.pop()
      edge(element)
    },
    text: () => {
      const mainText = inMain.join('')
      return { text: mainText.trim() === '' ? all.join('') : mainText, isCut: length > maxLength }
    },
  }
}
