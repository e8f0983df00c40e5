// Runs the tests that were asked for, all unless told, and closes with one line taken from the runner's own result.
//   --full   every random walk in full, with new seeds (STRESS=1 SEEDS=random)
//   --keep   writes what each file cost to test/costs.json, which test/costs.test.ts reads
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const run = args => spawnSync(process.execPath, args, { stdio: 'inherit' })

const setup = run(['scripts/setup.mjs', '--install'])
if (setup.status !== 0) process.exit(setup.status ?? 1)

const args = process.argv.slice(2)
const take = name => {
  const at = args.indexOf(name)
  if (at >= 0) args.splice(at, 1)
  return at >= 0
}
if (take('--full')) Object.assign(process.env, { STRESS: '1', SEEDS: 'random' })
const keeps = take('--keep')

const folder = mkdtempSync(join(tmpdir(), 'octagent-result-'))
const result = join(folder, 'result.json')
process.env.TEST_COSTS = join(folder, 'costs.jsonl')
const tests = run([
  // A larger nursery: what a test makes is garbage when it ends, and is not copied before.
  '--max-semi-space-size=32',
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=./scripts/prepare-tests.mjs',
  '--reporter=json',
  `--outputFile.json=${result}`,
  ...args,
])

/** Processor seconds by test file, the dearest first. */
const readCosts = file => {
  try {
    const sums = {}
    for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
      const { file: path, seconds } = JSON.parse(line)
      const name = relative(process.cwd(), path)
      if (!name.startsWith('..')) sums[name] = (sums[name] ?? 0) + seconds
    }
    return Object.entries(sums).sort(([, a], [, b]) => b - a)
  } catch {
    return []
  }
}

/** Processor seconds of all processes that have ended, with those of the set-up, databases, chains and browsers; undefined off Linux. */
const readTotal = () => {
  try {
    const text = readFileSync('/proc/self/stat', 'utf8')
    const [user, system] = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .slice(13, 15)
    return (Number(user) + Number(system)) / 100
  } catch {
    return undefined
  }
}

const read = () => {
  try {
    return JSON.parse(readFileSync(result, 'utf8'))
  } catch {
    return undefined
  }
}
const report = read()
const costs = readCosts(process.env.TEST_COSTS)
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
const total = costs.reduce((sum, [, seconds]) => sum + seconds, 0)
const dearest = costs.slice(0, 12).map(([name, seconds]) => `${name} ${seconds.toFixed(0)}`)
console.log(`${total.toFixed(0)} processor seconds in ${costs.length} files; most in ${dearest.join(', ')}`)
const whole = readTotal()
if (whole !== undefined) console.log(`${whole.toFixed(0)} processor seconds with everything that was started`)
if (keeps) {
  const rows = costs
    .filter(([, seconds]) => seconds >= 5)
    .map(([name, seconds]) => [name, Math.round(seconds)])
  writeFileSync('test/costs.json', `${JSON.stringify(Object.fromEntries(rows), undefined, 2)}\n`)
}
const failed = numFailedTests + broken.length
const skipped = numPendingTests + numTodoTests
console.log(`${numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exit(failed > 0 || tests.status !== 0 ? 1 : 0)
