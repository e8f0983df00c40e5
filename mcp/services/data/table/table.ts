import { type Content, childrenOf } from '../../../lib/page/element.ts'
import { absolute } from '../../../lib/page/link.ts'
import { cellText } from '../../../lib/page/plain-text.ts'
import type { Grid } from '../../../lib/page/table/grid.ts'
import type { Cell, Row } from '../../../lib/page/table/span.ts'
import { cutPoint } from '../../../lib/text/cut.ts'
import { columnNames } from './header.ts'

/** A value of a row; with links, an object. Null where a cell is empty or missing. */
export type Value = string | null | { text: string | null; url: string | null }

export type Table = {
  index: number
  caption: string | null
  headers: string[]
  rows: Record<string, Value>[]
  /** Rows below the head, given or cut. */
  rowCount: number
  columnCount: number
  id: string | null
  class: string | null
  truncated: boolean
}

type Wishes = {
  hidden: boolean
  /** Where relative addresses start from, when links are wanted. */
  base: string | undefined
  /** What may still be filled; it is used up. */
  left: { places: number; characters: number }
}

const longestCell = 20_000

const linkIn = (element: Content, base: string): string | null => {
  for (const child of childrenOf(element)) {
    if (child.nodeType !== 1) continue
    const own = child.localName === 'a' ? absolute(child.getAttribute('href'), base) : null
    const url = own ?? linkIn(child, base)
    if (url !== null) return url
  }
  return null
}

/** The values of a grid: a cell that spans several places is read once and stands in each. */
export const readTable = (
  { rows, headerRows, columns, bodyRows, caption, cut }: Grid,
  { hidden, base, left }: Wishes,
): Omit<Table, 'index' | 'id' | 'class'> => {
  const texts = new Map<Cell, string>()
  let cellCut = false

  const textOf = (cell: Cell | undefined): string => {
    if (!cell) return ''
    const known = texts.get(cell)
    if (known !== undefined) return known
    const whole = cellText(cell.element, hidden)
    if (whole.length > longestCell) cellCut = true
    const text = whole.slice(0, cutPoint(whole, longestCell))
    texts.set(cell, text)
    return text
  }

  const valueIn = (cell: Cell | undefined): Value => {
    const text = textOf(cell) || null
    if (base === undefined || !cell) return text
    return { text, url: linkIn(cell.element, base) }
  }

  const headerTexts = rows.slice(0, headerRows).map(row => row.map(textOf))
  const headers = columnNames(headerTexts, columns)
  const nameLength = headers.join('').length

  const rowOf = (row: Row) => {
    left.places -= columns
    left.characters -= nameLength + row.reduce((sum, cell) => sum + textOf(cell).length, 0)
    return Object.fromEntries(headers.map((name, column) => [name, valueIn(row[column])]))
  }

  const values: Record<string, Value>[] = []
  for (const row of rows.slice(headerRows)) {
    if (left.places <= 0 || left.characters <= 0) break
    values.push(rowOf(row))
  }
  return {
    caption: caption ? cellText(caption, hidden) || null : null,
    headers,
    rows: values,
    rowCount: bodyRows,
    columnCount: columns,
    truncated: cut || cellCut || values.length < bodyRows,
  }
}
