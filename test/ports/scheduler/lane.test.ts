import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ToolError } from '../../../mcp/kernel/error.ts'
import { type LaneOptions, type LanePlace, openLane } from '../../../mcp/ports/scheduler/lane.ts'
import type { Asker, Weight } from '../../../mcp/ports/scheduler/port.ts'

/** As the threads have it. */
const threads: LaneOptions = {
  resource: 'workers',
  places: 3,
  heavyPlaces: 2,
  maxRunning: { free: 1, paid: 1 },
  maxCalls: { free: 5, paid: 20 },
  maxWaiting: 64,
  maxWaitingBytes: 1 << 20,
  holdsPlaces: false,
}

/** A lane whose tasks run until they are told to end. */
const openDesk = (more: Partial<LaneOptions> = {}) => {
  const lane = openLane({ ...threads, ...more })
  const running = new Map<string, LanePlace>()
  const refusals = new Map<string, ToolError>()
  const starts: string[] = []
  type Wish = {
    weight?: Weight
    paid?: boolean
    bytes?: number
    signal?: AbortSignal
    asker?: Asker
    target?: string
  }
  const ask = (
    name: string,
    { weight = 'heavy', paid = false, bytes = 1, signal, asker, target }: Wish = {},
  ) => {
    const client = name.split('-')[0] ?? ''
    lane.enter({ asker: asker ?? { client, paid }, weight, bytes, signal, target }).then(
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
  return { lane, ask, end, settle, running, refusals, starts }
}

const names = (client: string, count: number) => Array.from({ length: count }, (_, i) => `${client}-${i}`)

describe('a lane', () => {
  test('runs one of 60 heavy calls of a client, lets four wait and tells the others when to come back', async () => {
    const desk = openDesk()
    for (const name of names('flood', 60)) desk.ask(name)
    await desk.settle()
    expect([...desk.running.keys()]).toEqual(['flood-0'])
    expect(desk.refusals.size).toBe(55)
    for (const error of desk.refusals.values()) {
      expect(error.code).toBe('too_many_requests')
      expect(error.headers['Retry-After']).toBe('2')
      expect(error.toProblem()).toMatchObject({ reason: 'workers_busy', retryable: true })
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
    expect(desk.starts.at(-1)).toBe('e-0')
    await desk.end('d-0')
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
    const desk = openDesk({ maxCalls: { free: 2, paid: 20 } })
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
    const desk = openDesk({ maxCalls: { free: 2, paid: 20 } })
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
    expect(desk.refusals.get('d-0')).toMatchObject({ code: 'unavailable', extra: { retryAfter: 2 } })
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

  test('starts a light task of a client beside its heavy one, and before those that wait', async () => {
    const desk = openDesk()
    for (const name of names('a', 3)) desk.ask(name)
    for (const name of ['a-small', 'a-smaller']) desk.ask(name, { weight: 'light' })
    await desk.settle()
    expect(desk.starts).toEqual(['a-0', 'a-small'])
    await desk.end('a-0')
    await desk.end('a-small')
    expect(desk.starts.slice(2)).toEqual(['a-1', 'a-smaller'])
  })

  test('lets light tasks pass a heavy one four times, not for ever', async () => {
    const desk = openDesk({ places: 1, heavyPlaces: 1 })
    desk.ask('z-0')
    desk.ask('heavy-0')
    const others = Array.from({ length: 6 }, (_, n) => `o${n}-0`)
    for (const name of others) desk.ask(name, { weight: 'light' })
    await desk.settle()
    for (let n = 0; n < 8; n++) await desk.end(desk.starts.at(-1) ?? '')
    expect(desk.starts.slice(1)).toEqual([...others.slice(0, 4), 'heavy-0', ...others.slice(4)])
  })

  test('gives a network of many clients no more than it leaves to others, and those their turn', async () => {
    const desk = openDesk({ places: 4, heavyPlaces: 4, maxCalls: { free: 9, paid: 9 } })
    const crowd = Array.from({ length: 40 }, (_, n) => `203.0.113.${n}-0`)
    for (const name of crowd) desk.ask(name)
    await desk.settle()
    expect([...desk.running.keys()]).toEqual(crowd.slice(0, 2))
    desk.ask('198.51.100.7-0')
    await desk.settle()
    expect(desk.running.has('198.51.100.7-0')).toBe(true)
    // Networks take turns: one of the crowd, then the other one, whoever asked sooner.
    desk.ask('198.51.100.8-0')
    await desk.end(crowd[0] ?? '')
    await desk.end('198.51.100.7-0')
    expect(desk.starts).toContain('198.51.100.8-0')
  })

  test.each([
    ['2001:db8:1:1::/64', '2001:db8:1:2::/64', 2],
    ['2001:db8:1:1::/64', '2001:db8:2:1::/64', 3],
    ['192.0.2.1', '192.0.2.255', 2],
    ['192.0.2.1', '192.0.3.1', 3],
  ])('has three places for %s, %s and a neighbour of the first: %s are taken', async (one, other, taken) => {
    const desk = openDesk({ heavyPlaces: 3 })
    for (const client of [one, `${one.replace('1:1:', '1:9:').replace('.2.1', '.2.9')}`, other])
      desk.ask(`${client}-0`)
    await desk.settle()
    expect(desk.running.size).toBe(taken)
  })

  test('leaves a place to payers, and one to other payers', async () => {
    const desk = openDesk({
      places: 4,
      heavyPlaces: 4,
      freePlaces: 3,
      maxRunning: { free: 1, paid: 3 },
    })
    for (const name of ['a-0', 'b-0', 'c-0', 'd-0']) desk.ask(name)
    await desk.settle()
    expect(desk.starts).toEqual(['a-0', 'b-0', 'c-0'])
    for (const name of names('p', 5)) desk.ask(name, { paid: true })
    await desk.settle()
    expect(desk.starts.slice(3)).toEqual(['p-0'])
    for (const name of ['a-0', 'b-0', 'c-0']) await desk.end(name)
    expect(desk.starts.slice(4)).toEqual(['p-1', 'p-2', 'd-0'])
  })

  test('shares out what payers leave to free callers, so that one network never has all of it', async () => {
    const desk = openDesk({ places: 3, heavyPlaces: 3, freePlaces: 2 })
    for (const name of ['203.0.113.1-0', '203.0.113.2-0', '198.51.100.7-0']) desk.ask(name)
    await desk.settle()
    expect(desk.starts).toEqual(['203.0.113.1-0', '198.51.100.7-0'])
  })

  test('runs so many tasks of one target, of which no network, a payer’s too, has more than it leaves to others', async () => {
    const desk = openDesk({
      places: 16,
      heavyPlaces: 16,
      placesPerTarget: 4,
      sharesPaid: true,
      maxRunning: { free: 16, paid: 16 },
      maxCalls: { free: 99, paid: 99 },
    })
    for (const name of names('a', 5)) desk.ask(name, { target: 'slow', paid: true })
    for (const name of names('b', 2)) desk.ask(name, { target: 'slow' })
    desk.ask('a-else', { target: 'quick', paid: true })
    await desk.settle()
    expect(desk.starts).toEqual(['a-0', 'a-1', 'b-0', 'a-else'])
    await desk.end('a-0')
    expect(desk.starts.at(-1)).toBe('a-2')
    for (const name of ['a-1', 'a-2', 'b-0']) await desk.end(name)
    expect(desk.running.has('b-1')).toBe(true)
    expect([...desk.running.keys()].filter(name => name.startsWith('a-')).length).toBeLessThanOrEqual(3)
  })

  describe('before money moves', () => {
    afterEach(() => void vi.useRealTimers())
    const hall: Partial<LaneOptions> = {
      places: 2,
      heavyPlaces: 2,
      freePlaces: 1,
      maxRunning: { free: 1, paid: 1 },
      maxCalls: { free: 5, paid: 2 },
      holdsPlaces: true,
    }
    const failure = (promise: Promise<unknown>) =>
      promise.then(
        () => undefined,
        (error: ToolError) => error.code,
      )
    const pay = (client: string): Asker => ({ client, paid: false })

    test('holds a place for a call that pays, which then starts at once, and frees it after the call', async () => {
      const desk = openDesk(hall)
      const asker = pay('a')
      await desk.lane.reserve({ asker, isPaying: true })
      for (const name of ['x-0', 'y-0']) desk.ask(name, { paid: true })
      await desk.settle()
      expect(desk.starts).toEqual(['x-0'])
      asker.paid = true
      desk.ask('a-0', { asker })
      await desk.settle()
      expect(desk.starts).toEqual(['x-0', 'a-0'])
      await desk.end('a-0')
      expect(desk.starts).toEqual(['x-0', 'a-0', 'y-0'])
      asker.release?.()
      await desk.end('y-0')
      await desk.end('x-0')
      await desk.lane.reserve({ asker: pay('b'), isPaying: true })
    })

    test('frees the place of a payment that turns out to be none, also when the call is free after all', async () => {
      const desk = openDesk(hall)
      const forger = pay('f')
      await desk.lane.reserve({ asker: forger, isPaying: true })
      desk.ask('x-0', { paid: true })
      desk.ask('y-0', { paid: true })
      await desk.settle()
      expect(desk.starts).toEqual(['x-0'])
      forger.release?.()
      await desk.settle()
      expect(desk.starts).toEqual(['x-0', 'y-0'])
      for (const name of ['x-0', 'y-0']) await desk.end(name)
      const covered = pay('g')
      await desk.lane.reserve({ asker: covered, isPaying: true })
      desk.ask('h-0')
      desk.ask('g-0', { asker: covered })
      await desk.settle()
      expect(desk.starts.slice(2)).toEqual(['h-0'])
    })

    test('refuses after a while who would have to wait, and who has left; nothing stays taken', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const desk = openDesk(hall)
      for (const name of ['x-0', 'y-0']) desk.ask(name, { paid: true })
      await desk.settle()
      const late = failure(desk.lane.reserve({ asker: pay('a'), isPaying: true }))
      const leaving = new AbortController()
      const left = failure(desk.lane.reserve({ asker: pay('b'), isPaying: true, signal: leaving.signal }))
      leaving.abort()
      expect(await left).toBe('timeout')
      vi.advanceTimersByTime(10_000)
      expect(await late).toBe('unavailable')
      for (const name of ['x-0', 'y-0']) await desk.end(name)
      for (const name of ['p-0', 'q-0']) desk.ask(name, { paid: true })
      await desk.settle()
      expect(desk.starts.slice(2)).toEqual(['p-0', 'q-0'])
    })

    test('tells whoever asks for a price that there is no room, for what the client has or others have', async () => {
      const desk = openDesk(hall)
      const quote = (client: string) => failure(desk.lane.reserve({ asker: pay(client), isPaying: false }))
      for (const name of ['a-0', 'a-1', 'b-0']) desk.ask(name, { paid: true })
      await desk.settle()
      expect(await quote('a')).toBe('too_many_requests')
      // One other network waits for two places: the next in turn is the newcomer.
      expect(await quote('c')).toBeUndefined()
      desk.ask('b-1', { paid: true })
      await desk.settle()
      expect(await quote('c')).toBe('unavailable')
    })

    test('asks no free caller who waits for a price: payers have a place of their own', async () => {
      const desk = openDesk(hall)
      for (const name of ['a-0', 'b-0', 'c-0', 'd-0']) desk.ask(name)
      await desk.settle()
      expect(await failure(desk.lane.reserve({ asker: pay('e'), isPaying: false }))).toBeUndefined()
    })

    test('only lets in where tasks are short: whoever is in is not refused for what waits', async () => {
      const desk = openDesk({ maxWaiting: 2, maxCalls: { free: 5, paid: 2 } })
      const [first, second, third] = ['p', 'p', 'p'].map(pay) as [Asker, Asker, Asker]
      for (const asker of [first, second]) await desk.lane.reserve({ asker, isPaying: true })
      expect(await failure(desk.lane.reserve({ asker: third, isPaying: true }))).toBe('too_many_requests')
      for (const name of ['x-0', 'y-0', 'u-0', 'v-0', 'w-0', 'z-0']) desk.ask(name, { paid: true })
      await desk.settle()
      expect([...desk.refusals.keys()]).toEqual(['w-0', 'z-0'])
      first.paid = true
      desk.ask('p-0', { asker: first })
      await desk.settle()
      expect(desk.refusals.has('p-0')).toBe(false)
      second.release?.()
      await desk.lane.reserve({ asker: third, isPaying: true }).catch(() => undefined)
    })
  })

  test('forgets nobody, serves nobody twice, and never runs two of a weight of one client, whatever comes', async () => {
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
        const desk = openDesk({ maxWaiting: 6, maxCalls: { free: 3, paid: 5 } })
        const signals: AbortController[] = []
        const check = () => {
          const clients = [...desk.running.keys()].map(name => name.split('-').slice(0, 3).join())
          expect(new Set(clients).size).toBe(clients.length)
          expect(clients.length).toBeLessThanOrEqual(3)
        }
        for (const wish of steps) {
          if ('ask' in wish) {
            const leaving = new AbortController()
            const { weight, paid } = wish
            desk.ask(`c${wish.ask}-${paid}-${weight}-${signals.length}`, {
              weight,
              paid,
              signal: leaving.signal,
            })
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
