import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'

/** A browser that is driven by keys alone, as WebDriver has them (W3C). */
export type Engine = {
  go(url: string): Promise<void>
  /** Runs the body of a function in the page, and waits for what it promises. */
  run(body: string): Promise<unknown>
  press(key: string): Promise<void>
  /** The page as PNG. */
  picture(): Promise<Buffer>
  close(): Promise<void>
}

const find = (name: string): string | undefined => {
  try {
    return execFileSync('which', [name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

const firefox = find('firefox-esr') ?? find('firefox')
const webkit = find('WebKitWebDriver')
const screen = find('Xvfb')

const until = async <T>(attempt: () => Promise<T>): Promise<T> => {
  const end = Date.now() + 60_000
  for (;;)
    try {
      return await attempt()
    } catch (cause) {
      if (Date.now() > end) throw cause
      await new Promise(resolve => setTimeout(resolve, 100))
    }
}

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const keyActions = (key: string) => [
  {
    type: 'key',
    id: 'keyboard',
    actions: [
      { type: 'keyDown', value: key },
      { type: 'keyUp', value: key },
    ],
  },
]

/** Firefox by Marionette: `length:[0, id, command, parameters]` over TCP, answered by `[1, id, error, value]`. */
const openFirefox = async (binary: string, width: number): Promise<Engine> => {
  const folder = await mkdtemp(join(tmpdir(), 'octagent-firefox-'))
  const port = await freePort()
  await writeFile(join(folder, 'user.js'), `user_pref("marionette.port", ${port});\n`)
  const child = spawn(binary, ['--headless', '--marionette', '--no-remote', '--profile', folder], {
    stdio: 'ignore',
    env: { ...process.env, HOME: folder, MOZ_HEADLESS_WIDTH: String(width), MOZ_HEADLESS_HEIGHT: '844' },
  })
  const socket = await until(async () => {
    const attempt = connect(port, '127.0.0.1')
    await once(attempt, 'connect')
    return attempt
  })
  let rest = Buffer.alloc(0)
  let id = 0
  const waiting = new Map<number, (answer: [error: unknown, value: unknown]) => void>()
  socket.on('data', chunk => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const colon = rest.indexOf(':')
      const end = colon + 1 + Number(rest.subarray(0, Math.max(colon, 0)).toString())
      if (colon < 0 || rest.length < end) return
      const message: unknown = JSON.parse(rest.subarray(colon + 1, end).toString())
      rest = rest.subarray(end)
      if (Array.isArray(message)) waiting.get(message[1])?.([message[2], message[3]])
    }
  })
  const send = async (name: string, parameters: object = {}): Promise<unknown> => {
    id += 1
    const answer = new Promise<[unknown, unknown]>(resolve => waiting.set(id, resolve))
    const text = JSON.stringify([0, id, name, parameters])
    socket.write(`${Buffer.byteLength(text)}:${text}`)
    const [error, value] = await answer
    if (error) throw new Error(`${name}: ${JSON.stringify(error)}`)
    return value && typeof value === 'object' && 'value' in value ? value.value : value
  }
  await send('WebDriver:NewSession', { capabilities: { alwaysMatch: {} } })
  await send('WebDriver:SetWindowRect', { width, height: 844 })
  return {
    go: async url => void (await send('WebDriver:Navigate', { url })),
    run: body => send('WebDriver:ExecuteScript', { script: body, args: [] }),
    press: async key => void (await send('WebDriver:PerformActions', { actions: keyActions(key) })),
    picture: async () =>
      Buffer.from(String(await send('WebDriver:TakeScreenshot', { full: true })), 'base64'),
    close: async () => {
      socket.destroy()
      await stop(child)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** WebKit by its driver, on a screen of its own: MiniBrowser has no mode without one. */
const openWebKit = async (driver: string, server: string, width: number): Promise<Engine> => {
  const display = `:${await freePort()}`
  const screen = spawn(server, [display, '-screen', '0', '1400x1000x24'], { stdio: 'ignore' })
  const port = await freePort()
  const child = spawn(driver, [`--port=${port}`], {
    stdio: 'ignore',
    env: { ...process.env, DISPLAY: display, LIBGL_ALWAYS_SOFTWARE: '1' },
  })
  const send = async (method: 'POST' | 'GET' | 'DELETE', path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/session${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const { value } = (await response.json()) as { value: unknown }
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(value)}`)
    return value
  }
  const options = { args: ['--automation'] }
  const session = (await until(() =>
    send('POST', '', { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } } }),
  )) as { sessionId: string }
  const at = `/${session.sessionId}`
  await send('POST', `${at}/window/rect`, { width, height: 844 })
  return {
    go: async url => void (await send('POST', `${at}/url`, { url })),
    run: body => send('POST', `${at}/execute/sync`, { script: body, args: [] }),
    press: async key => void (await send('POST', `${at}/actions`, { actions: keyActions(key) })),
    picture: async () => Buffer.from(String(await send('GET', `${at}/screenshot`)), 'base64'),
    close: async () => {
      await send('DELETE', at).catch(() => undefined)
      await stop(child)
      await stop(screen)
    },
  }
}

/** What is installed beside Chromium; the others are loudly missed. */
export const engines: readonly [name: string, open: (width: number) => Promise<Engine>][] = [
  ...(firefox ? [['Firefox', (width: number) => openFirefox(firefox, width)] as const] : []),
  ...(webkit && screen ? [['WebKit', (width: number) => openWebKit(webkit, screen, width)] as const] : []),
].map(([name, open]) => [name, open])

if (engines.length < 2)
  console.warn(
    `\n!!! WALKS ARE SKIPPED: ${firefox ? '' : 'no firefox-esr '}${webkit && screen ? '' : 'no WebKitWebDriver or Xvfb'}\n`,
  )
