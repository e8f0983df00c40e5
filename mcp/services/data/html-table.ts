import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { countText } from '../../lib/text/count.ts'
import { AddressInput, parseAddress, toHostname } from './address.ts'
import { visit } from './page/fetch-page.ts'
import { skill } from './skill.ts'
import { tables as extractor } from './table/tables.ts'

const text = (what: string) => z.string().nullable().describe(what)

const value = z.union([
  z.string(),
  z.number(),
  z.object({ text: text('Text of the cell'), url: text('First link in it, absolute') }),
  z.null(),
])

const noSuchTable = (tableCount: number) => {
  const message =
    tableCount === 0
      ? 'must be left out: the page has no table of data'
      : `must be below ${tableCount}: so many tables of data are on the page, from 0`
  return new ToolError('invalid_input', `table: ${message}.`, { issues: [{ path: 'table', message }] })
}

const cutNote = {
  code: 'tables_cut',
  message: 'A table, its rows or a cell is longer than what is given; row_count counts all rows.',
}

export default skill({
  id: 'html-table',
  argument: 'url',
  price: '0.003',
  tags: ['web', 'table', 'extraction'],
  keywords: ['csv', 'columns', 'import', 'spreadsheet', 'extract', 'tabular'],
  openWorld: true,
  cacheSec: 60,
  key: ({ url, ...wishes }) => [parseAddress(url), wishes],
  target: ({ url }) => toHostname(url),
  main: 'tables',
  title: 'Read the tables of a page',
  description:
    'Fetches a web page and returns its tables as JSON: headers mapped to row objects, with merged cells and header rows of several levels resolved; layout tables are left out. Use it to get data out of a page. Free over A2A and MCP, else 0.003 USD.',
  input: z.object({
    url: AddressInput,
    table: z.number().int().min(0).max(10_000).optional().describe('Only the table of this index, from 0'),
    match: z.string().min(1).max(200).optional().describe('Only tables that hold this text, in any case'),
    links: z.boolean().default(false).describe('Give each cell as { text, url } with its first link'),
    numbers: z
      .boolean()
      .default(false)
      .describe('Give numbers as numbers, by the decimal mark of their column; not with links'),
    csv: z.boolean().default(false).describe('Give each table as CSV too'),
    displayed_only: z.boolean().default(true).describe('Leave out what the page hides'),
    max_rows: z.number().int().min(1).max(20_000).default(5000).describe('Rows of each table that are given'),
  }),
  output: z.object({
    url: z.string().describe('The address that was asked for, absolute'),
    final_url: z.string().describe('Where the last redirect led'),
    status: z.number().int().describe('HTTP status of the page'),
    count: z.number().int().describe('Tables that are given'),
    found: z.number().int().describe('Tables of data on the page'),
    skipped: z.number().int().describe('Tables that were left out as layout'),
    tables: z
      .array(
        z.object({
          index: z.number().int().describe('Place among the tables of data, from 0'),
          caption: text('Caption'),
          headers: z.array(z.string()).describe('Names of the columns; col1, col2 where there are none'),
          rows: z.array(z.record(z.string(), value)).describe('Rows by header; empty cells are null'),
          row_count: z.number().int().describe('Rows below the header, given or not'),
          column_count: z.number().int().describe('Columns'),
          id: text('The id of the element'),
          class: text('The class of the element'),
          truncated: z.boolean().describe('True when rows, columns or cells were cut'),
          csv: text('The rows that are given as CSV (RFC 4180); null unless asked for'),
        }),
      )
      .describe('The tables in the order of the page'),
    truncated: z.boolean().describe('True when anything was cut'),
  }),
  needs: ['fetch', 'workers'],
  examples: [{ url: 'http://example.com/prices' }],
  summary: ({ count, tables }) =>
    count === 0
      ? 'The page has no table of data.'
      : `${countText(count, 'table')}, ${tables.reduce((sum, { row_count: rowCount }) => sum + rowCount, 0)} rows.`,
}).run(async ({ signal, ...ports }, { url: input, ...wishes }) => {
  const url = parseAddress(input) ?? input
  const pageVisit = await visit(ports, url, extractor, { options: wishes, signal })
  const { fetched, result, warnings } = pageVisit
  const { tables, found, skipped } = result
  if (wishes.table !== undefined && wishes.table >= found) throw noSuchTable(found)
  const truncated = result.truncated || pageVisit.truncated
  return {
    url,
    final_url: fetched.url,
    status: fetched.status,
    count: tables.length,
    found,
    skipped,
    tables,
    truncated,
    about: {
      sources: [fetched.url],
      truncated,
      warnings: [...warnings, ...(result.truncated ? [cutNote] : [])],
    },
  }
})
