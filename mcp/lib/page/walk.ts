import { type Content, type Element, iterateChildren } from './element.ts'

export type PageElement = Element & Content

export type Visitor = {
  /** False leaves the element out with all that is in it. */
  enter(element: PageElement): boolean
  text?(text: string): void
  /** Called for the elements that were entered, after what is in them. */
  leave?(element: PageElement): void
}

/** Goes through a document once, in its order: linear, where asking every element for its text is not. */
export const walk = (root: Element, { enter, text, leave }: Visitor): void => {
  const step = (node: Content) => {
    for (const child of iterateChildren(node)) {
      if (child.nodeType === 3) text?.(child.nodeValue ?? '')
      const element = child as PageElement
      if (child.nodeType !== 1 || !enter(element)) continue
      step(child)
      leave?.(element)
    }
  }
  step(root as PageElement)
}
