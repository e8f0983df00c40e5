import { type Content, iterateChildren } from '../../../lib/page/element.ts'
import type { Grid } from '../../../lib/page/table/grid.ts'

const isPresentation = (table: Content): boolean =>
  /^\s*(?:presentation|none)\s*$/i.test(table.getAttribute('role') ?? '')

/** True when an element has a link in it; text outside of links, but for separators, is `text`. */
const look = (node: Content, content: { link: boolean; text: boolean }): void => {
  for (const child of iterateChildren(node)) {
    if (content.text) return
    if (child.nodeType === 3) content.text = /[^\s|·•»>/\u00a0-]/.test(child.nodeValue ?? '')
    else if (child.localName === 'a') content.link = true
    else if (child.nodeType === 1) look(child, content)
  }
}

const isLinksOnly = (table: Content): boolean => {
  const content = { link: false, text: false }
  look(table, content)
  return content.link && !content.text
}

const holds = (node: Content, names: RegExp): boolean => {
  for (const child of iterateChildren(node))
    if (names.test(child.localName) || holds(child, names)) return true
  return false
}

const holdsTable = (node: Content): boolean => holds(node, /^table$/)

/** Cells that are looked at to tell a grid of text. */
const maxLookedAt = 400

/** A regular grid of text: rows and columns of the same width, cells short and mostly filled, none with what layout holds. */
const isGridOfText = ({ rows, columns }: Grid): boolean => {
  if (rows.length < 2 || columns < 2) return false
  const looked = rows.slice(0, Math.ceil(maxLookedAt / columns))
  const cells = looked.flatMap(row => row.flatMap(cell => (cell ? [cell.element] : [])))
  if (cells.length < looked.length * columns) return false
  const texts = cells.map(({ textContent }) => textContent?.trim() ?? '')
  const isShort = texts.every(text => text.length <= 200)
  const isFilled = texts.filter(text => text !== '').length >= cells.length * 0.6
  return isShort && isFilled && cells.every(cell => !holds(cell, /^(?:table|form|input|iframe|h[1-6])$/))
}

/**
 * True for a table that is there for the looks of the page: it has one cell, or no header and nothing but links or one row that
 * holds other tables. One that says so itself is data all the same with header cells or a caption, or as a regular grid of text.
 */
export const isLayout = (table: Content, grid: Grid): boolean => {
  const { rows, headerRows, columns, caption } = grid
  const cells = new Set(rows.flat())
  if (cells.size <= 1) return true
  const hasHeader = headerRows > 0 || [...cells].some(cell => cell?.header === true)
  if (isPresentation(table)) {
    const hasMarks = (hasHeader || caption !== undefined) && rows.length > 1 && columns > 1
    return !hasMarks && (isLinksOnly(table) || !isGridOfText(grid))
  }
  return !hasHeader && (isLinksOnly(table) || (rows.length === 1 && holdsTable(table)))
}
