import { type Content, childrenOf } from '../../../lib/page/element.ts'
import type { Grid } from '../../../lib/page/table/grid.ts'

const isPresentation = (table: Content): boolean =>
  /^\s*(?:presentation|none)\s*$/i.test(table.getAttribute('role') ?? '')

/** True when an element has a link in it; text outside of links, but for separators, is `text`. */
const look = (node: Content, seen: { link: boolean; text: boolean }): void => {
  for (const child of childrenOf(node)) {
    if (seen.text) return
    if (child.nodeType === 3) seen.text = /[^\s|·•»>/\u00a0-]/.test(child.nodeValue ?? '')
    else if (child.localName === 'a') seen.link = true
    else if (child.nodeType === 1) look(child, seen)
  }
}

const isLinksOnly = (table: Content): boolean => {
  const seen = { link: false, text: false }
  look(table, seen)
  return seen.link && !seen.text
}

const holdsTable = (node: Content): boolean => {
  for (const child of childrenOf(node)) if (child.localName === 'table' || holdsTable(child)) return true
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
  const headed = headerRows > 0 || [...cells].some(cell => cell?.header === true)
  return !headed && (isLinksOnly(table) || (rows.length === 1 && holdsTable(table)))
}
