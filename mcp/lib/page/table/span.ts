import type { Content } from '../element.ts'

export type TableCell = {
  element: Content
  header: boolean
  columns: number
  /** Rows that it spans; infinite to the end of its part of the table. */
  rows: number
}

/** A row of the grid; a place that no cell reaches is undefined. */
export type TableRow = readonly (TableCell | undefined)[]

/** A cell that goes on in the next row. */
type RowSpan = { column: number; cell: TableCell; rowsLeft: number }

/** How large a grid may become; `places` counts all its cells. */
export type GridLimits = { rows: number; columns: number; places: number }

/** Authors write `rowspan=999` for "to the end"; only a cell that is off by less makes rows of its own. */
const maxRowsBeyond = 20

/**
 * Resolves the spans of one row group (HTML §4.9.12.1): a cell takes the first free place and covers those beside and
 * below it that are free. As in pandas, cells that span more rows than there are make further rows.
 */
export const resolveSpans = (
  rows: readonly (readonly TableCell[])[],
  limits: GridLimits,
): { rows: TableRow[]; cut: boolean } => {
  const grid: TableRow[] = []
  let rowSpans: RowSpan[] = []
  let places = 0
  let cut = false

  const isFull = () => grid.length >= limits.rows || places >= limits.places

  const place = (cells: readonly TableCell[]) => {
    const row: (TableCell | undefined)[] = []
    const next: RowSpan[] = []
    const placeCell = (cell: TableCell, column: number, rowsLeft: number) => {
      while (row.length <= column) row.push(undefined)
      row[column] ??= cell
      if (rowsLeft > 1) next.push({ column, cell, rowsLeft: rowsLeft - 1 })
    }
    for (const { column, cell, rowsLeft } of rowSpans) placeCell(cell, column, rowsLeft)
    let at = 0
    for (const cell of cells) {
      while (row[at]) at++
      const end = Math.min(at + cell.columns, limits.columns)
      if (end < at + cell.columns) cut = true
      for (let column = at; column < end; column++) placeCell(cell, column, cell.rows)
      at = Math.max(at, end)
    }
    rowSpans = next
    places += row.length
    grid.push(row)
  }

  for (const cells of rows) {
    if (isFull()) return { rows: grid, cut: true }
    place(cells)
  }
  rowSpans = rowSpans.filter(({ rowsLeft }) => rowsLeft <= maxRowsBeyond)
  while (rowSpans.length > 0 && !isFull()) place([])
  return { rows: grid, cut }
}
