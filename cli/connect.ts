import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '../connect/connect.ts'
import { type LimitTexts, openPaymentLimits, parseLimits } from '../connect/limits.ts'
import { openPayer } from '../connect/payer.ts'
import { openRemote } from '../connect/remote.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { isLoopbackName } from '../mcp/lib/loopback.ts'
import { readArguments } from './arguments.ts'

/** Options of limits, as `connect` and `limits` take them. */
export const limitOptions = {
  budget: { type: 'string' },
  'per-call': { type: 'string' },
  total: { type: 'string' },
  network: { type: 'string' },
} as const

type LimitValues = { [option in keyof typeof limitOptions]?: string | undefined }

export const toOptionLimits = ({ budget, 'per-call': perCall, total, network }: LimitValues): LimitTexts => ({
  budget,
  perCall,
  total,
  network,
})

/** A variable that is set. Bundles hand on the name of a field that nobody filled in. */
export const readVariable = (name: string): string | undefined => {
  const text = process.env[name]
  return text === undefined || text === '' || text.startsWith('${user_config.') ? undefined : text
}

/** Folder of the wallet, its limits and record. */
export const walletFolder = (): string =>
  readVariable('OCTAGENT_WALLET_DIR') ??
  join(readVariable('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'octagent')

/** Data folders that a server on this machine may have: the one that is named, else one here, else that of this copy of the program. */
const dataFolders = (): string[] => {
  const named = readVariable('OCTAGENT_DATA')
  if (named !== undefined) return [named]
  return ['.octagent', fileURLToPath(new URL('../../../.octagent', import.meta.url))]
}

const readUrl = (text: string | undefined): URL => {
  const hint = 'Such as: octagent connect http://127.0.0.1:8402/mcp'
  if (text === undefined)
    throw new ToolError('invalid_input', 'Say where to: octagent connect <url>.', { hint })
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ToolError(
      'invalid_input',
      `"${text.slice(0, 200)}" is no address that begins with http:// or https://.`,
      {
        hint,
      },
    )
  if (url.username !== '' || url.password !== '')
    throw new ToolError('invalid_input', 'The address holds a password.', {
      hint: 'Leave it out, and set OCTAGENT_CONNECT_KEY to the key of the server.',
    })
  url.hash = ''
  return url
}

const readKey = (option: string | undefined, url: URL): string | undefined => {
  const key = option ?? readVariable('OCTAGENT_CONNECT_KEY')
  if (key === undefined) return undefined
  if (!/^[\x21-\x7e]{1,8192}$/.test(key))
    throw new ToolError('invalid_input', '--key: must be visible ASCII without spaces.')
  if (url.protocol === 'https:' || isLoopbackName(url.hostname)) return key
  throw new ToolError('invalid_input', 'The key would travel unencrypted.', {
    hint: 'Use the https address of the server.',
  })
}

const report = (line: string): void => console.error(`octagent connect: ${line}`)

/**
 * `octagent connect <url> [--budget usd] [--per-call usd] [--total usd] [--network names] [--key key]`: an MCP server on standard input
 * and output that forwards everything to the one at `url`, and pays what its tools cost.
 */
export const connectTo = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, { ...limitOptions, key: { type: 'string' } })
  const url = readUrl(positionals[0])
  const key = readKey(values.key, url)
  const options = toOptionLimits(values)
  parseLimits(options)
  const folder = walletFolder()
  const payer = openPayer({
    url,
    folder,
    walletKey: readVariable('OCTAGENT_WALLET_KEY'),
    demoFolders: dataFolders(),
    limits: openPaymentLimits(folder, options),
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.stdin.destroy())
  await connect({
    remote: openRemote({ url, key }),
    payer,
    input: process.stdin,
    output: process.stdout,
    report,
  })
  return 0
}
