import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { compile } from './compiled.ts'

test('a process with a small heap survives a flood of writes', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-flood-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const run = promisify(execFile)(process.execPath, ['--max-old-space-size=96', compile('flood-child'), dir])
  const report = JSON.parse((await run).stdout)
  expect(report).toMatchObject({
    read: '0-0',
    ok: false,
    deletions: 50,
    last: expect.stringContaining('full'),
  })
  expect(report.refusals).toBeGreaterThanOrEqual(2000)
  expect(report.writes).toBeGreaterThan(2000)
})
