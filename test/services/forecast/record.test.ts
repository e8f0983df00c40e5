import { execFileSync } from 'node:child_process'
import { createPublicKey, verify } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifyConsistency, verifyInclusion } from '../../../mcp/lib/merkle-proof.ts'
import { hashLeaf } from '../../../mcp/lib/merkle-tree.ts'
import { toCanonical } from '../../../mcp/services/forecast/record/canonical.ts'
import {
  annulPrediction,
  issueSecret,
  predictionsIn,
  registerPrediction,
  requirePrediction,
  resolvePrediction,
} from '../../../mcp/services/forecast/record/prediction.ts'
import { takeSnapshots } from '../../../mcp/services/forecast/record/snapshots.ts'
import { type RecordBundle, verifyRecord } from '../../../mcp/services/forecast/record/verify.ts'
import { type ForecastWorld, refusalOf, startForecast } from './run.ts'

let world: ForecastWorld
beforeEach(async () => {
  world = await startForecast()
})
afterEach(() => world.stop())

const fromHex = (text: string) => Buffer.from(text, 'hex')

let questions = 0

const register = (more: Partial<Parameters<typeof registerPrediction>[1]> = {}) =>
  world.store.transaction(tx =>
    registerPrediction(
      tx,
      {
        question: `Will event ${++questions} of “näxt” month happen?`,
        domain: 'infrastructure',
        probability: 0.3,
        method: 'reference_class',
        tier: 'quick',
        closesAt: new Date('2026-02-01T00:00:00.000Z'),
        source: null,
        ...more,
      },
      world.now(),
    ),
  )

const resolve = (id: string, outcome: 0 | 1) =>
  world.store.transaction(async tx =>
    resolvePrediction(
      tx,
      await requirePrediction(tx, id),
      { outcome, by: 'source', evidence: 'https://example.com/' },
      world.now(),
    ),
  )

const bundle = async (): Promise<RecordBundle> => {
  const signed = await world.ask('get_signed_calibration')
  const { days } = await world.ask('get_calibration_history', { limit: 366 })
  const { entries } = await world.ask('read_record', { limit: 1000 })
  return { signed, snapshots: [...days].reverse(), entries }
}

const faultsOf = async (record: RecordBundle, key?: string) =>
  (await verifyRecord(record, key)).filter(({ ok }) => !ok).map(({ name }) => name)

const snapshot = () =>
  takeSnapshots({ store: world.store, clock: world.clock, sign: world.sign, record: world.record() })

/** A record of some days with everything in it. */
const fill = async () => {
  const ids: string[] = []
  for (let nth = 0; nth < 30; nth++)
    ids.push(
      (await register({ probability: (nth % 10) / 10 + 0.05, domain: nth % 2 ? 'social' : 'my-own' })).id,
    )
  world.at('2026-01-12T03:00:00.000Z')
  for (const id of ids.slice(0, 4)) await resolve(id, 1)
  world.at('2026-02-03T03:00:00.000Z')
  for (const [nth, id] of ids.slice(4, 25).entries()) await resolve(id, nth % 3 === 0 ? 1 : 0)
  await world.store.transaction(async tx =>
    annulPrediction(tx, await requirePrediction(tx, ids[5] ?? ''), 'disputed', world.now()),
  )
  world.at('2026-02-05T03:00:00.000Z')
  await snapshot()
  await register()
  return ids
}

test('canonical JSON refuses what two languages write differently', () => {
  expect(toCanonical({ b: 1, a: [0.25, null, true] })).toBe('{"a":[0.25,null,true],"b":1}')
  for (const value of ['é', 'a\nb']) expect(() => toCanonical({ value })).toThrow('ASCII')
  for (const value of [1e-5, 0.12345, 1e21, Number.NaN])
    expect(() => toCanonical({ value })).toThrow('written')
})

test('an empty record says that it is empty', async () => {
  expect(await world.ask('get_calibration')).toMatchObject({
    status: 'insufficient_data',
    brier: null,
    scored: 0,
    curve: [],
    decomposition: null,
    tree_size: 0,
    predictions: { registered: 0 },
  })
  expect(await world.ask('reputation')).toMatchObject({ score: null, status: 'insufficient_data' })
  expect(await world.ask('get_calibration_history')).toEqual({ days: [], next: null })
  expect(await faultsOf(await bundle())).toEqual([])
})

