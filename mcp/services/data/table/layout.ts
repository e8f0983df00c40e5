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

const holdsTable = (node: Content): boolean => {
  for (const child of iterateChildren(node)) if (child.localName === 'table' || holdsTable(child)) return true
  return false
}

/**
 * True for a table that is there for the looks of the page: it says so, has one cell, or no header and nothing but links or
 * one row that holds other tables.
 */
export const isLayout = (table: Content, { rows, headerRows }: Grid): boolean => {
  if (isPresentation(table)) return true
  const cells = new Set(rows.flat())
  if (cells.size <= 1) return true
  const hasHeader = headerRows > 0 || [...cells].some(cell => cell?.header === true)
  return !hasHeader && (isLinksOnly(table) || (rows.length === 1 && holdsTable(table)))
}
