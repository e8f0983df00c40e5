import { ToolError } from '../mcp/kernel/error.ts'
import type { Sale, SaleSum } from '../mcp/payment/gate/sales.ts'
import { readArguments } from './arguments.ts'
import { askServer } from './money.ts'
import { toTable } from './table.ts'

const options = { from: { type: 'string' }, to: { type: 'string' }, csv: { type: 'boolean' } } as const

const columns = [
  ...(['date', 'service', 'tool', 'state', 'amount', 'asset', 'usd', 'rate', 'method'] as const),
  ...(['network', 'transaction', 'payer', 'receipt', 'fee', 'refunded', 'refund'] as const),
] satisfies readonly (keyof Sale)[]

/** A field as RFC 4180 has it; what a table would take for a formula is text. */
const toField = (text: string): string => {
  const plain = /^[=+@\t\r-]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

const readTime = (name: string, text: string | undefined, otherwise: string): string => {
  if (text === undefined) return otherwise
  const time = Date.parse(text)
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(time))
    throw new ToolError('invalid_input', `--${name}: a day, 2026-11-01, or a time with it, in UTC.`)
  return new Date(time).toISOString()
}

/**
 * `octagent sales [--from day] [--to day] [--csv|--json]`: the books of what was paid, a line for each settled payment. `to` is not in it.
 */
export const showSales = async (args: string[]): Promise<number> => {
  const { values } = readArguments(args, options)
  const query = new URLSearchParams({
    from: readTime('from', values.from, '1970-01-01T00:00:00.000Z'),
    to: readTime('to', values.to, '9999-12-31T00:00:00.000Z'),
  })
  const { sales, sums } = await askServer<{ sales: Sale[]; sums: SaleSum[] }>(
    'GET',
    `/operator/sales?${query}`,
  )
  if (values.json) console.log(JSON.stringify({ sales, sums }, null, 2))
  else if (values.csv)
    for (const row of [[...columns], ...sales.map(sale => columns.map(column => sale[column]))])
      console.log(row.map(toField).join(','))
  else if (sales.length === 0) console.log('nothing was paid')
  else {
    const rows = sales.map(
      ({ date, service, tool, amount, asset, usd, network, state, refunded, receipt }) => [
        ...[date, `${service}.${tool}`, `${amount} ${asset}`, usd, network, state, refunded, receipt],
      ],
    )
    const head = ['date', 'for', 'amount', 'usd', 'network', 'state', 'given back', 'receipt']
    console.log(toTable([head, ...rows]))
    const totals = sums.map(sum => [sum.network, sum.asset, String(sum.count), sum.in, sum.refunded])
    console.log(`\n${toTable([['network', 'asset', 'payments', 'atomic units', 'given back'], ...totals])}`)
  }
  return 0
}
