import { openTextReader, textOfHtml } from './html-text.ts'
import { type Node, textIn } from './tree.ts'

/** Format where a feed names none: Atom text is text, the description of RSS is HTML, its titles may be either. */
export type DefaultFormat = 'text' | 'html' | 'either'

const decode64 = (text: string): string => Buffer.from(text.slice(0, 400_000), 'base64').toString('utf8')

const isTag = /<\/?([a-z][a-z0-9]{0,15})(?:\s[^<>]*)?\/?>/gi

const inline = new Set(
  'a abbr acronym b bdi bdo big br cite code del dfn div em font h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q s samp small span strike strong sub sup time tt u ul var wbr'.split(
    ' ',
  ),
)

/** Is a text that may be either meant as HTML? With a reference, or with tags that all are of HTML and one of them closed. */
const looksLikeHtml = (text: string): boolean => {
  const names = [...text.slice(0, 5000).matchAll(isTag)].map(([, name = '']) => name.toLowerCase())
  if (names.some(name => !inline.has(name))) return false
  return /<\/[a-z]|<(?:br|hr|img)\b|&#?\w{2,31};/i.test(text)
}

/** The text of markup that stands in a feed as elements, a line for each block. */
const textOfTree = (node: Node, isHtml: boolean): string => {
  const reader = openTextReader()
  const decodeMarkup = (text: string) =>
    reader.text(isHtml && text.includes('<') ? textOfHtml(text) : text.replace(/\n/g, ' '))
  const visit = ({ name, children }: Node) => {
    const tag = name.replace(/^.*:/, '')
    reader.open(tag)
    for (const child of children) {
      if (typeof child === 'string') decodeMarkup(child)
      else visit(child)
    }
    reader.close(tag)
  }
  visit(node)
  return reader.result()
}

const beginsWithTag =
  /^\s*<(?:p|div|span|a|b|i|em|strong|ul|ol|table|img|br|h[1-6]|blockquote|figure|section|article)\b[^<>]*>/i

/** The text of HTML that stands in a feed. What was escaped once too often, and so has no tag until it is read, is read again. */
const textOfEscaped = (html: string): string => {
  const text = textOfHtml(html)
  return !html.includes('<') && beginsWithTag.test(text) ? textOfHtml(text) : text
}

const isHtmlType = (type: string): boolean =>
  /^(?:html|text\/(?:x-)?html|application\/xhtml\+xml)$/.test(type)

/** Markup as elements: XHTML by type, or tags that somebody forgot to escape. */
const hasElements = ({ children }: Node) => children.some(child => typeof child !== 'string')

/**
 * The text of an element that holds plain text, escaped HTML, XHTML, or base64 (Atom 0.3 `mode`, Atom 1.0 `type`, RSS), a
 * line for each block.
 */
export const readElementText = (node: Node, defaultFormat: DefaultFormat): string => {
  const { type = '', mode = '' } = node.attributes
  const kind = type.trim().toLowerCase()
  const isHtml = kind === '' ? defaultFormat === 'html' : isHtmlType(kind)
  if (hasElements(node)) return textOfTree(node, isHtml)
  const raw = textIn(node)
  const text = mode === 'base64' || kind === 'application/octet-stream' ? decode64(raw) : raw
  if (isHtml || (defaultFormat === 'either' && looksLikeHtml(text))) return textOfEscaped(text)
  return text
    .split('\n')
    .map(line => line.replace(/\s+/g, ' ').trim())
    .filter(line => line !== '')
    .join('\n')
}
