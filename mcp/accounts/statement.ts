import { ToolError } from '../kernel/error.ts'
import { BadCursor, type Ledger, type Tx } from '../ports/index.ts'
import { balanceUnit, toWallet } from './account.ts'
import { formatUsd } from './amount.ts'
import { toEscrow } from './books.ts'
import { paymentRequestsIn } from './payment-requests.ts'
import { clientSpendsIn } from './spending.ts'

/**
 * One movement of a balance; `usd` is negative for what was taken. A `call` has its tool, client and receipt, at `/receipts/{id}`; null
 * while what was set aside waits for its call.
 */
export type StatementLine = {
  time: string
  kind: 'call' | 'top_up' | 'returned' | 'refund' | 'taken_back'
  service: string | null
  tool: string | null
  client: string | null
  usd: string
  receipt: string | null
  entry: string
}

const kinds: Readonly<Record<string, StatementLine['kind']>> = {
  capture: 'call',
  cover: 'call',
  return: 'returned',
  refund: 'refund',
}

/** Entries whose second part is the id of a receipt. */
const withReceipt = ['capture', 'topup', 'refund']

type Facts = Pick<StatementLine, 'service' | 'tool' | 'client'>

const none: Facts = { service: null, tool: null, client: null }

/** The receipt of the call that took what was set aside for it; null while none did. */
const findReceipt = async (tx: Tx, ledger: Ledger, request: string): Promise<string | null> => {
  const { lines } = await ledger.statement(tx, balanceUnit, toEscrow(request), { limit: 10 })
  const captureLine = lines.find(({ entry }) => entry.startsWith('capture:'))
  return captureLine?.entry.slice('capture:'.length) ?? null
}

/** Which call an entry paid, and for which client. */
const readCall = async (tx: Tx, prefix: string, id: string): Promise<Facts> => {
  if (prefix === 'capture' || prefix === 'refund') return (await clientSpendsIn(tx).get(id)) ?? none
  if (prefix === 'cover' || prefix === 'return') return (await paymentRequestsIn(tx).get(id))?.call ?? none
  return none
}

type Page = { limit: number; after?: string }

/** Lists moves of a balance, newest first, page by page. Throws `invalid_input` for an `after` that no page gave. */
export const readStatement = async (
  tx: Tx,
  ledger: Ledger,
  account: string,
  page: Page,
): Promise<{ lines: StatementLine[]; next: string | undefined }> => {
  const { lines, next } = await ledger
    .statement(tx, balanceUnit, toWallet(account), page)
    .catch((cause: unknown) => {
      if (!(cause instanceof BadCursor)) throw cause
      throw new ToolError('invalid_input', 'after: not a page of this statement.', { cause })
    })
  const toLine = async ({ entry, time, memo, amount }: (typeof lines)[number]): Promise<StatementLine> => {
    const [prefix = '', id = ''] = entry.split(':')
    const callFacts = await readCall(tx, prefix, id)
    const [service = null, tool = null] = prefix === 'cover' || prefix === 'capture' ? memo.split('.') : []
    return {
      time,
      kind: kinds[prefix] ?? (amount.value < 0n ? 'taken_back' : 'top_up'),
      service: callFacts.service ?? service,
      tool: callFacts.tool ?? tool,
      client: callFacts.client,
      usd: formatUsd(amount.value),
      receipt:
        prefix === 'cover' ? await findReceipt(tx, ledger, id) : withReceipt.includes(prefix) ? id : null,
      entry,
    }
  }
  return { lines: await Promise.all(lines.map(toLine)), next }
}

const columns = ['time', 'kind', 'service', 'tool', 'client', 'usd', 'receipt', 'entry'] as const

/** A cell of CSV (RFC 4180). What begins like a formula is a stranger's word that a spreadsheet would compute: it gets an apostrophe. */
const toCell = (column: (typeof columns)[number], value: string | null): string => {
  const text = value ?? ''
  const safe = column === 'client' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const pageLines = 500

/** The whole statement as CSV, the newest first, page by page. */
export async function* writeStatement(tx: Tx, ledger: Ledger, account: string): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`
  let after: string | undefined
  do {
    const { lines, next } = await readStatement(tx, ledger, account, {
      limit: pageLines,
      ...(after !== undefined && { after }),
    })
    yield lines.map(line => `${columns.map(column => toCell(column, line[column])).join(',')}\r\n`).join('')
    after = next
  } while (after !== undefined)
}
