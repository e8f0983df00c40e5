import { isHidden } from '../../../lib/page/display.ts'
import type { Content, Element } from '../../../lib/page/element.ts'
import { extractor, type PageView } from '../../../lib/page/extractor.ts'
import { baseOf } from '../../../lib/page/link.ts'
import { parsePage } from '../../../lib/page/parse-page.ts'
import { cellText } from '../../../lib/page/plain-text.ts'
import { readGrid } from '../../../lib/page/table/grid.ts'
import { clean } from '../../../lib/text/clean.ts'
import { isLayout } from './layout.ts'
import { readTable, type Table } from './table.ts'

export type Wishes = {
  /** The table at this index only. */
  table?: number | undefined
  /** Tables that hold this text only, in any case of letters. */
  match?: string | undefined
  links: boolean
  displayedOnly: boolean
  maxRows: number
}

export type Tables = {
  tables: Table[]
  /** Tables that were found, of which `tables` may be some. */
  found: number
  skipped: number
  truncated: boolean
}

/** What a page may fill: a cell that spans a thousand columns is a thousand values. */
const most = { tables: 500, columns: 1000, places: 100_000, characters: 3_000_000 }

const inHidden = (table: Content): boolean => {
  for (let at: Content | null = table; at?.nodeType === 1; at = at.parentNode) if (isHidden(at)) return true
  return false
}

const tablesOf = ({ document, url }: Pick<PageView, 'document' | 'url'>, wishes: Wishes): Tables => {
  const { table, match, links, displayedOnly, maxRows } = wishes
  const base = links ? baseOf(document, url) : undefined
  const hidden = !displayedOnly
  const elements = [...(document.querySelectorAll('table') as Iterable<Element & Content>)]
  const left = { places: most.places, characters: most.characters }
  const tables: Table[] = []
  let found = 0
  let skipped = 0
  let truncated = false

  for (const element of elements) {
    if (displayedOnly && inHidden(element)) continue
    if (found >= most.tables || left.places <= 0 || left.characters <= 0) {
      truncated = true
      break
    }
    const grid = readGrid(element, { hidden, rows: maxRows, columns: most.columns, places: left.places })
    if (isLayout(element, grid)) {
      skipped++
      continue
    }
    const index = found++
    if (table !== undefined && index !== table) continue
    if (match !== undefined && !cellText(element, hidden).toLowerCase().includes(match.toLowerCase()))
      continue
    const read = readTable(grid, { hidden, base, left })
    tables.push({
      index,
      ...read,
      id: clean(element.getAttribute('id'), 200),
      class: clean(element.getAttribute('class'), 500),
    })
    truncated ||= read.truncated
  }
  return { tables, found, skipped, truncated }
}

/** The tables of a page. */
export const tables = extractor(import.meta.url, 'tables', tablesOf, { heavy: true })

/** The tables of markup that was found at `url`. */
export const readTables = async (
  markup: string,
  url: string,
  wishes: Partial<Wishes> = {},
): Promise<Tables> => {
  const { document } = await parsePage(markup)
  return tablesOf({ document, url }, { links: false, displayedOnly: true, maxRows: 5000, ...wishes })
}
