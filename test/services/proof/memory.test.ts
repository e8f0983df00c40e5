import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  deleteEntry,
  findEntry,
  findNamespace,
  memorySettings,
  openText,
  readUsage,
  sealText,
  writeEntry,
} from '../../../mcp/services/proof/memory.ts'
import { getPrice, storePrice } from '../../../mcp/services/proof/prices.ts'
import { onBothEngines } from '../../payment/ledger-engines.ts'
import { runs } from '../../stress.ts'
import { type AccountsApp, openAccountsApp } from './accounts-app.ts'
import { startProof as startPaid } from './run.ts'

const secret = 'correct horse battery staple, long'
const codeOf = (error: unknown): string => (error as { code?: string }).code ?? 'other'

describe('the price of memory', () => {
  test.each([
    [0, '50', '20'],
    [20_001, '50', '21'],
    [25_001, '52', '26'],
    [200_000, '400', '200'],
  ])('%d bytes cost %s sats to store and %s to read', (bytes, store, get) => {
    expect([storePrice(bytes).amount, getPrice(bytes).amount]).toEqual([store, get])
  })
})

describe('whose memory it is', () => {
  const evm = { network: 'eip155:8453', payer: '0x00000000000000000000000000000000000000Cc' }

  test('is the account where a key came, whoever pays', () => {
    const caller = { id: 'a1', via: 'bearer' as const }
    expect(findNamespace({ caller, payer: evm })).toBe(findNamespace({ caller }))
    expect(findNamespace({ caller })).not.toBe(findNamespace({ caller: { ...caller, id: 'a2' } }))
  })

  test('is else the address on a chain, in any spelling', () => {
    const payer = { ...evm, payer: evm.payer.toLowerCase() }
    expect(findNamespace({ caller: undefined, payer: evm })).toBe(findNamespace({ caller: undefined, payer }))
    const namesake = { id: payer.payer, via: 'bearer' as const }
    expect(findNamespace({ caller: namesake })).not.toBe(findNamespace({ caller: undefined, payer }))
  })

  test.each([undefined, { network: 'lightning', payer: 'ab'.repeat(32) }])('is nobody of %j', payer => {
    expect(() => findNamespace({ caller: undefined, payer })).toThrow(/belongs to an account/)
  })
})

describe('encryption at rest', () => {
  test('opens with the same key and at the same place only', () => {
    const sealed = sealText('a secret 🗝', secret, 'place')
    expect(openText(sealed, secret, 'place')).toBe('a secret 🗝')
    expect(JSON.stringify(sealed)).not.toContain('secret')
    for (const [wrong, place] of [
      [`${secret}!`, 'place'],
      [secret, 'elsewhere'],
    ] as const)
      expect(() => openText(sealed, wrong, place)).toThrow(/does not open/)
    const bent = { ...sealed, data: Buffer.from('xx').toString('base64') }
    expect(() => openText(bent, secret, 'place')).toThrow(/does not open/)
    expect(() => openText({ ...sealed, tag: sealed.tag.slice(0, 4) }, secret, 'place')).toThrow()
  })

  test('is another each time', () => {
    expect(sealText('same', secret, 'place').data).not.toBe(sealText('same', secret, 'place').data)
  })
})

