import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../../store/index.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { compile } from './compiled.ts'
import { postgresIsHere, withDatabase } from './database.ts'

describe.skipIf(!postgresIsHere)('two server processes on one database', () => {
  const url = withDatabase()
  const replicas: ChildProcess[] = []

  const tell = async (replica: ChildProcess, task: string): Promise<unknown> => {
    const answer = once(replica, 'message')
    replica.send(task)
    const [result] = await answer
    return result
  }

  beforeAll(async () => {
    const setup = await openPostgres({ url: url() })
    const accounts = setup.collection<{ id: string; balance: number }>('accounts')
    await accounts.put({ id: 'shared', balance: 300 })
    await accounts.put({ id: 'counter', balance: 0 })
    await setup.close()
    for (let n = 0; n < 2; n += 1) replicas.push(fork(compile('replica'), [url()]))
    await Promise.all(replicas.map(replica => once(replica, 'message')))
  })

  afterAll(async () => {
    for (const replica of replicas) replica.kill('SIGKILL')
  })

  test('never overdraw an account with fifty concurrent debits, and both hear of each', async () => {
    const [one, two] = await Promise.all(replicas.map(replica => tell(replica, 'debit')))
    const successes = [one, two].flat().filter(Boolean)
    expect(successes).toHaveLength(30)
    const store = await openPostgres({ url: url() })
    expect(await store.collection('accounts').get('shared')).toEqual({ id: 'shared', balance: 0 })
    const debits = (await store.read('debits', 0, 100)).map(({ payload }) => payload)
    await store.close()
    expect(debits).toHaveLength(30)
    expect(new Set(debits.map(payload => JSON.stringify(payload))).size).toBe(30)
    expect(new Set(debits.map(payload => (payload as { pid: number }).pid)).size).toBe(2)
    for (const replica of replicas) {
      let payloads: Json[] = []
      for (let round = 0; round < 100 && payloads.length < 30; round += 1)
        payloads = (await tell(replica, 'payloads')) as Json[]
      expect(payloads).toEqual(debits)
    }
  })

  test('add up fifty updates of one document', async () => {
    await Promise.all(replicas.map(replica => tell(replica, 'update')))
    const store = await openPostgres({ url: url() })
    expect(await store.collection('accounts').get('counter')).toEqual({ id: 'counter', balance: 50 })
    await store.close()
  })

  test('end by themselves when their stores are closed', async () => {
    const exits = Promise.all(replicas.map(replica => once(replica, 'exit')))
    for (const replica of replicas) replica.send('close')
    expect((await exits).map(([code]) => code)).toEqual([0, 0])
  })
})