test('a prediction shows its hash at once and what it says with its outcome, which is counted when it has closed', async () => {
  const { id } = await register({ probability: 0.8 })
  const open = await world.ask('get_prediction', { id })
  expect(open).toMatchObject({ state: 'open', question: null, probability: null, nonce: null })
  const leaf = JSON.parse(open.leaf)
  expect(leaf).toMatchObject({ kind: 'registered', prediction: id, commitment: open.commitment })
  const { index, tree_size, root, path } = open.proof
  const tree = { index, size: tree_size, path: path.map(fromHex), root: fromHex(root) }
  expect(verifyInclusion(hashLeaf(open.leaf), tree)).toBe(true)
  world.at('2026-01-20T00:00:00.000Z')
  await resolve(id, 1)
  expect(await world.ask('get_prediction', { id })).toMatchObject({
    state: 'resolved',
    outcome: 1,
    probability: 0.8,
    question: expect.stringContaining('näxt'),
  })
  expect(await world.ask('get_calibration')).toMatchObject({
    scored: 0,
    predictions: { resolved: 1, early: 1 },
  })
  world.at('2026-02-01T00:00:00.000Z')
  expect(await world.ask('get_calibration')).toMatchObject({
    status: 'small_sample',
    scored: 1,
    brier: 0.04,
    predictions: { resolved: 1, early: 0, overdue: 0 },
  })
})

test('the same question at the same probability is one prediction; at another it is a second of the same question', async () => {
  const first = await register({ question: 'Will it rain?' })
  expect((await register({ question: ' will it  RAIN ' })).id).toBe(first.id)
  const second = await register({ question: 'Will it rain?', probability: 0.6 })
  expect(second.id).not.toBe(first.id)
  expect(second.content.question).toBe(first.id)
  world.at('2026-02-02T00:00:00.000Z')
  await resolve(first.id, 1)
  await resolve(second.id, 1)
  expect(await world.ask('get_calibration')).toMatchObject({
    scored: 1,
    questions: 1,
    methods: [{ scored: 2 }],
  })
})

test('a reader recomputes everything from the public rows, and sees whatever was changed', async () => {
  await fill()
  const record = await bundle()
  expect(record.snapshots.map(({ day }) => day)).toHaveLength(26)
  expect(await faultsOf(record)).toEqual([])
  expect(await faultsOf(record, record.signed.public_key)).toEqual([])
  expect(await faultsOf(record, Buffer.alloc(32, 1).toString('base64'))).toEqual(['signatures'])

  const change = (index: number, from: string, to: string) => ({
    ...record,
    entries: record.entries.map((entry, at) =>
      at === index ? { ...entry, canonical: entry.canonical.replace(from, to) } : entry,
    ),
  })
  const index = record.entries.findIndex(({ canonical }) => canonical.includes('"outcome":0'))
  expect(await faultsOf(change(index, '"outcome":0', '"outcome":1'))).toEqual(['tree', 'scores'])
  expect(await faultsOf(change(index, '"probability":0.', '"probability":0.0'))).toEqual([
    'entries',
    'tree',
    'scores',
  ])
  const entries = record.entries.map(entry => (entry.question ? { ...entry, question: 'Another?' } : entry))
  expect(await faultsOf({ ...record, entries: entries })).toEqual(['entries'])
  expect(await faultsOf({ ...record, snapshots: record.snapshots.slice(1) })).toEqual(['chain'])
  expect(await faultsOf({ ...record, entries: record.entries.slice(0, -1) })).toEqual(['tree', 'scores'])
  const forged = { ...record.signed, canonical: record.signed.canonical.replace('"scored":', '"scored":1') }
  expect(await faultsOf({ ...record, signed: forged })).toEqual(['signatures', 'scores'])
})

test('a record that is read from the beginning adds up to what was counted as it grew', async () => {
  const ids = await fill()
  for (const id of ids.slice(25, 28)) {
    await world.ask('get_calibration')
    await resolve(id, 0)
  }
  const [grown, fresh] = await Promise.all([world.record().state(), world.openRecord().state()])
  expect(fresh).toEqual(grown)
  expect(await world.ask('get_calibration', { domain: 'social' })).toMatchObject({
    scored: grown.calibration.domains.find(({ name }) => name === 'social')?.scored,
  })
  expect(await world.ask('get_calibration', { since: '2026-02-05' })).toMatchObject({
    scored: 0,
    predictions: { registered: 1 },
  })
})

