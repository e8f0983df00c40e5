import { afterAll, beforeAll, expect, test } from 'vitest'
import { expensive, starve } from './starvation.ts'
import { startTarget, type Target } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())

test.each(Object.entries(expensive))(
  'a client that floods %s does not stop the server for others',
  async (_, call) => {
    const { statuses, probes } = await starve(target.url, call, { calls: 24, atOnce: 8 })
    // Counts, not times: others get their turn at least every few calls of the flood, whatever a call costs.
    expect(probes).toBeGreaterThanOrEqual(3)
    for (const status of Object.keys(statuses)) expect(['200', '402', '429', '502']).toContain(status)
  },
  120_000,
)
