import { randomInt } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { folder } from '../../program/run.ts'
import { startTarget } from '../target.ts'
import { readNames, signUntilItEnds } from './guest-book.ts'
import { report } from './report.ts'

const kills = Number(process.env.ATTACK_KILLS ?? 40)

test(`killed with -9 ${kills} times while many write, it loses nothing that it acknowledged`, async () => {
  const dir = folder()
  const signatures: string[] = []
  for (let kill = 0; kill < kills; kill++) {
    const target = await startTarget({ OCTAGENT_DATA: dir })
    const signing = signUntilItEnds(target.url, `k${kill}`)
    await wait(randomInt(50, 1200))
    target.child.kill('SIGKILL')
    await target.exit
    signatures.push(...(await signing).signatures)
  }
  const target = await startTarget({ OCTAGENT_DATA: dir })
  const names = await readNames(target.url)
  const missing = signatures.filter(name => !names.has(name))
  report('kill', { kills, acknowledged: signatures.length, stored: names.size, lost: missing.length })
  await target.stop()
  await rm(dir, { recursive: true, force: true })
  expect(missing).toEqual([])
  expect(signatures.length).toBeGreaterThan(kills)
})
