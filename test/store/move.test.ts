import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { backUpStore, restoreStore } from '../../store/copy/backup.ts'
import { type Freeze, moveStore, type Place } from '../../store/copy/move.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import { type Json, type Store, StoreFailure } from '../../store/index.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { ask } from '../database.ts'
import { runs } from '../stress.ts'
import { freshSchema, postgresIsHere, withDatabase } from './database.ts'
import { byA, byAB, inWords, type Thing, uniqueAB } from './opened.ts'

const later = new Date(Date.now() + 86_400_000)
const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T

const randomJson = (depth = 0): Json => {
  const scalars: Json[] = [null, true, Math.random() * 1e21, -1.5e-300, 2 ** 53, 0, 'ä\u2028"\\\t\n', '𝄞']
  if (depth > 2 || Math.random() < 0.5) return pick(scalars)
  if (Math.random() < 0.5) return [randomJson(depth + 1), randomJson(depth + 1)]
  return { b: randomJson(depth + 1), [randomBytes(2).toString('hex')]: randomJson(depth + 1) }
}

/** Fills a store with what stores hold; in the logs of PostgreSQL some numbers stay free. */
const fill = async (store: Store, count: number): Promise<void> => {
  const things = store.collection<Thing & { more?: Json }>('things', [byA, byAB, inWords])
  const pairs = store.collection<Thing>('pairs', [uniqueAB])
  store.collection('empty', [byA])
  await store.collection('empty').count()
  for (let n = 0; n < count; n++) {
    const id = `${pick(['ä', 'z', 'A', '𝄞'])}-${n}`
    await things.put({
      id,
      a: pick([null, n, `t${n}`, true]),
      b: n % 7,
      text: `word${n} common`,
      more: randomJson(),
    })
    await pairs.insert({ id, a: n, b: 'b' })
    if (n % 3 === 0) await things.delete(id)
    await store.claim(`claim ${n}`, n % 2 ? later : new Date(Date.now() - 1000))
    const topic = `topic ${n % 4}`
    await store.append(topic, randomJson())
    const refusal = new Error('no')
    if (n % 5 === 0)
      await store
        .transaction(async tx => {
          await tx.append(topic, n)
          throw refusal
        })
        .catch(error => expect(error).toBe(refusal))
  }
}

/** All that callers can see of it. */
const look = async (store: Store) => {
  const things = store.collection<Thing>('things', [byA, byAB, inWords])
  const pages = await Promise.all([
    things.find({ index: 'by_a_b', limit: 1000 }),
    things.find({ index: 'in_words', where: { text: 'common' }, limit: 1000 }),
    store.collection<Thing>('pairs', [uniqueAB]).find({ index: 'unique_a_b', limit: 1000 }),
  ])
  const logs = await Promise.all([0, 1, 2, 3].map(n => store.read(`topic ${n}`, 0, 1000)))
  return { rows: pages.map(({ rows }) => rows), logs }
}