onBothEngines(({ place }) => {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  const open = async () => {
    const here = await place()
    const store = await here.open()
    closing.push(() => store.close(), here.clean)
    return store
  }

  const quota = { keys: 5, bytes: 1000 }
  const now = new Date('2026-11-23T00:00:00.000Z')

  test('keeps to a model through random writes and deletions, and counts right', async () => {
    const store = await open()
    const model = new Map<string, { value: string; version: number }>()
    let last = 0
    let seed = 7
    const random = (below: number) => {
      seed = (1_664_525 * seed + 1_013_904_223) % 2 ** 32
      return Math.floor((seed / 2 ** 32) * below)
    }
    for (let step = 0; step < runs(600, 60); step++) {
      const key = `k${random(8)}`
      const held = model.get(key)
      const ifVersion = random(3) === 0 ? random(2) * (held?.version ?? 1) : undefined
      const isCurrent = ifVersion === undefined || ifVersion === (held?.version ?? 0)
      if (random(3) === 0) {
        const outcome = await store
          .transaction(tx => deleteEntry(tx, { namespace: 'n', key, ifVersion }))
          .catch(codeOf)
        expect(outcome).toBe(held === undefined ? false : isCurrent ? true : 'conflict')
        if (outcome === true) model.delete(key)
      } else {
        const value = 'ä'.repeat(random(300))
        const total = [...model].reduce(
          (sum, [name, { value: text }]) => (name === key ? sum : sum + Buffer.byteLength(text)),
          0,
        )
        const fits =
          total + Buffer.byteLength(value) <= quota.bytes && (held !== undefined || model.size < quota.keys)
        const outcome = await store
          .transaction(tx =>
            writeEntry(tx, {
              namespace: 'n',
              key,
              value,
              ifVersion,
              quota,
              now,
              secret: random(2) === 0 ? secret : undefined,
            }),
          )
          .catch(codeOf)
        if (!isCurrent || !fits) expect(outcome).toBe('conflict')
        else if (typeof outcome === 'string') throw new Error(outcome)
        else {
          expect(outcome.entry.version).toBeGreaterThan(last)
          last = outcome.entry.version
          model.set(key, { value, version: last })
        }
      }
      const usage = await readUsage(store, 'n')
      const bytes = [...model.values()].reduce((sum, { value }) => sum + Buffer.byteLength(value), 0)
      expect([usage.keys, usage.bytes]).toEqual([model.size, bytes])
    }
    for (const [key, { value }] of model) {
      const entry = await findEntry(store, 'n', key)
      expect(entry?.value ?? openText(entry?.sealed as never, secret, entry?.id ?? '')).toBe(value)
    }
    expect(await findEntry(store, 'other', 'k0')).toBeUndefined()
  })

  test('of many writers with one version one wins', async () => {
    const store = await open()
    const write = (value: string, ifVersion: number) =>
      store
        .transaction(tx => writeEntry(tx, { namespace: 'race', key: 'k', value, ifVersion, quota, now }))
        .catch(codeOf)
    const outcomes = await Promise.all(Array.from({ length: 12 }, (_, index) => write(String(index), 0)))
    expect(outcomes.filter(outcome => outcome === 'conflict')).toHaveLength(11)
    expect(await readUsage(store, 'race')).toMatchObject({ keys: 1, sequence: 1 })
  })
})

