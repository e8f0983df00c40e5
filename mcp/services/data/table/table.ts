import { type Content, iterateChildren } from '../../../lib/page/element.ts'
import { absolute } from '../../../lib/page/link.ts'
import { cellText } from '../../../lib/page/plain-text.ts'
import type { Grid } from '../../../lib/page/table/grid.ts'
import type { TableCell, TableRow } from '../../../lib/page/table/span.ts'
import { readNumeral, toDecimal } from '../../../lib/text/amount/amount.ts'
import { cutPoint } from '../../../lib/text/cut.ts'

/** Marks people write around a number: a sign of currency, a percent sign, a footnote. */
const around = /^(?:[$€£¥₹]|[A-Z]{3})\s?|\s?(?:[$€£¥₹%]|[A-Z]{3})$|\[\w{1,3}\]$/g

const numberLike = /^[-+−(]?\d[\d.,'’\u00a0\u202f\u2009 ]{0,40}\)?$/

const isGrouped = /^\d{1,3}(?:[.,'’\u00a0\u202f\u2009 ]\d{3})*(?:[.,]\d+)?$|^\d+(?:[.,]\d+)?$/

const decimals = /([.,])(\d+)\)?$/

/** The mark before the decimals that the cells of a column show; undefined where none does. */
const findDecimalMark = (texts: readonly (string | null)[]): '.' | ',' | undefined => {
  let votes = 0
  for (const text of texts) {
    const plain = text?.replace(around, '').trim() ?? ''
    const [, mark, digits = ''] = (numberLike.test(plain) && decimals.exec(plain)) || []
    const kinds = new Set(plain.match(/[.,]/g) ?? []).size
    if (mark !== undefined && (digits.length !== 3 || kinds === 2)) votes += mark === '.' ? 1 : -1
  }
  if (votes === 0) return undefined
  return votes > 0 ? '.' : ','
}

/**
 * The number in a cell, or its text where it is none, has a leading zero such as a postcode, more digits than a number keeps,
 * or a mark before three digits that the column does not explain.
 */
const toTyped = (text: string | null, decimal: '.' | ',' | undefined): string | number | null => {
  if (text === null) return null
  const plain = text.replace(around, '').trim()
  const digits = plain.replace(/^[-+−(]|\)$/g, '').trim()
  if (!numberLike.test(plain) || !isGrouped.test(digits) || /^0\d/.test(digits)) return text
  const numeral = readNumeral(digits, decimal, false)
  if (numeral.other !== undefined && decimal === undefined) return text
  const written = toDecimal(numeral.other ?? numeral, 0)
  if (written.replace(/\D/g, '').length > 15) return text
  return /^[-−(]/.test(plain) ? -Number(written) : Number(written)
}

/** Names of columns from the texts of header rows: the rows of a column joined with " / ", a repeated one once. */
const joinHeader = (rows: readonly (readonly string[])[], column: number): string => {
  const parts = rows.map(row => (row[column] ?? '').replace(/\s+/g, ' ')).filter(text => text !== '')
  return parts.filter((text, at) => text !== parts[at - 1]).join(' / ')
}

/** Names that differ: the second `a` is `a.1`, as in pandas, or what is free after it. */
const distinct = (names: readonly string[]): string[] => {
  const takenNames = new Set(names)
  const countByName = new Map<string, number>()
  return names.map(name => {
    const before = countByName.get(name)
    if (before === undefined) {
      countByName.set(name, 0)
      return name
    }
    let count = before + 1
    while (takenNames.has(`${name}.${count}`)) count++
    countByName.set(name, count)
    takenNames.add(`${name}.${count}`)
    return `${name}.${count}`
  })
}

/** The names of `columns` columns; one without a header is called `col` and its number from 1. */
const columnNames = (headers: readonly (readonly string[])[], columns: number): string[] =>
  distinct(Array.from({ length: columns }, (_, column) => joinHeader(headers, column) || `col${column + 1}`))

/** A value of a row; with links, an object. Null where a cell is empty or missing. */
export type CellValue = string | number | null | { text: string | null; url: string | null }

const toPlain = (value: CellValue | undefined): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? (value.text ?? '') : String(value)
}

/** A field that a spreadsheet would run as a formula gets an apostrophe before it; numbers stay. */
const harmless = (text: string): string => (/^(?:[=@\t\r]|[+-](?![\d.,]+%?$))/.test(text) ? `'${text}` : text)

const toField = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A table as CSV (RFC 4180): the headers, then the rows that are given. */
const toCsv = (headers: readonly string[], rows: readonly Readonly<Record<string, CellValue>>[]): string =>
  [headers, ...rows.map(row => headers.map(name => toPlain(row[name])))]
    .map(cells => cells.map(text => toField(harmless(text))).join(','))
    .join('\r\n')

export type PageTable = {
  index: number
  caption: string | null
  headers: string[]
  rows: Record<string, CellValue>[]
  /** Rows below the head, given or cut. */
  row_count: number
  column_count: number
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
  /** Base of relative addresses, when links are wanted. */
  base: string | undefined
  /** Room that may still be filled; it is used up. */
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
): Omit<PageTable, 'index' | 'id' | 'class'> => {
  const texts = new Map<TableCell, string>()
  let cellCut = false

  const readCell = (cell: TableCell | undefined): string => {
    if (!cell) return ''
    const cachedText = texts.get(cell)
    if (cachedText !== undefined) return cachedText
    const whole = cellText(cell.element, includeHidden)
    if (whole.length > maxCellLength) cellCut = true
    const text = whole.slice(0, cutPoint(whole, maxCellLength))
    texts.set(cell, text)
    return text
  }

  const valueIn = (cell: TableCell | undefined): CellValue => {
    const text = readCell(cell) || null
    if (base === undefined || !cell) return text
    return { text, url: linkIn(cell.element, base) }
  }

  const headerTexts = rows.slice(0, headerRows).map(row => row.map(readCell))
  const headers = columnNames(headerTexts, columns)
  const nameLength = headers.join('').length

  const readRow = (row: TableRow) => {
    remaining.places -= columns
    remaining.characters -= nameLength + row.reduce((sum, cell) => sum + readCell(cell).length, 0)
    return Object.fromEntries(headers.map((name, column) => [name, valueIn(row[column])]))
  }

  const values: Record<string, CellValue>[] = []
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
    row_count: bodyRows,
    column_count: columns,
    truncated: cut || cellCut || values.length < bodyRows,
  }
}
