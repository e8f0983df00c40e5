import type { Element } from '../../../lib/page/element.ts'
import { extractor } from '../../../lib/page/extractor.ts'
import { absolute, readBase } from '../../../lib/page/link.ts'
import { visibleText } from './visible-text.ts'

/** A redirect that a page asks its reader for: where to, and after how many seconds. */
export type Refresh = { url: string; seconds: number; source: 'header' | 'meta' }

/** `5; url=/next`, also without the word (HTML standard, "shared declarative refresh steps"). */
const refreshContent = /^\s*(\d{1,6})(?:\.[\d.]*)?\s*(?:[;,]\s*|\s)(?:url\s*=\s*)?["']?([^"']{1,2048})/i

const locationAssignment =
  /(?<!(?:var|let|const)\s)(?<![\w$.])(?:(?:window|document|self|top|parent)\.)?location(?:\.href)?\s{0,9}=\s{0,9}(["'])([^"'\\\n]{1,2048})\1/

const locationCall = /\blocation\.(?:replace|assign)\(\s{0,9}(["'])([^"'\\\n]{1,2048})\1/

/** A page with more text than this is read, not passed through. */
const maxText = 600

const maxScript = 20_000

export const readRefresh = (
  text: string | undefined | null,
  base: string,
  source: Refresh['source'],
): Refresh | null => {
  const [, seconds, target] = refreshContent.exec(text ?? '') ?? []
  const url = absolute(target, base)
  return url === null ? null : { url, seconds: Number(seconds), source }
}

const isUnder = (element: Element, name: string): boolean => {
  for (let at: Element | null = element; at; at = at.parentNode) if (at.localName === name) return true
  return false
}

const metaRefresh = (document: Element, base: string): Refresh | null => {
  for (const meta of document.querySelectorAll('meta[http-equiv][content]')) {
    if (meta.getAttribute('http-equiv')?.trim().toLowerCase() !== 'refresh') continue
    if (isUnder(meta, 'noscript')) continue
    const refresh = readRefresh(meta.getAttribute('content'), base, 'meta')
    if (refresh) return refresh
  }
  return null
}

const scriptTarget = (document: Element, base: string): string | null => {
  const code = [...document.querySelectorAll('script:not([src])')]
    .map(script => script.textContent ?? '')
    .join('\n')
    .slice(0, maxScript)
  const target = absolute((locationAssignment.exec(code) ?? locationCall.exec(code))?.[2], base)
  return target !== null && visibleText(document) <= maxText ? target : null
}

/** Ways in which a page leads its reader away on its own; none of them is followed. */
export const leavings = extractor(import.meta.url, 'leavings', ({ document, url }) => {
  const base = readBase(document, url)
  return { refresh: metaRefresh(document, base), script: scriptTarget(document, base) }
})
