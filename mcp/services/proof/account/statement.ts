import type { Ports, Tx } from '../../../ports/index.ts'
import { balanceUnit, toWallet } from './wallet.ts'

export const statementKinds = [
  'call',
  'top_up',
  'refund',
  'taken_back',
  'message',
  'sale',
  'purchase',
  'withdrawal',
  'returned',
] as const

type StatementKind = (typeof statementKinds)[number]

/** One movement of a balance. `receipt` is the id of a paid call or top-up; `sats` is negative for what was taken. */
export type StatementLine = {
  time: string
  kind: StatementKind
  tool: string | null
  sats: string
  receipt: string | null
  entry: string
}

const kinds = {
  capture: 'call',
  topup: 'top_up',
  refund: 'refund',
  card: 'top_up',
  dm: 'message',
  trade: 'sale',
  withdraw: 'withdrawal',
  returned: 'returned',
} as const

/** The name of a kind where it took money. */
const debits: Partial<Record<StatementKind, StatementKind>> = { top_up: 'taken_back', sale: 'purchase' }

/** Entries that belong to no receipt. */
const isWithoutReceipt = (prefix: string): boolean =>
  ['card', 'dm', 'trade', 'withdraw', 'returned'].includes(prefix)

const isKind = (prefix: string): prefix is keyof typeof kinds => Object.hasOwn(kinds, prefix)

/** Sats with as many of three decimals as there are. */
const formatSats = (msat: bigint): string => {
  const digits = String(msat < 0n ? -msat : msat).padStart(4, '0')
  const part = digits.slice(-3).replace(/0+$/, '')
  return `${msat < 0n ? '-' : ''}${digits.slice(0, -3)}${part === '' ? '' : `.${part}`}`
}

/** Parses an entry of an account by its name: `capture:<receipt>`, `topup:<receipt>`, `refund:<receipt>`, `card:<top-up>:<n>`, `dm:<message>`, `trade:<purchase>`, `withdraw:<withdrawal>`, `returned:<withdrawal>`. */
const toLine = (entry: string, time: string, memo: string, msat: bigint): StatementLine => {
  const [prefix = '', name = ''] = entry.split(':')
  const kind = isKind(prefix) ? kinds[prefix] : 'top_up'
  return {
    time,
    kind: msat < 0n ? (debits[kind] ?? kind) : kind,
    tool: kind === 'call' ? (memo.split('.')[1] ?? null) : null,
    sats: formatSats(msat),
    receipt: isWithoutReceipt(prefix) ? null : name,
    entry,
  }
}

type Page = { limit: number; after?: string }

/** Lists movements of a balance, newest first, by page. */
export const readStatement = async (
  tx: Tx,
  ledger: Ports['ledger'],
  account: string,
  page: Page,
): Promise<{ lines: StatementLine[]; next: string | undefined }> => {
  const { lines, next } = await ledger.statement(tx, balanceUnit, toWallet(account), page)
  return {
    lines: lines.map(({ entry, time, memo, amount }) => toLine(entry, time, memo, amount.value)),
    next,
  }
}
