import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser as Playwright } from 'playwright-core'
import type { Guard } from '../fetch/guard.ts'
import type { openGroups } from '../sandbox/cgroup.ts'
import { type FilterProxy, openFilterProxy } from './proxy.ts'
import { proxyUrl, wrapChromium } from './wrapper.ts'

/** Bytes that one visit may bring in. */
const maxBytes = 50 << 20
const memoryBytes = 1536 << 20

const flags = [
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-domain-reliability',
  '--disable-field-trial-config',
  '--no-pings',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
]

const prefix = 'octagent-browser-'

/** Longer than any visit. */
const oldMs = 3_600_000

/** Removes the folders of visits whose program was killed; their browsers ended with it. */
export const removeOldFolders = async (): Promise<void> => {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue
    const path = join(tmpdir(), name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > oldMs) await rm(path, { recursive: true, force: true })
  }
}

/** A browser that runs, with its way out; `close` ends it and all that it left. */
export type Launched = { browser: Playwright; proxy: FilterProxy; close(): Promise<void> }

type Options = {
  guard: Guard
  /** The program, such as /usr/bin/chromium. */
  path: string
  newGroup: ReturnType<typeof openGroups>
}

/** Starts a Chromium of its own in namespaces of its own. */
export const launch = async ({ guard, path, newGroup }: Options): Promise<Launched> => {
  const { chromium } = await import('playwright-core')
  const folder = await mkdtemp(join(tmpdir(), prefix))
  const group = newGroup?.({ memoryBytes, processes: 512, cpus: 2 })
  const proxy = openFilterProxy({ guard, maxBytes })
  let browser: Playwright | undefined
  const end = async () => {
    await browser?.close().catch(() => undefined)
    await proxy.close()
    await group?.remove()
    await rm(folder, { recursive: true, force: true })
  }
  let ending: Promise<void> | undefined
  const close = () => {
    ending ??= end()
    return ending
  }
  try {
    const out = join(folder, 'out')
    await mkdir(out)
    const socket = join(out, 'out.sock')
    await proxy.listen(socket)
    // The browser runs as somebody else.
    await Promise.all([chmod(folder, 0o711), chmod(out, 0o711), chmod(socket, 0o666)])
    const program = join(folder, 'chromium')
    await writeFile(program, wrapChromium({ chromium: path, folder: out, groups: group?.folders ?? [] }))
    await chmod(program, 0o755)
    browser = await chromium.launch({
      executablePath: program,
      chromiumSandbox: true,
      args: flags,
      // Windows that nobody asked for by a click are not opened at all.
      ignoreDefaultArgs: ['--disable-popup-blocking'],
      env: { PATH: '/usr/bin:/bin' },
      proxy: { server: proxyUrl, bypass: '<-loopback>' },
      timeout: 30_000,
      // The program has handlers of its own for signals.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
    return { browser, proxy, close }
  } catch (problem) {
    await close()
    throw problem
  }
}
