import { execFileSync } from 'node:child_process'
import { webcrypto } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { registerPrediction, resolvePrediction } from '../../../mcp/services/forecast/record/prediction.ts'
import { takeSnapshots } from '../../../mcp/services/forecast/record/snapshots.ts'
import forecast from '../../../mcp/services/forecast/service.ts'
import { openTestApp, type TestApp } from '../../../testing.ts'
import { buy } from './buy.ts'
import { type ForecastWorld, startForecast } from './run.ts'

type Card = { capabilities: { extensions: { uri: string; params?: Record<string, string> }[] } }
type Signed = { canonical: string; signature: string; public_key: string; key_fingerprint: string }

const commandRuns = (command: string, option: string): boolean => {
  try {
    execFileSync(command, [option], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const script = new URL('./verify-signed.py', import.meta.url).pathname
const spki = Buffer.from('302a300506032b6570032100', 'hex')

/** By the Web Crypto API, as a browser has it. */
const holdsInJavaScript = async ({ canonical, signature, public_key }: Signed) => {
  const raw = Buffer.from(public_key, 'base64')
  const key = await webcrypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify'])
  return webcrypto.subtle.verify(
    'Ed25519',
    key,
    Buffer.from(signature, 'base64'),
    new TextEncoder().encode(canonical),
  )
}

const verdictOfPython = (signed: object) =>
  JSON.parse(execFileSync('python3', [script], { input: JSON.stringify(signed) }).toString())

const verdictOfOpenssl = ({ canonical, signature, public_key }: Signed): string => {
  const folder = mkdtempSync(join(tmpdir(), 'octagent-signed-'))
  const file = (name: string, data: string | Buffer) => {
    writeFileSync(join(folder, name), data)
    return join(folder, name)
  }
  const der = Buffer.concat([spki, Buffer.from(public_key, 'base64')]).toString('base64')
  const pem = `-----BEGIN PUBLIC KEY-----\n${der}\n-----END PUBLIC KEY-----\n`
  try {
    return execFileSync('openssl', [
      ...['pkeyutl', '-verify', '-pubin', '-rawin', '-inkey', file('key.pem', pem)],
      ...['-sigfile', file('signature', Buffer.from(signature, 'base64')), '-in', file('text', canonical)],
    ]).toString()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('what the service signs', () => {
  let world: ForecastWorld
  beforeEach(async () => {
    world = await startForecast()
    for (const [index, probability] of [0.05, 0.1, 0.123, 0.7, 0.9].entries()) {
      await world.store.transaction(async tx => {
        const question = `Will “näxt” event ${index} happen?`
        const closesAt = new Date('2026-01-11T00:00:00.000Z')
        const facts = { question, domain: 'social', method: 'reference_class', tier: 'quick', source: null }
        const prediction = await registerPrediction(tx, { ...facts, probability, closesAt }, world.now())
        const outcome = index > 2 ? 1 : 0
        const evidence = 'https://example.com/'
        await resolvePrediction(tx, prediction, { outcome, by: 'asker', evidence }, world.now())
      })
    }
    world.at('2026-01-14T03:00:00.000Z')
    await takeSnapshots({ store: world.store, clock: world.clock, sign: world.sign, record: world.record() })
  })
  afterEach(() => world.stop())

  const statements = async (): Promise<[string, Signed & { payload?: object }][]> => [
    ['calibration', await world.ask('get_signed_calibration')],
    ['history', await world.ask('get_signed_history')],
    ['day', (await world.ask('get_calibration_history')).days[0]],
    [
      'forecast',
      (
        await buy(world, 'consult', {
          question: 'Will a recession begin in the United States by 31 December 2035?',
          form: { kind: 'event', events: 12, n: 78, period_days: 365.25 },
        })
      ).signature,
    ],
  ]

  test('holds in JavaScript without our program', async () => {
    for (const [name, signed] of await statements()) {
      expect(await holdsInJavaScript(signed), name).toBe(true)
      const forged = {
        ...signed,
        canonical: signed.canonical.replace(/\d/, digit => String(9 - Number(digit))),
      }
      expect(await holdsInJavaScript(forged), name).toBe(false)
    }
  })

  test.skipIf(!commandRuns('python3', '--version'))('holds in Python without any package', async () => {
    for (const [name, signed] of await statements()) {
      const verdict = { same_text: true, holds: true, fingerprint: signed.key_fingerprint }
      expect(verdictOfPython(signed), name).toEqual(verdict)
      const signature = Buffer.from(signed.signature, 'base64')
      signature.writeUInt8((signature[40] ?? 0) ^ 1, 40)
      expect(verdictOfPython({ ...signed, signature: signature.toString('base64') })).toMatchObject({
        holds: false,
      })
    }
  })

  test.skipIf(!commandRuns('openssl', 'version'))('holds for openssl', async () => {
    for (const [name, signed] of await statements())
      expect(verdictOfOpenssl(signed), name).toContain('Verified Successfully')
  })

  test('is ASCII, with numbers of four decimals at most', async () => {
    for (const [name, { canonical }] of await statements()) {
      expect(canonical, name).toMatch(/^[\x20-\x7e]+$/)
      expect(canonical.replace(/"[^"]*"/g, '').match(/\d\.\d{5,}|\d[eE]/g) ?? [], name).toEqual([])
    }
  })

  test('of the history is one statement over the days, each under the hash of its own snapshot', async () => {
    const { payload, next } = await world.ask('get_signed_history', { limit: 2 })
    expect(payload.days.map(({ day }: { day: string }) => day)).toEqual(['2026-01-13', '2026-01-12'])
    const { days } = await world.ask('get_calibration_history', { limit: 2 })
    const digest = async (text: string) =>
      Buffer.from(await webcrypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('hex')
    for (const [index, { canonical, brier, tree_size }] of days.entries())
      expect(payload.days[index]).toMatchObject({
        snapshot_sha256: await digest(canonical),
        brier,
        tree_size,
      })
    const rest = await world.ask('get_signed_history', { limit: 5, after: next })
    expect(rest.payload.days.map(({ day }: { day: string }) => day)).toEqual(['2026-01-11', '2026-01-10'])
    expect(rest.next).toBeNull()
  })
})

describe('the card', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await openTestApp({ services: [forecast], environment: { OCTAGENT_DEVNET: 'false' } })
  })
  afterAll(() => app.close())

  const read = async <body>(path: string, headers = {}) =>
    (await (await fetch(app.url + path, { headers })).json()) as body

  test.each([{}, { 'a2a-version': '1.0' }, { 'a2a-version': '0.3' }])(
    'names the key, as %o',
    async headers => {
      const { public_key, key_fingerprint } = await read<Signed>('/forecast/expertise/calibration/signed')
      const card = await read<Card>('/forecast/.well-known/agent.json', headers)
      const { extensions } = card.capabilities
      const own = extensions.filter(({ uri }) => !uri.includes('x402'))
      expect(own.map(({ uri }) => uri)).toEqual([
        `${app.url}/forecast/extensions/agent-protocol/v1`,
        'urn:erc8004:agent-registry:v1',
        `${app.url}/forecast/extensions/calibration/v1`,
      ])
      expect(own[2]?.params).toEqual({
        publicKey: public_key,
        keyFingerprint: key_fingerprint,
        verificationMethod: expect.stringContaining('Ed25519'),
      })
      expect(Buffer.from(public_key, 'base64')).toHaveLength(32)
    },
  )

  test('names extensions whose documents are there', async () => {
    for (const path of ['/extensions/agent-protocol/v1', '/extensions/calibration/v1'])
      expect((await fetch(`${app.url}/forecast${path}`)).status).toBe(200)
  })
})
