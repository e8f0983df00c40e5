import { describe, expect, test } from 'vitest'
import { readTables } from '../../../mcp/services/data/table/tables.ts'

type Wishes = Parameters<typeof readTables>[2]

/** The only table in markup: its headers, and the values of its rows in their order. */
const gridOf = async (html: string, wishes: Wishes = {}) => {
  const { tables } = await readTables(html, 'http://example.com/a/b', wishes)
  const [table, ...more] = tables
  if (!table || more.length > 0) throw new Error(`there are ${more.length + (table ? 1 : 0)} tables`)
  const { headers, rows } = table
  return { headers, rows: rows.map(row => headers.map(header => row[header])) }
}

describe('headers', () => {
  test.each([
    ['a head', '<thead><tr><td>a<td>b</thead><tr><td>1<td>2', ['a', 'b'], [['1', '2']]],
    ['a first row of header cells', '<tr><th>a<th>b<tr><td>1<td>2', ['a', 'b'], [['1', '2']]],
    [
      'several such rows',
      '<tr><th colspan=2>x<tr><th>a<th>b<tr><td>1<td>2',
      ['x / a', 'x / b'],
      [['1', '2']],
    ],
    [
      'no header',
      '<tr><td>1<td>2<tr><td>3<td>4',
      ['col1', 'col2'],
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    [
      'header cells of rows',
      '<tr><td><th>a<tr><th>r<td>1',
      ['col1', 'col2'],
      [
        [null, 'a'],
        ['r', '1'],
      ],
    ],
    ['nothing but header cells', '<tr><th>a<th>b<tr><th>1<th>2', ['a', 'b'], [['1', '2']]],
    [
      'an empty header row',
      '<thead><tr><th><th><tr><th>a<th>b</thead><tr><td>1<td>2',
      ['a', 'b'],
      [['1', '2']],
    ],
    ['a header for some columns', '<tr><th>a<tr><td>1<td>2', ['a', 'col2'], [['1', '2']]],
    [
      'the same header twice',
      '<tr><th>a<th>a<th>a.1<th>a<tr><td>1<td>2<td>3<td>4',
      ['a', 'a.2', 'a.1', 'a.3'],
      [['1', '2', '3', '4']],
    ],
    [
      'a foot before the body',
      '<tfoot><tr><td>9<td>9</tfoot><tr><th>a<th>b<tr><td>1<td>2',
      ['a', 'b'],
      [
        ['1', '2'],
        ['9', '9'],
      ],
    ],
    [
      'a header that is the name of a prototype',
      '<tr><th>__proto__<th>b<tr><td>1<td>2',
      ['__proto__', 'b'],
      [['1', '2']],
    ],
  ])('with %s', async (_, html, headers, rows) => {
    expect(await gridOf(`<table>${html}</table>`)).toEqual({ headers, rows })
  })
})

describe('cells', () => {
  test.each([
    [
      'that span columns and rows',
      '<tr><td rowspan=2>A<td rowspan=2 colspan=3>B<td>C<tr><td>D',
      [
        ['A', 'B', 'B', 'B', 'C'],
        ['A', 'B', 'B', 'B', 'D'],
      ],
    ],
    [
      'that end a row and go on in the next',
      '<tr><td>A<td rowspan=2>B<tr><td>C',
      [
        ['A', 'B'],
        ['C', 'B'],
      ],
    ],
    [
      'that span more rows than there are',
      '<tr><td rowspan=3>A<td rowspan=3>B',
      [
        ['A', 'B'],
        ['A', 'B'],
        ['A', 'B'],
      ],
    ],
    [
      'that span to the end',
      '<tr><td rowspan=0>A<td>B<tr><td>C<tr><td>D',
      [
        ['A', 'B'],
        ['A', 'C'],
        ['A', 'D'],
      ],
    ],
    [
      'that say 999 for that',
      '<tr><td rowspan=999>A<td>B<tr><td>C',
      [
        ['A', 'B'],
        ['A', 'C'],
      ],
    ],
    [
      'that keep their column in a short row',
      '<tr><td>A<td>B<td rowspan=2>C<tr><td>D',
      [
        ['A', 'B', 'C'],
        ['D', null, 'C'],
      ],
    ],
    [
      'that meet others',
      '<tr><td>A<td rowspan=2>B<td>C<tr><td colspan=2>D<td>E',
      [
        ['A', 'B', 'C', null],
        ['D', 'B', 'E', null],
      ].map(row => row.slice(0, 3)),
    ],
    [
      'with spans that are no numbers',
      '<tr><td colspan=x>A<td rowspan=-2>B<tr><td>C<td>D',
      [
        ['A', 'B'],
        ['C', 'D'],
      ],
    ],
    [
      'that span an empty row',
      '<tr><td rowspan=3>A<td>B<tr><tr><td>C',
      [
        ['A', 'B'],
        ['A', null],
        ['A', 'C'],
      ],
    ],
    [
      'that are missing',
      '<tr><td>A<td>B<tr><td>C<tr>',
      [
        ['A', 'B'],
        ['C', null],
      ],
    ],
    [
      'with lines, spaces and marks',
      '<tr><td>a<br>b<td> x \n <b>y</b><sup>2</sup><tr><td><p>p</p><p>q</p><td>1\u202e2',
      [
        ['a\nb', 'x y2'],
        ['p\nq', '12'],
      ],
    ],
    [
      'with scripts and numbers',
      '<tr><td>1,234.50<script>x</script><td>-3 %<tr><td>007<td>1e5',
      [
        ['1,234.50', '-3 %'],
        ['007', '1e5'],
      ],
    ],
  ])('%s', async (_, html, rows) => expect((await gridOf(`<table>${html}</table>`)).rows).toEqual(rows))

  test('that the page hides are left out, unless they are asked for', async () => {
    const html =
      '<table><tr><td>1<td style="display: none">2<td>3<tr style="DISPLAY:NONE"><td>4<tr hidden><td>5<tr><td>6<i hidden>7</i></table>'
    expect((await gridOf(html)).rows).toEqual([
      ['1', '3'],
      ['6', null],
    ])
    expect((await gridOf(html, { displayedOnly: false })).rows).toEqual([
      ['1', '2', '3'],
      ['4', null, null],
      ['5', null, null],
      ['67', null, null],
    ])
  })
})
