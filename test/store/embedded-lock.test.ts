import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openEmbedded } from '../../store/embedded/open.ts'
import { StoreFailure } from '../../store/index.ts'
import { compile } from './compiled.ts'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'octagent-lock-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('refuses a directory that this process has open, under any name, and takes it once it is closed', async () => {
  const store = await openEmbedded({ dir })
  await symlink(dir, `${dir}-link`)
  await expect(openEmbedded({ dir })).rejects.toThrow(StoreFailure)
  await expect(openEmbedded({ dir: `${dir}-link` })).rejects.toThrow(`is in use by process ${process.pid}`)
  await rm(`${dir}-link`)
  await store.close()
  await (await openEmbedded({ dir })).close()
  expect((await readdir(dir)).filter(name => name.startsWith('lock.'))).toEqual([])
})

test('lets at most one of many that come at the same time have it', async () => {
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => openEmbedded({ dir })))
  const stores = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
  expect(stores.length).toBeLessThanOrEqual(1)
  for (const store of stores) await store.close()
  await (await openEmbedded({ dir })).close()
})

test('refuses a directory that another process has, and takes it over when that one was killed', async () => {
  const program = compile('crash-child')
  const child = spawn(process.execPath, [program, dir, '1'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  child.stdout.resume()
  await once(child.stdout, 'data')
  await expect(openEmbedded({ dir })).rejects.toThrow(`is in use by process ${child.pid}`)
  child.kill('SIGKILL')
  await exit
  const store = await openEmbedded({ dir })
  expect(await store.collection('left').count()).toBeLessThanOrEqual(1)
  await store.close()
})

test('takes over the lock of an earlier process that had the same number', async () => {
  const store = await openEmbedded({ dir })
  const [lock = ''] = (await readdir(dir)).filter(name => name.startsWith('lock.'))
  await store.close()
  const [, pid, startTime, ...rest] = lock.split('.')
  await writeFile(join(dir, ['lock', pid, Number(startTime) - 1, ...rest].join('.')), '')
  await (await openEmbedded({ dir })).close()
})

test('never takes over the lock of another machine by itself, and says which file to delete', async () => {
  const foreign = 'lock.1.1.another-machine.00ff'
  await writeFile(join(dir, foreign), '')
  await expect(openEmbedded({ dir })).rejects.toThrow(join(dir, foreign))
  await rm(join(dir, foreign))
  await (await openEmbedded({ dir })).close()
})
