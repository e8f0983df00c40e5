import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { toToolError } from '../../mcp/kernel/error.ts'
import { type Availability, type Entry, type Json, type Store, StoreFailure } from '../../store/index.ts'
import { sweepClaims } from '../../store/postgres/claim.ts'
import { openPools } from '../../store/postgres/connections.ts'
import { openPostgres, type PostgresOptions } from '../../store/postgres/open.ts'
import { ask, createDatabase } from '../database.ts'
import { bothWays, freshSchema, withDatabase } from './database.ts'
import { byA, byAB, eventually, gate, inWords, type Thing, uniqueAB } from './opened.ts'
import { networkTo } from './proxy.ts'

for (const { name, isHere, to } of bothWays())
  describe.skipIf(!isHere)(`the postgres store, ${name}`, () => {
    const url = withDatabase()

    const open = async (options: Partial<PostgresOptions>): Promise<Store> => {
      const store = await openPostgres({ ...to(url()), ...options })
      onTestFinished(() => store.close())
      return store
    }
    const two = async (): Promise<[Store, Store, string]> => {
      const schema = freshSchema()
      return [await open({ schema }), await open({ schema }), schema]
    }

    describe('opened twice on one database', () => {
      test('is one store: documents, claims and entries of one are those of the other', async () => {
        const [one, other] = await two()
        const logs: Entry[][] = [[], []]
        one.subscribe('topic', entry => logs[0]?.push(entry))
        other.subscribe('topic', entry => logs[1]?.push(entry))
        await one.append('topic', 'first')
        await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? one : other).append('topic', n)))
        await one.append('topic', 'last')
        await eventually(() => logs.every(entries => entries.at(-1)?.payload === 'last'))
        const all = await other.read('topic', 0, 100)
        expect(all).toHaveLength(22)
        expect(logs[0]).toEqual(all)
        expect(logs[1]?.length).toBeGreaterThanOrEqual(21)
        expect(all.slice(-(logs[1]?.length ?? 0))).toEqual(logs[1])
        await one.collection('things').put({ id: '1' })
        expect(await other.collection('things').get('1')).toEqual({ id: '1' })
        const until = new Date(Date.now() + 60_000)
        const claims = await Promise.all(
          Array.from({ length: 20 }, (_, n) => (n % 2 ? one : other).claim('job', until)),
        )
        expect(claims.filter(Boolean)).toHaveLength(1)
      })

      test('makes its schema and indexes once when five open and declare at the same time', async () => {
        const schema = freshSchema()
        const stores = await Promise.all(Array.from({ length: 5 }, () => open({ schema })))
        const claims = await Promise.all(
          stores.map((store, n) =>
            store
              .collection<Thing>('things', [byA, byAB, uniqueAB, inWords])
              .insert({ id: `${n}`, a: 'same', text: 'x' }),
          ),
        )
        expect(claims.filter(Boolean)).toHaveLength(1)
        for (const store of stores)
          expect(await store.collection('things').count({ index: 'in_words', where: { text: 'x' } })).toBe(1)
      })

      test('indexes the words of documents that a replica writes which knows nothing of the words index', async () => {
        const [old, young] = await two()
        const before = old.collection<Thing>('things', [byA])
        await before.put({ id: '1', text: 'early bird' })
        const things = young.collection<Thing>('things', [byA, inWords, uniqueAB])
        expect(await things.count({ index: 'in_words', where: { text: 'bird' } })).toBe(1)
        await before.put({ id: '2', text: 'late bird', a: 1, b: 1 })
        await old.transaction(tx => tx.collection<Thing>('things').put({ id: '3', text: 'caught bird' }))
        expect(await things.count({ index: 'in_words', where: { text: 'bird' } })).toBe(3)
        expect(await before.insert({ id: '4', a: 1, b: 1 })).toBe(false)
      })

      test('replaces an index that is declared anew with other fields, and the replica with the old one goes on', async () => {
        const [old, young] = await two()
        const before = old.collection<Thing>('things', [{ ...byA, unique: true }])
        await before.put({ id: '1', a: 1, b: 1 })
        const things = young.collection<Thing>('things', [{ ...byAB, name: byA.name }])
        expect((await things.find({ index: 'by_a', where: { a: 1, b: 1 } })).rows).toHaveLength(1)
        await things.put({ id: '2', a: 1, b: 2 })
        expect((await before.find({ index: 'by_a', where: { a: 1 } })).rows).toHaveLength(2)
      })

      test('says which index cannot be unique, and works when the documents are mended', async () => {
        const [one, other] = await two()
        const plain = one.collection<Thing>('things')
        await plain.put({ id: '1', a: 1 })
        await plain.put({ id: '2', a: 1 })
        const things = other.collection<Thing>('things', [uniqueAB])
        await expect(things.get('1')).rejects.toThrow('"unique_a_b" cannot be unique')
        await plain.delete('2')
        expect(await things.insert({ id: '3', a: 1 })).toBe(false)
      })

      test('runs a transaction again even when its work swallows the conflict', async () => {
        const [one, other] = await two()
        await one.collection<Thing>('things').put({ id: 'x', a: 0 })
        let runs = 0
        await one.transaction(async tx => {
          runs += 1
          const things = tx.collection<Thing>('things')
          const thing = await things.get('x')
          if (runs === 1) await other.collection<Thing>('things').put({ id: 'x', a: 10 })
          await things.put({ id: 'x', a: Number(thing?.a) + 1 }).catch(() => undefined)
          await things.put({ id: 'y' }).catch(() => undefined)
        })
        expect(runs).toBe(2)
        expect(await one.collection('things').get('x')).toEqual({ id: 'x', a: 11 })
      })

      test('lets a hundred transactions over four accounts through, though they lock them in any order', async () => {
        const [one, other] = await two()
        const accounts = one.collection<{ id: string; n: number }>('accounts')
        for (const id of ['0', '1', '2', '3']) await accounts.put({ id, n: 0 })
        const touch = (n: number) =>
          (n % 2 ? one : other).transaction(async tx => {
            const inside = tx.collection<{ id: string; n: number }>('accounts')
            for (const id of [n % 4, (n * 3 + 1) % 4])
              await inside.update(`${id}`, row => ({ ...row, n: row.n + 1 }))
          })
        await Promise.all(Array.from({ length: 100 }, (_, n) => touch(n)))
        const rows = await Promise.all(['0', '1', '2', '3'].map(id => accounts.get(id)))
        expect(rows.reduce((sum, row) => sum + (row?.n ?? 0), 0)).toBe(200)
      })
    })

    test('answers queries from its indexes and in their order, without sorting', async () => {
      const [store, , schema] = await two()
      const things = store.collection<Thing>('things', [byAB, uniqueAB, inWords])
      await store.transaction(async tx => {
        for (let n = 0; n < 400; n += 1)
          await tx.collection<Thing>('things').put({ id: `${n}`, a: n % 7, b: n, text: `w${n}` })
      })
      await things.find({ index: 'by_a_b', where: { a: 3 } })
      const sql = (await import('../../store/postgres/find.ts')).findStatement
      const [row] = await ask(url(), `SELECT relation, indexes FROM ${schema}.collections`)
      const relation = {
        schema,
        collection: 'things',
        table: `${schema}.${row?.relation}`,
        indexes: [],
        queryable: [],
      }
      const plans: [Parameters<typeof sql>[1], RegExp][] = [
        [{ index: byAB, equal: [3], order: 'asc', limit: 10 }, /Index Scan using i_/],
        [{ index: byAB, equal: [], order: 'desc', limit: 10 }, /Index Scan Backward using i_/],
        [
          { index: byAB, equal: [3], order: 'asc', limit: 10, after: { values: [3, 50], id: '50' } },
          /Index Cond: .*ROW\(/,
        ],
        [
          { index: uniqueAB, equal: [3], range: { field: 'b', gt: 5 }, order: 'asc', limit: 10 },
          /Index Scan using i_/,
        ],
      ]
      await ask(url(), `ANALYZE ${relation.table}`)
      for (const [plan, expected] of plans) {
        const statement = sql(relation, plan)
        const rows = await ask(url(), `EXPLAIN ${statement?.sql}`, statement?.values)
        const text = rows.map(line => line['QUERY PLAN']).join('\n')
        expect(text).toMatch(expected)
        expect(text).not.toMatch(/Sort|Seq Scan/)
      }
    })

    test('sweeps away claims that are long over and keeps the others', async () => {
      const [store, , schema] = await two()
      await store.claim('old', new Date(Date.now() - 120_000))
      await store.claim('new', new Date(Date.now() + 120_000))
      const connections = await openPools(url(), { size: 1 })
      await sweepClaims(connections.askPlain, schema)
      await connections.end()
      expect(await ask(url(), `SELECT key FROM ${schema}.claims`)).toEqual([{ key: 'new' }])
    })

    describe('when the database goes away', () => {
      test('fails clearly where there is none, and never names the password', async () => {
        const opening = openPostgres({ url: 'postgres://user:hush@127.0.0.1:1/nothing' })
        const failure = await opening.catch(error => error)
        expect(failure).toBeInstanceOf(StoreFailure)
        expect(failure.message).toMatch(/PostgreSQL.*ECONNREFUSED/)
        expect(`${failure.message} ${failure.stack}`).not.toContain('hush')
        await expect(openPostgres({ url: 'not a url' })).rejects.toThrow('not a URL')
      })

      test('refuses a database that is newer or does not keep UTF-8', async () => {
        const [, , schema] = await two()
        await ask(url(), `UPDATE ${schema}.version SET version = 999`)
        await expect(openPostgres({ ...to(url()), schema })).rejects.toThrow('schema version 999')
        const latinName = `latin_${freshSchema()}`
        await ask(
          url(),
          `CREATE DATABASE ${latinName} ENCODING LATIN1 LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0`,
        )
        const latin = new URL(url())
        latin.pathname = `/${latinName}`
        await expect(openPostgres(to(latin.href))).rejects.toThrow('UTF8')
      })

      test('survives the loss of all its connections, also amid a transaction, and goes on by itself', async () => {
        const own = await createDatabase(url())
        const store = await open(to(own))
        const things = store.collection<Thing>('things')
        const payloads: Json[] = []
        store.subscribe('topic', ({ payload }) => payloads.push(payload))
        await store.append('topic', 1)
        await eventually(() => payloads.length === 1)
        const terminateSql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'octagent' AND datname = current_database()`
        const releaseGate = gate()
        const startGate = gate()
        const losing = store.transaction(async tx => {
          await tx.collection<Thing>('things').put({ id: 'lost' })
          startGate.open()
          await releaseGate.whenOpen
          await tx.collection<Thing>('things').put({ id: 'lost too' })
        })
        await startGate.whenOpen
        await ask(own, terminateSql)
        await pause(50)
        releaseGate.open()
        await expect(losing).rejects.toThrow(StoreFailure)
        expect(await things.get('lost')).toBeUndefined()
        await store.append('topic', 2)
        await eventually(() => payloads.length === 2)
        expect(await store.health()).toEqual({ ok: true, engine: 'postgres' })
      })

      test('says so in health and errors while it is down, recovers, and catches up on what it missed', async () => {
        const own = await createDatabase(url())
        const network = await networkTo(to(own))
        onTestFinished(network.down)
        const changes: Availability[] = []
        const store = await open({ ...network.address, onAvailability: one => changes.push(one) })
        const payloads: Json[] = []
        store.subscribe('topic', ({ payload }) => payloads.push(payload))
        await store.append('topic', 'before')
        await eventually(() => payloads.length === 1)
        await network.down()
        await expect(store.append('topic', 'lost')).rejects.toThrow(StoreFailure)
        await expect(store.collection('things').get('1')).rejects.toThrow(StoreFailure)
        const error = await store.claim('key', new Date()).catch(toToolError)
        expect(error).toMatchObject({ code: 'unavailable', status: 503, headers: { 'Retry-After': '5' } })
        expect(changes).toEqual([{ available: false, detail: expect.stringContaining('PostgreSQL') }])
        const health = await store.health()
        expect(health).toMatchObject({ ok: false, detail: expect.stringContaining('PostgreSQL') })
        expect(health.detail).not.toContain('127.0.0.1')
        const other = await open(to(own))
        for (const n of [1, 2, 3]) await other.append('topic', n)
        await network.up()
        await eventually(() => payloads.length === 4)
        expect(payloads).toEqual(['before', 1, 2, 3])
        await store.append('topic', 'after')
        await eventually(() => payloads.length === 5)
        expect(await store.health()).toEqual({ ok: true, engine: 'postgres' })
        expect(changes.map(({ available }) => available)).toEqual([false, true])
      })

      test('hears each entry once and in order, though what listens is cut off again and again under writes', async () => {
        const own = await createDatabase(url())
        const store = await open(to(own))
        const other = await open(to(own))
        const payloads: Json[] = []
        store.subscribe('topic', ({ payload }) => payloads.push(payload))
        await store.append('topic', 0)
        await eventually(() => payloads.length === 1)
        const cut = () =>
          ask(
            own,
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND query ~ '^(LISTEN|SELECT 1$)'`,
          )
        let cuts = 0
        for (let n = 1; n <= 60; n += 1) {
          await other.append('topic', n)
          if (n % 10 === 5) cuts += (await cut()).length
        }
        expect(cuts).toBeGreaterThan(1)
        await eventually(() => payloads.length >= 61)
        expect(payloads).toEqual(Array.from({ length: 61 }, (_, n) => n))
      })

      test('answers health within seconds when the network swallows everything', async () => {
        const network = await networkTo(to(await createDatabase(url())))
        onTestFinished(network.down)
        const store = await openPostgres(network.address)
        network.mute(true)
        expect(await store.health()).toMatchObject({
          ok: false,
          detail: expect.stringContaining('2 seconds'),
        })
        await network.down()
        await store.close()
      })
    })
  })
