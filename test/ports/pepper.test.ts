import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../app/config.ts'
import { services } from '../../app/services.ts'
import { type Open, openWorld } from '../../app/world.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { endRotation, rotateSecret } from '../../mcp/ports/installation.ts'
import { makeSigningKey } from '../../mcp/ports/sign/sign.ts'
import { postgresIsHere, withDatabase } from '../store/database.ts'

const signingKey = makeSigningKey()

const folder = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-pepper-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

const open = (environment: Record<string, string>): Promise<Open> =>
  openWorld(
    readConfig({ OCTAGENT_DEVNET: 'false', OCTAGENT_LOG: 'silent', ...environment }, services),
    () => 'http://localhost',
    { services },
  )

const refusal = async (environment: Record<string, string>): Promise<string> => {
  const problem = await open(environment).catch((error: unknown) => error)
  expect(problem).toBeInstanceOf(ToolError)
  const { message, extra } = problem as ToolError
  return `${message} ${extra.hint}`
}

describe('the pepper of an embedded store', () => {
  test.each([
    ['missing', (file: string) => rm(file)],
    ['empty', (file: string) => writeFile(file, '')],
    ['without a pepper', (file: string) => writeFile(file, '{}')],
  ])(
    'that lies in a file that is %s, refuses to start, and the file put back starts again',
    async (_, damage) => {
      const OCTAGENT_DATA = await folder()
      const file = join(OCTAGENT_DATA, 'keys.json')
      await (await open({ OCTAGENT_DATA })).close()
      const backup = await readFile(file, 'utf8')
      await damage(file)
      const content = await readFile(file, 'utf8').catch(() => undefined)
      expect(await refusal({ OCTAGENT_DATA })).toMatch(
        /keys\.json is missing, empty.*Restore .*keys\.json.*OCTAGENT_PEPPER/,
      )
      expect(await readFile(file, 'utf8').catch(() => undefined)).toBe(content)
      const { pepper } = JSON.parse(backup)
      await (await open({ OCTAGENT_DATA, OCTAGENT_PEPPER: pepper })).close()
      await writeFile(file, backup)
      await (await open({ OCTAGENT_DATA })).close()
      expect(
        await refusal({ OCTAGENT_DATA, OCTAGENT_PEPPER: 'another pepper of more than 32 bytes' }),
      ).toMatch(/another pepper/)
    },
  )

  test('that lies in a damaged file is refused by its name', async () => {
    const OCTAGENT_DATA = await folder()
    await writeFile(join(OCTAGENT_DATA, 'keys.json'), '{"pepper":')
    expect(await refusal({ OCTAGENT_DATA })).toMatch(/keys\.json is not JSON/)
  })
})

describe.skipIf(!postgresIsHere)('the pepper of a PostgreSQL store', () => {
  const url = withDatabase()

  test('is one for all replicas: another one is refused', async () => {
    const replica = async (pepper: string) => ({
      DATABASE_URL: url(),
      OCTAGENT_DATA: await folder(),
      OCTAGENT_SIGNING_KEY: signingKey,
      OCTAGENT_PEPPER: pepper,
    })
    const [one, other] = ['the pepper of all the replicas, long', 'the pepper of only one of them, long']
    const first = await open(await replica(one))
    await (await open(await replica(one))).close()
    expect(await refusal(await replica(other))).toMatch(/another pepper.*OCTAGENT_PEPPER.*every replica/)
    await first.close()
  })
})

describe('a pepper that is rotated', () => {
  test('leaves keys that callers hold good, hashes them anew when they are used, and ends', async () => {
    const OCTAGENT_DATA = await folder()
    const issue = async ({ store, world: { ports } }: Open) => {
      const holder = { prefix: 'brk', holder: 'acct', now: new Date() }
      return store.transaction(async tx => (await ports.keys?.issue(tx, holder))?.api_key ?? '')
    }
    const find = async ({ store, world: { ports } }: Open, key: string) =>
      ports.keys?.find({ store, clock: { now: () => new Date() } }, 'brk', key)
    const before = await open({ OCTAGENT_DATA })
    const [used, unused] = [await issue(before), await issue(before)]
    await before.close()

    await rotateSecret(OCTAGENT_DATA, 'pepper')
    await expect(rotateSecret(OCTAGENT_DATA, 'pepper')).rejects.toThrow(/not ended/)
    const during = await open({ OCTAGENT_DATA })
    const [one, other] = await Promise.all([find(during, used), find(during, used)])
    expect([one?.holder, other?.holder]).toEqual(['acct', 'acct'])
    expect(one?.id).toBe(during.world.ports.keys?.hash(used))
    await during.close()

    expect(await endRotation(OCTAGENT_DATA, 'pepper')).toBe(true)
    expect(await endRotation(OCTAGENT_DATA, 'pepper')).toBe(false)
    const after = await open({ OCTAGENT_DATA })
    expect([(await find(after, used))?.holder, await find(after, unused)]).toEqual(['acct', undefined])
    await after.close()
  })

  test('is read from the environment, and only together with the one before', async () => {
    const OCTAGENT_DATA = await folder()
    const first = { OCTAGENT_DATA, OCTAGENT_PEPPER: 'the first pepper of more than 32 bytes' }
    const second = { OCTAGENT_DATA, OCTAGENT_PEPPER: 'the second pepper of more than 32 bytes' }
    await (await open(first)).close()
    expect(await refusal(second)).toMatch(/another pepper.*OCTAGENT_PEPPER_PREVIOUS/)
    await (await open({ ...second, OCTAGENT_PEPPER_PREVIOUS: first.OCTAGENT_PEPPER })).close()
    await (await open(second)).close()
    expect(await refusal(first)).toMatch(/another pepper/)
  })
})
