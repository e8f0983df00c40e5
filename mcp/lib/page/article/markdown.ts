import { cleanText } from '../../text/clean.ts'
import { displayOf, isHidden } from '../display.ts'
import { type Content, iterateChildren } from '../element.ts'
import { absolute } from '../link.ts'
import { readGrid } from '../table/grid.ts'
import { escapeLineStart, fence } from './escape.ts'
import { inline } from './inline.ts'

/** Quotes and lists within each other; deeper ones are written as if they were not there. */
const deepest = 12

type Place = { base: string; depth: number }

const isElement = (node: Content) => node.nodeType === 1

const indentLines = (text: string, first: string, rest: string): string =>
  text
    .split('\n')
    .map((line, at) => (at === 0 ? first + line : line === '' ? rest.trimEnd() : rest + line))
    .join('\n')

const paragraph = (text: string): string[] =>
  text === '' ? [] : [text.split('\n').map(escapeLineStart).join('\n')]

const embedElements = new Set(['iframe', 'video', 'audio', 'embed', 'object'])

const embed = (element: Content, { base }: Place): string[] => {
  const source = [...iterateChildren(element)].find(({ localName }) => localName === 'source')
  const src = element.getAttribute('src') ?? element.getAttribute('data') ?? source?.getAttribute('src')
  const url = absolute(src, base)
  return url === null ? [] : [`<${url}>`]
}

const code = (element: Content): string[] => {
  const text = cleanText(element.textContent ?? '')
    .replace(/^\n/, '')
    .trimEnd()
  const inner = element.firstChild?.localName === 'code' ? element.firstChild : element
  const classNames = `${element.getAttribute('class') ?? ''} ${inner.getAttribute('class') ?? ''}`
  const language = /\blang(?:uage)?-([\w+#.-]{1,30})/.exec(classNames)?.[1] ?? ''
  const ticks = fence(text, 3)
  return text.trim() === '' ? [] : [`${ticks}${language}\n${text}\n${ticks}`]
}

/** Paragraphs that start so are escapeMarkdown, so this is a list. */
const isList = /^(?:- |\d{1,9}\. )/

const list = (element: Content, place: Place): string[] => {
  const start = Number.parseInt(element.getAttribute('start') ?? '', 10)
  let number = Number.isNaN(start) ? 1 : start
  const entries = [...iterateChildren(element)].filter(isElement).flatMap(entry => {
    const blocks = toBlocks(entry, { ...place, depth: place.depth + 1 })
    const text = blocks.reduce(
      (all, block) => all + (all === '' ? '' : isList.test(block) ? '\n' : '\n\n') + block,
      '',
    )
    if (text === '') return []
    const marker = element.localName === 'ol' ? `${number++}. ` : '- '
    return [indentLines(text, marker, ' '.repeat(marker.length))]
  })
  return entries.length === 0 ? [] : [entries.join('\n')]
}

const cellText = (cell: Content | undefined, base: string): string => {
  if (!cell) return ''
  return inline(iterateChildren(cell), base).replace(/ *\n/g, '<br>').replaceAll('|', '\\|')
}

const table = (element: Content, place: Place): string[] => {
  const { rows, columns, headerRows, caption } = readGrid(element, {
    hidden: false,
    rows: 5000,
    columns: 100,
    places: 100_000,
  })
  const nested = rows.some(row => row.some(cell => cell && holdsTable(cell.element)))
  if (rows.length < 2 || columns < 2 || columns > 60 || nested) return cellsAsBlocks(element, place)
  const lines = rows.map(row =>
    Array.from({ length: columns }, (_, at) => cellText(row[at]?.element, place.base)),
  )
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const head = headerRows > 0 ? (lines.shift() ?? []) : Array.from({ length: columns }, () => '')
  const rule = line(head.map(() => '---'))
  const above = caption === undefined ? [] : paragraph(inline(iterateChildren(caption), place.base))
  return [...above, [line(head), rule, ...lines.map(line)].join('\n')]
}

const holdsTable = (cell: Content): boolean => {
  for (const child of iterateChildren(cell)) {
    if (child.localName === 'table' || (isElement(child) && holdsTable(child))) return true
  }
  return false
}

const cellsAsBlocks = (element: Content, place: Place): string[] =>
  [...iterateChildren(element)].filter(isElement).flatMap(child => toBlocks(child, place))

const toBlock = (element: Content, place: Place): string[] => {
  const name = element.localName
  if (embedElements.has(name)) return embed(element, place)
  if (displayOf(name) === 'none' || isHidden(element)) return []
  if (name === 'hr') return ['---']
  if (name === 'pre') return code(element)
  if (name === 'table') return table(element, place)
  const nested = { ...place, depth: place.depth + 1 }
  if (/^h[1-6]$/.test(name)) {
    const text = inline(iterateChildren(element), place.base).replace(/\s*\n/g, ' ')
    return text === '' ? [] : [`${'#'.repeat(Number(name[1]))} ${text}`]
  }
  if (place.depth < deepest) {
    if (name === 'ul' || name === 'ol' || name === 'menu') return list(element, place)
    if (name === 'blockquote') {
      const text = toBlocks(element, nested).join('\n\n')
      return text === '' ? [] : [indentLines(text, '> ', '> ')]
    }
  }
  if (name === 'dt') return toBlocks(element, place).map(text => `**${text}**`)
  return toBlocks(element, place)
}

const isBlock = (node: Content): boolean => {
  if (!isElement(node)) return false
  const display = displayOf(node.localName)
  return embedElements.has(node.localName) || display === 'block' || display === 'line' || display === 'cell'
}

const holders = new WeakMap<Content, boolean>()

/** An inline element that holds blocks is no more than its content. */
const holdsBlocks = (node: Content): boolean => {
  if (!isElement(node) || node.localName === 'a') return false
  const cached = holders.get(node)
  if (cached !== undefined) return cached
  const holds = [...iterateChildren(node)].some(child => isBlock(child) || holdsBlocks(child))
  holders.set(node, holds)
  return holds
}

const toBlocks = (parent: Content, place: Place): string[] => {
  const blocks: string[] = []
  let run: Content[] = []
  const flush = () => {
    blocks.push(...paragraph(inline(run, place.base)))
    run = []
  }
  for (const child of iterateChildren(parent)) {
    if (isBlock(child)) {
      flush()
      for (const block of toBlock(child, place)) blocks.push(block)
    } else if (holdsBlocks(child)) {
      flush()
      for (const block of toBlocks(child, place)) blocks.push(block)
    } else run.push(child)
  }
  flush()
  return blocks
}

/** An element as CommonMark with tables (GFM). Addresses are absolute; what the page hides is left out. */
export const markdown = (element: Content, base: string): string =>
  toBlocks(element, { base, depth: 0 }).join('\n\n')
