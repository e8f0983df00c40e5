import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ToolError } from '../../mcp/kernel/error.ts'
import type { Asker } from '../../mcp/ports/index.ts'
import { type Bounds, openQueue, type QueuePlace, type Weight } from '../../mcp/ports/workers/queue.ts'

const bounds: Bounds = {
  places: 3,
  maxCallsPerClient: 5,
  maxCallsPerPayer: 20,
  maxWaiting: 64,
  maxWaitingBytes: 1 << 20,
}

/** A queue whose tasks run until they are told to end. */
const openDesk = (more: Partial<Bounds> = {}) => {
  const queue = openQueue({ ...bounds, ...more })
  const running = new Map<string, QueuePlace>()
  const refusals = new Map<string, ToolError>()
  const starts: string[] = []
  type Wish = { weight?: Weight; paid?: boolean; bytes?: number; signal?: AbortSignal; asker?: Asker }
  const ask = (name: string, { weight = 'heavy', paid = false, bytes = 1, signal, asker }: Wish = {}) => {
    const client = name.split('-')[0] ?? ''
    queue.enter({ asker: asker ?? { client, paid }, weight, bytes, signal }).then(
      place => {
        starts.push(name)
        running.set(name, place)
      },
      (error: ToolError) => refusals.set(name, error),
    )
  }
  const settle = () => new Promise(setImmediate)
  const end = async (name: string) => {
    running.get(name)?.leave()
    running.delete(name)
    await settle()
  }
  return { queue, ask, end, settle, running, refusals, starts }
}

const names = (client: string, count: number) => Array.from({ length: count }, (_, i) => `${client}-${i}`)

