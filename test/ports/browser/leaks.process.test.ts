import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openChromium } from '../../../mcp/ports/browser/chromium.ts'
import { removeOldFolders } from '../../../mcp/ports/browser/launch.ts'
import type { VisitOrder } from '../../../mcp/ports/browser/port.ts'
import { openGuard } from '../../../mcp/ports/fetch/guard.ts'
import type { Turn } from '../../../mcp/ports/scheduler/port.ts'
import { compile } from '../../store/compiled.ts'
import { hasBrowser } from './has-browser.ts'
import { startSite } from './site.ts'

const order: VisitOrder = {
  url: '',
  steps: [],
  viewport: { width: 800, height: 600 },
  settleMs: 200,
  maxTextBytes: 65_536,
  deadlineMs: 60_000,
}

let browser: Awaited<ReturnType<typeof openChromium>>
let site: Awaited<ReturnType<typeof startSite>>
let hits: string[]
let base = ''

beforeAll(async () => {
  if (!hasBrowser) return
  site = await startSite()
  ;({ hits, base } = site)
  browser = await openChromium({ guard: openGuard(site.guard), path: hasBrowser, concurrency: 3 })
})
afterAll(async () => {
  await browser?.close()
  site?.stop()
})

const visit = (path: string, more: Partial<VisitOrder> = {}, turn?: Turn) =>
  browser.visit({ ...order, url: `${base}${path}`, ...more }, turn)

