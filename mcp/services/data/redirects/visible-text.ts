import type { Element } from '../../../lib/page/element.ts'
import { clean } from '../../../lib/text/clean.ts'

const unseen = 'body script, body style, body noscript, body template'

/** Characters that a reader sees, exact up to 2,000. Takes scripts and styles out of the document to count the rest. */
export const visibleText = (document: Element): number => {
  for (const part of [...document.querySelectorAll(unseen)] as (Element & { remove(): void })[]) part.remove()
  return clean(document.querySelector('body')?.textContent)?.length ?? 0
}
