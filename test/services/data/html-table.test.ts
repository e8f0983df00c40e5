import { describe, expect, test } from 'vitest'
import { readTables } from '../../../mcp/services/data/table/tables.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

const url = 'http://example.com/prices'

type Wishes = Parameters<typeof readTables>[2]

const tablesIn = async (html: string, wishes: Wishes = {}) =>
  (await readTables(html, 'http://example.com/a/b', wishes)).tables

describe('html-table', () => {
  test('gives rows as objects by header', async () => {
    expect(await data.ask('html-table', { url })).toMatchObject({
      url,
      status: 200,
      count: 1,
      found: 1,
      skipped: 1,
      tables: [
        {
          index: 0,
          caption: 'Prices in euro',
          headers: ['Fruit', 'Price / Shop', 'Price / Market'],
          rows: [
            { Fruit: 'Apple', 'Price / Shop': '1.20', 'Price / Market': '0.90' },
            { Fruit: 'Pear', 'Price / Shop': '1.10', 'Price / Market': '1.10' },
            { Fruit: 'Fig', 'Price / Shop': null, 'Price / Market': '3.00' },
          ],
          row_count: 3,
          column_count: 3,
          id: 'prices',
          class: 'wide data',
          truncated: false,
        },
      ],
      truncated: false,
    })
  })

  test('gives the first link of each cell on request', async () => {
    const { tables } = await data.ask('html-table', { url, links: true })
    expect(tables).toMatchObject([
      {
        rows: [
          { Fruit: { text: 'Apple', url: 'http://example.com/apple' } },
          { Fruit: { text: 'Pear', url: null } },
          { 'Price / Shop': { text: null, url: null } },
        ],
      },
    ])
  })

  test('finds a table by its text, or by its index', async () => {
    expect(await data.ask('html-table', { url, match: 'PEAR' })).toMatchObject({ count: 1 })
    expect(await data.ask('html-table', { url, match: 'plum' })).toMatchObject({
      count: 0,
      found: 1,
      tables: [],
    })
    expect(await data.ask('html-table', { url, table: 0 })).toMatchObject({ count: 1 })
    const error = await refused(data.ask('html-table', { url, table: 1 }))
    expect(error.code).toBe('invalid_input')
    expect(error.toProblem().issues).toMatchObject([{ path: 'table' }])
  })

  test('cuts long tables and says so', async () => {
    const { tables, truncated, meta } = await data.ask('html-table', { url, max_rows: 2 })
    expect(tables).toMatchObject([
      { row_count: 3, truncated: true, rows: [{ Fruit: 'Apple' }, { Fruit: 'Pear' }] },
    ])
    expect({ truncated, meta }).toMatchObject({
      truncated: true,
      meta: { warnings: [{ code: 'tables_cut' }] },
    })
  })

  test('says so when a page has none', async () => {
    expect(await data.ask('html-table', { url: 'http://example.com/' })).toMatchObject({
      count: 0,
      tables: [],
    })
  })
})

