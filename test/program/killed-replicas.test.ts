// Costs: two replicas on one PostgreSQL, killed in the middle of paid calls.
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { addCredits, loadCredits } from '../../mcp/services/broker/money.ts'
import type { Store } from '../../store/index.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { postgresIsHere, withDatabase } from '../store/database.ts'
import { isStress } from '../stress.ts'
import {
  type Admitted,
  applicant,
  type Book,
  client,
  follower,
  keyedSigner,
  type Load,
  openPerson,
  openPurse,
  type Purse,
  publishTask,
  pusher,
  reader,
  type StreamEvent,
  signer,
  spender,
  type Told,
  taskState,
  waiter,
} from './replicas/load.ts'
import { openReplicas } from './replicas/servers.ts'

const replicas = Number(process.env.REPLICAS ?? (isStress ? 4 : 2))
const killEveryMs = 1000 * Number(process.env.REPLICAS_KILL_EVERY ?? (isStress ? 10 : 1))
const kills = Number(process.env.REPLICAS_KILLS ?? (isStress ? 6 : 2))
/** A key of a server that was killed is free again within ten seconds; an agent's task that it ran, within a minute. */
const patienceMs = 120_000
const credits = 1_000_000

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))

const readTopic = async (store: Store, topic: string) => {
  const entries = []
  for (;;) {
    const page = await store.read(topic, entries.at(-1)?.at ?? 0, 500)
    if (page.length === 0) return entries
    entries.push(...page)
  }
}

const isRising = (numbers: readonly number[]): boolean =>
  numbers.every((number, nth) => nth === 0 || number > (numbers[nth - 1] ?? 0))

