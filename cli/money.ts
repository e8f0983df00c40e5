import { readConfig } from '../config.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { openInstallation } from '../mcp/ports/installation.ts'
import { services } from '../services.ts'
import { readArguments } from './arguments.ts'

type Owed = {
  id: string
  service: string
  tool: string
  amount: string
  network: string
  payer: string
  since: string
}

/** Asks the server that runs with this configuration, with the token of its data folder. */
const askServer = async <R>(method: 'GET' | 'POST', path: string): Promise<R> => {
  const { PORT, OCTAGENT_DATA } = readConfig(process.env, services)
  const { operator } = await openInstallation(OCTAGENT_DATA)
  const url = `http://127.0.0.1:${PORT}`
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${operator}` },
  }).catch(() => {
    throw new ToolError('unavailable', `No server answers at ${url}.`, {
      hint: 'Start it with: octagent serve',
    })
  })
  const body = (await response.json()) as R & { detail?: string; hint?: string }
  if (!response.ok)
    throw new ToolError('conflict', body.detail ?? `The server said ${response.status}.`, { hint: body.hint })
  return body
}

/** `octagent owed`: paid calls whose work was not done. The same payment retries for free, or it is given back. */
export const listOwed = async (): Promise<number> => {
  const { owed } = await askServer<{ owed: Owed[] }>('GET', '/operator/owed')
  if (owed.length === 0) console.log('nothing is owed')
  for (const { id, service, tool, amount, network, payer, since } of owed)
    console.log(`${id}  ${service}.${tool}  ${amount} on ${network}  to ${payer}  since ${since}`)
  return 0
}

const options = { to: { type: 'string' } } as const

/** `octagent refund <id> [--to where]`: gives one owed payment back to its payer, once; `to` is where the payer wants it. */
export const refundOwed = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options)
  const [id] = positionals
  if (!id)
    throw new ToolError('invalid_input', 'Say which one: octagent refund <id>.', {
      hint: 'octagent owed lists them.',
    })
  const { transaction } = await askServer<{ transaction: string }>(
    'POST',
    `/operator/refund/${encodeURIComponent(id)}${values.to === undefined ? '' : `?to=${encodeURIComponent(values.to)}`}`,
  )
  console.log(`refunded in ${transaction}`)
  return 0
}
