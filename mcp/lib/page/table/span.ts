import type { Content } from '../element.ts'

export type Cell = {
  element: Content
  header: boolean
  columns: number
  /** Rows that it spans; infinite to the end of its part of the table. */
  rows: number
}

/** A row of the grid; a place that no cell reaches is undefined. */
export type Row = readonly (Cell | undefined)[]

/** A cell that goes on in the next row. */
type Carried = { column: number; cell: Cell; left: number }

/** How large a grid may become; `places` counts all its cells. */
export type Most = { rows: number; columns: number; places: number }

/** Authors write `rowspan=999` for "to the end"; only a cell that is off by less makes rows of its own. */
const maxRowsBeyond = 20

/**
 * Resolves the spans of one part of a table (HTML §4.9.12.1): a cell takes the first free place and covers those beside and
 * below it that are free. As in pandas, cells that span more rows than there are make further rows.
 */
export const expand = (rows: readonly (readonly Cell[])[], most: Most): { rows: Row[]; cut: boolean } => {
  const grid: Row[] = []
  let carried: Carried[] = []
  let places = 0
  let cut = false

  const isFull = () => grid.length >= most.rows || places >= most.places

  const place = (cells: readonly Cell[]) => {
    const row: (Cell | undefined)[] = []
    const next: Carried[] = []
    const put = (cell: Cell, column: number, left: number) => {
      while (row.length <= column) row.push(undefined)
      if (row[column]) return
      row[column] = cell
      if (left > 1) next.push({ column, cell, left: left - 1 })
    }
    for (const { column, cell, left } of carried) put(cell, column, left)
    let at = 0
    for (const cell of cells) {
      while (row[at]) at++
      const end = Math.min(at + cell.columns, most.columns)
      if (end < at + cell.columns) cut = true
      for (let column = at; column < end; column++) put(cell, column, cell.rows)
      at = Math.max(at, end)
    }
    carried = next
    places += row.length
    grid.push(row)
  }

  for (const cells of rows) {
    if (isFull()) return { rows: grid, cut: true }
    place(cells)
  }
  carried = carried.filter(({ left }) => left <= maxRowsBeyond)
  while (carried.length > 0 && !isFull()) place([])
  return { rows: grid, cut }
}
