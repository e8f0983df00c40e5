import { describe, expect, test } from 'vitest'
import { openCache } from '../../mcp/ports/cache/cache.ts'

const clock = { now: () => new Date() }

/** Work that ends when it is told to, and knows whether it was given up. */
const openWork = () => {
  let starts = 0
  let finish: (value: string) => void = () => undefined
  let lastSignal: AbortSignal | undefined
  const make = (signal: AbortSignal) => {
    starts += 1
    lastSignal = signal
    return new Promise<{ value: string; seconds: number }>(resolve => {
      finish = value => resolve({ value, seconds: 60 })
    })
  }
  return {
    make,
    starts: () => starts,
    finish: (value: string) => finish(value),
    aborted: () => lastSignal?.aborted,
  }
}

const catchFailure = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: { code: string }) => error.code,
  )

describe('work that several wait for', () => {
  test('goes on while one of them stays, and ends when the last one leaves', async () => {
    const cache = openCache({ clock })
    const work = openWork()
    const [one, other] = [new AbortController(), new AbortController()]
    const first = catchFailure(cache.take('k', work.make, one))
    const second = catchFailure(cache.take('k', work.make, other))
    one.abort()
    expect(await first).toBe('timeout')
    expect(work.aborted()).toBe(false)
    other.abort()
    expect(await second).toBe('timeout')
    expect([work.starts(), work.aborted()]).toEqual([1, true])
  })

  test('takes nobody after it was given up', async () => {
    const cache = openCache({ clock })
    const work = openWork()
    const one = new AbortController()
    const first = catchFailure(cache.take('k', work.make, one))
    one.abort()
    await first
    const again = cache.take('k', work.make)
    work.finish('new')
    expect(await again).toMatchObject({ value: 'new', cached: false })
    expect(work.starts()).toBe(2)
    expect(await cache.take('k', work.make)).toMatchObject({ value: 'new', cached: true })
  })

  test('is never given up while somebody waits who cannot leave', async () => {
    const cache = openCache({ clock })
    const work = openWork()
    const one = new AbortController()
    const stays = cache.take('k', work.make)
    const first = catchFailure(cache.take('k', work.make, one))
    one.abort()
    expect(await first).toBe('timeout')
    expect(work.aborted()).toBe(false)
    work.finish('done')
    expect(await stays).toMatchObject({ value: 'done' })
  })
})
