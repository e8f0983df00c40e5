import type { Element } from '../../../lib/page/element.ts'
import { clean } from '../../../lib/text/clean.ts'

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
export const openImages = () => {
  const counts = { total: 0, withAlt: 0, emptyAlt: 0, missingAlt: 0 }
  const missing: string[] = []
  return {
    see(element: Element) {
      if (element.localName !== 'img') return
      counts.total++
      if (isNamed(element)) counts.withAlt++
      else if (element.getAttribute('alt') !== null || isSilent(element)) counts.emptyAlt++
      else {
        counts.missingAlt++
        const src = clean(element.getAttribute('src') ?? element.getAttribute('data-src'), 200)
        if (missing.length < maxMissing && src !== null) missing.push(src)
      }
    },
    read: () => ({ ...counts, missing }),
  }
}

export type Images = ReturnType<ReturnType<typeof openImages>['read']>
