import { existsSync } from 'node:fs'
import { chmod, copyFile, cp, mkdir, readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Config, readConfig, readSettings } from '../app/config.ts'
import { services } from '../app/services.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { filesSettings } from '../mcp/ports/files/config.ts'
import { secretsFile } from '../mcp/ports/installation.ts'
import { keepOnce } from '../mcp/ports/write-file.ts'
import type { Census } from '../store/copy/content.ts'
import type { Place } from '../store/copy/move.ts'
import { readArguments } from './arguments.ts'
import { freezeAt, isInUse, toPlace } from './migrate.ts'

/** Facts of a backup, in `backup.json`. */
type Backup = { format: 1; at: string; from: string; census: Census; files: 'copied' | 'elsewhere' }

const missing = (path: string, message: string): ToolError =>
  new ToolError('invalid_input', `--${path}: ${message}`, { issues: [{ path, message }] })

/** Returns the configured store. */
export const ownPlace = (config: Config): Place =>
  config.DATABASE_URL
    ? toPlace('from', 'DATABASE_URL', config)
    : toPlace('from', config.OCTAGENT_DATA, config)

/** Folder of uploaded files; undefined for a bucket, which has means of its own. */
const filesFolder = (config: Config): string | undefined => {
  const { folder } = readSettings(config, filesSettings)
  return config.OCTAGENT_FILES_S3 ? undefined : (folder ?? join(config.OCTAGENT_DATA, 'files'))
}

const copyFolder = async (from: string | undefined, to: string): Promise<void> => {
  if (from !== undefined && existsSync(from)) await cp(from, to, { recursive: true, errorOnExist: false })
}

const copySecrets = async (from: string, to: string): Promise<void> => {
  if (!existsSync(secretsFile(from))) return
  await copyFile(secretsFile(from), secretsFile(to))
  await chmod(secretsFile(to), 0o600)
}

const count = (census: Census): string => {
  const documents = Object.entries(census).flatMap(([name, { count }]) =>
    name.startsWith('collection ') ? [count] : [],
  )
  return `${documents.reduce((sum, each) => sum + each, 0)} documents, ${census['entries of logs']?.count ?? 0} entries of logs`
}

/**
 * `octagent backup --to <folder>`: copies store, secrets and uploaded files while the server goes on, and reads the copy back. The folder
 * is a data folder: `OCTAGENT_DATA=<folder> octagent serve` would serve it.
 */
export const backUp = async (args: string[]): Promise<number> => {
  const { values } = readArguments(args, { to: { type: 'string' } } as const)
  if (!values.to) throw missing('to', 'is missing: a folder that does not exist yet')
  const config = readConfig(process.env, services)
  const to = resolve(values.to)
  const from = ownPlace(config)
  if ('dir' in from && !existsSync(from.dir))
    throw missing('to', `there is no store at ${from.name} to back up: is OCTAGENT_DATA right?`)
  if (existsSync(to) && (await readdir(to)).length > 0) throw missing('to', `${to} is not empty`)
  await mkdir(to, { recursive: true, mode: 0o700 })
  const { backUpStore } = await import('../store/copy/backup.ts')
  const now = new Date()
  const copy = { from, dir: join(to, 'store'), now }
  const census = await backUpStore(copy).catch(error => {
    if (!('dir' in from) || !isInUse(error)) throw error
    return backUpStore({ ...copy, freeze: freezeAt(config, from.name) })
  })
  await copySecrets(config.OCTAGENT_DATA, to)
  const own = filesFolder(config)
  await copyFolder(own, join(to, 'files'))
  const files = own === undefined ? 'elsewhere' : 'copied'
  const backup: Backup = { format: 1, at: now.toISOString(), from: from.name, census, files }
  await keepOnce(join(to, 'backup.json'), backup)
  if (values.json) console.log(JSON.stringify({ to, ...backup }, null, 2))
  else {
    console.log(`${from.name} is in ${to}: ${count(census)}.`)
    if (files === 'elsewhere')
      console.log('Uploaded files are in the bucket of OCTAGENT_FILES_S3: back it up by its own means.')
    console.log('It holds the secrets of the installation: keep it as you keep them.')
  }
  return 0
}

const readBackup = async (folder: string): Promise<Backup> => {
  const text = await readFile(join(folder, 'backup.json'), 'utf8').catch(() => undefined)
  if (text === undefined) throw missing('from', `${folder} is no whole backup: it has no backup.json`)
  const backup = JSON.parse(text) as Backup
  if (backup.format !== 1) throw missing('from', `${folder} was made by a later version of Octagent`)
  return backup
}

/**
 * `octagent restore --from <folder>`: puts a backup where the configuration has its store, its secrets and its files; nothing may be there.
 * What a backup of PostgreSQL holds may go into a folder, and the other way round.
 */
export const restore = async (args: string[]): Promise<number> => {
  const { values } = readArguments(args, { from: { type: 'string' } } as const)
  if (!values.from) throw missing('from', 'is missing: the folder of a backup')
  const config = readConfig(process.env, services)
  const from = resolve(values.from)
  const { at, census } = await readBackup(from)
  const to = ownPlace(config)
  await mkdir(config.OCTAGENT_DATA, { recursive: true, mode: 0o700 })
  if (existsSync(secretsFile(config.OCTAGENT_DATA)))
    throw missing(
      'from',
      `${config.OCTAGENT_DATA} has an installation already: set OCTAGENT_DATA to an empty folder`,
    )
  const { restoreStore } = await import('../store/copy/backup.ts')
  await restoreStore(join(from, 'store'), to, census, new Date(at))
  await copySecrets(from, config.OCTAGENT_DATA)
  const own = filesFolder(config)
  if (own !== undefined) await copyFolder(join(from, 'files'), own)
  if (values.json) console.log(JSON.stringify({ from, to: to.name, at }, null, 2))
  else
    console.log(
      `${to.name} is as ${from} was at ${at}: ${count(census)}.\nStart the server, then compare the books: octagent audit`,
    )
  return 0
}