describe.skipIf(!postgresIsHere)('a store that moves', () => {
  const url = withDatabase()
  const folder = async (): Promise<Place & { dir: string }> => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-move-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    return { name: dir, dir: join(dir, 'store') }
  }
  const schema = () => ({ name: 'postgres://db.example.net/octagent', url: url(), schema: freshSchema() })
  const gap = async (place: ReturnType<typeof schema>) => {
    await ask(url(), `UPDATE ${place.schema}.topics SET last = last + 3 WHERE topic = 'topic 1'`)
  }

  test('holds the same in PostgreSQL, then in a folder again, with every number of its logs, and goes on from there', async () => {
    const [first, database, second, third] = [await folder(), schema(), await folder(), schema()]
    const source = await openEmbedded({ dir: first.dir })
    await fill(source, runs(300, 40))
    const before = await look(source)
    await source.close()
    const one = await moveStore({ from: first, to: database })
    expect(one['entries of logs']?.count).toBeGreaterThan(30)

    const store = await openPostgres(database)
    expect(await look(store)).toEqual(before)
    expect(await store.claim('claim 1', later)).toBe(false)
    expect(await store.collection<Thing>('pairs', [uniqueAB]).insert({ id: 'new', a: 1, b: 'b' })).toBe(false)
    await gap(database)
    await fill(store, 20)
    const between = await look(store)
    expect(between.logs[1]?.some(({ at }, n) => at !== n + 1)).toBe(true)
    await store.close()
    const two = await moveStore({ from: database, to: second })

    const again = await openEmbedded({ dir: second.dir })
    expect(await look(again)).toEqual(between)
    const [page] = [await again.read('topic 1', 0, 4)]
    expect(page).toEqual(between.logs[1]?.slice(0, 4))
    await again.append('topic 1', 'after')
    const lastBefore = between.logs[1]?.at(-1)?.at ?? 0
    expect((await again.read('topic 1', lastBefore, 10)).map(({ at }) => at)).toEqual([lastBefore + 1])
    await again.close()
    // A start that reads its own files, and a third move, find the gaps as they were.
    const reopened = await openEmbedded({ dir: second.dir })
    expect((await look(reopened)).logs[1]?.slice(0, -1)).toEqual(between.logs[1])
    await reopened.close()
    const three = await moveStore({ from: second, to: third })
    expect({ ...three, 'entries of logs': 0 }).toEqual({ ...two, 'entries of logs': 0 })
  })

  test('comes back from a backup of a folder into PostgreSQL, and of that into a folder, the same, and over nothing that is there', async () => {
    const [first, database, second, back] = [await folder(), schema(), await folder(), await folder()]
    const source = await openEmbedded({ dir: first.dir })
    await fill(source, runs(100, 20))
    const before = await look(source)
    await source.close()
    const now = new Date()
    const census = await backUpStore({ from: first, dir: second.dir, now })
    await restoreStore(second.dir, database, census, now)
    const store = await openPostgres(database)
    expect(await look(store)).toEqual(before)
    await expect(restoreStore(second.dir, database, census, now)).rejects.toThrow('holds a store already')
    const third = await folder()
    const of = await backUpStore({ from: database, dir: third.dir, now })
    await store.close()
    await restoreStore(third.dir, back, of, now)
    const restored = await openEmbedded({ dir: back.dir })
    expect(await look(restored)).toEqual(before)
    await restored.close()
  })

  test('is opened by nobody where it was, and taken by no place that holds something', async () => {
    const [first, database, second] = [await folder(), schema(), await folder()]
    await (await openEmbedded({ dir: second.dir })).close()
    const source = await openEmbedded({ dir: first.dir })
    await source.collection('things').put({ id: '1' })
    await source.close()
    await moveStore({ from: first, to: database })
    await expect(openEmbedded({ dir: first.dir })).rejects.toThrow('was moved to postgres://db.example.net')
    await expect(moveStore({ from: second, to: database })).rejects.toThrow('holds a store already')
    await expect(moveStore({ from: database, to: second })).rejects.toThrow('holds a store already')
    const store = await openPostgres(database)
    await store.collection('things').put({ id: '2' })
    await store.close()
    await moveStore({ from: database, to: await folder() })
    await expect(openPostgres(database)).rejects.toThrow('was moved to')
  })

  test('answers reads and refuses writes in PostgreSQL while it is read, and takes them again where the move fails', async () => {
    const [database, target] = [schema(), await folder()]
    const store = await openPostgres(database)
    onTestFinished(() => store.close())
    await fill(store, 10)
    const things = store.collection<Thing>('things')
    const seen: unknown[] = []
    const failing = moveStore({
      from: database,
      to: target,
      onStep: step => {
        if (step === 'compare') throw new Error('the mover dies')
      },
    })
    await expect(failing).rejects.toThrow('the mover dies')
    await things.put({ id: 'between' })
    await expect(openEmbedded({ dir: target.dir })).rejects.toThrow('incomplete copy')

    let trying: Promise<void> = Promise.resolve()
    await moveStore({
      from: database,
      to: target,
      onStep: step => {
        if (step !== 'copy') return
        trying = (async () => {
          seen.push(await things.get('between'))
          seen.push(await things.put({ id: 'late' }).catch(error => error))
          seen.push(await store.append('topic 1', 1).catch(error => error))
        })()
      },
    })
    await trying
    expect(seen[0]).toEqual({ id: 'between' })
    for (const refusal of seen.slice(1)) {
      expect(refusal).toBeInstanceOf(StoreFailure)
      expect((refusal as StoreFailure).away?.detail).toContain('migrating')
    }
    await expect(things.put({ id: 'too late' })).rejects.toThrow('is being moved')
    const moved = await openEmbedded({ dir: target.dir })
    expect(await moved.collection('things').get('between')).toEqual({ id: 'between' })
    expect(await moved.collection('things').get('late')).toBeUndefined()
    await moved.close()
  })

  test('is not moved from under a server that has written meanwhile', async () => {
    const [first, database] = [await folder(), schema()]
    const source = await openEmbedded({ dir: first.dir })
    onTestFinished(() => source.close())
    await fill(source, 10)
    const hold = async (seconds: number) => (await source.freeze?.(seconds)) ?? 0
    const careless: Freeze = { hold: () => hold(0.001), holdForGood: () => hold(1000) }
    const onStep = async (step: string) => {
      if (step === 'compare') await source.collection('things').put({ id: 'slipped through' })
    }
    let writing: Promise<void> = Promise.resolve()
    const slipping = moveStore({
      from: first,
      to: database,
      freeze: careless,
      onStep: step => {
        if (step === 'compare') writing = new Promise(done => setTimeout(done, 5)).then(() => onStep(step))
      },
    })
    const [outcome] = await Promise.allSettled([slipping])
    await writing
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringMatching(/written meanwhile/) },
    })
    await expect(openPostgres(database)).rejects.toThrow('incomplete copy')
    await source.freeze?.(0.001)
    await new Promise(done => setTimeout(done, 5))

    const careful: Freeze = { hold: () => hold(30), holdForGood: () => hold(1000) }
    const refusals: unknown[] = []
    await moveStore({
      from: first,
      to: database,
      freeze: careful,
      onStep: step => {
        if (step === 'copy')
          source
            .collection('things')
            .put({ id: 'late' })
            .catch(error => refusals.push(error))
      },
    })
    expect(refusals).toEqual([expect.objectContaining({ away: expect.objectContaining({ retryAfter: 30 }) })])
    expect(await source.collection('things').get('slipped through')).toBeDefined()
    const store = await openPostgres(database)
    expect(await store.collection('things').get('slipped through')).toBeDefined()
    await store.close()
  })
})
