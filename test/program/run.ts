import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A data folder of its own. */
export const folder = (): string => mkdtempSync(join(tmpdir(), 'octagent-program-'))

const environment = (more: Record<string, string>): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  ...more,
})

export type Running = { url: string; child: ChildProcess; exit: Promise<number | null>; output(): string }

/** `octagent serve …` in a process of its own, on a free port, once it says where it listens. */
export const serve = (
  more: Record<string, string>,
  args: string[] = [],
  node: string[] = [],
): Promise<Running> => {
  const child = spawn(process.execPath, [...node, 'dist/main.js', 'serve', ...args], {
    env: environment({ PORT: '0', ...more }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const exit = new Promise<number | null>(done => child.once('exit', done))
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      const url = /http:\/\/(?:127\.0\.0\.1|0\.0\.0\.0):\d+/
        .exec(output)?.[0]
        ?.replace('0.0.0.0', '127.0.0.1')
      if (url) resolve({ url, child, exit, output: () => output })
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void exit.then(code => reject(new Error(`serve ended with ${code}: ${output}`)))
  })
}

/** Words that appear where a line was written around a value that is not there. */
const emptyPlace = /\bundefined\b|\bNaN\b|\[object \w+\]|Invalid Date/

/** Runs a command to its end. No command may print a value that is not there. */
export const octagent = (args: string[], more: Record<string, string> = {}) =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    const child = spawn(process.execPath, ['dist/main.js', ...args], { env: environment(more) })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', chunk => {
      stdout += chunk
    })
    child.stderr.on('data', chunk => {
      stderr += chunk
    })
    child.once('close', code => {
      if (emptyPlace.test(stdout + stderr))
        reject(new Error(`${args.join(' ')} printed a value that is not there:\n${stdout}${stderr}`))
      else resolve({ code, stdout, stderr })
    })
  })
