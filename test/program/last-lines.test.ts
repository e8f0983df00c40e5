import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { folder } from './run.ts'

const children: ChildProcess[] = []
const folders: string[] = []
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const dir of folders.splice(0)) await rm(dir, { recursive: true, force: true })
})

/** A server whose standard output is what a shell makes of it, and which has many lines to write. */
const serve = async (output: string, args: Record<string, number> = {}) => {
  const dir = folder()
  folders.push(dir)
  // The shell puts a real pipe there; Node itself would give a socket.
  const script = `exec node dist/main.js serve cat --json ${output}`
  const child = spawn('/bin/sh', ['-c', script], {
    env: {
      PATH: `${process.execPath.replace(/\/node$/, '')}:${process.env.PATH}`,
      HOME: process.env.HOME,
      PORT: '0',
      OCTAGENT_DATA: join(dir, 'data'),
      OCTAGENT_DEVNET: 'false',
      OCTAGENT_RATE_LIMIT: '1000000',
      DIR: dir,
    },
    stdio: ['ignore', args.stdout ?? 'pipe', 'pipe'],
  })
  children.push(child)
  const exit = new Promise<number | null>(done => child.once('exit', done))
  const { stderr } = child
  if (!stderr) throw new Error('no standard error')
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    stderr.on('data', chunk => {
      text += chunk
      const found = /"listening":"([^"]+)"/.exec(text)?.[1]
      if (found) resolve(found)
    })
    void exit.then(code => reject(new Error(`ended with ${code}: ${text}`)))
  })
  return { child, exit, url, dir }
}

const call = async (url: string, times: number) => {
  for (let nth = 0; nth < times; nth++) await (await fetch(`${url}/api/pet`)).arrayBuffer()
}

const lines = (text: string): string[] => text.split('\n').filter(line => line.includes('"call"'))

/** True where the process ended by itself; a bound for a hang, not a measure. */
const ends = (exit: Promise<number | null>) => Promise.race([exit, wait(20_000, 'hangs', { ref: false })])

test('a reader of standard output that has left', async () => {
  const { child, exit, url } = await serve('')
  await call(url, 20)
  child.stdout?.destroy()
  await call(url, 20)
  child.kill('SIGTERM')
  expect(await ends(exit)).toBe(0)
})

test('a reader of standard output that does not read: a full pipe', async () => {
  const { child, exit, url } = await serve('')
  child.stdout?.pause()
  // Lines of some 150 bytes against a pipe of 64 KiB, and one of Node's buffers.
  await call(url, 2000)
  child.kill('SIGTERM')
  expect(await ends(exit)).toBe(0)
})

test('a full disk', async () => {
  const full = openSync('/dev/full', 'w')
  const { child, exit, url } = await serve('', { stdout: full })
  closeSync(full)
  await call(url, 20)
  child.kill('SIGTERM')
  expect(await ends(exit)).toBe(0)
})

test('a slow reader has every line', async () => {
  const { child, exit, url } = await serve('')
  child.stdout?.pause()
  await call(url, 1500)
  let text = ''
  const closed = new Promise(done => child.stdout?.once('close', done))
  child.kill('SIGTERM')
  child.stdout?.on('data', chunk => {
    text += chunk
    child.stdout?.pause()
    setTimeout(() => child.stdout?.resume(), 20)
  })
  // A stream that was paused does not flow because somebody listens.
  child.stdout?.resume()
  expect(await ends(exit)).toBe(0)
  await closed
  expect(lines(text)).toHaveLength(1500)
})

test('a file has every line', async () => {
  const { child, exit, url, dir } = await serve('> "$DIR/log"')
  await call(url, 200)
  child.kill('SIGTERM')
  expect(await ends(exit)).toBe(0)
  expect(lines(readFileSync(join(dir, 'log'), 'utf8'))).toHaveLength(200)
})
