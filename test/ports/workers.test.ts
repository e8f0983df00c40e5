import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ToolError } from '../../mcp/kernel/error.ts'
import { openResourceLane } from '../../mcp/ports/scheduler/scheduler.ts'
import { readThreadUsage, watchProcessorTime } from '../../mcp/ports/workers/processor-time.ts'
import { openWorkers } from '../../mcp/ports/workers/workers.ts'

const tasks = new URL('./worker-tasks.mjs', import.meta.url).href

const pools: ReturnType<typeof openWorkers>[] = []
const open = (options?: Parameters<typeof openWorkers>[0]) => {
  const pool = openWorkers(options)
  pools.push(pool)
  return pool
}
afterEach(async () => {
  await Promise.all(pools.splice(0).map(pool => pool.close()))
})

const catchFailure = async (promise: Promise<unknown>) => {
  const cause = await promise.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  return cause as ToolError & Error
}

describe('workers', () => {
  test('run an exported function on plain data', async () => {
    expect(await open().run(tasks, 'double', { n: 21 })).toEqual({ n: 42 })
  })

  test('keep one warm thread for tasks that follow each other', async () => {
    const workers = open()
    const ids = []
    for (let i = 0; i < 5; i++) ids.push(await workers.run(tasks, 'threadOf', null))
    expect(new Set(ids).size).toBe(1)
  })

  test('do 50 tasks at once on no more threads than they have', async () => {
    const workers = open({ threads: 2 })
    const ids = await Promise.all(Array.from({ length: 50 }, () => workers.run(tasks, 'threadOf', null)))
    expect(ids).toHaveLength(50)
    expect(new Set(ids).size).toBeLessThanOrEqual(2)
  })

  test('let tasks wait in the order they came, also behind a task that comes while a place is handed on', async () => {
    const workers = open({ threads: 1 })
    const done: number[] = []
    const ask = (n: number) => workers.run(tasks, 'double', { n }).then(() => done.push(n))
    const first = ask(0).then(() => ask(9))
    await Promise.all([first, ask(1), ask(2), ask(3)])
    expect(done).toEqual([0, 1, 2, 3, 9])
  })

  test('give up what never ends, for now, and go on with another thread', async () => {
    const workers = open({ threads: 1 })
    const before = await workers.run(tasks, 'threadOf', null)
    const failure = catchFailure(workers.run(tasks, 'forever', null, 100))
    const next = workers.run(tasks, 'threadOf', null)
    const error = await failure
    expect(error).toBeInstanceOf(ToolError)
    expect(error.message).toContain('too much time')
    expect(error.toProblem()).toMatchObject({ code: 'upstream', retryable: true })
    expect(await next).not.toBe(before)
  })

  test('give up what takes too much memory, and go on', async () => {
    const workers = open({ threads: 1, memoryMb: 32 })
    const error = await catchFailure(workers.run(tasks, 'hoard', null, 20_000))
    expect(error.message).toContain('too much memory')
    expect(error.toProblem()).toMatchObject({ code: 'upstream', retryable: false })
    expect(await workers.run(tasks, 'double', { n: 1 })).toEqual({ n: 2 })
  })

  test('go on after a task has ended its thread', async () => {
    const workers = open({ threads: 1 })
    expect((await catchFailure(workers.run(tasks, 'leave', null))).message).toBe('a worker ended')
    expect(await workers.run(tasks, 'double', { n: 3 })).toEqual({ n: 6 })
  })

  test('pass on what a task throws: a failure for the caller with its facts, and a fault with its message', async () => {
    const workers = open()
    const failure = await catchFailure(workers.run(tasks, 'refuse', null))
    expect(failure).toBeInstanceOf(ToolError)
    expect(failure.toProblem()).toMatchObject({
      code: 'invalid_input',
      detail: 'The page is odd.',
      issues: [{ path: 'url', message: 'must be even' }],
    })
    const fault = await catchFailure(workers.run(tasks, 'fail', null))
    expect(fault).not.toBeInstanceOf(ToolError)
    expect(fault.name).toBe('RangeError')
    expect(fault.message).toBe('out of range')
  })

  test.each([
    ['an answer that cannot be sent', 'unsendable', null],
    ['a thrown function', 'throwFunction', null],
    ['a function that is not there', 'missing', null],
    ['input that cannot be sent', 'double', () => 1],
  ])('fail one task for %s, not the next', async (_, name, input) => {
    const workers = open({ threads: 1 })
    expect(await catchFailure(workers.run(tasks, name, input))).toBeInstanceOf(Error)
    expect(await workers.run(tasks, 'double', { n: 2 })).toEqual({ n: 4 })
  })

  test('turn away what would wait behind too many, and tell when to come back', async () => {
    const lane = openResourceLane('workers', 1, { maxWaiting: 2 })
    const workers = open({ threads: 1, lane })
    const runs = [0, 1, 2].map(n => workers.run(tasks, 'double', { n }))
    const error = await catchFailure(workers.run(tasks, 'double', { n: 3 }))
    expect(error.toProblem()).toMatchObject({ code: 'unavailable', retryable: true })
    expect(await Promise.all(runs)).toEqual([{ n: 0 }, { n: 2 }, { n: 4 }])
  })

  test('give up what waits for what never comes', async () => {
    const workers = open({ threads: 1, maxIdleMs: 200 })
    const error = await catchFailure(workers.run(tasks, 'never', null))
    expect(error.toProblem()).toMatchObject({ code: 'upstream', retryable: true })
    expect(await workers.run(tasks, 'double', { n: 4 })).toEqual({ n: 8 })
  })

  const makeGate = () => new Int32Array(new SharedArrayBuffer(8))
  const letGo = (gate: Int32Array) => {
    Atomics.store(gate, 1, 1)
    Atomics.notify(gate, 1)
  }
  const waitForStart = async (gate: Int32Array) => {
    while (Atomics.load(gate, 0) === 0) await new Promise(resolve => setTimeout(resolve, 5))
  }
  const never = new AbortController().signal
  const of = (client: string, signal = never) => ({ asker: { client, paid: false }, signal })

  test('answer the small calls of others while 60 heavy ones of one client are held', async () => {
    const workers = open()
    const gate = makeGate()
    const order: string[] = []
    const heavy = { gate, text: 'x'.repeat(200_000) }
    const flood = Array.from({ length: 60 }, () => {
      const run = workers.forCall(of('flood')).run(tasks, 'holdHeavy', heavy)
      return run.then(
        () => order.push('heavy'),
        (cause: ToolError) => order.push(cause.code),
      )
    })
    await waitForStart(gate)
    const small = Array.from({ length: 20 }, (_, n) =>
      workers
        .forCall(of(`client-${n}`))
        .run(tasks, 'double', { n })
        .then(() => order.push('small')),
    )
    await Promise.all(small)
    expect(order).toEqual([...Array(55).fill('too_many_requests'), ...Array(20).fill('small')])
    letGo(gate)
    await Promise.all(flood)
    expect(order.slice(75)).toEqual(Array(5).fill('heavy'))
  })

  test('let go of a call whose client left: at once, in the queue and under way', async () => {
    const workers = open({ threads: 1 })
    const gate = makeGate()
    const leaving = new AbortController()
    const under = catchFailure(workers.forCall(of('a', leaving.signal)).run(tasks, 'hold', gate))
    await waitForStart(gate)
    const failure = catchFailure(workers.forCall(of('b', leaving.signal)).run(tasks, 'double', { n: 1 }))
    const stays = workers.forCall(of('c')).run(tasks, 'double', { n: 2 })
    leaving.abort()
    expect([(await under).code, (await failure).code]).toEqual(['timeout', 'timeout'])
    letGo(gate)
    expect(await stays).toEqual({ n: 4 })
  })

  test('end the thread of a task that nobody waits for any more', async () => {
    const workers = open({ threads: 1 })
    const before = await workers.run(tasks, 'threadOf', null)
    const leaving = new AbortController()
    const run = catchFailure(workers.forCall(of('a', leaving.signal)).run(tasks, 'forever', null, 600_000))
    const next = workers.forCall(of('b')).run(tasks, 'threadOf', null)
    leaving.abort()
    expect((await run).code).toBe('timeout')
    expect(await next).not.toBe(before)
  })

  test('count the time that a task uses, not the time that others take from it', () => {
    let busyMs = 0
    let limitCalls = 0
    vi.useFakeTimers()
    const stop = watchProcessorTime(
      () => ({ busyMs, runnable: true }),
      { ms: 3000, maxIdleMs: 10_000 },
      () => {
        limitCalls += 1
      },
    )
    busyMs = 2990
    vi.advanceTimersByTime(3600_000)
    expect(limitCalls).toBe(0)
    busyMs = 3000
    vi.advanceTimersByTime(1000)
    expect(limitCalls).toBe(1)
    stop()
    vi.useRealTimers()
  })

  test('know what a thread has used of the processor', async () => {
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads')
       const { readlinkSync } = require('node:fs')
       let thread
       try { thread = readlinkSync('/proc/thread-self').split('/').at(-1) } catch {}
       parentPort.on('message', () => { const t = process.hrtime.bigint(); let n = 0; while (n < 4e8) n++; parentPort.postMessage(n) })
       parentPort.postMessage(thread)`,
      { eval: true },
    )
    const thread = (await once(worker, 'message'))[0] as string | undefined
    const before = readThreadUsage(worker, thread)
    await new Promise(resolve => setTimeout(resolve, 300))
    const idle = readThreadUsage(worker, thread)
    expect(idle.busyMs - before.busyMs).toBeLessThan(100)
    worker.postMessage(null)
    await once(worker, 'message')
    expect(readThreadUsage(worker, thread).busyMs - idle.busyMs).toBeGreaterThan(50)
    await worker.terminate()
  })

  test('turn away who waits when they are closed, and who comes after', async () => {
    const workers = open({ threads: 1 })
    const running = catchFailure(workers.run(tasks, 'forever', null, 10_000))
    const waits = catchFailure(workers.run(tasks, 'double', { n: 1 }))
    await workers.close()
    expect((await waits).toProblem()).toMatchObject({ code: 'unavailable', retryable: true })
    expect(await running).toBeInstanceOf(Error)
    expect((await catchFailure(workers.run(tasks, 'double', { n: 1 }))).toProblem().code).toBe('unavailable')
  })
})
