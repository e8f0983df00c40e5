// What the program loads late is declared all the same.
import '../a2a-adapter/tasks/row.ts'
import '../app/open-accounts.ts'
import '../mcp/accounts/activity.ts'
import '../mcp/accounts/card-top-ups.ts'
import '../mcp/accounts/session.ts'
import '../mcp/kernel/call.ts'
import '../mcp/kernel/upgrade.ts'
import '../mcp/payment/gate/prune.ts'
import '../mcp/services/money/gas/solana/sponsorship.ts'
import '../mcp/accounts/challenge.ts'
import '../mcp/accounts/claim.ts'
import '../mcp/accounts/move.ts'
import '../app/payment-operations.ts'
import '../app/open-payments.ts'
import '../app/services.ts'
import '../app/world.ts'
import type { StorageAmount } from '../mcp/kernel/allowance.ts'
import { type Declaration, listCollections } from '../mcp/kernel/collection.ts'
import { listTopics } from '../mcp/kernel/topic.ts'

const formatBytes = (bytes: number): string =>
  bytes < 1 << 20 ? `${bytes >> 10} KiB` : `${(bytes / (1 << 20)).toLocaleString('en')} MiB`

const formatAmount = (amount: StorageAmount | undefined): string =>
  amount ? `${amount.rows.toLocaleString('en')}, ${formatBytes(amount.bytes)}` : ''

const toRows = (declaration: Declaration): string[] => {
  if ('allowances' in declaration)
    return declaration.allowances.map(
      ({ name, client, allBytes }) =>
        `| ${name.replace(/^(\S+)(.*)$/, '`$1`$2')} | ${formatAmount(client)} | as an account | ${formatBytes(allBytes)} | ${declaration.ends} |`,
    )
  if (!('budget' in declaration)) return []
  const { what, each, network, allBytes, ends, fileBytes } = declaration.budget
  const label = `\`${declaration.name}\` ${what}${fileBytes ? ', with their files' : ''}`
  return [
    `| ${label} | ${formatAmount(each)} | ${formatAmount(network)} | ${formatBytes(allBytes)} | ${ends} |`,
  ]
}

const topicRows = (): string[] =>
  [...listTopics()]
    .filter(({ name }) => !name.startsWith('test.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(declaration => {
      if ('bounded' in declaration) return `| \`${declaration.name}\` | | | | ${declaration.bounded} |`
      const { what, each, network, allBytes } = declaration.budget
      return `| \`${declaration.name}\` ${what} | ${formatAmount(each)} | ${formatAmount(network)} | ${formatBytes(allBytes)} | |`
    })

const begin = '<!-- budgets: written by `octagent docs` -->'
const end = '<!-- /budgets -->'

const listDeclarations = (): Declaration[] =>
  [...listCollections()]
    .filter(({ name }) => !name.startsWith('test.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))

/** Renders the budgets of all collections of the program as the tables of `docs/operations.md`. */
const budgetTables = (): string => {
  const collections = listDeclarations()
  const bounded = collections.flatMap(declaration =>
    'bounded' in declaration ? [`| \`${declaration.name}\` | ${declaration.bounded} |`] : [],
  )
  return `${begin}
| collection | one account or wallet | one network | all together | how rows end |
|---|---|---|---|---|
${collections.flatMap(toRows).join('\n')}

These need no budget, since something else bounds them:

| collection | rows |
|---|---|
${bounded.join('\n')}

Topics of events only grow, so theirs is what may be written on one day (UTC) by one account, from one network and by all together:

| topic | one account | one network | all together | what bounds it otherwise |
|---|---|---|---|---|
${topicRows().join('\n')}
${end}`
}

/** `docs/operations.md` with its tables of budgets as the collections declare them. Throws an Error for a page without their place. */
export const withBudgets = (page: string): string => {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`docs/operations.md has no place for budgets: ${begin} … ${end}`)
  return page.slice(0, from) + budgetTables() + page.slice(to + end.length)
}
