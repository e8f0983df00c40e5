import type { Line, Row } from './row.ts'

const head = ['what', 'value', 'against', 'aim', 'met', 'how']

const valueText = ({ value, unit }: Row): string => {
  if (value === null) return '-'
  return unit === 'x' ? `${value.toFixed(2)} x` : `${value.toLocaleString('en')} ${unit}`
}

const metText = (met: boolean | null): string => {
  if (met === null) return ''
  return met ? 'yes' : 'NO'
}

const cells = ({ row, note }: Line): string[] => [
  row.name,
  valueText(row),
  row.against ?? '',
  row.aim ?? '',
  metText(row.met),
  note,
]

/** The rows as a Markdown table with aligned columns. */
export const table = (lines: readonly Line[]): string => {
  const rows = [head, ...lines.map(cells)]
  const widths = head.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const print = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [first = [], ...rest] = rows
  const rule = `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`
  return [print(first), rule, ...rest.map(print)].join('\n')
}

/** The rows as one JSON array of {name, value, unit, against, aim, met}. */
export const json = (lines: readonly Line[]): string =>
  JSON.stringify(
    lines.map(({ row }) => row),
    null,
    2,
  )

/** 0 when every row could be measured. An aim that is missed is a finding, not a failure of the run. */
export const exitCode = (lines: readonly Line[]): 0 | 1 =>
  lines.some(({ row }) => row.value === null) ? 1 : 0
