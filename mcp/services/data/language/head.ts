import type { Element } from '../../../lib/page/element.ts'

/** Markup allowed in `noscript` in the head. */
const fitting = /^<(?:link|meta|style|!|\/)/i

const maxBytes = 256 * 1024

/** The markup that its author wrote as the head. */
const writtenHead = (markup: string): string => {
  const start = markup.slice(0, maxBytes).toLowerCase()
  const end = start.search(/<\/head|<body/)
  return end < 0 ? start : start.slice(0, end)
}

/** True when `noscript` holds an image or the like, at which the head ends for programs without scripts, and only for them. */
const endsAtNoscript = (markup: string): boolean => {
  const head = writtenHead(markup)
  for (let at = head.indexOf('<noscript'); at >= 0; at = head.indexOf('<noscript', at + 1)) {
    const end = head.indexOf('</noscript', at)
    const inner = head.slice(head.indexOf('>', at) + 1, end < 0 ? undefined : end)
    const tags = inner.match(/<[!/a-z]\w{0,10}/g) ?? []
    if (tags.some(tag => !fitting.test(tag))) return true
    if (end < 0) return false
    at = end
  }
  return false
}

/** Tells which elements are in the head as browsers see it. Where programs without scripts see another head, all are. */
export const headReader = (markup: string): ((element: Element) => boolean) => {
  const isUnsure = endsAtNoscript(markup)
  return element => isUnsure || element.parentNode?.localName === 'head'
}
