import { appendFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, inject, vi } from 'vitest'
import { processSeconds, threadSeconds } from './processor-time.ts'
import { isRandom } from './stress.ts'

// Nobody's run is red by luck: the default walks are the same each time. `npm run test:full` takes new ones and prints their seeds.
if (!isRandom) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_127 })

// On a busy machine what is waited for takes longer than the one second that is the default: only the time of the test ends it.
const { waitFor } = vi
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: 60_000, ...options })

/** Whether this file has a process to itself; else it runs in a thread. */
const isOwnProcess = process.env.VITEST_POOL_ID !== undefined && process.send !== undefined

// What a test in a thread writes is read by nobody else: it need not wait for a disk. Either folder goes with the run.
const folder = inject(isOwnProcess ? 'disk' : 'memory')
if (folder) process.env.TMPDIR = folder

const spentSeconds = isOwnProcess ? processSeconds : threadSeconds

const { TEST_COSTS: costs } = process.env
if (costs) {
  const before = spentSeconds()
  const state = (globalThis as { __vitest_worker__?: { filepath?: string } }).__vitest_worker__
  afterAll(() => {
    appendFileSync(costs, `${JSON.stringify({ file: state?.filepath, seconds: spentSeconds() - before })}\n`)
  })
}
