import { spawn, spawnSync } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { folder, type Running, serve } from './run.ts'

const folders: string[] = []
const running: Running[] = []
afterEach(async () => {
  for (const { child, exit } of running.splice(0)) {
    child.kill('SIGKILL')
    await exit
  }
  for (const dir of folders.splice(0)) await rm(dir, { recursive: true, force: true })
})

/** A server with a fault that is preloaded, and happens when it gets SIGUSR2. */
const startFaulty = async (fault: string, more: Record<string, string> = {}) => {
  const dir = folder()
  folders.push(dir)
  const code = `process.on('SIGUSR2', () => { ${fault} })`
  // A file: the address of the module stands in the stack, and must not hold the secret itself.
  const preload = join(dir, 'fault.mjs')
  writeFileSync(preload, code)
  const server = await serve({ OCTAGENT_DATA: dir, ...more }, ['cat'], ['--import', preload])
  running.push(server)
  return { ...server, dir }
}

const secret = 'postgres://octagent:hunter2@db.example/x'

type Line = { level: string; msg: string; event?: string; cause?: { message: string; stack?: string } }
const linesOf = (output: string): Line[] =>
  output.split('\n').flatMap(line => (line.startsWith('{') ? [JSON.parse(line) as Line] : []))

describe('an error that nobody caught', () => {
  test.each([
    ['uncaughtException', `setImmediate(() => { throw new Error('boom at ${secret}') })`],
    ['unhandledRejection', `void Promise.reject(new Error('boom at ${secret}'))`],
    ['unhandledRejection', `void Promise.reject('boom at ${secret}')`],
  ])('is logged without secrets, and ends the process in order: %s', async (event, fault) => {
    const { child, exit, output, url, dir } = await startFaulty(fault)
    const signed = await fetch(`${url}/api/sign`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ada', note: '' }),
    })
    expect(signed.status).toBe(200)
    child.kill('SIGUSR2')
    expect(await exit).toBe(1)
    const [fatal, ...others] = linesOf(output()).filter(({ level }) => level === 'fatal')
    expect(others).toEqual([])
    expect(fatal).toMatchObject({ event, cause: { message: expect.stringContaining('boom at ') } })
    expect(output()).toContain(`Octagent ends: ${event}: boom at`)
    expect(output()).not.toContain('hunter2')
    expect(output()).toContain('"tool":"sign"')
    // What was written is there, however it ended.
    if (event === 'unhandledRejection') return
    const again = await serve({ OCTAGENT_DATA: dir }, ['cat'])
    running.push(again)
    expect(await (await fetch(`${again.url}/api/guestbook`)).text()).toContain('Ada')
  })

  test('is never silent, also where the log is', async () => {
    const { child, exit, output } = await startFaulty(`setImmediate(() => { throw new Error('boom') })`, {
      OCTAGENT_LOG: 'silent',
    })
    child.kill('SIGUSR2')
    expect(await exit).toBe(1)
    expect(output()).toContain('Octagent ends: uncaughtException: boom')
  })

  test('a second one while calls still run ends it at once', async () => {
    const fault = `setImmediate(() => { throw new Error('boom') })`
    const { child, exit, output, url } = await startFaulty(fault)
    const caller = connect(Number(new URL(url).port), '127.0.0.1')
    caller.on('error', () => undefined)
    // Half a request is a call under way: the drain waits for it.
    caller.write(
      'POST /api/sign HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
    )
    await new Promise(done => setTimeout(done, 200))
    child.kill('SIGUSR2')
    await new Promise(done => setTimeout(done, 500))
    expect(child.exitCode).toBeNull()
    child.kill('SIGUSR2')
    expect(await exit).toBe(1)
    expect(linesOf(output()).filter(({ level }) => level === 'fatal')).toHaveLength(2)
    caller.destroy()
  })

  test('before the server is there it ends the start', async () => {
    const preload = `data:text/javascript,${encodeURIComponent(`setTimeout(() => { throw new Error('early') }, 1)`)}`
    const dir = folder()
    folders.push(dir)
    await expect(serve({ OCTAGENT_DATA: dir }, ['cat'], ['--import', preload])).rejects.toThrow(
      /ended with 1: [\s\S]*early/,
    )
  })
})

/** The program with a standard output of its own, once it says where it listens. */
const serveWith = async (stdout: number | 'ignore') => {
  const dir = folder()
  folders.push(dir)
  const child = spawn(process.execPath, ['dist/main.js', 'serve', 'cat'], {
    env: { PATH: process.env.PATH ?? '', PORT: '0', OCTAGENT_DATA: dir },
    stdio: ['ignore', stdout, 'pipe'],
  })
  let said = ''
  const exit = new Promise<number | null>(done => child.once('exit', done))
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', chunk => {
      said += chunk
      const at = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]
      if (at) resolve(at)
    })
    void exit.then(code => reject(new Error(`ended with ${code}: ${said}`)))
  })
  running.push({ url, child, exit, output: () => said })
  return { url, child }
}

test('a log that cannot be written, as on a full disk, ends nothing', async () => {
  const full = openSync('/dev/full', 'w')
  const { url } = await serveWith(full)
  closeSync(full)
  for (let round = 0; round < 3; round++) {
    for (let asked = 0; asked < 40; asked++) expect((await fetch(`${url}/api/pet`)).status).toBe(200)
    await new Promise(done => setTimeout(done, 1100))
  }
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
})

test('more connections than files may be open end nothing', async ({ skip }) => {
  const { url, child } = await serveWith('ignore')
  // Modules are files too: the limit comes when all of them are loaded.
  await vi.waitFor(async () => expect((await fetch(`${url}/api/pet`)).status).toBe(200))
  await new Promise(done => setTimeout(done, 1500))
  const limited = spawnSync('prlimit', ['--pid', String(child.pid), '--nofile=80:80'])
  if (limited.status !== 0) return skip('prlimit is not here')
  const callers = Array.from({ length: 300 }, () => {
    const caller = connect(Number(new URL(url).port), '127.0.0.1')
    return caller.on('error', () => undefined)
  })
  await new Promise(done => setTimeout(done, 1000))
  for (const caller of callers) caller.destroy()
  await vi.waitFor(async () => expect((await fetch(`${url}/api/pet`)).status).toBe(200))
})
