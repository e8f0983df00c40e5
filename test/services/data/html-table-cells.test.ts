import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTables } from '../../../mcp/services/data/table/tables.ts'
import { runs } from '../../stress.ts'

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
      'a header cell that spans rows of data',
      '<tr><th rowspan=2>a<th>b<tr><td>1<tr><td>2<td>3',
      ['a', 'b'],
      [
        ['a', '1'],
        ['2', '3'],
      ],
    ],
    [
      'header cells that span all of the head',
      '<tr><th rowspan=2>a<th colspan=2>b<tr><th>c<th>d<tr><th rowspan=2>r<td>1<td>2<tr><td>3<td>4',
      ['a', 'b / c', 'b / d'],
      [
        ['r', '1', '2'],
        ['r', '3', '4'],
      ],
    ],
    ['a head without rows', '<thead><tr></thead><tr><th>a<th>b<tr><td>1<td>2', ['a', 'b'], [['1', '2']]],
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
      'that span no further than their row group',
      '<tbody><tr><td rowspan=0>A<td>B<tr><td>C<tbody><tr><td>D<td>E<tfoot><tr><td>F<td>G',
      [
        ['A', 'B'],
        ['A', 'C'],
        ['D', 'E'],
        ['F', 'G'],
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
    expect((await gridOf(html, { displayed_only: false })).rows).toEqual([
      ['1', '2', '3'],
      ['4', null, null],
      ['5', null, null],
      ['67', null, null],
    ])
  })
})

type SpannedCell = { rows: number; columns: number }

/** The algorithm of HTML §4.9.12.1 for one row group, step by step: the number of the cell in each slot, from `first`. */
const slotsOf = (group: readonly (readonly SpannedCell[])[], first: number) => {
  const slots = new Map<string, number>()
  const growing: { cell: number; x: number; width: number }[] = []
  let height = 0
  let cell = first
  // The standard calls it an error where cells meet; the first cell in the page keeps the slot.
  const cover = (x: number, y: number, own: number) => {
    slots.set(`${y} ${x}`, Math.min(own, slots.get(`${y} ${x}`) ?? own))
  }
  for (const [y, row] of group.entries()) {
    height = Math.max(height, y + 1)
    for (const { cell: own, x, width } of growing) for (let at = x; at < x + width; at++) cover(at, y, own)
    let x = 0
    for (const { rows, columns } of row) {
      while (slots.has(`${y} ${x}`)) x++
      height = Math.max(height, y + Math.max(1, rows))
      for (let down = y; down < y + Math.max(1, rows); down++)
        for (let across = x; across < x + columns; across++) cover(across, down, cell)
      if (rows === 0) growing.push({ cell, x, width: columns })
      x += columns
      cell++
    }
  }
  return { slots, height, end: cell }
}

test('any spans give the grid of the standard', async () => {
  const cell = fc.record({ rows: fc.integer({ min: 0, max: 4 }), columns: fc.integer({ min: 1, max: 3 }) })
  const group = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(fc.array(group, { minLength: 1, maxLength: 3 }), async groups => {
      let number = 0
      const markup = (tag: string) => (rows: (typeof groups)[number]) =>
        `<${tag}>${rows.map(row => `<tr>${row.map(({ rows, columns }) => `<td rowspan=${rows} colspan=${columns}>c${number++}`).join('')}`).join('')}</${tag}>`
      const bodies = groups.map((rows, at) => markup(at === 2 ? 'tfoot' : 'tbody')(rows)).join('')
      const expected: (string | null)[][] = []
      let first = 0
      let width = 0
      const parts = groups.map(rows => {
        const part = slotsOf(rows, first)
        first = part.end
        for (const slot of part.slots.keys()) width = Math.max(width, Number(slot.split(' ')[1]) + 1)
        return part
      })
      for (const { slots, height } of parts)
        for (let y = 0; y < height; y++)
          expected.push(
            Array.from({ length: width }, (_, x) => {
              const own = slots.get(`${y} ${x}`)
              return own === undefined ? null : `c${own}`
            }),
          )
      const { tables } = await readTables(`<table>${bodies}</table>`, 'http://a.example/')
      // A table of one cell is layout, and is not given.
      if (first < 2) return
      const [table] = tables
      expect(table?.rows.map(row => table.headers.map(header => row[header]))).toEqual(expected)
    }),
    { seed: 4912, numRuns: runs(1000, 200) },
  )
})
