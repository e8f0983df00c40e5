/** Kinds of movements of balances. */
export const statementKinds = [
  'call',
  'top_up',
  'refund',
  'taken_back',
  'message',
  'sale',
  'purchase',
  'withdrawal',
  'transfer',
  'returned',
  'escrow',
  'earned',
  'bonus',
  'fee',
  'other',
] as const

export type StatementKind = (typeof statementKinds)[number]

/** Kinds by the first part of an entry's id: of what came, and of what went where that is another. */
const kinds: Readonly<Record<string, StatementKind | readonly [StatementKind, StatementKind]>> = {
  capture: 'call',
  cover: 'call',
  refund: 'refund',
  topup: 'top_up',
  card: ['top_up', 'taken_back'],
  dm: 'message',
  trade: ['sale', 'purchase'],
  return: 'returned',
  returned: 'returned',
  withdraw: 'withdrawal',
  transfer: 'transfer',
  'tasks-withdraw': 'withdrawal',
  'tasks-paid': 'top_up',
  'tasks-escrow': 'escrow',
  'tasks-release': 'earned',
  'tasks-refund': 'returned',
  'tasks-session': 'earned',
  'tasks-bonus': 'bonus',
}

/** The kind of an entry by its id; of one that nobody named, by its direction. */
export const toStatementKind = (entry: string, isDebit: boolean): StatementKind => {
  const kind = kinds[entry.split(':')[0] ?? ''] ?? ['other', 'fee']
  return typeof kind === 'string' ? kind : isDebit ? kind[1] : kind[0]
}

/** Entries whose second part is the id of a receipt. */
export const hasReceipt = (entry: string): boolean => /^(capture|topup|refund):/.test(entry)

/** A row of CSV (RFC 4180). What begins like a formula in a stranger's words is one that a spreadsheet would compute: it gets an apostrophe. */
export const toCsvRow = <column extends string>(
  columns: readonly column[],
  line: Readonly<Record<column, string | null>>,
  strange: readonly column[] = [],
): string => {
  const toCell = (column: column): string => {
    const text = line[column] ?? ''
    const safe = strange.includes(column) && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  return `${columns.map(toCell).join(',')}\r\n`
}
