import { oneLine } from '../../text/clean.ts'
import { displayOf, isHidden } from '../display.ts'
import { type Content, iterateChildren } from '../element.ts'
import { absolute } from '../link.ts'
import { escapeMarkdown, fence, target } from './escape.ts'

const marks = new Map([
  ...['em', 'i', 'cite', 'dfn', 'var'].map(name => [name, '*'] as const),
  ...['strong', 'b'].map(name => [name, '**'] as const),
  ...['del', 's', 'strike'].map(name => [name, '~~'] as const),
])

const codes = new Set(['code', 'kbd', 'samp', 'tt'])

/** A mark must touch the text that it marks; spaces go outside. */
const wrapInMark = (text: string, mark: string): string => {
  const inner = text.trim()
  if (inner === '') return text
  const at = text.indexOf(inner)
  return `${text.slice(0, at)}${mark}${inner}${mark}${text.slice(at + inner.length)}`
}

const toCode = (text: string): string => {
  const code = oneLine(text)
  if (code.trim() === '') return code
  const ticks = fence(code, 1)
  const pad = code.startsWith('`') || code.endsWith('`') ? ' ' : ''
  return `${ticks}${pad}${code}${pad}${ticks}`
}

/** Reads the source of an image: `src`, else the first of `srcset`; null for one that is part of the page. */
export const readSource = (image: Content, base: string): string | null =>
  absolute(image.getAttribute('src'), base) ??
  absolute(
    image
      .getAttribute('srcset')
      ?.trim()
      .split(/\s|,\s/)[0],
    base,
  )

const toImage = (image: Content, base: string): string => {
  const source = readSource(image, base)
  return source === null
    ? ''
    : `![${escapeMarkdown(oneLine(image.getAttribute('alt') ?? '').trim())}](${target(source)})`
}

const toLink = (element: Content, text: string, base: string): string => {
  const url = absolute(element.getAttribute('href'), base)
  const inner = text.trim()
  if (url === null || inner === '') return text
  const at = text.indexOf(inner)
  const label = inner.replace(/\s*\n\s*/g, ' ')
  return `${text.slice(0, at)}[${label}](${target(url)})${text.slice(at + inner.length)}`
}

type Place = { base: string; within: readonly string[] }

const elementText = (element: Content, place: Place): string => {
  const name = element.localName
  if (name === 'img') return toImage(element, place.base)
  if (name === 'br') return '  \n'
  const display = displayOf(name)
  if (display === 'none' || isHidden(element)) return ''
  if (codes.has(name)) return toCode(element.textContent ?? '')
  const mark = marks.get(name) ?? (name === 'a' ? 'a' : undefined)
  if (mark === undefined || place.within.includes(mark)) {
    const text = childrenText(element, place)
    return display === 'inline' ? text : ` ${text.trim()} `
  }
  const text = childrenText(element, { ...place, within: [...place.within, mark] })
  return mark === 'a' ? toLink(element, text, place.base) : wrapInMark(text, mark)
}

const nodeText = (node: Content, place: Place): string => {
  if (node.nodeType === 3) return escapeMarkdown(oneLine(node.nodeValue ?? ''))
  return node.nodeType === 1 ? elementText(node, place) : ''
}

const childrenText = (parent: Content, place: Place): string => {
  let text = ''
  for (const child of iterateChildren(parent)) text += nodeText(child, place)
  return text
}

/** Nodes in a line of Markdown: emphasis, code, links and images. Blocks among them are run in. */
export const inline = (nodes: Iterable<Content>, base: string): string => {
  let text = ''
  for (const node of nodes) text += nodeText(node, { base, within: [] })
  return text
    .replace(/ *(?: {2}\n)+ */g, '  \n')
    .replace(/(?<! ) {2,}(?!\n)/g, ' ')
    .trim()
}
