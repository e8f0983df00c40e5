import { clean } from '../../text/clean.ts'
import { type Content, iterateChildren } from '../element.ts'
import { readSource } from './inline.ts'

export type Image = { url: string; alt: string | null }

export const maxImages = 200

/** The images in an element, each address once, in order. */
export const imagesIn = (content: Content, base: string): Image[] => {
  const images = new Map<string, Image>()
  const look = (node: Content) => {
    for (const child of iterateChildren(node)) {
      if (child.localName === 'img') {
        const url = readSource(child, base)
        if (url !== null && !images.has(url))
          images.set(url, { url, alt: clean(child.getAttribute('alt'), 500) })
      } else if (child.nodeType === 1) look(child)
    }
  }
  look(content)
  return [...images.values()]
}
