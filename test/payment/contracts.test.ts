import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('the committed test token is what its source compiles to', () => {
  const output = execFileSync(process.execPath, ['scripts/contracts.mjs', '--print'], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(output).toContain('transferWithAuthorization')
  expect(readFileSync('contracts/test-usdc.ts', 'utf8')).toBe(output)
})