describe.skipIf(!postgresIsHere)(`${replicas} servers on one PostgreSQL behind a load balancer`, () => {
  const database = withDatabase()

  test('lose nothing, do nothing twice and let nobody through twice while they are killed one after the other', async () => {
    const servers = await openReplicas(database(), replicas)
    const store = await openPostgres({ url: database() })
    const ledger = openLedger()
    const { url } = servers
    let isOver = false
    let until = Number.POSITIVE_INFINITY
    let isClosed = false
    const close = async () => {
      isOver = true
      until = 0
      if (isClosed) return []
      isClosed = true
      await store.close()
      return servers.close()
    }
    try {
      const purses = await Promise.all(times(4, () => openPurse(url)))
      for (const { account } of purses)
        await store.transaction(tx =>
          addCredits(tx, ledger, { id: `gift:${account}`, account, credits, memo: 'gift', from: 'grants' }),
        )
      const publisher = await openPerson(servers.at(0))
      const task = await publishTask(url, publisher)
      const workers = await Promise.all(times(3, n => openPerson(servers.at(n))))
      for (const [n, worker] of workers.entries()) {
        const register = { kind: 'human', name: `Worker ${n}` }
        const response = await fetch(`${url}/tasks/tools/register_worker`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...worker },
          body: JSON.stringify(register),
        })
        expect(response.status).toBe(200)
      }

      const book: Book = { told: new Map(), open: new Set() }
      const told = new Map<Purse, Told[]>(purses.map(purse => [purse, []]))
      const heard: StreamEvent[][] = [[], []]
      const applied: string[] = []
      const admitted: Admitted[] = []
      const tasks: string[] = []
      const load: Load = { url, isOver: () => isOver, until: () => until, done: new Map() }
      const hasAll = (purse: Purse) => () =>
        purse.open.size === 0 &&
        [...purse.listings].every(id => told.get(purse)?.some(({ listing_id }) => listing_id === id))

      const begun = Date.now()
      servers.lose(50)
      const work = Promise.all([
        ...times(isStress ? 3 : 1, () => reader(book)(load)),
        ...times(3, n => signer(`plain-${n}`, book, 300)(load)),
        ...times(3, n => keyedSigner(`keyed-${n}`, book, 300)(load)),
        ...purses.map((purse, n) => spender(`purse-${n}`, purse)(load)),
        ...purses.map(purse => waiter(purse, told.get(purse) ?? [], hasAll(purse))(load)),
        ...workers.map(worker => applicant(worker, task, applied)(load)),
        pusher(admitted)(load),
        ...times(2, () => client(tasks)(load)),
      ])
      const following = Promise.all(heard.map(events => follower(publisher, task, events)(load)))
      const killing = async () => {
        for (let n = 0; n < kills; n++) {
          await pause(killEveryMs)
          if (isOver) return
          await servers.kill(n % replicas)
        }
        await pause(Math.min(killEveryMs, 5_000))
        isOver = true
        until = Date.now() + patienceMs
      }
      await Promise.all([work, killing()])
      servers.lose(0)
      const seconds = (Date.now() - begun) / 1000
      const cancelled = await fetch(`${url}/tasks/tools/cancel_task`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...publisher },
        body: JSON.stringify({ task_id: task }),
      })
      expect(cancelled.status).toBe(200)
      until = Date.now() + patienceMs
      await following

      // Every signature that somebody was told of is there under its number; none is there twice, and no number is missing.
      const guestbook = store.collection<{ id: string; number: number; name: string }>('cat.guestbook')
      const signatures = await guestbook.count()
      const names = new Map<string, number>()
      for (let number = 1; number <= signatures; number++) {
        const row = await guestbook.get(String(number))
        expect(row, `signature ${number}`).toBeDefined()
        expect(names.has(row?.name ?? ''), `${row?.name} twice`).toBe(false)
        names.set(row?.name ?? '', number)
      }
      for (const [name, number] of book.told) expect(names.get(name), name).toBe(number)
      for (const name of names.keys()) expect(book.told.has(name) || book.open.has(name), name).toBe(true)
      expect([...book.open].filter(name => name.startsWith('keyed'))).toEqual([])

      // Money: what is left is what was given less what was answered, to the credit.
      for (const purse of purses) {
        const spent = [...purse.spent.values()].reduce((sum, cost) => sum + cost, 0)
        expect([...purse.open.keys()]).toEqual([])
        const { total, held } = await store.transaction(tx => loadCredits(tx, ledger, purse.account))
        expect([total, held]).toEqual([credits - spent, 0])
      }
      const audit = await servers.audit(1)
      expect([audit.code, JSON.parse(audit.stdout)]).toMatchObject([0, { ok: true, faults: [] }])

      // Events: what each listener heard is the log, whole and in order.
      for (const [{ account, listings }, events] of told) {
        const log = await readTopic(store, `broker.events ${account}`)
        expect(isRising(events.map(({ at }) => at))).toBe(true)
        expect(events.map(({ at }) => at)).toEqual(log.map(({ at }) => at).slice(0, events.length))
        const posted = log.flatMap(({ payload }) => (payload as { listing?: string }).listing ?? [])
        expect([...posted].sort()).toEqual([...listings].sort())
        expect(events.length).toBe(log.length)
      }
      const log = await readTopic(store, `tasks.events ${task}`)
      for (const events of heard) expect(events.map(({ id }) => id)).toEqual(log.map(({ at }) => at))
      const received = log.filter(
        ({ payload }) => (payload as { kind: string }).kind === 'application.received',
      )
      expect(received.length).toBeGreaterThanOrEqual(applied.length)

      // Limits: 30 a minute, and a tenth more for each server beyond the first, those that came anew in that minute included.
      const windows = new Map<number, number>()
      for (const { sent, answered, status } of admitted) {
        const window = Math.floor(sent / 60_000)
        if (status !== 200 || window !== Math.floor(answered / 60_000)) continue
        windows.set(window, (windows.get(window) ?? 0) + 1)
      }
      for (const [window, count] of windows) {
        const anew = servers.starts.slice(replicas).filter(at => Math.floor(at / 60_000) === window).length
        expect(count).toBeLessThanOrEqual(30 + 3 * (replicas + anew - 1))
      }
      expect(admitted.some(({ status }) => status === 429)).toBe(true)

      // Tasks of agents: each that was acknowledged is there, and is over once it counts as interrupted.
      for (const id of tasks)
        await expect
          .poll(() => taskState(url, id), { timeout: patienceMs, interval: 500 })
          .toMatch(/^TASK_STATE_(COMPLETED|FAILED)$/)

      const { served, passedOn, broken, lost } = servers.counts()
      const rows = [...load.done].map(([what, count]) => `${what}: ${count}`)
      console.log(
        [`${kills} kills in ${seconds.toFixed(0)} s`, ...rows, `signatures: ${signatures}`].join('\n'),
        `\nanswers of each server: ${served.join(', ')}; asked elsewhere: ${passedOn}; broken: ${broken}; lost: ${lost}`,
        `\nin windows of the limit: ${[...windows.values()].join(', ')}`,
      )
      expect(await close()).toEqual(times(replicas, () => 0))
    } finally {
      await close()
    }
  }, 900_000)
})
