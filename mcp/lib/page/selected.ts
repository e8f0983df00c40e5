import { clean } from '../text/clean.ts'
import type { Content } from './element.ts'
import { extractor } from './extractor.ts'
import { readTitle } from './metadata.ts'
import { plainText } from './plain-text.ts'

/** How many elements are read. */
const maxElements = 1000

export type Selected = { title: string | null; count: number; text: string }

/** True when a selector can be read: the empty page of `document` tells. */
export const isCssSelector = (
  document: { querySelector(selector: string): unknown },
  selector: string,
): boolean => {
  try {
    document.querySelector(selector)
    return true
  } catch {
    return false
  }
}

/** The text of the elements that a CSS selector finds, in the order of the page, an empty line between two; each text stands there once. */
export const selectElements = extractor(
  import.meta.url,
  'selectElements',
  ({ document }, { selector, maxLength }: { selector: string; maxLength: number }): Selected => {
    const texts: string[] = []
    const matched = new Set<unknown>()
    let count = 0
    let length = 0
    for (const element of document.querySelectorAll(selector)) {
      if (++count > maxElements || length > maxLength) continue
      matched.add(element)
      if (isWithin(element, matched)) continue
      const text = plainText(element)
      length += text.length
      texts.push(text)
    }
    return { title: clean(readTitle(document)), count, text: texts.filter(text => text !== '').join('\n\n') }
  },
  // A selector can be slow on a small page.
  { heavy: true },
)

const isWithin = (element: Content, matched: ReadonlySet<unknown>): boolean => {
  for (let parent = element.parentNode; parent; parent = parent.parentNode)
    if (matched.has(parent)) return true
  return false
}
