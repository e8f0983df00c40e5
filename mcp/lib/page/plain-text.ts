import { cleanText, oneLine } from '../text/clean.ts'
import { displayOf, isHidden } from './display.ts'
import { type Content, iterateChildren } from './element.ts'

const separators = ['', ' ', '\t', '\n', '\n\n'] as const

const gap = { none: 0, space: 1, tab: 2, line: 3, block: 4 } as const

/** Text as it grows: what stands between two pieces is the widest gap that was asked for. */
const openText = (widest: number, withHidden: boolean) => {
  let text = ''
  let gapSize = 0
  let maxGap = widest
  return {
    leavesOut: (element: Content) => !withHidden && isHidden(element),
    gap(width: number) {
      gapSize = Math.max(gapSize, Math.min(width, maxGap))
    },
    /** A line break; the second in a row leaves a line empty. */
    break() {
      gapSize = Math.min(gapSize >= gap.line ? gap.block : gap.line, maxGap)
    },
    add(piece: string) {
      if (piece === '') return
      text += (text === '' ? '' : separators[gapSize]) + piece
      gapSize = gap.none
    },
    /** Inside list entries and cells no gap is wider than `width`. */
    within(width: number, write: () => void) {
      const before = maxGap
      maxGap = Math.min(maxGap, width)
      write()
      maxGap = before
    },
    text: () => text,
  }
}

type Text = ReturnType<typeof openText>

const plainWords = /^[!-~]+(?: [!-~]+)*$/

const addWords = (text: Text, words: string) => {
  if (plainWords.test(words)) return text.add(words)
  const line = oneLine(words)
  const trimmed = line.trim()
  if (line.startsWith(' ')) text.gap(gap.space)
  text.add(trimmed)
  if (line.endsWith(' ')) text.gap(gap.space)
}

/** Text that is laid out already keeps its lines. */
const addLaidOut = (text: Text, words: string) => {
  const lines = cleanText(words).split('\n')
  const laidOut = lines.map(line => line.replaceAll('\t', '    ').trimEnd()).join('\n')
  text.add(laidOut.replace(/^\n+/, '').trimEnd())
}

const addElement = (text: Text, element: Content) => {
  const display = displayOf(element.localName)
  if (display === 'none' || text.leavesOut(element)) return
  if (display === 'inline') return addChildren(text, element)
  if (display === 'break') return text.break()
  if (display === 'cell') {
    text.gap(gap.tab)
    text.within(gap.space, () => addChildren(text, element))
    return text.gap(gap.tab)
  }
  const width = display === 'block' ? gap.block : gap.line
  text.gap(width)
  if (element.localName === 'li') text.within(gap.line, () => addChildren(text, element))
  else if (element.localName === 'pre') addLaidOut(text, element.textContent ?? '')
  else addChildren(text, element)
  text.gap(width)
}

const addChildren = (text: Text, parent: Content) => {
  for (const child of iterateChildren(parent)) {
    if (child.nodeType === 3) addWords(text, child.nodeValue ?? '')
    else if (child.nodeType === 1) addElement(text, child)
  }
}

/**
 * The text of an element as people read it: paragraphs stand apart by an empty line, list entries and rows by a line, cells by
 * a tab. What the page hides is left out.
 */
export const plainText = (element: Content): string => {
  const text = openText(gap.block, false)
  addChildren(text, element)
  return text.text()
}

/** The same for the text of a cell, which has no empty lines; `hidden` keeps what the page hides. */
export const cellText = (element: Content, withHidden: boolean): string => {
  const text = openText(gap.line, withHidden)
  addChildren(text, element)
  return text.text()
}

/** The same for all that is in an element, shown or hidden. */
export const wholeText = (element: Content): string => {
  const text = openText(gap.block, true)
  addChildren(text, element)
  return text.text()
}
