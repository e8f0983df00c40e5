import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEmbedded } from '../../store/embedded/open.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { postgresIsHere, withDatabase } from '../store/database.ts'
import { folder, octagent, type Running, serve } from './run.ts'

const sign = async (url: string, name: string) => {
  const response = await fetch(`${url}/api/sign`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, note: '' }),
  })
  return { status: response.status, body: (await response.json()) as { number: number; detail?: string } }
}

const count = async (url: string): Promise<number> =>
  ((await (await fetch(`${url}/api/guestbook`)).json()) as { count: number }).count

describe.runIf(postgresIsHere)('octagent migrate', () => {
  const database = withDatabase()
  const data = folder()
  const environment = { OCTAGENT_DATA: data, OCTAGENT_DEVNET: 'false', OCTAGENT_DRAIN_GRACE: '0' }
  const servers: Running[] = []
  const started = async (more: Record<string, string>) => {
    const server = await serve({ ...environment, ...more }, ['cat'])
    servers.push(server)
    return server
  }
  const portOf = ({ url }: Running) => ({ PORT: new URL(url).port })
  const stop = async ({ child, exit }: Running) => {
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
  }

  beforeAll(async () => {
    const store = await openEmbedded({ dir: join(data, 'store') })
    const text = 'word '.repeat(40)
    await Promise.all(
      Array.from({ length: 20_000 }, (_, n) =>
        store.collection('bulk').put({ id: `${n}`, text } as { id: string }),
      ),
    )
    await store.close()
  })
  afterAll(() => {
    for (const { child } of servers) child.kill('SIGKILL')
  })

  test('moves the store of a running server, which is read all the while, and one that was killed leaves everything', async () => {
    const server = await started({})
    expect((await sign(server.url, 'Ada')).status).toBe(200)
    const args = ['migrate', '--from', data, '--to', 'DATABASE_URL']
    const target = { ...environment, ...portOf(server), DATABASE_URL: database() }
    const secrets = JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8')) as Record<string, string>
    const shared = {
      DATABASE_URL: database(),
      OCTAGENT_PEPPER: secrets.pepper ?? '',
      OCTAGENT_SIGNING_KEY: secrets.signingKey ?? '',
    }

    const killed = spawn(process.execPath, ['dist/main.js', ...args], {
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...target, ...shared },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    killed.on('error', () => undefined)
    const ended = new Promise(done => killed.once('exit', (_, signal) => done(signal)))
    let said = ''
    killed.stderr.on('data', chunk => {
      said += chunk
      if (said.includes('copy')) killed.kill('SIGKILL')
    })
    expect(await ended, said).toBe('SIGKILL')
    const refused = await sign(server.url, 'Bob')
    expect([refused.status, refused.body.detail]).toEqual([503, expect.stringContaining('migrating')])
    expect(await count(server.url)).toBe(1)
    await expect(serve({ ...environment, ...shared, OCTAGENT_DATA: folder() }, ['cat'])).rejects.toThrow(
      'incomplete copy',
    )
    await expect
      .poll(() => sign(server.url, 'Bob').then(({ status }) => status), { timeout: 60_000, interval: 2_000 })
      .toBe(200)

    const moved = await octagent([...args, '--json'], { ...target, ...shared })
    expect(moved.code, moved.stderr + moved.stdout).toBe(0)
    const { census } = JSON.parse(moved.stdout) as { census: Record<string, { count: number }> }
    expect(census['collection bulk']?.count).toBe(20_000)
    expect(census['collection cat.guestbook']?.count).toBe(2)
    expect(moved.stdout).not.toContain('octagent:octagent@')
    expect((await sign(server.url, 'Eve')).status).toBe(503)
    expect(await count(server.url)).toBe(2)
    await stop(server)
    await expect(started({})).rejects.toThrow('was moved to postgres://')

    const replica = await started({ ...shared, OCTAGENT_DATA: folder() })
    expect(await count(replica.url)).toBe(2)
    expect(await sign(replica.url, 'Eve')).toMatchObject({ status: 200, body: { number: 3 } })

    const back = folder()
    const home = await octagent(['migrate', '--from', 'DATABASE_URL', '--to', back], { ...target, ...shared })
    expect(home.code, home.stderr).toBe(0)
    expect(home.stdout).toContain('and both are the same')
    expect((await sign(replica.url, 'Zoe')).status).toBe(503)
    expect(await count(replica.url)).toBe(3)
    const { OCTAGENT_PEPPER, OCTAGENT_SIGNING_KEY } = shared
    const last = await started({ OCTAGENT_DATA: back, OCTAGENT_PEPPER, OCTAGENT_SIGNING_KEY })
    expect(await sign(last.url, 'Zoe')).toMatchObject({ status: 200, body: { number: 4 } })
    await expect(openPostgres({ url: database() })).rejects.toThrow('was moved to')
  })

  test.each([
    ['nothing', [], '--from: is missing'],
    ['no target', ['--from', data], '--to: is missing'],
    [
      'two folders',
      ['--from', data, '--to', folder()],
      'must be a data folder, and the other one PostgreSQL',
    ],
    ['a folder without a store', ['--from', folder(), '--to', 'postgres://127.0.0.1:1/x'], 'holds no store'],
    ['a variable that is not set', ['--from', data, '--to', 'DATABASE_URL'], 'DATABASE_URL is not set'],
  ])('refuses %s', async (_, args, sentence) => {
    const { code, stderr } = await octagent(['migrate', ...args], environment)
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
  })
})
