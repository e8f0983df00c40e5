import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserServer } from 'playwright-core'
import { type PostgresServer, startPostgres } from './postgres.ts'

type Project = { provide(key: 'shared' | 'memory' | 'disk', value: string): void }

let shared: Promise<PostgresServer> | undefined
let door: Server | undefined

/** The address of the one server of this run, which the first who asks starts. '' where it cannot run and nobody insists. */
const sharedUrl = async (): Promise<string> => {
  const isFirst = shared === undefined
  shared ??= startPostgres()
  try {
    return (await shared).url()
  } catch (error) {
    if (process.env.CI) throw error
    if (isFirst)
      console.warn(
        `\n!!! THE TESTS ON POSTGRESQL ARE SKIPPED: ${error instanceof Error ? error.message : error}\n`,
      )
    return ''
  }
}

/** Folders of this run: one in memory where the machine has enough of it, and one on disk for tests that are processes. */
const folders: string[] = []

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Removes what runs that were killed left behind: their folders name the process, and it is gone. */
const sweep = (place: string): void => {
  for (const name of readdirSync(place)) {
    const [, pid] = /^octagent-tests-(\d+)-/.exec(name) ?? []
    if (pid && !isAlive(Number(pid))) rmSync(join(place, name), { recursive: true, force: true })
  }
}

/** A folder of this run; '' where there is no room for it. */
const openFolder = (place: string, minBytes: number): string => {
  try {
    sweep(place)
    const { bsize, bavail } = statfsSync(place)
    if (bsize * bavail < minBytes) return ''
    const folder = mkdtempSync(join(place, `octagent-tests-${process.pid}-`))
    folders.push(folder)
    // As in any temp folder, a program that runs as somebody else finds its own there.
    chmodSync(folder, 0o1777)
    return folder
  } catch {
    return ''
  }
}

let browser: Promise<BrowserServer> | undefined

/** The address of the one Chromium of this run; each file has contexts of its own in it. */
const sharedBrowser = async (executablePath: string): Promise<string> => {
  browser ??= import('playwright-core').then(async ({ chromium }) => {
    const server = await chromium.launchServer({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', '--class=shared-by-tests'],
    })
    // One that died is started again for the next file.
    server.on('close', () => {
      browser = undefined
    })
    return server
  })
  return (await browser).wsEndpoint()
}

/**
 * For `globalSetup` in vitest.config.ts: opens a door on loopback, given to the tests as `inject('shared')`. Behind `/postgres`
 * waits one server for the whole run, behind `/browser?path=…` one Chromium; each starts when the first test file asks. Where
 * PostgreSQL cannot run, such a file fails in `CI`; a person's machine is told so and gets ''.
 */
export const setup = async (project: Project): Promise<void> => {
  const server = createServer(({ url = '' }, response) => {
    const path = new URL(url, 'http://localhost').searchParams.get('path')
    const address = path === null ? sharedUrl() : sharedBrowser(path)
    address.then(
      url => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  door = server
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  project.provide('memory', openFolder('/dev/shm', 2 ** 32))
  project.provide('disk', openFolder(tmpdir(), 0))
  const address = server.address()
  project.provide('shared', `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
}

/** Closes the door and ends what was started behind it. */
export const teardown = async (): Promise<void> => {
  door?.closeAllConnections()
  door?.close()
  const started = await shared?.catch(() => undefined)
  await started?.stop()
  shared = undefined
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  await (await browser?.catch(() => undefined))?.close()
  browser = undefined
}