describe.skipIf(!hasBrowser)('a browser', () => {
  test('shows a page, does what is ordered, and takes pictures', async () => {
    const page = await visit('/hop', {
      steps: [
        { action: 'screenshot' },
        { action: 'type', selector: '#i', value: 'typed' },
        { action: 'click', selector: 'button' },
        { action: 'screenshot' },
      ],
    })
    expect(page).toMatchObject({
      finalUrl: `${base}/plain`,
      redirects: [{ url: `${base}/hop`, status: 302 }],
      isLoaded: true,
      status: 200,
      title: 'Hello',
      steps: [{ ok: true }, { ok: true }, { ok: true }, { ok: true }],
    })
    expect(page.text).toContain('typed')
    const [before, after] = page.screenshots
    for (const picture of [before, after]) {
      expect(picture?.subarray(1, 4).toString()).toBe('PNG')
      expect([picture?.readUInt32BE(16), picture?.readUInt32BE(20)]).toEqual([800, 600])
    }
    expect(before).not.toEqual(after)
    expect(page.bytes).toBeGreaterThan(100)
  })

  test('reaches nothing inside, whatever a page tries', async () => {
    hits.length = 0
    const page = await visit('/attack', { settleMs: 1500 })
    expect(page.title).toMatch(/^attacked ?$/)
    expect(hits).toEqual([])
    const hosts = new Set(page.blocked.map(({ url }) => new URL(url).host))
    expect(hosts).toContain(new URL(site.inside).host)
  })

  test('is not redirected inside', async () => {
    hits.length = 0
    await expect(visit('/to-inside')).rejects.toMatchObject({ code: 'invalid_input' })
    expect(hits).toEqual([])
  })

  test.each([
    'file:///etc/passwd',
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://169.254.169.254/latest',
    'chrome://version',
    'view-source:http://a.example/',
    'javascript:alert(1)',
    'http://user:pass@site.example/',
  ])('does not visit %s', async url => {
    await expect(browser.visit({ ...order, url })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('is not led inside by a step, nor by a page', async () => {
    hits.length = 0
    for (const url of ['file:///etc/passwd', `${site.inside}/x`]) {
      const page = await visit('/plain', { steps: [{ action: 'navigate', url }, { action: 'screenshot' }] })
      expect(page.steps).toMatchObject([{ action: 'navigate', ok: false }])
      expect(page.screenshots).toEqual([])
    }
    expect(hits).toEqual([])
  })

  test('is not stopped by dialogs, popups, a demand for a password or a download', async () => {
    const dialogs = await visit('/dialogs')
    expect(dialogs.text).toBe('after')
    expect(dialogs.refused).toEqual({ dialogs: 3, popups: 0, downloads: 0 })
    for (const [path, reason] of [
      ['/auth', 'needs_password'],
      ['/download', 'download'],
    ] as const)
      await expect(visit(path)).rejects.toMatchObject({ code: 'upstream', extra: { reason } })
  })

  test('reads the text that is there, and cuts what is too long', async () => {
    expect((await visit('/mirror')).text).toBe('true text')
    expect(await visit('/big', { maxTextBytes: 1000 })).toMatchObject({
      isTextCut: true,
      text: 'x'.repeat(1000),
    })
  })

  test('ends a page that never loads, never stops or never ends', async () => {
    for (const path of ['/never', '/loop'])
      await expect(visit(path, { deadlineMs: 3_000 })).rejects.toMatchObject({
        code: 'upstream',
        extra: { reason: 'page_timeout' },
      })
    const flood = await visit('/flood', { deadlineMs: 4_000 }).then(
      ({ bytes }) => bytes,
      () => 0,
    )
    expect(flood).toBeLessThan(60 << 20)
    await expect(visit('/circle')).rejects.toMatchObject({ extra: { reason: 'too_many_redirects' } })
    await expect(visit('/gigabyte')).rejects.toMatchObject({ extra: { reason: 'download' } })
  })

  test('shows what there is of a page whose parts never come', async () => {
    const page = await visit('/hangs', { deadlineMs: 3_000 })
    expect(page).toMatchObject({ isLoaded: false, text: 'there', title: 'hangs' })
  })

  test('opens no windows, and gives a page that is too large to read a clear end', async () => {
    const popups = await visit('/popups', { steps: [{ action: 'click', selector: '#a' }] })
    expect(popups.text).toContain('still here')
    expect(popups.refused.popups).toBeLessThan(3)
    const page = await visit('/huge').catch((error: { extra: { reason?: string } }) => error.extra.reason)
    expect(typeof page === 'string' ? page : page?.text.length).toSatisfy(
      (end: unknown) => end === 65_536 || end === 'page_crashed' || end === 'page_timeout',
    )
  })

  test('ends a page that shouts without an end', async () => {
    await visit('/shouts', { deadlineMs: 3_000 }).catch(() => undefined)
    expect((await visit('/plain')).title).toBe('Hello')
  })

  test('keeps visits apart, one after the other and at once', async () => {
    const pages = [...(await Promise.all([visit('/cookie'), visit('/cookie')])), await visit('/cookie')]
    expect(pages.map(({ text }) => text)).toEqual(['cookie', 'cookie', 'cookie'])
  })

  test('that dies while it shows a page is told, and the next one works', async () => {
    const going = visit('/hangs').catch((error: unknown) => error)
    const find = () =>
      readdirSync('/proc').filter(pid => {
        try {
          const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
          // The browser that the page tests share is somebody else's.
          return line.includes('remote-debugging-pipe') && !line.includes('shared-by-tests')
        } catch {
          return false
        }
      })
    await expect.poll(() => find().length, { timeout: 60_000 }).toBeGreaterThan(0)
    await new Promise(resolve => setTimeout(resolve, 500))
    for (const pid of find()) {
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // It went with another one.
      }
    }
    expect(await going).toMatchObject({
      code: 'unavailable',
      extra: { reason: 'browser_died', retryAfter: 1 },
    })
    expect((await visit('/plain')).title).toBe('Hello')
  })

  test('leaves no process, folder or socket behind', async () => {
    // A place of its own: other tests have browsers at the same time.
    const place = mkdtempSync(join(tmpdir(), 'octagent-leaks-'))
    chmodSync(place, 0o755)
    const processes = () =>
      readdirSync('/proc').filter(pid => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(place)
        } catch {
          return false
        }
      })
    const before = process.env.TMPDIR
    process.env.TMPDIR = place
    try {
      const visits = Promise.allSettled([visit('/plain'), visit('/loop', { deadlineMs: 2_000 })])
      await expect.poll(() => readdirSync(place).length).toBeGreaterThan(0)
      await visits
      await expect.poll(() => [...readdirSync(place), ...processes()]).toEqual([])
    } finally {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
    }
    rmSync(place, { recursive: true })
  })

  test('ends with a program that is killed, and its folder goes when the next one starts', async () => {
    const place = mkdtempSync(join(tmpdir(), 'octagent-killed-'))
    // The browser, which runs as somebody else, finds its own folder there.
    chmodSync(place, 0o711)
    const running = () =>
      readdirSync('/proc').filter(pid => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${place}/`)
        } catch {
          return false
        }
      })
    try {
      const seen = site.visits('/hangs')
      const args = [compile('../ports/browser/visit-child'), `${base}/hangs`, hasBrowser ?? '']
      const child = spawn(process.execPath, args, {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, TMPDIR: place },
      })
      const exit = once(child, 'exit')
      // The probe ends before the visit begins.
      await expect.poll(() => site.visits('/hangs'), { timeout: 60_000 }).toBeGreaterThan(seen)
      expect(running().length).toBeGreaterThan(0)
      child.kill('SIGKILL')
      await exit
      await expect.poll(running, { timeout: 60_000 }).toEqual([])
      const folders = () => readdirSync(place).filter(name => name.startsWith('octagent-browser-'))
      expect(folders()).toHaveLength(1)
      utimesSync(join(place, folders()[0] ?? ''), 0, 0)
      const before = process.env.TMPDIR
      process.env.TMPDIR = place
      try {
        await removeOldFolders()
      } finally {
        if (before === undefined) delete process.env.TMPDIR
        else process.env.TMPDIR = before
      }
      expect(folders()).toEqual([])
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  })

  test('lets visits wait for their turn, and ends one whose caller leaves', async () => {
    const leaving = new AbortController()
    const turn = (client: string, signal = new AbortController().signal) => ({
      asker: { client, paid: false },
      signal,
    })
    const left = visit('/plain', { steps: [{ action: 'wait', ms: 9000 }] }, turn('a', leaving.signal)).catch(
      (error: unknown) => error,
    )
    const next = visit('/plain', {}, turn('a'))
    await visit('/plain', {}, turn('b'))
    leaving.abort()
    expect(await left).toMatchObject({ code: 'timeout' })
    expect((await next).status).toBe(200)
  })
})
