// Runs the tests that were asked for, all unless told, and closes with one line taken from the runner's own result.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const run = args => spawnSync(process.execPath, args, { stdio: 'inherit' })

const setup = run(['scripts/setup.mjs', '--install'])
if (setup.status !== 0) process.exit(setup.status ?? 1)

const folder = mkdtempSync(join(tmpdir(), 'octagent-result-'))
const result = join(folder, 'result.json')
const tests = run([
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=./scripts/prepare-tests.mjs',
  '--reporter=json',
  `--outputFile.json=${result}`,
  ...process.argv.slice(2),
])

const read = () => {
  try {
    return JSON.parse(readFileSync(result, 'utf8'))
  } catch {
    return undefined
  }
}
const report = read()
rmSync(folder, { recursive: true, force: true })
if (!report) {
  console.error('the test runner left no result')
  process.exit(tests.status || 1)
}
const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = report
// A file that fails to load has no failed test of its own, and still is a failure.
const broken = testResults.filter(
  file => file.status === 'failed' && file.assertionResults.every(test => test.status !== 'failed'),
)
for (const { name, message } of broken) console.error(`${name}: ${message}`)
const failed = numFailedTests + broken.length
const skipped = numPendingTests + numTodoTests
console.log(`${numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exit(failed > 0 || tests.status !== 0 ? 1 : 0)
