import type { Element } from './element.ts'

/** Texts of elements while a page is walked through: what stands in an element goes to all that are open around it. */
export const openCaptures = (maxLength: number) => {
  const open: { element: Element; text: string; onText(text: string): void }[] = []
  return {
    /** Collects the text of an element until it ends. */
    begin: (element: Element, onText: (text: string) => void) =>
      void open.push({ element, text: '', onText }),
    add(text: string) {
      for (const one of open) if (one.text.length < maxLength) one.text += text.slice(0, maxLength)
    },
    end(element: Element) {
      for (let last = open.at(-1); last?.element === element; last = open.at(-1)) {
        open.pop()
        last.onText(last.text)
      }
    },
  }
}
