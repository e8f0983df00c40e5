import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entriesIn, openRecord } from '../../../mcp/services/forecast/record/log.ts'
import { predictionsIn } from '../../../mcp/services/forecast/record/prediction.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'
import { openPostgres } from '../../../store/postgres/open.ts'
import { compile } from '../../store/compiled.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../../store/database.ts'
import { sample } from '../../stress.ts'

const url = withDatabase()
const program = compile('../services/forecast/resolution-child')
const source = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end('{"open":true}')
})
let address = ''
beforeAll(async () => {
  await new Promise<void>(listening => source.listen(0, '127.0.0.1', listening))
  address = `http://127.0.0.1:${(source.address() as AddressInfo).port}`
})
afterAll(() => new Promise(closed => source.close(closed)))

/** Runs the child; where it says that it has stopped, it is killed with -9. */
const live = async (
  args: readonly string[],
  env: Record<string, string>,
): Promise<'killed' | number | null> => {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  let isKilled = false
  child.stdout.on('data', () => {
    isKilled = true
    child.kill('SIGKILL')
  })
  const code = await new Promise<number | null>(ended => child.once('exit', ended))
  return isKilled ? 'killed' : code
}

const stops = ['answer', '1', '2', '3', '4', '5', 'end']

const engines = [
  ['the embedded store', true],
  ['PostgreSQL', postgresIsHere],
] as const

describe.each(engines)('resolution on %s', (engine, isHere) => {
  test.skipIf(!isHere)('that is killed with -9 in any step is done once, by the next run', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-resolution-'))
    const schema = freshSchema()
    const env: Record<string, string> =
      engine === 'PostgreSQL' ? { RECORD_DATABASE: url(), RECORD_SCHEMA: schema } : {}
    expect(await live([dir, 'register', address], env)).toBe(0)
    for (const stop of sample(stops, engine === 'PostgreSQL' ? 3 : stops.length))
      expect([stop, await live([dir, 'run', address, stop], env)]).toEqual([stop, 'killed'])
    expect(await live([dir, 'run', address], env)).toBe(0)

    const store =
      engine === 'PostgreSQL'
        ? await openPostgres({ url: url(), schema })
        : await openEmbedded({ dir: join(dir, 'store') })
    const { rows } = await predictionsIn(store).find({ index: 'number', limit: 10 })
    expect(rows.map(({ state, outcome }) => [state, outcome])).toEqual(Array(3).fill(['resolved', 1]))
    expect(await entriesIn(store).count()).toBe(6)
    const record = openRecord({ store, clock: { now: () => new Date('2026-02-02T00:00:00.000Z') } })
    expect(await record.state()).toMatchObject({ size: 6, calibration: { scored: 3, brier: 0.49 } })
    await store.close()
    await rm(dir, { recursive: true, force: true })
  })
})
