import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

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

type Ended = { code: number | null; stdout: string; stderr: string }

/** No command may print a value that is not there. */
const check = (args: string[], ended: Ended): Ended => {
  const { stdout, stderr } = ended
  if (emptyPlace.test(stdout + stderr))
    throw new Error(`${args.join(' ')} printed a value that is not there:\n${stdout}${stderr}`)
  return ended
}

/** Runs a command to its end in a process of its own. */
export const octagentAlone = async (args: string[], more: Record<string, string> = {}): Promise<Ended> => {
  const child = spawn(process.execPath, ['dist/main.js', ...args], { env: environment(more) })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const code = await new Promise<number | null>(done => child.once('close', done))
  return check(args, { code, stdout, stderr })
}

let host: ChildProcess | undefined
afterAll(async () => {
  const ended = host
  if (!ended?.connected) return
  const exit = new Promise(done => ended.once('exit', done))
  ended.disconnect()
  await exit
})

/** The command before, which the next one waits for. */
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a command to its end in the one process that all commands of a test file share, one after the other: each finds arguments,
 * environment and output of its own, and the modules that an earlier one loaded.
 */
export const octagent = (args: string[], more: Record<string, string> = {}): Promise<Ended> => {
  host ??= fork(join(import.meta.dirname, 'host.mjs'), { execArgv: [], env: environment({}) })
  const child = host
  const ended = last.then(
    () =>
      new Promise<Ended>((resolve, reject) => {
        const lost = () => {
          host = undefined
          reject(new Error(`${args.join(' ')} ended the process that commands run in`))
        }
        child.once('exit', lost)
        child.once('message', (message: Ended) => {
          child.off('exit', lost)
          resolve(message)
        })
        child.send({ args, env: environment(more) })
      }),
  )
  last = ended.catch(() => undefined)
  return ended.then(result => check(args, result))
}
