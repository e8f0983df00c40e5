import { readConfig } from '../app/config.ts'
import { services } from '../app/services.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { openInstallation } from '../mcp/ports/installation.ts'
import { readArguments } from './arguments.ts'
import { localServer } from './server.ts'
import { toTable } from './table.ts'

type Owed = {
  id: string
  service: string
  tool: string
  words: string
  payer: string
  state: string
  since: string
}

/** Asks the server that runs with this configuration, with the token of its data folder. */
export const askServer = async <R>(method: 'GET' | 'POST', path: string): Promise<R> => {
  const config = readConfig(process.env, services)
  const { operator } = await openInstallation(config.OCTAGENT_DATA)
  const server = localServer(config)
  const response = await server.fetch(path, { method, headers: { authorization: `Bearer ${operator}` } })
  const body = (await response.json().catch(() => undefined)) as
    | (R & { code?: string; detail?: string; hint?: string })
    | undefined
  if (body === undefined)
    throw new ToolError('upstream', `What answers at ${server.url} is no Octagent.`, {
      hint: 'Set PORT and OCTAGENT_DATA as the server has them.',
    })
  if (!response.ok || (body.code !== undefined && body.detail !== undefined))
    throw new ToolError('conflict', body.detail ?? `The server said ${response.status}.`, {
      hint:
        response.status === 401
          ? `The server at ${server.url} has another data folder than ${config.OCTAGENT_DATA}: set OCTAGENT_DATA as it has it.`
          : body.hint,
    })
  return body
}

/** Whole units of time, the largest that fits: `4 min`, `3 h`, `12 days`. */
const formatAge = (since: string): string => {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(since)) / 60_000))
  if (minutes < 120) return `${minutes} min`
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} days`
}

/** `octagent owed [--json]`: paid calls whose work was not done. The same payment retries for free, or it is given back. */
export const listOwed = async (args: string[]): Promise<number> => {
  const { values } = readArguments(args, {})
  const { owed } = await askServer<{ owed: Owed[] }>('GET', '/operator/owed')
  if (values.json) console.log(JSON.stringify(owed, null, 2))
  else if (owed.length === 0) console.log('nothing is owed')
  else {
    const rows = owed.map(({ id, service, tool, words, payer, since }) => [
      words,
      formatAge(since),
      `${service}.${tool}`,
      payer,
      id,
    ])
    console.log(toTable([['amount', 'age', 'for', 'payer', 'id'], ...rows]))
    console.log(
      '\nThe payer gets the answer with the same payment, for free. To give it back: octagent refund <id>',
    )
  }
  return 0
}

const oweOptions = { own: { type: 'boolean' } } as const

/**
 * `octagent owe <transfer> [--own]`: makes a transfer that nothing explains owed to who sent it, or says that it is the operator's own. A
 * payment by card comes to its account.
 */
export const oweTransfer = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, oweOptions)
  const [transfer] = positionals
  if (!transfer)
    throw new ToolError('invalid_input', 'Say which one: octagent owe <transfer>.', {
      hint: 'octagent audit lists what is unexplained.',
    })
  const { id } = await askServer<{ id: string }>(
    'POST',
    `/operator/owe/${encodeURIComponent(transfer)}${values.own ? '?own=true' : ''}`,
  )
  if (values.json) console.log(JSON.stringify({ id, transfer }))
  else if (values.own) console.log('noted as your own')
  else console.log(id === '' ? 'on the balance of its account' : `owed as ${id}: octagent refund ${id}`)
  return 0
}

const options = { to: { type: 'string' }, served: { type: 'boolean' } } as const

/**
 * `octagent refund <id> [--to where] [--served]`: gives one owed payment back to its payer, once, or one that was answered; `to` is
 * where the payer wants it.
 */
export const refundOwed = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options)
  const [id] = positionals
  if (!id)
    throw new ToolError('invalid_input', 'Say which one: octagent refund <id>.', {
      hint: 'octagent owed lists them.',
    })
  const { transaction } = await askServer<{ transaction: string }>(
    'POST',
    `/operator/refund/${encodeURIComponent(id)}?${new URLSearchParams({
      ...(values.to !== undefined && { to: values.to }),
      ...(values.served && { served: 'true' }),
    })}`,
  )
  console.log(values.json ? JSON.stringify({ id, transaction }) : `refunded in ${transaction}`)
  return 0
}
