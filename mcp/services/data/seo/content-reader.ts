import { countWords } from '../../../lib/page/article/count.ts'
import { openCaptures } from '../../../lib/page/capture.ts'
import { isHidden } from '../../../lib/page/display.ts'
import type { Element } from '../../../lib/page/element.ts'
import { type PageElement, walk } from '../../../lib/page/walk.ts'
import { clean } from '../../../lib/text/clean.ts'
import { openFrame } from './frame.ts'
import { openImages } from './images.ts'
import { openMainText } from './main-text.ts'
import { openPageAnchors } from './page-anchors.ts'

export type Heading = { level: number; text: string }

const limits = { headings: 200, text: 500 }

const unread = new Set(['script', 'style', 'noscript', 'template'])

const headingLevel = (element: Element): number | undefined => {
  const level = /^h([1-6])$/.exec(element.localName)?.[1]
  if (level) return Number(level)
  if (element.getAttribute('role') !== 'heading') return undefined
  return Number(/^[1-6]$/.exec(element.getAttribute('aria-level') ?? '')?.[0] ?? 2)
}

/** Reads what stands in a page in one go: headings, links, images and the number of words of its main text. */
export const readContent = (
  document: Element,
  { base, url, language }: { base: string; url: string; language: string | null },
) => {
  const headings: Heading[] = []
  const captures = openCaptures(limits.text)
  const main = openMainText()
  const images = openImages()
  const anchors = openPageAnchors(base, url, language)
  const frame = openFrame()
  const hiddenElements: Element[] = []
  let headingCount = 0

  const add = (text: string) => {
    main.add(text)
    captures.add(text)
  }

  const beginHeading = (element: Element, level: number) => {
    headingCount++
    if (headings.length >= limits.headings) return
    const heading = { level, text: '' }
    headings.push(heading)
    captures.begin(element, text => {
      heading.text = clean(text, 200) ?? ''
    })
  }

  const enter = (element: PageElement): boolean => {
    frame.see(element)
    if (unread.has(element.localName)) return false
    const isOut = isHidden(element)
    if (isOut) hiddenElements.push(element)
    main.enter(element, isOut)
    images.see(element)
    const level = headingLevel(element)
    if (level !== undefined && hiddenElements.length === 0) beginHeading(element, level)
    if (element.localName === 'img') captures.add(` ${element.getAttribute('alt') ?? ''} `)
    if (element.localName !== 'a') return true
    const href = anchors.see(element)
    if (href !== undefined) captures.begin(element, text => anchors.name(element, href, text))
    return true
  }

  walk(document, {
    enter,
    text: add,
    leave(element) {
      main.leave(element)
      captures.end(element)
      if (hiddenElements.at(-1) === element) hiddenElements.pop()
    },
  })

  const { text, isCut } = main.text()
  return {
    headings,
    headingCount,
    images: images.read(),
    links: anchors.read(),
    wordCount: countWords(text).wordCount,
    isCut,
    ...frame.read(),
  }
}
