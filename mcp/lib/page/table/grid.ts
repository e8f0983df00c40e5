import { isHidden } from '../display.ts'
import { type Content, iterateChildren } from '../element.ts'
import { type Cell, expand, type GridLimits, type Row } from './span.ts'

/** A table as a grid: a cell stands in every place that it spans, and every row has as many places as there are columns. */
export type Grid = {
  caption: Content | undefined
  /** The first rows that are headers. */
  headerRows: number
  rows: Row[]
  columns: number
  /** Rows below the head that the table has, whether or not they were cut. */
  bodyRows: number
  /** Rows or columns were cut. */
  cut: boolean
}

/** `hidden` keeps what the page hides. */
type GridOptions = GridLimits & { hidden: boolean }

type Section = 'thead' | 'tbody' | 'tfoot'

const toSection = (name: string): Section | undefined =>
  name === 'thead' || name === 'tbody' || name === 'tfoot' ? name : undefined

const readSpan = (cell: Content, name: 'colspan' | 'rowspan', max: number): number => {
  const value = Number.parseInt(cell.getAttribute(name) ?? '', 10)
  if (value === 0 && name === 'rowspan') return Number.POSITIVE_INFINITY
  return Number.isNaN(value) || value < 1 ? 1 : Math.min(value, max)
}

const readRow = (row: Content, isShown: (element: Content) => boolean): Cell[] =>
  [...iterateChildren(row)]
    .filter(({ localName }) => localName === 'td' || localName === 'th')
    .filter(isShown)
    .map(element => ({
      element,
      header: element.localName === 'th',
      columns: readSpan(element, 'colspan', 1000),
      rows: readSpan(element, 'rowspan', 65_534),
    }))

const isHead = (row: readonly Cell[]) => row.every(({ header }) => header)

/** A row without cells counts for the cells that span it, but is no row of data. */
const isFilled = (row: readonly unknown[]) => row.length > 0

/** Rows that start a table without a head and hold nothing but header cells are its head. */
const leadingHeads = (body: readonly Cell[][], feet: number): number => {
  const first = body.findIndex(row => !isHead(row))
  return first === -1 ? Math.max(0, Math.min(1, body.length + feet - 1)) : first
}

/** Reads a table with the spans of its cells resolved as the three parts of it are: head, then bodies, then foot. */
export const readGrid = (table: Content, { hidden, ...maxima }: GridOptions): Grid => {
  const isShown = (element: Content) => hidden || !isHidden(element)
  const sections: Record<Section, Cell[][]> = { thead: [], tbody: [], tfoot: [] }
  let caption: Content | undefined

  const add = (section: Section, row: Content) => {
    if (isShown(row)) sections[section].push(readRow(row, isShown))
  }

  for (const part of iterateChildren(table)) {
    const section = toSection(part.localName)
    if (part.localName === 'caption') caption ??= part
    else if (part.localName === 'tr') add('tbody', part)
    else if (section && isShown(part))
      for (const row of iterateChildren(part)) if (row.localName === 'tr') add(section, row)
  }

  const { thead, tbody, tfoot } = sections
  const head = thead.length > 0 ? thead : tbody.splice(0, leadingHeads(tbody, tfoot.length))
  const heads = expand(head, maxima)
  const bodies = expand(tbody, maxima)
  const feet = expand(tfoot, maxima)
  const headers = heads.rows.filter(isFilled)
  const values = [...bodies.rows, ...feet.rows].filter(isFilled)
  const rows = [...headers, ...values]
  return {
    caption,
    headerRows: headers.length,
    rows,
    bodyRows: Math.max(values.length, [...tbody, ...tfoot].filter(isFilled).length),
    columns: rows.reduce((width, { length }) => Math.max(width, length), 0),
    cut: heads.cut || bodies.cut || feet.cut,
  }
}
