// Costs: servers that are backed up, killed and restored, from both engines.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { postgresIsHere, withDatabase } from '../store/database.ts'
import { folder, octagent, type Running, serve } from './run.ts'

const base = { OCTAGENT_DEVNET: 'true', OCTAGENT_DRAIN_GRACE: '0' }
const servers: Running[] = []
const started = async (environment: Record<string, string>) => {
  const server = await serve({ ...base, ...environment })
  servers.push(server)
  return { ...server, environment: { ...base, ...environment, PORT: new URL(server.url).port } }
}
type Started = Awaited<ReturnType<typeof started>>
afterAll(() => {
  for (const { child } of servers) child.kill('SIGKILL')
})

const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const sign = async ({ url }: Started, name: string) =>
  (await post(`${url}/cat/api/sign`, { name, note: '' })).status

const names = async ({ url }: Started) => {
  const { signatures } = (await (await fetch(`${url}/cat/api/guestbook`)).json()) as {
    signatures: { name: string }[]
  }
  return signatures.map(({ name }) => name).sort()
}

/** A call that Lightning pays; resolves to its receipt. */
const buy = async ({ url, environment }: Started): Promise<string> => {
  const body = { artifact: 'rm -rf /', artifact_type: 'shell_command' }
  const challenge = (await post(`${url}/proof/review`, body)).headers.get('www-authenticate') ?? ''
  const [, token] = / token="([^"]+)"/.exec(challenge) ?? []
  const [, invoice = ''] = /invoice="([^"]+)"/.exec(challenge) ?? []
  const { stdout } = await octagent(['pay-invoice', invoice], environment)
  const answer = await post(`${url}/proof/review`, body, { authorization: `L402 ${token}:${stdout.trim()}` })
  expect(answer.status).toBe(200)
  return answer.headers.get('payment-receipt') ?? ''
}

const kill = async ({ child, exit }: Running) => {
  child.kill('SIGKILL')
  await exit
}

const walk = async (before: Record<string, string>, after: Record<string, string>) => {
  const server = await started(before)
  await buy(server)
  expect(await sign(server, 'kept')).toBe(200)
  const to = join(folder(), 'backup')
  const made = await octagent(['backup', '--to', to], server.environment)
  expect([made.code, made.stderr, made.stdout]).toEqual([0, '', expect.stringMatching(/\d+ documents/)])
  expect(await sign(server, 'after the backup')).toBe(200)
  await kill(server)
  const restored = await octagent(['restore', '--from', to], { ...base, ...after })
  expect([restored.code, restored.stderr]).toEqual([0, ''])
  const again = await started(after)
  expect(await names(again)).toEqual(['kept'])
  const audit = await octagent(['audit'], again.environment)
  expect([audit.code, audit.stdout]).toEqual([0, expect.stringContaining('all agree')])
  await kill(again)
  return to
}

const database = withDatabase()

describe('octagent backup and restore', () => {
  test('a folder, hot: what was there is there again, what came later is not, and the books agree', async () => {
    const data = folder()
    const to = await walk({ OCTAGENT_DATA: data }, { OCTAGENT_DATA: folder() })
    expect(statSync(join(to, 'keys.json')).mode & 0o77).toBe(0)
    expect(readFileSync(join(to, 'keys.json'), 'utf8')).toBe(readFileSync(join(data, 'keys.json'), 'utf8'))
    const twice = await octagent(['backup', '--to', to], { ...base, OCTAGENT_DATA: data })
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining('is not empty')])
    const over = await octagent(['restore', '--from', to], { ...base, OCTAGENT_DATA: data })
    expect([over.code, over.stderr]).toEqual([1, expect.stringContaining('has an installation already')])

    const store = join(to, 'store')
    const journal = readdirSync(store).find(name => name.startsWith('journal.')) ?? ''
    const bytes = readFileSync(join(store, journal))
    bytes[2000] = (bytes[2000] ?? 0) ^ 1
    writeFileSync(join(store, journal), bytes)
    const damaged = await octagent(['restore', '--from', to], { ...base, OCTAGENT_DATA: folder() })
    expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringMatching(/damaged|journal/)])
  })

  test.skipIf(!postgresIsHere)('PostgreSQL, into a folder', async () => {
    const secrets = { OCTAGENT_PEPPER: 'a pepper of at least thirty-two characters' }
    const data = folder()
    const first = await started({ OCTAGENT_DATA: data })
    await kill(first)
    const { signingKey } = JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8')) as { signingKey: string }
    const keys = { ...secrets, OCTAGENT_SIGNING_KEY: signingKey }
    await walk(
      { DATABASE_URL: database(), OCTAGENT_DATA: folder(), ...keys },
      { OCTAGENT_DATA: folder(), ...keys },
    )
  })
})

test('a data folder that cannot be written ends with one sentence, at once', async () => {
  const parent = folder()
  const dir = join(parent, 'file')
  writeFileSync(dir, '')
  const { code, stderr } = await octagent(['serve'], { OCTAGENT_DATA: join(dir, 'data'), PORT: '0' })
  expect(code).toBe(1)
  expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2)
  expect(stderr).toContain(dir)
  expect(stderr).toContain('OCTAGENT_DATA')
  const never = await octagent(['serve'], { OCTAGENT_DATA: '/proc/octagent', PORT: '0' })
  expect([never.code, never.stderr]).toEqual([1, expect.stringContaining('cannot be written')])
})
