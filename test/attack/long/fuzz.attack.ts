import { expect, test } from 'vitest'
import { fuzz } from '../fuzz.ts'
import { startTarget } from '../target.ts'
import { report } from './report.ts'

const count = Number(process.env.ATTACK_REQUESTS ?? 20_000)
const seed = Number(process.env.ATTACK_SEED ?? Date.now() % 2 ** 31)

test(`${count} requests from the descriptions of all services, seed ${seed}`, async () => {
  const target = await startTarget()
  try {
    const result = await fuzz(target, {
      count,
      seed,
      onProgress: done => {
        if (done % 2000 === 0) console.error(`${done} of ${count}, ${target.memory().now} MiB`)
      },
    })
    report('fuzz', { seed, ...result, findings: result.findings.length })
    for (const { what, request, answer } of result.findings)
      console.error(`\n${what}\n  ${request}\n  ${answer}`)
    expect(result.findings.map(({ what, request }) => `${what}: ${request.slice(0, 100)}`)).toEqual([])
    expect(result.memoryMb.peak).toBeLessThan(2000)
  } finally {
    await target.stop()
  }
}, 3_600_000)
