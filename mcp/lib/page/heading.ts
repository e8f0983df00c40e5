import type { Element } from './element.ts'

/** Words alone, so that two writings of one text compare equal. */
export const fold = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** The heading of what a page is about: the one that its title has too, else the first of the highest rank. */
export const mainHeading = (document: Element): Element | null => {
  const title = fold(document.querySelector('title')?.textContent ?? '')
  const headings = [...document.querySelectorAll('h1')]
  const isInTitle = (heading: Element) => {
    const text = fold(heading.textContent ?? '')
    return text !== '' && title.includes(text)
  }
  return (
    headings.find(isInTitle) ??
    [...document.querySelectorAll('h2')].slice(0, 20).find(isInTitle) ??
    headings[0] ??
    null
  )
}