describe('tables', () => {
  test('that are there for looks are left out', async () => {
    const { tables, skipped } = await readTables(
      `<table role=presentation><tr><td>1<td>2</table><table role=none><tr><td>1<td>2</table>
       <table><tr><td>one cell</table><table><tr><td><a href=a>a</a> |<td><a href=b>b</a></table>
       <table><tr><th>h<th>h<tr><td><a href=a>a</a><td><a href=b>b</a></table>`,
      'http://example.com/',
    )
    expect({ skipped, headers: tables.map(({ headers }) => headers) }).toEqual({
      skipped: 4,
      headers: [['h', 'h.1']],
    })
  })

  test('within tables stand for themselves; one that only holds others is left out', async () => {
    const inner = '<table><tr><th>a<th>b<tr><td>1<td>2</table>'
    const outer = await tablesIn(`<table><tr><td>x<td>${inner}<tr><td>y<td>z</table>`)
    expect(outer.map(({ row_count: rowCount }) => rowCount)).toEqual([2, 1])
    expect(outer[0]?.rows[1]).toEqual({ col1: 'y', col2: 'z' })
    expect(await tablesIn(`<table><tr><td>${inner}<td>${inner}</table>`)).toHaveLength(2)
  })

  test('that are hidden count only when they are asked for', async () => {
    const html =
      '<div style="display:none"><table><tr><td>1<td>2</table></div><table hidden><tr><td>1<td>2</table>'
    expect(await tablesIn(html)).toEqual([])
    expect(await tablesIn(html, { displayed_only: false })).toHaveLength(2)
  })

  test('keep to a thousand columns', async () => {
    const [table] = await tablesIn(`<table>${'<tr><td colspan=900>a<td colspan=5000>b'.repeat(3)}</table>`)
    expect(table).toMatchObject({ column_count: 1000, truncated: true, row_count: 3 })
    expect(table?.rows[2]?.col1000).toBe('b')
  })

  test('have no more values together than a hundred thousand', async () => {
    const wide = `<table>${'<tr><td colspan=1000 rowspan=20>a<td>b'.repeat(300)}</table>`
    const { tables, truncated } = await readTables(wide.repeat(3), 'http://example.com/')
    const values = tables.reduce(
      (sum, { rows, column_count: columnCount }) => sum + rows.length * columnCount,
      0,
    )
    expect(truncated).toBe(true)
    expect(values).toBeGreaterThan(90_000)
    expect(values).toBeLessThan(110_000)
  })
})

describe('a table that says "presentation"', () => {
  const rows = '<tr><td>Apple<td>1.20<tr><td>Pear<td>0.90'
  const links = '<tr><td><a href=/a>A</a><td><a href=/b>B</a>'
  test.each([
    ['has header cells', `<table role=presentation><tr><th>Fruit<th>Price${rows}</table>`, 1],
    ['has a caption', `<table role=none><caption>Prices</caption>${rows}</table>`, 1],
    ['is a regular grid of text', `<table role=presentation>${rows}</table>`, 1],
    ['holds links only', `<table role=presentation>${links}${links}</table>`, 0],
    ['has one row', '<table role=presentation><tr><td>1<td>2</table>', 0],
    ['holds a form', `<table role=presentation>${rows}<tr><td>Name<td><input></table>`, 0],
    ['is ragged', '<table role=presentation><tr><td>Head<tr><td>a<td>b<tr><td>c</table>', 0],
  ])('and %s', async (_, html, count) => {
    expect(await tablesIn(html)).toHaveLength(count)
  })
})

describe('on request', () => {
  const html =
    '<table><tr><th>Name<th>Euro<th>Dollar<th>Code<th>Note<tr><td>a<td>1.234,5 €<td>$1,200.00<td>007<td>=SUM(A1)<tr><td>b, "c"<td>1.500<td>(3.25)<td>8<td>-<tr><td>d<td><td>12%<td>9<td>1.500</table>'

  test('numbers are numbers, by the mark of their column', async () => {
    const [table] = await tablesIn(html, { numbers: true })
    expect(table?.rows).toEqual([
      { Name: 'a', Euro: 1234.5, Dollar: 1200, Code: '007', Note: '=SUM(A1)' },
      { Name: 'b, "c"', Euro: 1500, Dollar: -3.25, Code: 8, Note: '-' },
      { Name: 'd', Euro: null, Dollar: 12, Code: 9, Note: '1.500' },
    ])
  })

  test('tables are CSV that no spreadsheet runs', async () => {
    const [table] = await tablesIn(html, { csv: true })
    expect(table?.csv?.split('\r\n').slice(0, 2)).toEqual([
      'Name,Euro,Dollar,Code,Note',
      `a,"1.234,5 €","$1,200.00",007,'=SUM(A1)`,
    ])
    expect((await tablesIn(html))[0]?.csv).toBeNull()
  })
})
