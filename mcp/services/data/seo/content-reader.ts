import { countWords } from '../../../lib/page/article/count.ts'
import { openCaptures } from '../../../lib/page/capture.ts'
import { isHidden } from '../../../lib/page/display.ts'
import type { Element } from '../../../lib/page/element.ts'
import { type PageElement, walk } from '../../../lib/page/walk.ts'
import { clean } from '../../../lib/text/clean.ts'
import { openMainText } from './main-text.ts'
import { openPageAnchors } from './page-anchors.ts'

const maxMissing = 20

const has = (element: Element, name: string) => (element.getAttribute(name) ?? '').trim() !== ''

/** Out of the reach of screen readers, so that it needs no text. */
const isSilent = (element: Element): boolean =>
  /^(?:presentation|none)$/i.test(element.getAttribute('role')?.trim() ?? '') ||
  element.getAttribute('aria-hidden') === 'true'

const isNamed = (element: Element) =>
  has(element, 'alt') ||
  has(element, 'aria-label') ||
  has(element, 'aria-labelledby') ||
  has(element, 'title')

/** Counts images by their alternative text: an empty one says that the image is decoration, none says nothing. */
const openImages = () => {
  const counts = { total: 0, with_alt: 0, empty_alt: 0, missing_alt: 0 }
  const missing: string[] = []
  return {
    see(element: Element) {
      if (element.localName !== 'img') return
      counts.total++
      if (isNamed(element)) counts.with_alt++
      else if (element.getAttribute('alt') !== null || isSilent(element)) counts.empty_alt++
      else {
        counts.missing_alt++
        const src = clean(element.getAttribute('src') ?? element.getAttribute('data-src'), 200)
        if (missing.length < maxMissing && src !== null) missing.push(src)
      }
    },
    read: () => ({ ...counts, missing }),
  }
}

/** Elements that scripts put a whole page into, by their id or a mark of the framework. */
const roots = new Set(['root', 'app', '__next', '__nuxt', '___gatsby', 'svelte'])
const marks = ['ng-app', 'data-reactroot', 'data-server-rendered']

const isRoot = (element: Element): boolean =>
  roots.has(element.getAttribute('id') ?? '') ||
  element.localName === 'app-root' ||
  marks.some(mark => element.getAttribute(mark) !== null)

const isProgram = (script: Element) =>
  /^\s*$|javascript|ecmascript|^module$/i.test(script.getAttribute('type') ?? '')

const maxMarkers = 500

/** Counts what a page is built of: scripts, elements to show, and the types of microdata and RDFa. */
const openFrame = () => {
  const frame = { scripts: 0, elements: 0, hasRoot: false, marked: [] as string[] }
  const mark = (types: string | null) => {
    if (types !== null && frame.marked.length < maxMarkers)
      frame.marked.push(...types.trim().split(/\s+/, 10))
  }
  return {
    see(element: Element) {
      if (element.localName === 'script') {
        if (isProgram(element)) frame.scripts++
        return
      }
      frame.elements++
      frame.hasRoot ||= isRoot(element)
      mark(element.getAttribute('itemtype'))
      mark(element.getAttribute('typeof'))
    },
    read: () => frame,
  }
}

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
    word_count: countWords(text).word_count,
    isCut,
    ...frame.read(),
  }
}