describe('the memory of an account', () => {
  let shop: AccountsApp
  beforeAll(async () => {
    shop = await openAccountsApp({ environment: { PROOF_MEMORY_ENTRIES: '3', PROOF_MEMORY_MB: '1' } })
  })
  afterAll(() => shop.stop())

  const balance = async (headers: Record<string, string>) =>
    (await shop.get('/balance', headers)).body.balance_sats

  test('is stored, read, listed, searched and deleted', async () => {
    const { headers } = await shop.funded(1000)
    const stored = await shop.post(
      '/memory/store',
      { key: 'notes', value: 'The deploy is on Friday.', agent_id: 'a' },
      headers,
    )
    expect(stored.body).toMatchObject({
      key: 'notes',
      bytes: 24,
      version: 1,
      created: true,
      usage: { keys: 1, bytes: 24 },
    })
    expect(await balance(headers)).toBe(950)
    const read = await shop.post('/memory/get', { key: 'notes' }, headers)
    expect(read.body).toMatchObject({
      value: 'The deploy is on Friday.',
      version: 1,
      encrypted: false,
      agent_id: 'a',
    })
    expect(await balance(headers)).toBe(930)
    expect((await shop.post('/memory/list', {}, headers)).body).toMatchObject({
      entries: [{ key: 'notes', bytes: 24 }],
      next: null,
    })
    expect((await shop.post('/memory/search', { query: 'DEPLOY' }, headers)).body).toMatchObject({
      matches: [{ key: 'notes', in: 'value', excerpt: 'The deploy is on Friday.' }],
      more: false,
    })
    expect((await shop.post('/memory/delete', { key: 'notes' }, headers)).body).toEqual({
      key: 'notes',
      deleted: true,
    })
    expect((await shop.post('/memory/delete', { key: 'notes' }, headers)).body).toEqual({
      key: 'notes',
      deleted: false,
    })
    expect((await shop.post('/memory/get', { key: 'notes' }, headers)).status).toBe(404)
    expect(await balance(headers)).toBe(930)
  })

  test('belongs to nobody else, on any way in, whatever agent_id says', async () => {
    const owner = await shop.funded(1000)
    const stranger = await shop.funded(1000)
    await shop.post('/memory/store', { key: 'private', value: 'mine', agent_id: 'me' }, owner.headers)
    const question = { key: 'private', agent_id: 'me' }
    expect((await shop.post('/memory/get', question, stranger.headers)).status).toBe(404)
    expect((await shop.post('/memory/delete', question, stranger.headers)).body).toMatchObject({
      deleted: false,
    })
    expect((await shop.post('/memory/list', {}, stranger.headers)).body).toMatchObject({
      entries: [],
      usage: { keys: 0 },
    })
    expect((await shop.post('/memory/search', { query: 'mine' }, stranger.headers)).body).toMatchObject({
      matches: [],
    })
    expect(JSON.stringify(await shop.callMcp('memory_get', question, stranger.headers))).not.toContain('mine')
    expect(JSON.stringify(await shop.sendA2a('memory_get', question, stranger.headers))).not.toContain('mine')
    expect(await balance(stranger.headers)).toBe(1000)
    expect((await shop.post('/memory/get', { key: 'private' }, owner.headers)).body).toMatchObject({
      value: 'mine',
    })
  })

  test.each(['list', 'search', 'delete'])('asks who is there before memory/%s', async name => {
    const { status } = await shop.post(`/memory/${name}`, { key: 'k', query: 'k' })
    expect([401, 422]).toContain(status)
  })

  test('cannot be paid by Lightning alone, and says so before it takes anything', async () => {
    const payment = await shop.payByLightning('/memory/store', { key: 'k', value: 'v' })
    expect(payment.status).toBe(401)
  })

  test('that is encrypted opens with its key only and lies nowhere in plain text', async () => {
    const { headers } = await shop.funded(1000)
    const value = 'the vault code is 4711-unique-marker'
    const stored = await shop.post('/memory/store', { key: 'vault', value, encryption_key: secret }, headers)
    expect(stored.body).toMatchObject({ encrypted: true })
    expect((await shop.post('/memory/get', { key: 'vault' }, headers)).status).toBe(422)
    expect(
      (await shop.post('/memory/get', { key: 'vault', encryption_key: `${secret}?` }, headers)).status,
    ).toBe(403)
    expect(await balance(headers)).toBe(950)
    const read = await shop.post('/memory/get', { key: 'vault', encryption_key: secret }, headers)
    expect(read.body).toMatchObject({ value })
    expect((await shop.post('/memory/search', { query: 'marker' }, headers)).body).toMatchObject({
      matches: [],
      not_searched: 1,
    })
    const { readdir, readFile } = await import('node:fs/promises')
    const files = await readdir(shop.dir, { recursive: true, withFileTypes: true })
    const texts = await Promise.all(
      files.filter(file => file.isFile()).map(file => readFile(`${file.parentPath}/${file.name}`, 'utf8')),
    )
    expect(texts.join().length).toBeGreaterThan(1000)
    expect(texts.join()).not.toContain('unique-marker')
    expect(texts.join()).not.toContain(secret)
  })

  test('refuses another version, and a full memory, before it takes anything', async () => {
    const { headers } = await shop.funded(2000)
    const store = (key: string, more: object = {}) =>
      shop.post('/memory/store', { key, value: 'v', ...more }, headers)
    expect((await store('a', { if_version: 1 })).status).toBe(409)
    expect((await store('a', { if_version: 0 })).body).toMatchObject({ version: 1 })
    const second = await store('a', { if_version: 0 })
    expect([second.status, second.body.params]).toEqual([409, { version: 1 }])
    expect((await store('a', { if_version: 1 })).body).toMatchObject({ version: 2, created: false })
    await store('b')
    await store('c')
    expect((await store('d')).body).toMatchObject({ status: 409, reason: 'quota' })
    expect(await balance(headers)).toBe(2000 - 4 * 50)
    await shop.post('/memory/delete', { key: 'b', if_version: 99 }, headers)
    expect((await shop.post('/memory/list', { limit: 2 }, headers)).body).toMatchObject({
      usage: { keys: 3 },
      next: expect.any(String),
    })
    await shop.post('/memory/delete', { key: 'b' }, headers)
    expect((await store('d')).status).toBe(200)
    for (const key of ['e', 'd']) await shop.post('/memory/delete', { key }, headers)
    expect((await store('d', { if_version: 0 })).body.version).toBeGreaterThan(5)
  })

  test('of many writers at once one wins, and only it has paid', async () => {
    const { headers } = await shop.funded(2000)
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        shop.post('/memory/store', { key: 'k', value: String(index), if_version: 0 }, headers),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(outcomes.filter(({ status }) => status === 409)).toHaveLength(7)
    expect(await balance(headers)).toBe(1950)
    expect(await shop.audit()).toMatchObject({ faults: [] })
  })

  test('takes 200,000 bytes and not one more', async () => {
    const { headers } = await shop.funded(3000)
    const value = 'ä'.repeat(100_000)
    expect((await shop.post('/memory/store', { key: 'big', value }, headers)).body).toMatchObject({
      bytes: 200_000,
    })
    expect(await balance(headers)).toBe(2600)
    expect((await shop.post('/memory/get', { key: 'big' }, headers)).body).toMatchObject({ value })
    expect(await balance(headers)).toBe(2400)
    expect((await shop.post('/memory/store', { key: 'big', value: `${value}a` }, headers)).status).toBe(422)
  })

  test.each([
    [{ value: 'v' }, 'key'],
    [{ key: '', value: 'v' }, 'key'],
    [{ key: 'x'.repeat(257), value: 'v' }, 'key'],
    [{ key: 'a\u0000b', value: 'v' }, 'key'],
    [{ key: 'k' }, 'value'],
    [{ key: 'k', value: 5 }, 'value'],
    [{ key: 'k', value: '\ud800' }, 'value'],
    [{ key: 'k', value: 'v', if_version: -1 }, 'if_version'],
    [{ key: 'k', value: 'v', if_version: 1.5 }, 'if_version'],
    [{ key: 'k', value: 'v', encryption_key: 'short' }, 'encryption_key'],
    [{ key: 'k', value: 'v', namespace: 'other' }, 'namespace'],
  ])('refuses %j by name, for nothing', async (input, path) => {
    const { headers } = await shop.funded(100)
    const { status, body } = await shop.post('/memory/store', input, headers)
    expect([status, (body.issues as { path: string }[])[0]?.path]).toEqual([422, path])
    expect(await balance(headers)).toBe(100)
  })

  test.each(['__proto__', 'constructor', '../../etc', '🗝', ' k ', "'; drop table"])(
    'takes %j for a key like any other',
    async key => {
      const { headers } = await shop.funded(200)
      await shop.post('/memory/store', { key, value: key }, headers)
      expect((await shop.post('/memory/get', { key }, headers)).body).toMatchObject({ key, value: key })
    },
  )
})

describe('the memory of an address that pays', () => {
  test('is stored and read without an account, and what is missing costs nothing', async () => {
    const paid = await startPaid({
      settings: [
        [memorySettings.memoryMegabytes, 10],
        [memorySettings.memoryEntries, 100],
      ],
    })
    try {
      await paid.buy('memory_store', { key: 'k', value: 'by address' })
      expect(await paid.buy('memory_get', { key: 'k' })).toMatchObject({ value: 'by address' })
      await paid.buy('memory_store', { key: 'big', value: 'x'.repeat(30_000) })
      const before = new Map(paid.chain.balances)
      await expect(paid.buy('memory_get', { key: 'none' })).rejects.toMatchObject({ code: 'not_found' })
      await expect(paid.buy('memory_get', { key: 'big' })).rejects.toMatchObject({ code: 'invalid_input' })
      await expect(paid.buy('memory_store', { key: 'k', value: 'v', if_version: 0 })).rejects.toMatchObject({
        code: 'conflict',
      })
      expect(new Map(paid.chain.balances)).toEqual(before)
      expect(await paid.buy('memory_get', { key: 'big', max_kb: 30 })).toMatchObject({ bytes: 30_000 })
    } finally {
      await paid.stop()
    }
  })
})
