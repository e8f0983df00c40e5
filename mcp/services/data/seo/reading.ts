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

const most = { headings: 200, text: 500 }

const unread = new Set(['script', 'style', 'noscript', 'template'])

const levelOf = (element: Element): number | undefined => {
  const named = /^h([1-6])$/.exec(element.localName)?.[1]
  if (named) return Number(named)
  if (element.getAttribute('role') !== 'heading') return undefined
  return Number(/^[1-6]$/.exec(element.getAttribute('aria-level') ?? '')?.[0] ?? 2)
}

/** Reads what stands in a page in one go: headings, links, images and the number of words of its main text. */
export const readContent = (
  document: Element,
  { base, url, language }: { base: string; url: string; language: string | null },
) => {
  const headings: Heading[] = []
  const captures = openCaptures(most.text)
  const main = openMainText()
  const images = openImages()
  const anchors = openPageAnchors(base, url, language)
  const frame = openFrame()
  const hidden: Element[] = []
  let headingCount = 0

  const add = (text: string) => {
    main.add(text)
    captures.add(text)
  }

  const beginHeading = (element: Element, level: number) => {
    headingCount++
    if (headings.length >= most.headings) return
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
    if (isOut) hidden.push(element)
    main.enter(element, isOut)
    images.see(element)
    const level = levelOf(element)
    if (level !== undefined && hidden.length === 0) beginHeading(element, level)
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
      if (hidden.at(-1) === element) hidden.pop()
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
