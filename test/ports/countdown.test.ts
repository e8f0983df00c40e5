import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ToolError } from '../../mcp/kernel/error.ts'
import { startCountdown } from '../../mcp/ports/countdown.ts'
import { withDeadline } from '../../mcp/ports/fetch/deadline.ts'

const standStill = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
const late = () => new ToolError('timeout', 'Too late.')

test('an answer that lies there when the process goes on after a standstill is in time', async () => {
  const answer = await withDeadline({ ms: 200, late }, async signal => {
    standStill(600)
    for (let turn = 0; turn < 3; turn += 1) await wait(1, undefined, { signal })
    return 'heard'
  })
  expect(answer).toBe('heard')
})

test('what never answers is late, and not before its time', async () => {
  const began = performance.now()
  const never = withDeadline({ ms: 100, late }, signal => wait(1e6, undefined, { signal }))
  await expect(never).rejects.toMatchObject({ cause: { message: 'Too late.' } })
  expect(performance.now() - began).toBeGreaterThan(90)
})

test.each([0, 1, 15, 100])('a countdown of %d ms ends once, and not when it is called off', async ms => {
  const endings: string[] = []
  startCountdown(ms, () => endings.push('first'))
  const stop = startCountdown(ms, () => endings.push('second'))
  stop()
  await expect.poll(() => endings, { timeout: 60_000 }).toEqual(['first'])
  await wait(30)
  expect(endings).toEqual(['first'])
})
