import { expect, test } from 'vitest'
import { opened } from '../opened.ts'
import { expensive, starve } from './starvation.ts'
import { startTarget } from './target.ts'

const target = opened(startTarget)

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