describe('the queue of the threads', () => {
  test('runs one of 60 heavy calls of a client, lets four wait and tells the others when to come back', async () => {
    const desk = openDesk()
    for (const name of names('flood', 60)) desk.ask(name)
    await desk.settle()
    expect([...desk.running.keys()]).toEqual(['flood-0'])
    expect(desk.refusals.size).toBe(55)
    for (const error of desk.refusals.values()) {
      expect(error.code).toBe('too_many_requests')
      expect(error.headers['Retry-After']).toBe('2')
    }
  })

  test('lets a payer wait for more of what was paid for, one after the other', async () => {
    const desk = openDesk()
    for (const name of names('payer', 22)) desk.ask(name, { weight: 'light', paid: true })
    await desk.settle()
    expect([...desk.refusals.keys()]).toEqual(['payer-20', 'payer-21'])
    for (const name of names('payer', 20)) await desk.end(name)
    expect(desk.starts).toEqual(names('payer', 20))
  })

  test('serves 20 small calls of others while all 60 heavy ones of one client are under way', async () => {
    const desk = openDesk()
    for (const name of names('flood', 60)) desk.ask(name)
    const others = Array.from({ length: 20 }, (_, i) => `other${i}-0`)
    for (const name of others) desk.ask(name, { weight: 'light' })
    for (const name of others) {
      await desk.settle()
      await desk.end(name)
    }
    expect(desk.starts).toEqual(['flood-0', ...others])
    expect(desk.running.has('flood-0')).toBe(true)
  })

  test('never gives the last place to a heavy task, and any place to a light one', async () => {
    const desk = openDesk()
    for (const name of ['a-0', 'b-0', 'c-0']) desk.ask(name)
    for (const name of ['d-0', 'e-0']) desk.ask(name, { weight: 'light' })
    await desk.settle()
    expect(desk.starts).toEqual(['a-0', 'b-0', 'd-0'])
    await desk.end('a-0')
    expect(desk.starts.at(-1)).toBe('c-0')
  })

  test('lets clients take turns, whoever asked more and sooner', async () => {
    const desk = openDesk({ places: 1 })
    for (const name of names('a', 4)) desk.ask(name)
    for (const name of names('b', 2)) desk.ask(name)
    desk.ask('c-0')
    await desk.settle()
    for (const name of ['a-0', 'b-0', 'c-0', 'a-1', 'b-1', 'a-2']) await desk.end(name)
    expect(desk.starts).toEqual(['a-0', 'b-0', 'c-0', 'a-1', 'b-1', 'a-2', 'a-3'])
  })

  test('serves payers before free callers, whose address they may share', async () => {
    const desk = openDesk({ places: 1 })
    for (const name of ['a-0', 'b-0', 'a-1']) desk.ask(name)
    desk.ask('a-paid', { paid: true })
    await desk.settle()
    await desk.end('a-0')
    expect(desk.starts).toEqual(['a-0', 'a-paid'])
  })

  test('takes all parts of a call that is in, one after the other', async () => {
    const desk = openDesk({ maxCallsPerClient: 2 })
    const asker = { client: 'a', paid: false }
    for (const name of names('a', 12)) desk.ask(name, { asker })
    desk.ask('a-second')
    desk.ask('a-third')
    await desk.settle()
    expect([...desk.refusals.keys()]).toEqual(['a-third'])
    for (const name of names('a', 12)) await desk.end(name)
    expect(desk.starts).toEqual([...names('a', 12), 'a-second'])
  })

  test('drops who leaves, and the room is free again', async () => {
    const desk = openDesk({ maxCallsPerClient: 2 })
    const leaving = new AbortController()
    desk.ask('a-0')
    desk.ask('a-1', { signal: leaving.signal })
    await desk.settle()
    leaving.abort()
    await desk.settle()
    expect(desk.refusals.get('a-1')?.code).toBe('timeout')
    desk.ask('a-2')
    desk.ask('a-gone', { signal: leaving.signal })
    await desk.settle()
    expect([...desk.refusals.keys()]).toEqual(['a-1', 'a-gone'])
    await desk.end('a-0')
    expect(desk.starts).toEqual(['a-0', 'a-2'])
  })

  test('makes room for who has less waiting and for payers, at the cost of the client with the most', async () => {
    const desk = openDesk({ maxWaiting: 4 })
    for (const name of [...names('a', 4), 'x-0', 'b-0']) desk.ask(name)
    desk.ask('c-0')
    await desk.settle()
    expect([...desk.refusals.keys()]).toEqual(['a-3'])
    desk.ask('a-paid', { paid: true })
    await desk.settle()
    expect([...desk.refusals.keys()]).toEqual(['a-3', 'a-2'])
    desk.ask('d-0')
    await desk.settle()
    expect([...desk.refusals.keys()]).toEqual(['a-3', 'a-2', 'd-0'])
  })

  test('keeps no more bytes waiting than it may, and takes one task of any size', async () => {
    const desk = openDesk({ maxWaitingBytes: 100 })
    for (const name of ['a-0', 'b-0']) desk.ask(name)
    desk.ask('c-0', { bytes: 5000 })
    desk.ask('d-0', { bytes: 1 })
    await desk.settle()
    expect([...desk.refusals.keys()]).toEqual(['d-0'])
    await desk.end('a-0')
    expect(desk.starts.at(-1)).toBe('c-0')
  })

  test('forgets nobody, serves nobody twice, and never runs two of one client, whatever comes', async () => {
    const step = fc.oneof(
      fc.record({
        ask: fc.integer({ min: 0, max: 4 }),
        weight: fc.constantFrom<Weight>('light', 'heavy'),
        paid: fc.boolean(),
      }),
      fc.record({ end: fc.nat(9) }),
      fc.record({ abort: fc.nat(99) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async steps => {
        const desk = openDesk({ maxWaiting: 6, maxCallsPerClient: 3, maxCallsPerPayer: 5 })
        const signals: AbortController[] = []
        const check = () => {
          const clients = [...desk.running.keys()].map(name => name.split('-').slice(0, 2).join())
          expect(new Set(clients).size).toBe(clients.length)
          expect(clients.length).toBeLessThanOrEqual(3)
        }
        for (const wish of steps) {
          if ('ask' in wish) {
            const leaving = new AbortController()
            const { weight, paid } = wish
            desk.ask(`c${wish.ask}-${paid}-${signals.length}`, { weight, paid, signal: leaving.signal })
            signals.push(leaving)
          } else if ('end' in wish) {
            const name = [...desk.running.keys()][wish.end]
            if (name !== undefined) await desk.end(name)
          } else signals[wish.abort]?.abort()
          await desk.settle()
          check()
        }
        while (desk.running.size > 0) for (const name of [...desk.running.keys()]) await desk.end(name)
        expect(desk.starts.length + desk.refusals.size).toBe(signals.length)
        expect(new Set(desk.starts).size).toBe(desk.starts.length)
      }),
      { numRuns: 200, seed: 20260729 },
    )
  })
})
