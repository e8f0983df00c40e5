import { ToolError } from '../mcp/kernel/error.ts'
import { readArguments } from './arguments.ts'
import { askServer } from './money.ts'
import { toTable } from './table.ts'

const usageError = (): ToolError =>
  new ToolError(
    'invalid_input',
    'Say what to do: octagent accounts, accounts export <id>, accounts delete <id>.',
    {
      hint: 'The id of an account begins with acct_; its owner sees it on /auth/account.',
    },
  )

/**
 * `octagent accounts [export|delete <id>] [--json]`: how many accounts of people there are; everything that is stored about one, as
 * JSON; or its deletion, which is refused while there is money on its balance.
 */
export const manageAccounts = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, {})
  const [verb, id, ...more] = positionals
  if (verb === undefined) {
    const counts = await askServer<Record<string, number>>('GET', '/operator/accounts')
    if (values.json) console.log(JSON.stringify(counts, null, 2))
    else
      console.log(
        toTable(Object.entries(counts).map(([name, count]) => [name.replaceAll('_', ' '), String(count)])),
      )
    return 0
  }
  if (id === undefined || more.length > 0) throw usageError()
  const path = `/operator/accounts/${encodeURIComponent(id)}`
  if (verb === 'export') console.log(JSON.stringify(await askServer<object>('GET', path), null, 2))
  else if (verb === 'delete') {
    const answer = await askServer<object>('POST', `${path}/delete`)
    console.log(values.json ? JSON.stringify(answer) : `deleted ${id}`)
  } else throw usageError()
  return 0
}
