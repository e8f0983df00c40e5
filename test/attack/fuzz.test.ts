import { expect, test } from 'vitest'
import { opened } from '../opened.ts'
import { fuzz } from './fuzz.ts'
import { startTarget } from './target.ts'

const target = opened(startTarget)

test('600 requests that nobody should send get answers that were declared, and leave the program as it was', async () => {
  const { findings, requests, memoryMb } = await fuzz(target, { count: 600, seed: 20260729 })
  expect(findings).toEqual([])
  expect(requests).toBe(600)
  expect(memoryMb.peak).toBeLessThan(1500)
})
