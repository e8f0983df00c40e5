// Allocates 80 % of what each tier sells in each runner: zeroing 25 GB takes most of its 15 seconds.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bootOrder } from '../../../mcp/ports/sandbox/boot.ts'
import { openBubblewrap } from '../../../mcp/ports/sandbox/bubblewrap.ts'
import { openContainer } from '../../../mcp/ports/sandbox/container.ts'
import { openLandlock } from '../../../mcp/ports/sandbox/landlock.ts'
import type { Sandbox } from '../../../mcp/ports/sandbox/port.ts'
import { limitsFor, type Tier, tiers } from '../../../mcp/services/proof/execution/tiers.ts'
import { engineScript, hasBubblewrap, packages, python } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'octagent-tiers-'))
const engine = join(folder, 'engine')
writeFileSync(engine, engineScript(join(folder, 'log')))
chmodSync(engine, 0o755)
afterAll(() => rmSync(folder, { recursive: true }))

const options = { python, packages }

const runners = {
  bubblewrap: () => openBubblewrap(options),
  landlock: () => openLandlock(options),
  container: () => openContainer({ engine, image: 'an-image' }),
}

const numbers = tiers.map((_, tier) => tier as Tier)

test.each(numbers)('tier %i has the limits that it is sold with', tier => {
  const { seconds, memoryMb, cpus } = tiers[tier]
  expect(limitsFor(tier, null)).toMatchObject({
    memoryBytes: memoryMb * 1024 * 1024,
    timeoutMs: seconds * 1000,
    cpus,
  })
  // One process with threads may use all of the processors all the time.
  const order = bootOrder({ code: '', stdin: '', mode: 'restrictive', limits: limitsFor(tier, null) })
  expect(order.cpuSeconds).toBeGreaterThan(seconds * cpus)
})

describe.skipIf(!hasBubblewrap).each(Object.keys(runners) as (keyof typeof runners)[])('under %s', name => {
  let sandbox: Sandbox
  beforeAll(async () => {
    const probe = await runners[name]()
    if ('reason' in probe) throw new Error(probe.reason)
    sandbox = probe.sandbox
  })

  const run = (tier: Tier, code: string, timeoutMs?: number) => {
    const limits = limitsFor(tier, null)
    return sandbox.run({
      code,
      stdin: '',
      mode: 'restrictive',
      limits: { ...limits, ...(timeoutMs !== undefined && { timeoutMs }) },
    })
  }

  test.each(numbers)('tier %i allocates 80 % of its memory', async tier => {
    const bytes = Math.floor(tiers[tier].memoryMb * 2 ** 20 * 0.8)
    if (bytes * 1.3 > freemem()) {
      console.warn(`\n!!! tier ${tier} is not tried: this machine has too little memory\n`)
      return
    }
    const code = `held = bytearray(${bytes})
for at in range(0, len(held), 4096): held[at] = 1
print(sum(held[::4096]))`
    const { status, stdout, stderr, usage } = await run(tier, code)
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 'ok', stderr: '' })
    expect(stdout.toString()).toBe(`${Math.ceil(bytes / 4096)}\n`)
    expect(usage.memoryBytes).toBeGreaterThan(bytes * 0.9)
  })

  // What a tier may run for is scaled by 300: the same arithmetic leads to both limits of time, of the clock and of processors.
  test.each(numbers)('tier %i runs for 80 % of its time, on all of its processors', async tier => {
    const { timeoutMs, cpus } = limitsFor(tier, null)
    const time = Math.max(1000, timeoutMs / 300)
    const code = `import time
end = time.monotonic() + ${(time * 0.8) / 1000}
while time.monotonic() < end: time.sleep(0.01)
print('ran')`
    const { status, stdout, usage } = await run(tier, code, time + 500)
    expect({ status, stdout: stdout.toString() }).toEqual({ status: 'ok', stdout: 'ran\n' })
    expect(usage.cpuSeconds).toBeLessThan((time / 1000) * Math.max(1, cpus) + 1)
  })

  test('a time-out ends it', async () => {
    expect(await run(0, 'while True: pass', 500)).toMatchObject({ status: 'timeout' })
  })
})
