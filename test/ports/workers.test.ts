import { afterEach, describe, expect, test } from 'vitest'
import { ToolError } from '../../mcp/kernel/error.ts'
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

const failureOf = async (asked: Promise<unknown>) => {
  const thrown = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return thrown as ToolError & Error
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

  test('give up what never ends, for good, and go on with another thread', async () => {
    const workers = open({ threads: 1 })
    const before = await workers.run(tasks, 'threadOf', null)
    const stuck = failureOf(workers.run(tasks, 'forever', null, 100))
    const next = workers.run(tasks, 'threadOf', null)
    const error = await stuck
    expect(error).toBeInstanceOf(ToolError)
    expect(error.message).toContain('too much time')
    expect(error.toProblem()).toMatchObject({ code: 'upstream', retryable: false })
    expect(await next).not.toBe(before)
  })

  test('give up what takes too much memory, and go on', async () => {
    const workers = open({ threads: 1, memoryMb: 32 })
    const error = await failureOf(workers.run(tasks, 'hoard', null, 20_000))
    expect(error.message).toContain('too much memory')
    expect(error.toProblem()).toMatchObject({ code: 'upstream', retryable: false })
    expect(await workers.run(tasks, 'double', { n: 1 })).toEqual({ n: 2 })
  }, 30_000)

  test('go on after a task has ended its thread', async () => {
    const workers = open({ threads: 1 })
    expect((await failureOf(workers.run(tasks, 'leave', null))).message).toBe('a worker ended')
    expect(await workers.run(tasks, 'double', { n: 3 })).toEqual({ n: 6 })
  })

  test('pass on what a task throws: a failure for the caller with its facts, and a fault with its message', async () => {
    const workers = open()
    const failure = await failureOf(workers.run(tasks, 'refuse', null))
    expect(failure).toBeInstanceOf(ToolError)
    expect(failure.toProblem()).toMatchObject({
      code: 'invalid_input',
      detail: 'The page is odd.',
      issues: [{ path: 'url', message: 'must be even' }],
    })
    const fault = await failureOf(workers.run(tasks, 'fail', null))
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
    expect(await failureOf(workers.run(tasks, name, input))).toBeInstanceOf(Error)
    expect(await workers.run(tasks, 'double', { n: 2 })).toEqual({ n: 4 })
  })

  test('turn away what would wait behind too many, and tell when to come back', async () => {
    const workers = open({ threads: 1, mostWaiting: 2 })
    const asked = [0, 1, 2].map(n => workers.run(tasks, 'double', { n }))
    const error = await failureOf(workers.run(tasks, 'double', { n: 3 }))
    expect(error.toProblem()).toMatchObject({ code: 'too_many_requests', retryable: true })
    expect(await Promise.all(asked)).toEqual([{ n: 0 }, { n: 2 }, { n: 4 }])
  })

  test('turn away who waits when they are closed, and who comes after', async () => {
    const workers = open({ threads: 1 })
    const running = failureOf(workers.run(tasks, 'forever', null, 10_000))
    const waits = failureOf(workers.run(tasks, 'double', { n: 1 }))
    await workers.close()
    expect((await waits).toProblem()).toMatchObject({ code: 'unavailable', retryable: true })
    expect(await running).toBeInstanceOf(Error)
    expect((await failureOf(workers.run(tasks, 'double', { n: 1 }))).toProblem().code).toBe('unavailable')
  })
})
