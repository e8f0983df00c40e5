import type { Value } from './table.ts'

const toPlain = (value: Value | undefined): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? (value.text ?? '') : String(value)
}

/** A field that a spreadsheet would run as a formula gets an apostrophe before it; numbers stay. */
const harmless = (text: string): string => (/^(?:[=@\t\r]|[+-](?![\d.,]+%?$))/.test(text) ? `'${text}` : text)

const toField = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A table as CSV (RFC 4180): the headers, then the rows that are given. */
export const toCsv = (headers: readonly string[], rows: readonly Readonly<Record<string, Value>>[]): string =>
  [headers, ...rows.map(row => headers.map(name => toPlain(row[name])))]
    .map(cells => cells.map(text => toField(harmless(text))).join(','))
    .join('\r\n')
