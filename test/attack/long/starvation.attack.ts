import { expect, test } from 'vitest'
import { expensive, starve } from '../starvation.ts'
import { startTarget } from '../target.ts'
import { report } from './report.ts'

test('while one client floods each expensive tool, /healthz answers', async () => {
  const target = await startTarget()
  const pet = { path: '/cat/tools/pet', body: {} }
  report('starvation', { tool: 'pet', ...(await starve(target.url, pet, { calls: 200, atOnce: 16 })) })
  for (const [tool, call] of Object.entries(expensive)) {
    const result = await starve(target.url, call, { calls: 120, atOnce: 16 })
    report('starvation', { tool, ...result })
    // Counts, not times: how long a call takes is the machine's affair, that others get their turn is ours.
    expect(result.probes, tool).toBeGreaterThanOrEqual(3)
  }
  expect(target.exitCode()).toBeUndefined()
  await target.stop()
})
