import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuzz } from './fuzz.ts'
import { startTarget, type Target } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())

test('600 requests that nobody should send get answers that were declared, and leave the program as it was', async () => {
  const { findings, requests, memoryMb } = await fuzz(target, { count: 600, seed: 20260729 })
  expect(findings).toEqual([])
  expect(requests).toBe(600)
  expect(memoryMb.peak).toBeLessThan(1500)
})
