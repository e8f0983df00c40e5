import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './free-port.ts'

export type Pooler = {
  /** The address of a database by way of the pooler. */
  pooled(url: string): string
  stop(): Promise<void>
}

const findPgBouncer = (): string | undefined => {
  try {
    return execFileSync('sh', ['-c', 'command -v pgbouncer || ls /usr/sbin/pgbouncer'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .toString()
      .trim()
  } catch {
    return undefined
  }
}

const program = findPgBouncer()

/** False on a machine without PgBouncer (Debian: `apt-get install pgbouncer`); then it has been said, loudly. */
export const pgBouncerIsHere = program !== undefined
if (!pgBouncerIsHere)
  console.warn('\n!!! THE TESTS THROUGH PGBOUNCER ARE SKIPPED: there is no pgbouncer on this machine\n')

const answers = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

/** Starts a real PgBouncer in transaction mode in front of the server at `url`, few connections wide, so that they change hands. */
export const startPgBouncer = async (url: string): Promise<Pooler> => {
  const { hostname, port, username, password } = new URL(url)
  const dir = await mkdtemp(join(tmpdir(), 'octagent-pgbouncer-'))
  await chmod(dir, 0o755)
  const own = await freePort()
  const file = join(dir, 'pgbouncer.ini')
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 12
max_client_conn = 2000
server_lifetime = 3600
`,
  )
  const asRoot = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  let said = ''
  const child: ChildProcess = spawn(program ?? 'pgbouncer', [...asRoot, file], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let code: number | null | undefined
  child.on('error', error => {
    said += error.message
    code = 1
  })
  child.once('exit', status => {
    code = status
  })
  child.stderr?.on('data', chunk => {
    said = (said + chunk).slice(-2000)
  })
  child.stdout?.resume()
  const stop = async () => {
    child.kill('SIGKILL')
    await rm(dir, { recursive: true, force: true })
  }
  while (!(await answers(own))) {
    if (code !== undefined) {
      await stop()
      throw new Error(`PgBouncer does not start: ${said}`)
    }
    await pause(20)
  }
  return {
    pooled: target => {
      const address = new URL(target)
      address.host = `127.0.0.1:${own}`
      return address.href
    },
    stop,
  }
}