test('the times of entries never fall, whatever the clocks of replicas say', async () => {
  const { at } = JSON.parse((await world.ask('get_prediction', { id: (await register()).id })).leaf)
  world.at(new Date(Date.parse(at) - 60_000).toISOString())
  const { id } = await register()
  expect(JSON.parse((await world.ask('get_prediction', { id })).leaf)).toMatchObject({ at })
})

test('many at once get a place each, and two replicas count the same', async () => {
  const registered = await Promise.all(Array.from({ length: 40 }, () => register()))
  expect(registered.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual([...Array(40).keys()])
  const other = world.openRecord()
  expect(await other.state()).toEqual(await world.record().state())
  await Promise.all(registered.slice(0, 10).map(({ id }) => resolve(id, 1)))
  expect(await other.state()).toEqual(await world.record().state())
  expect(await faultsOf(await bundle())).toEqual([])
})

test('a snapshot is taken once for each day, by whichever replica, and missed days are made up for', async () => {
  await register()
  world.at('2026-01-15T01:00:00.000Z')
  await Promise.all([snapshot(), snapshot()])
  await register()
  world.at('2026-01-16T01:00:00.000Z')
  await snapshot()
  await snapshot()
  const { days } = await world.ask('get_calibration_history', { limit: 3 })
  expect(days).toMatchObject([
    { day: '2026-01-15', registered: 2, new_predictions: 1 },
    { day: '2026-01-14', registered: 1, new_predictions: 0 },
    { day: '2026-01-13' },
  ])
  const record = await bundle()
  expect(record.snapshots).toHaveLength(6)
  expect(await faultsOf(record)).toEqual([])
  expect(await refusalOf(world.ask('get_calibration_history', { after: 'nonsense' }))).toMatchObject({
    code: 'invalid_input',
    extra: { issues: [{ path: 'after' }] },
  })
})

describe('resolution by who asked', () => {
  const evidence_url = 'https://example.com/résultat'
  const secrets = new Map<string, string>()
  const say = async (id: string, outcome: 0 | 1, secret?: string) => {
    const own = secrets.get(id) ?? (await world.store.transaction(tx => issueSecret(tx, id)))
    secrets.set(id, own)
    return world.ask('resolve_prediction', { id, secret: secret ?? own, outcome, evidence_url })
  }
  beforeEach(() => secrets.clear())

  test('only who asked may, not before it is known, and another word annuls it', async () => {
    const { id } = await register()
    expect(await refusalOf(say(id, 1, 'f'.repeat(64)))).toMatchObject({ code: 'forbidden' })
    expect(await refusalOf(say(id, 0))).toMatchObject({ code: 'conflict' })
    world.at('2026-02-01T00:00:00.000Z')
    expect(await say(id, 0)).toMatchObject({
      state: 'resolved',
      outcome: 0,
      evidence: 'https://example.com/r%C3%A9sultat',
    })
    expect(await say(id, 0)).toMatchObject({ state: 'resolved' })
    expect(await world.ask('get_calibration')).toMatchObject({ scored: 0, brier: null, asker: { scored: 1 } })
    expect(await say(id, 1)).toMatchObject({ state: 'annulled', reason: 'disputed' })
    expect(await world.ask('get_calibration')).toMatchObject({
      scored: 0,
      brier: null,
      asker: { scored: 0 },
      predictions: { annulled: 1, resolved: 0 },
    })
    expect(await refusalOf(say(id, 1))).toMatchObject({ code: 'conflict' })
    expect(await faultsOf(await bundle())).toEqual([])
  })

  test('an outcome stands after 14 days', async () => {
    const { id } = await register()
    world.at('2026-02-01T00:00:00.000Z')
    await say(id, 0)
    world.at('2026-02-15T00:00:01.000Z')
    expect(await refusalOf(say(id, 1))).toMatchObject({ code: 'conflict' })
  })

  test('a declared source decides alone', async () => {
    const source = { url: 'https://example.com/', pointer: '/x', is: '=', value: '1' } as const
    const { id } = await register({ source })
    world.at('2026-02-01T00:00:00.000Z')
    expect(await refusalOf(say(id, 1))).toMatchObject({ code: 'conflict' })
  })
})

test('predictions are listed by state and domain, page by page', async () => {
  await fill()
  const ids: string[] = []
  for (let after: string | null = ''; after !== null; ) {
    const page = await world.ask('list_predictions', { limit: 7, ...(after && { after }) })
    ids.push(...page.predictions.map(({ id }: { id: string }) => id))
    after = page.next
  }
  expect(new Set(ids).size).toBe(31)
  expect(ids).toEqual([...ids].sort().reverse())
  const open = await world.ask('list_predictions', { state: 'open', domain: 'social' })
  for (const row of open.predictions)
    expect(row).toMatchObject({ state: 'open', domain: 'social', question: null })
  expect(await predictionsIn(world.store).count()).toBe(31)
})

test('the record of one size is proven to be the beginning of that of another', async () => {
  await fill()
  for (const first of [0, 1, 13, 40]) {
    const proof = await world.ask('prove_consistency', { first })
    const older = { size: first, root: fromHex(proof.first_root) }
    const newer = { size: proof.second, root: fromHex(proof.second_root) }
    expect(verifyConsistency(older, newer, proof.path.map(fromHex))).toBe(true)
  }
  expect(await refusalOf(world.ask('prove_consistency', { first: 900 }))).toMatchObject({
    code: 'invalid_input',
  })
})

describe('the signature', () => {
  const commandRuns = (command: string): boolean => {
    try {
      execFileSync(command, [command === 'openssl' ? 'version' : '--version'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }

  test('holds for Node, and the service says so of its own and of no other', async () => {
    await fill()
    const { canonical, signature, public_key, payload, key_fingerprint } =
      await world.ask('get_signed_calibration')
    const raw = Buffer.from(public_key, 'base64')
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
      format: 'jwk',
    })
    expect(verify(null, Buffer.from(canonical), key, Buffer.from(signature, 'base64'))).toBe(true)
    expect(canonical).toMatch(/^[\x20-\x7e]+$/)
    expect(await world.ask('verify_signature', { canonical, signature })).toMatchObject({
      valid: true,
      ours: true,
      key_fingerprint,
    })
    expect(await world.ask('verify_signature', { payload, signature, public_key })).toMatchObject({
      valid: true,
    })
    expect(
      await world.ask('verify_signature', { payload: { ...payload, tree_size: 1 }, signature }),
    ).toMatchObject({ valid: false })
    expect(
      await world.ask('verify_signature', {
        canonical,
        signature,
        public_key: Buffer.alloc(32).toString('base64'),
      }),
    ).toMatchObject({ valid: false, ours: false })
    expect(await refusalOf(world.ask('verify_signature', { signature }))).toMatchObject({
      code: 'invalid_input',
    })
    expect(await refusalOf(world.ask('verify_signature', { payload: { a: 'é' }, signature }))).toMatchObject({
      extra: { issues: [{ path: 'payload' }] },
    })
  })

  test.skipIf(!commandRuns('openssl'))('holds for openssl', async () => {
    await fill()
    const { canonical, signature, public_key } = await world.ask('get_signed_calibration')
    const dir = mkdtempSync(join(tmpdir(), 'octagent-forecast-'))
    const file = (name: string, data: string | Buffer) => {
      writeFileSync(join(dir, name), data)
      return join(dir, name)
    }
    const der = Buffer.concat([
      Buffer.from('302a300506032b6570032100', 'hex'),
      Buffer.from(public_key, 'base64'),
    ])
    const pem = `-----BEGIN PUBLIC KEY-----\n${der.toString('base64')}\n-----END PUBLIC KEY-----\n`
    const output = execFileSync('openssl', [
      ...['pkeyutl', '-verify', '-pubin', '-rawin', '-inkey', file('key.pem', pem)],
      ...['-sigfile', file('signature', Buffer.from(signature, 'base64')), '-in', file('text', canonical)],
    ])
    rmSync(dir, { recursive: true })
    expect(output.toString()).toContain('Verified Successfully')
  })

  test.skipIf(!commandRuns('python3'))('is over the text that Python writes from the payload', async () => {
    await fill()
    const { canonical, payload } = await world.ask('get_signed_calibration')
    const script =
      'import json,sys; print(json.dumps(json.load(sys.stdin), sort_keys=True, separators=(",", ":")), end="")'
    expect(execFileSync('python3', ['-c', script], { input: JSON.stringify(payload) }).toString()).toBe(
      canonical,
    )
  })
})
