import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../store/index.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { runs } from '../stress.ts'
import { bothWays, withDatabase } from './database.ts'

type Account = { id: string; balance: number }
type Move = { id: string; from: string; to: string }

const refused = new Error('the work itself refuses')

for (const { name, isHere, to } of bothWays())
  describe.skipIf(!isHere)(`rows that everybody writes, ${name}`, () => {
    const url = withDatabase()
    const replicas: Store[] = []
    beforeAll(async () => {
      while (replicas.length < 2) replicas.push(await openPostgres(to(url())))
    })
    afterAll(async () => {
      await Promise.all(replicas.map(store => store.close()))
    })
    const replica = (nth: number): Store => replicas[nth % 2] as Store
    const names = (count: number, of: string) => Array.from({ length: count }, (_, n) => `${of}-${n}`)
    const seed = (ids: readonly string[]) =>
      Promise.all(ids.map(id => replica(0).collection<Account>('accounts').put({ id, balance: 1000 })))
    const balances = async (ids: readonly string[]) =>
      Promise.all(ids.map(async id => (await replica(1).collection<Account>('accounts').get(id))?.balance))

    test('keep their sum and lose nothing, in whatever order they are taken, while others refuse', async () => {
      const ids = names(3, 'shared')
      await seed(ids)
      const pick = (seed: number) => ids[seed % ids.length] as string
      const move = async (n: number): Promise<string> => {
        const [from, to] = [pick(n), pick(n + 1 + (n % 2))]
        await replica(n).transaction(async tx => {
          const accounts = tx.collection<Account>('accounts')
          const [source, target] = [await accounts.get(from), await accounts.get(to)]
          if (!source || !target) throw new Error('an account is gone')
          await accounts.put({ ...source, balance: source.balance - 1 })
          if (n % 7 === 0) throw refused
          await accounts.put({ ...target, balance: target.balance + 1 })
          await tx.collection<Move>('moves').insert({ id: `move-${n}`, from, to })
          await tx.append('moves', n)
        })
        return `${from} ${to}`
      }
      const count = runs(600, 150)
      const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, n) => move(n)))
      const failures = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
      expect(failures.every(failure => failure === refused)).toBe(true)
      expect(failures).toHaveLength(Math.ceil(count / 7))
      const done = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
      const expected = ids.map(
        id =>
          1000 -
          done.filter(move => move.startsWith(`${id} `)).length +
          done.filter(move => move.endsWith(` ${id}`)).length,
      )
      expect(await balances(ids)).toEqual(expected)
      expect(await replica(0).collection('moves').count()).toBe(done.length)
      const entries = await replica(1).read('moves', 0, 1000)
      expect(new Set(entries.map(({ payload }) => payload)).size).toBe(done.length)
      expect(entries).toHaveLength(done.length)
    }, 300_000)

    test('take updates, plain writes and transactions at once, each exactly once', async () => {
      await seed(['mixed'])
      const count = runs(400, 100)
      const up = (row: Account): Account => ({ ...row, balance: row.balance + 1 })
      await Promise.all(
        Array.from({ length: count }, async (_, n) => {
          const store = replica(n)
          if (n % 3 === 0) return store.collection<Account>('accounts').update('mixed', up)
          return store.transaction(async tx => {
            if (n % 3 === 1) return tx.collection<Account>('accounts').update('mixed', up)
            const row = await tx.collection<Account>('accounts').get('mixed')
            if (row) await tx.collection<Account>('accounts').put(up(row))
            return row
          })
        }),
      )
      expect(await balances(['mixed'])).toEqual([1000 + count])
    }, 300_000)

    test('give each of a crowd its own result, and its own failure', async () => {
      await seed(['results'])
      const results = await Promise.all(
        Array.from({ length: runs(200, 60) }, (_, n) =>
          replica(0)
            .transaction(async tx => {
              const accounts = tx.collection<Account>('accounts')
              const row = await accounts.update('results', before => ({
                ...before,
                balance: before.balance - 1,
              }))
              if (n % 5 === 0) throw new Error(`refusal ${n}`)
              return { n, balance: row?.balance }
            })
            .catch((error: Error) => error.message),
        ),
      )
      for (const [n, result] of results.entries())
        if (n % 5 === 0) expect(result).toBe(`refusal ${n}`)
        else expect(result).toMatchObject({ n })
      const seen = results.flatMap(result => (typeof result === 'object' ? [result.balance] : []))
      expect(new Set(seen).size).toBe(seen.length)
      expect(await balances(['results'])).toEqual([Math.min(...seen.map(Number))])
    }, 300_000)

    test('let those through that write other rows', async () => {
      await seed(['crowded', 'quiet'])
      let isOver = false
      const crowd = Promise.all(
        Array.from({ length: 24 }, async () => {
          while (!isOver)
            await replica(0)
              .collection<Account>('accounts')
              .update('crowded', row => ({ ...row, balance: row.balance + 1 }))
        }),
      )
      for (let n = 0; n < 20; n++)
        await replica(0)
          .collection<Account>('accounts')
          .update('quiet', row => ({ ...row, balance: row.balance + 1 }))
      isOver = true
      await crowd
      expect(await balances(['quiet'])).toEqual([1020])
    }, 300_000)
  })
