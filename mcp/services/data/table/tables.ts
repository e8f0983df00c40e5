import { isHidden } from '../../../lib/page/display.ts'
import type { Content, Element } from '../../../lib/page/element.ts'
import { extractor, type PageView } from '../../../lib/page/extractor.ts'
import { readBase } from '../../../lib/page/link.ts'
import { parsePage } from '../../../lib/page/parse-page.ts'
import { cellText } from '../../../lib/page/plain-text.ts'
import { readGrid } from '../../../lib/page/table/grid.ts'
import { clean } from '../../../lib/text/clean.ts'
import { isLayout } from './layout.ts'
import { type PageTable, readTable } from './table.ts'

export type Wishes = {
  /** The table at this index only. */
  table?: number | undefined
  /** Tables that hold this text only, in any case of letters. */
  match?: string | undefined
  links: boolean
  /** Numbers as numbers. */
  numbers?: boolean
  /** Each table as CSV too. */
  csv?: boolean
  displayed_only: boolean
  max_rows: number
}

export type Tables = {
  tables: PageTable[]
  /** Tables that were found, of which `tables` may be some. */
  found: number
  skipped: number
  truncated: boolean
}

/** Room that a page may fill: a cell that spans a thousand columns is a thousand values. */
const limits = { tables: 500, columns: 1000, places: 100_000, characters: 3_000_000 }

const inHidden = (table: Content): boolean => {
  for (let at: Content | null = table; at?.nodeType === 1; at = at.parentNode) if (isHidden(at)) return true
  return false
}

const collectTables = ({ document, url }: Pick<PageView, 'document' | 'url'>, wishes: Wishes): Tables => {
  const {
    table,
    match,
    links,
    displayed_only: displayedOnly,
    max_rows: maxRows,
    numbers = false,
    csv = false,
  } = wishes
  const base = links ? readBase(document, url) : undefined
  const includeHidden = !displayedOnly
  const elements = [...(document.querySelectorAll('table') as Iterable<Element & Content>)]
  const remaining = { places: limits.places, characters: limits.characters }
  const tables: PageTable[] = []
  let tableCount = 0
  let layoutCount = 0
  let truncated = false

  for (const element of elements) {
    if (displayedOnly && inHidden(element)) continue
    if (tableCount >= limits.tables || remaining.places <= 0 || remaining.characters <= 0) {
      truncated = true
      break
    }
    const grid = readGrid(element, {
      hidden: includeHidden,
      rows: maxRows,
      columns: limits.columns,
      places: remaining.places,
    })
    if (isLayout(element, grid)) {
      layoutCount++
      continue
    }
    const index = tableCount++
    if (table !== undefined && index !== table) continue
    if (match !== undefined && !cellText(element, includeHidden).toLowerCase().includes(match.toLowerCase()))
      continue
    const parsedTable = readTable(grid, { includeHidden, numbers, csv, base, remaining })
    tables.push({
      index,
      ...parsedTable,
      id: clean(element.getAttribute('id'), 200),
      class: clean(element.getAttribute('class'), 500),
    })
    truncated ||= parsedTable.truncated
  }
  return { tables, found: tableCount, skipped: layoutCount, truncated }
}

/** The tables of a page. */
export const tables = extractor(import.meta.url, 'tables', collectTables, { heavy: true })

/** The tables of markup that was found at `url`. */
export const readTables = async (
  markup: string,
  url: string,
  wishes: Partial<Wishes> = {},
): Promise<Tables> => {
  const { document } = await parsePage(markup)
  return collectTables({ document, url }, { links: false, displayed_only: true, max_rows: 5000, ...wishes })
}
