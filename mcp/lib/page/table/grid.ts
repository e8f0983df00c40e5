import { isHidden } from '../display.ts'
import { type Content, iterateChildren } from '../element.ts'
import { type GridLimits, resolveSpans, type TableCell, type TableRow } from './span.ts'

/** A table as a grid: a cell stands in every place that it spans, and every row has as many places as there are columns. */
export type Grid = {
  caption: Content | undefined
  /** The first rows that are headers. */
  headerRows: number
  rows: TableRow[]
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

const readRow = (row: Content, isShown: (element: Content) => boolean): TableCell[] =>
  [...iterateChildren(row)]
    .filter(({ localName }) => localName === 'td' || localName === 'th')
    .filter(isShown)
    .map(element => ({
      element,
      header: element.localName === 'th',
      columns: readSpan(element, 'colspan', 1000),
      rows: readSpan(element, 'rowspan', 65_534),
    }))

const isHeader = (row: TableRow) => row.every(cell => cell === undefined || cell.header)

/** A row without cells counts for the cells that span it, but is no row of data. */
const isFilled = (row: readonly unknown[]) => row.length > 0

/** Rows that start a table without a head and hold nothing but header cells are its head. */
const countHeaders = (body: readonly TableRow[], feet: number): number => {
  const first = body.findIndex(row => !isHeader(row))
  return first === -1 ? Math.max(0, Math.min(1, body.length + feet - 1)) : first
}

/** Resolves the spans of row groups one after the other: no cell spans from one into the next. */
const expandGroups = (groups: readonly (readonly TableCell[][])[], maxima: GridLimits) => {
  const rows: TableRow[] = []
  let { places } = maxima
  let cut = false
  for (const group of groups) {
    const part = resolveSpans(group, { ...maxima, rows: maxima.rows - rows.length, places })
    for (const row of part.rows) {
      rows.push(row)
      places -= row.length
    }
    cut ||= part.cut
  }
  return { rows, cut }
}

/**
 * Reads a table (HTML §4.9.12.1): head, then bodies, then foot. The head of a table without `thead` is found after the spans are
 * resolved, because a header cell may span rows of data.
 */
export const readGrid = (table: Content, { hidden, ...maxima }: GridOptions): Grid => {
  const isShown = (element: Content) => hidden || !isHidden(element)
  const sections: Record<Section, TableCell[][][]> = { thead: [], tbody: [], tfoot: [] }
  /** Rows that stand in the table itself. */
  let looseRows: TableCell[][] | undefined
  let caption: Content | undefined

  for (const part of iterateChildren(table)) {
    const section = toSection(part.localName)
    if (part.localName === 'caption') caption ??= part
    else if (part.localName === 'tr') {
      if (!looseRows) {
        looseRows = []
        sections.tbody.push(looseRows)
      }
      if (isShown(part)) looseRows.push(readRow(part, isShown))
    } else if (section) {
      looseRows = undefined
      if (!isShown(part)) continue
      const rows = [...iterateChildren(part)].filter(row => row.localName === 'tr' && isShown(row))
      sections[section].push(rows.map(row => readRow(row, isShown)))
    }
  }

  const { thead, tbody, tfoot } = sections
  const bodyCells = tbody.flat()
  const footCells = tfoot.flat()
  const heads = expandGroups(thead, maxima)
  const hasHead = heads.rows.some(isFilled)
  // Header rows do not count among those that are wanted.
  const firstData = bodyCells.findIndex(row => row.some(({ header }) => !header))
  const bodies = expandGroups(tbody, {
    ...maxima,
    rows: maxima.rows + (hasHead ? 0 : Math.max(1, firstData)),
  })
  const feet = expandGroups(tfoot, maxima)
  const ownHeaders = hasHead ? 0 : countHeaders(bodies.rows, footCells.length)
  const headers = [...heads.rows, ...bodies.rows.slice(0, ownHeaders)].filter(isFilled)
  const filled = [...bodies.rows.slice(ownHeaders), ...feet.rows].filter(isFilled)
  const values = filled.slice(0, maxima.rows)
  const rows = [...headers, ...values]
  return {
    caption,
    headerRows: headers.length,
    rows,
    bodyRows: Math.max(filled.length, [...bodyCells.slice(ownHeaders), ...footCells].filter(isFilled).length),
    columns: rows.reduce((width, { length }) => Math.max(width, length), 0),
    cut: heads.cut || bodies.cut || feet.cut || values.length < filled.length,
  }
}
