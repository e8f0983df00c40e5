import { spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { folder } from '../../program/run.ts'
import { startTarget } from '../target.ts'
import { send } from '../wire.ts'
import { readNames, signUntilItEnds } from './guest-book.ts'
import { report } from './report.ts'

const dir = folder()
const mount = (...args: string[]) => spawnSync('mount', [...args, dir], { encoding: 'utf8' })

let isMounted = false
beforeAll(() => {
  isMounted = mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs').status === 0
})
afterAll(async () => {
  if (isMounted) spawnSync('umount', [dir])
  await rm(dir, { recursive: true, force: true }).catch(() => undefined)
})

const rounds = 8

test(`a disk that is full ${rounds} times takes nothing that was acknowledged`, async context => {
  if (!isMounted) return context.skip('no small disk can be mounted here')
  const signatures: string[] = []
  const statuses: Record<string, number> = {}
  let readyWhenFull = 0
  for (let round = 0; round < rounds; round++) {
    expect(mount('-o', `remount,size=${round + 1}m`, 'tmpfs').status).toBe(0)
    const target = await startTarget({ OCTAGENT_DATA: dir })
    const { refusals, signatures: names } = await signUntilItEnds(target.url, `d${round}`)
    signatures.push(...names)
    for (const [status, count] of Object.entries(refusals)) statuses[status] = (statuses[status] ?? 0) + count
    const ready = await send(target.url, { method: 'GET', path: '/readyz', headers: {}, body: undefined })
    if (ready.status === 200) readyWhenFull++
    expect(target.exitCode(), target.output().slice(-500)).toBeUndefined()
    target.child.kill('SIGKILL')
    await target.exit
  }
  expect(mount('-o', 'remount,size=64m', 'tmpfs').status).toBe(0)
  const target = await startTarget({ OCTAGENT_DATA: dir })
  const names = await readNames(target.url)
  const missing = signatures.filter(name => !names.has(name))
  report('disk-full', {
    rounds,
    acknowledged: signatures.length,
    lost: missing.length,
    statuses,
    readyWhenFull,
  })
  await target.stop()
  expect(missing).toEqual([])
  expect(signatures.length).toBeGreaterThan(100)
  expect(readyWhenFull).toBe(0)
})
