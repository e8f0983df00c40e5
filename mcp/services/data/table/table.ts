import { type Content, iterateChildren } from '../../../lib/page/element.ts'
import { absolute } from '../../../lib/page/link.ts'
import { cellText } from '../../../lib/page/plain-text.ts'
import type { Grid } from '../../../lib/page/table/grid.ts'
import type { Cell, Row } from '../../../lib/page/table/span.ts'
import { cutPoint } from '../../../lib/text/cut.ts'
import { toCsv } from './csv.ts'
import { columnNames } from './header.ts'
import { findDecimalMark, toTyped } from './typed.ts'

/** A value of a row; with links, an object. Null where a cell is empty or missing. */
export type Value = string | number | null | { text: string | null; url: string | null }

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
  /** The table as CSV where that was asked for. */
  csv: string | null
}

type Wishes = {
  includeHidden: boolean
  numbers: boolean
  csv: boolean
  /** Where relative addresses start from, when links are wanted. */
  base: string | undefined
  /** What may still be filled; it is used up. */
  remaining: { places: number; characters: number }
}

const maxCellLength = 20_000

const linkIn = (element: Content, base: string): string | null => {
  for (const child of iterateChildren(element)) {
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
  { includeHidden, numbers, csv, base, remaining }: Wishes,
): Omit<Table, 'index' | 'id' | 'class'> => {
  const texts = new Map<Cell, string>()
  let cellCut = false

  const readCell = (cell: Cell | undefined): string => {
    if (!cell) return ''
    const cachedText = texts.get(cell)
    if (cachedText !== undefined) return cachedText
    const whole = cellText(cell.element, includeHidden)
    if (whole.length > maxCellLength) cellCut = true
    const text = whole.slice(0, cutPoint(whole, maxCellLength))
    texts.set(cell, text)
    return text
  }

  const valueIn = (cell: Cell | undefined): Value => {
    const text = readCell(cell) || null
    if (base === undefined || !cell) return text
    return { text, url: linkIn(cell.element, base) }
  }

  const headerTexts = rows.slice(0, headerRows).map(row => row.map(readCell))
  const headers = columnNames(headerTexts, columns)
  const nameLength = headers.join('').length

  const readRow = (row: Row) => {
    remaining.places -= columns
    remaining.characters -= nameLength + row.reduce((sum, cell) => sum + readCell(cell).length, 0)
    return Object.fromEntries(headers.map((name, column) => [name, valueIn(row[column])]))
  }

  const values: Record<string, Value>[] = []
  for (const row of rows.slice(headerRows)) {
    if (remaining.places <= 0 || remaining.characters <= 0) break
    values.push(readRow(row))
  }
  // The CSV keeps the spelling of the page.
  const csvText = csv ? toCsv(headers, values) : null
  for (const name of numbers && base === undefined ? headers : []) {
    const column = values.map(row => (typeof row[name] === 'string' ? row[name] : null))
    const decimal = findDecimalMark(column)
    for (const [nth, row] of values.entries()) row[name] = toTyped(column[nth] ?? null, decimal)
  }
  return {
    csv: csvText,
    caption: caption ? cellText(caption, includeHidden) || null : null,
    headers,
    rows: values,
    rowCount: bodyRows,
    columnCount: columns,
    truncated: cut || cellCut || values.length < bodyRows,
  }
}
