import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, readConfig } from '../app/config.ts'
import { services } from '../app/services.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { openInstallation, readSecrets, secretsFile } from '../mcp/ports/installation.ts'
import type { Freeze, Place } from '../store/copy/move.ts'
import { StoreFailure } from '../store/index.ts'
import { readArguments } from './arguments.ts'
import { localServer } from './server.ts'
import { toTable } from './table.ts'

const options = { from: { type: 'string' }, to: { type: 'string' } } as const

/** The schema of PostgreSQL that everything is in. */
export const schema = 'octagent'
/** Seconds that a server refuses writes after each question; so long it does after a mover that died. */
const holdSeconds = 30
const forGoodSeconds = 10 * 365 * 86_400

const invalid = (path: string, message: string, hint?: string): ToolError =>
  new ToolError('invalid_input', `--${path}: ${message}`, {
    issues: [{ path, message }],
    ...(hint !== undefined && { hint }),
  })

const describeUrl = (text: string): string => {
  const { hostname, port, pathname } = new URL(text)
  return `postgres://${hostname}${port && `:${port}`}${pathname}`
}

/** Reads `--from` or `--to`: a data folder, or PostgreSQL. */
export const toPlace = (option: 'from' | 'to', text: string | undefined, config: Config): Place => {
  if (text === undefined || text === '')
    throw invalid(option, 'is missing: a data folder, a postgres:// address, or DATABASE_URL')
  const isVariable = text === 'DATABASE_URL'
  // Transactions of a mover last longer than what a pooler lends.
  const configured = config.OCTAGENT_DATABASE_DIRECT_URL ?? config.DATABASE_URL
  if (isVariable && !configured) throw invalid(option, 'DATABASE_URL is not set')
  const address = isVariable ? (configured?.reveal() ?? '') : text
  if (!/^postgres(ql)?:\/\//.test(address)) return { name: resolve(text), dir: join(resolve(text), 'store') }
  if (!URL.canParse(address)) throw invalid(option, 'is not an address like postgres://user@host/name')
  return { name: describeUrl(address), url: address, schema }
}

/** True when a server has the folder of a store open. */
export const isInUse = (error: unknown): boolean =>
  error instanceof StoreFailure && error.message.includes('is in use by process')

/** The server that runs with this configuration and has that folder: only that folder's token opens it. */
export const freezeAt = (config: Config, folder: string): Freeze & { release(): Promise<void> } => {
  const server = localServer(config)
  const ask = async (seconds: number): Promise<number> => {
    const { operator } = await openInstallation(folder)
    const response = await server.fetch(`/operator/freeze?seconds=${seconds}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operator}` },
    })
    const body = (await response.json().catch(() => ({}))) as { commit?: number; detail?: string }
    if (response.ok && body.commit !== undefined) return body.commit
    throw new ToolError('conflict', body.detail ?? `The server at ${server.url} said ${response.status}.`, {
      hint: `Set PORT and PUBLIC_URL as the server that has ${folder} has them, or stop that server first.`,
    })
  }
  return {
    hold: () => ask(holdSeconds),
    holdForGood: () => ask(forGoodSeconds),
    release: async () => void (await ask(0.001)),
  }
}

const nextSteps = (from: Place, to: Place, hasPepper: boolean): string[] => {
  if ('url' in to)
    return [
      'Stop the old server and start with DATABASE_URL. The source takes no writes any more.',
      ...(hasPepper
        ? [
            `OCTAGENT_PEPPER and OCTAGENT_SIGNING_KEY must be "pepper" and "signingKey" of ${secretsFile(from.name)}.`,
          ]
        : []),
      `Uploaded files stay in ${join(from.name, 'files')}: set OCTAGENT_FILES.`,
    ]
  return [
    `Stop all replicas and start one with OCTAGENT_DATA=${to.name}, without DATABASE_URL.`,
    'Keep OCTAGENT_PEPPER and OCTAGENT_SIGNING_KEY as they are.',
  ]
}

/**
 * `octagent migrate --from <store> --to <store>`: copies everything, compares counts and digests, and marks the source as moved. A server
 * that has the source answers reads meanwhile and refuses writes with 503.
 */
export const migrate = async (args: string[]): Promise<number> => {
  const { values } = readArguments(args, options)
  const config = readConfig(process.env, services)
  const from = toPlace('from', values.from, config)
  const to = toPlace('to', values.to, config)
  if ('dir' in from === 'dir' in to)
    throw invalid('to', `one of both must be a data folder, and the other one PostgreSQL`)
  if ('dir' in from && !existsSync(from.dir)) throw invalid('from', `${from.name} holds no store`)
  const onStep = (step: string) => values.json || console.error(step)
  const { moveStore } = await import('../store/copy/move.ts')
  const census = await moveStore({ from, to, onStep }).catch(error => {
    if (!('dir' in from) || !isInUse(error)) throw error
    return moveStore({ from, to, onStep, freeze: freezeAt(config, from.name) })
  })
  const hasPepper = 'dir' in from && (await readSecrets(from.name)).pepper !== undefined
  const next = nextSteps(from, to, hasPepper)
  if (values.json) {
    console.log(JSON.stringify({ from: from.name, to: to.name, census, next }, null, 2))
    return 0
  }
  const rows = Object.entries(census)
    .filter(([name]) => !name.startsWith('indexes of '))
    .map(([name, { count, digest }]) => [name, String(count), digest.slice(0, 16)])
  console.log(toTable([['what', 'count', 'digest'], ...rows]))
  console.log(`\n${from.name} has moved to ${to.name}, and both are the same.\n${next.join('\n')}`)
  return 0
}
