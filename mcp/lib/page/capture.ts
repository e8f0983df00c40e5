import type { Element } from './element.ts'

/** Texts of elements while a page is walked through: what stands in an element goes to all that are open around it. */
export const openCaptures = (most: number) => {
  const open: { element: Element; text: string; done(text: string): void }[] = []
  return {
    /** Collects the text of an element until it ends. */
    begin: (element: Element, done: (text: string) => void) => void open.push({ element, text: '', done }),
    add(text: string) {
      for (const one of open) if (one.text.length < most) one.text += text.slice(0, most)
    },
    end(element: Element) {
      for (let last = open.at(-1); last?.element === element; last = open.at(-1)) {
        open.pop()
        last.done(last.text)
      }
    },
  }
}
