import { isHidden } from './display.ts'
import type { PageNode } from './dom.ts'

/** Classes that the common style sheets hide by; those sheets are not on the page. */
const hidingClasses = ['sr-only', 'visually-hidden', 'screen-reader-text']

/** Elements that a page hides while it loads, and that hold what it says. */
const wholes = new Set(['html', 'body', 'main', 'article'])

const maxSheet = 200_000
const declaration = /([\w-]{1,40})\s{0,9}:\s{0,9}([^;{}]{1,200})/g
const rule = /([^{}@;]{1,500})\{([^{}]{0,2000})\}/g
const simpleSelector = /^[a-z0-9]{0,10}([.#][\w-]{1,80})$/i

type Style = ReadonlyMap<string, string>

const parseDeclarations = (text: string): Style =>
  new Map(
    [...text.matchAll(declaration)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      value
        .replace(/!\s*important/i, '')
        .trim()
        .toLowerCase(),
    ]),
  )

const isFarOff = (value = ''): boolean => /^-[1-9]\d{2,}/.test(value)
const isNothing = (value = ''): boolean => /^(?:0(?![\d.])|1px)/.test(value)

/** True for a style by which nobody sees the text of an element: no size, no colour of its own, cut away or beyond the edge. */
const isUnseen = (style: Style): boolean => {
  const at = (name: string) => style.get(name)
  const background = at('background-color') ?? at('background')
  return (
    at('display') === 'none' ||
    /^(?:hidden|collapse)$/.test(at('visibility') ?? '') ||
    Number.parseFloat(at('opacity') ?? '1') < 0.1 ||
    /^(?:0|[01](?:\.\d+)?px)/.test(at('font-size') ?? '') ||
    at('color') === 'transparent' ||
    (background !== undefined && at('color') === background) ||
    ['left', 'top', 'right', 'bottom', 'text-indent'].some(name => isFarOff(at(name))) ||
    /^rect\(\s*[01](?:px)?[\s,]/.test(at('clip') ?? '') ||
    /^inset\(\s*(?:50|100)%|^circle\(\s*0/.test(at('clip-path') ?? '') ||
    /scale\(\s*0\s*\)/.test(at('transform') ?? '') ||
    (/^(?:hidden|clip)/.test(at('overflow') ?? '') &&
      ['height', 'max-height', 'width', 'max-width'].some(name => isNothing(at(name))))
  )
}

/** Simple selectors of a sheet, `.class` and `#id`, whose elements nobody sees. */
const hiddenSelectors = (sheet: string): string[] =>
  [...sheet.slice(0, maxSheet).matchAll(rule)].flatMap(([, selectors = '', style = '']) =>
    isUnseen(parseDeclarations(style))
      ? selectors.split(',').flatMap(selector => simpleSelector.exec(selector.trim())?.[1] ?? [])
      : [],
  )

/** Takes out of a page what it hides from people: by an attribute, a style of the element or a sheet on the page. */
export const removeUnseen = (document: PageNode): void => {
  const hidden = new Set(hidingClasses.map(name => `.${name}`))
  for (const { textContent } of document.getElementsByTagName('style'))
    for (const selector of hiddenSelectors(textContent ?? '')) hidden.add(selector)
  const isNamed = (element: PageNode) =>
    (element.getAttribute('class') ?? '').split(/\s+/, 50).some(name => hidden.has(`.${name}`)) ||
    hidden.has(`#${element.getAttribute('id')}`)
  const unseen = document
    .querySelectorAll('[style],[class],[id],[hidden],[aria-hidden="true"]')
    .filter(
      element =>
        !wholes.has(element.localName) &&
        (isHidden(element) ||
          isNamed(element) ||
          isUnseen(parseDeclarations(element.getAttribute('style') ?? ''))),
    )
  for (const element of unseen) element.remove()
}
