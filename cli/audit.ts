import type { MoneyReport } from '../app/payment-operations.ts'
import type { AuditReport } from '../mcp/payment/gate/audit.ts'
import { readArguments } from './arguments.ts'
import { askServer } from './money.ts'
import { toTable } from './table.ts'

const options = { 'no-chain': { type: 'boolean' } } as const

const counts = ({ ledger, payments, spent, chain }: AuditReport): string[][] => [
  ['ledger', `${ledger.entries} entries, ${ledger.balances} balances, ${ledger.holds} holds`],
  [
    'payments',
    `${payments.records} records, ${payments.settled} settled, ${payments.refunded} of them given back`,
  ],
  ...payments.networks.map(({ words, payments: count }) => ['', `${words} in ${count}`]),
  ['spent', `${spent} transfers`],
  ['chain', `${chain.checked} transactions checked, ${chain.unchecked} could not be`],
]

const exitCode = ({ ok, chain }: AuditReport): number => {
  if (!ok) return 1
  return chain.unchecked > 0 ? 3 : 0
}

/**
 * `octagent audit [--json] [--no-chain]`: whether the ledger, the records of payments, the spent transfers and the chains agree.
 * The exit code is 1 where something does not, and 3 where nothing was wrong and a chain could not be asked.
 */
export const auditMoney = async (args: string[]): Promise<number> => {
  const { values } = readArguments(args, options)
  const report = await askServer<MoneyReport>(
    'GET',
    `/operator/audit${values['no-chain'] ? '?chain=false' : ''}`,
  )
  if (values.json) console.log(JSON.stringify(report, null, 2))
  else {
    console.log(toTable(counts(report)))
    const faults = report.faults.map(({ where, id, detail }) => [where, id, detail])
    if (faults.length > 0) console.log(`\n${toTable([['where', 'id', 'fault'], ...faults])}`)
    const unexplained = report.unexplained.map(({ words, at, payer, id }) => [words, at, payer, id])
    if (unexplained.length > 0)
      console.log(
        `\n${toTable([['unexplained', 'came', 'payer', 'transfer'], ...unexplained])}\n\nTo owe one to its payer: octagent owe <transfer>. Your own money, such as a deposit: octagent owe <transfer> --own`,
      )
    if (report.ok) console.log('\nall agree')
  }
  return exitCode(report)
}
