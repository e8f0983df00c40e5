// Plants each fault of `test/planted.json`, one at a time, and runs the tests that are to find it: `node scripts/planted.mjs`, or
// with ids of some. It works in a git worktree of its own below the temp folder, made of HEAD, so commit first. Ends with 1 where a
// fault is not caught or does not apply. What runs in threads of the worker pool is the build of this folder, without the fault.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const ids = process.argv.slice(2)
const all = JSON.parse(readFileSync('test/planted.json', 'utf8'))
const faults = all.filter(({ id }) => ids.length === 0 || ids.includes(id))
const strange = ids.find(id => !all.some(fault => fault.id === id))
if (strange) throw new Error(`${strange}: test/planted.json has no such fault`)

const scratch = join(mkdtempSync(join(tmpdir(), 'planted-')), 'tree')

const git = (...parameters) => {
  const { status, stderr } = spawnSync('git', parameters, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${parameters.join(' ')}: ${stderr}`)
}

/** Names of the tests that fail; `fault` where a file cannot be run at all. */
const runTests = (tests, ...options) => {
  const report = join(scratch, '..', 'report.json')
  rmSync(report, { force: true })
  const vitest = join('node_modules', 'vitest', 'vitest.mjs')
  const { stderr } = spawnSync(
    process.execPath,
    [
      vitest,
      'run',
      '--experimental.fsModuleCache',
      '--reporter=json',
      `--outputFile=${report}`,
      ...options,
      ...tests,
    ],
    {
      cwd: scratch,
      encoding: 'utf8',
      timeout: 60_000 * (2 + tests.length),
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  if (!existsSync(report)) return { failed: [], fault: `no report: ${stderr.slice(-400)}` }
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  )
  const broken = testResults.find(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some(one => one.status === 'failed'),
  )
  const hasRun = testResults.some(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === 'passed'),
  )
  const fault = broken ? broken.message : hasRun || failed.length > 0 ? undefined : 'no test has run'
  return { failed, fault }
}

/** What becomes of one fault: `caught` with the name of a test, or why not. */
const tryFault = ({ file, find, replace, tests }, sick) => {
  const path = join(scratch, file)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  if (text.split(find).length !== 2) return { verdict: 'does not apply' }
  writeFileSync(
    path,
    text.replace(find, () => replace),
  )
  try {
    const { failed, fault } = runTests(tests, ...(sick.length > 0 ? [] : ['--bail=1']))
    const by = failed.find(name => !sick.includes(name))
    if (by !== undefined) return { verdict: 'caught', by }
    return fault === undefined ? { verdict: 'NOT CAUGHT' } : { verdict: 'does not run', by: fault }
  } finally {
    writeFileSync(path, text)
  }
}

try {
  git('worktree', 'add', '--detach', scratch, 'HEAD')
  const link = path => symlinkSync(join(process.cwd(), path), join(scratch, path))
  if (existsSync('dist')) link('dist')
  // A folder of its own, for the cache: a source that stays is transformed once, not once a fault.
  mkdirSync(join(scratch, 'node_modules'))
  for (const name of readdirSync('node_modules'))
    if (name === '.bin' || !name.startsWith('.')) link(join('node_modules', name))

  // A test that fails by itself catches nothing.
  const healthy = runTests([...new Set(faults.flatMap(({ tests }) => tests))])
  if (healthy.fault !== undefined) throw new Error(`Without a fault: ${healthy.fault}`)
  for (const name of healthy.failed) console.log(`fails without a fault, and so catches none: ${name}`)
  const counts = new Map()
  for (const fault of faults) {
    const { verdict, by } = tryFault(fault, healthy.failed)
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
    console.log(`${verdict.padEnd(14)} ${fault.id}${by ? `: ${by.slice(0, 200)}` : ''}`)
    if (verdict !== 'caught') process.exitCode = 1
  }
  console.log([...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', '))
} finally {
  git('worktree', 'remove', '--force', scratch)
  rmSync(join(scratch, '..'), { recursive: true, force: true })
}
