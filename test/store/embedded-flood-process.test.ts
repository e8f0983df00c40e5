import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { compiled } from './compiled.ts'

test('a process with a small heap survives a flood of writes', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-flood-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const run = promisify(execFile)(process.execPath, ['--max-old-space-size=96', compiled('flood-child'), dir])
  const report = JSON.parse((await run).stdout)
  expect(report).toMatchObject({ read: '0-0', ok: false, deleted: 50, last: expect.stringContaining('full') })
  expect(report.refused).toBeGreaterThanOrEqual(2000)
  expect(report.written).toBeGreaterThan(2000)
}, 120_000)
