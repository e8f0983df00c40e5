import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packInto } from '../packed.ts'
import { describeJudged, here } from './judges.ts'

describeJudged('clients', 'the package as it would be published', () => {
  let folder: string
  let archive: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'octagent-package-'))
    archive = packInto(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const judge = (name: string, ...args: string[]) => {
    const script = join(here, 'node_modules/.bin', name)
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })
    return { status, output: stdout + stderr }
  }

  test('has no fault that publint finds', () => {
    const { status, output } = judge('publint', 'run', archive, '--strict')
    expect(output).toContain('All good!')
    expect(status).toBe(0)
  })

  test('has types that every resolver of modules finds', () => {
    const { status, output } = judge('attw', archive, '--profile', 'esm-only', '--format', 'table-flipped')
    for (const entry of ['"octagent"', '"octagent/express"', '"octagent/pay"', '"octagent/testing"'])
      expect(output).toContain(entry)
    expect({ status, output }).toMatchObject({ status: 0 })
  })
})
