import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFiles } from '../../../../mcp/ports/files/files.ts'
import { leftoversIn, sweepWorkspaces, workspacesIn } from '../../../../mcp/services/proof/workspace.ts'
import { hasBubblewrap } from '../../../ports/sandbox/run.ts'
import { type AccountsApp, openAccountsApp } from '../accounts-app.ts'

describe.skipIf(!hasBubblewrap)('a workspace', () => {
  let shop: AccountsApp
  beforeAll(async () => {
    shop = await openAccountsApp({ environment: { PROOF_WORKSPACE_MB: '1', SANDBOX_CONCURRENCY: '4' } })
  })
  afterAll(() => shop.stop())

  type Headers = Record<string, string>

  const run = (code: string, headers: Headers, more: object = {}) =>
    shop.post('/execute', { code, use_workspace: true, ...more }, headers)
  const list = async (headers: Headers) =>
    (await shop.get('/workspace', headers)).body as { files: { path: string }[]; bytes: number }
  const read = (path: string, headers: Headers) =>
    shop.get(`/workspace/file?path=${encodeURIComponent(path)}`, headers)
  const balance = async (headers: Headers) => (await shop.get('/balance', headers)).body.balance_sats

  test('keeps files from run to run, for its key alone, on every transport', async () => {
    const one = await shop.funded(3000)
    const other = await shop.funded(3000)
    const first = await run("open('notes.txt', 'w').write('rain at noon')", one.headers)
    expect(first.body).toMatchObject({
      status: 'ok',
      workspace: { state: 'saved', files: 1, bytes: 12, max_bytes: 1_000_000 },
    })
    const again = await run(
      "print(open('notes.txt').read()); open('b.bin', 'wb').write(bytes([255, 0]))",
      one.headers,
    )
    expect(again.body).toMatchObject({ stdout: 'rain at noon\n', workspace: { state: 'saved', files: 2 } })
    expect(await list(one.headers)).toMatchObject({
      files: [{ path: 'b.bin' }, { path: 'notes.txt' }],
      bytes: 14,
    })
    expect((await read('notes.txt', one.headers)).body).toMatchObject({
      text: 'rain at noon',
      next_offset: null,
    })
    expect((await read('b.bin', one.headers)).body).toMatchObject({ text: null, base64: '/wA=' })
    expect((await run("print(open('notes.txt').read())", other.headers)).body).toMatchObject({
      status: 'error',
    })
    expect(await list(other.headers)).toMatchObject({ files: [], bytes: 0 })
    for (const path of ['notes.txt', '../notes.txt', '/etc/passwd'])
      expect((await read(path, other.headers)).status).toBe(404)
    expect((await shop.get('/workspace')).status).toBe(401)
    const args = { path: 'notes.txt' }
    expect(await shop.callMcp('workspace_read', args, other.headers)).toMatchObject({ isError: true })
    expect(await shop.callMcp('workspace_read', args, one.headers)).toMatchObject({
      structuredContent: { text: 'rain at noon' },
    })
    expect(JSON.stringify(await shop.sendA2a('workspace_read', args, other.headers))).not.toContain('rain')
    expect(JSON.stringify(await shop.sendA2a('workspace_read', args, one.headers))).toContain('rain')
  })

  test('a run without it sees no such folder, and one without a key gets none', async () => {
    const { headers } = await shop.funded(2000)
    const without = { use_workspace: false, permissive: false }
    expect((await run("print(open('/workspace/a').read())", headers, without)).body).toMatchObject({
      status: 'error',
      workspace: null,
    })
    expect((await shop.post('/execute', { code: 'print(1)', use_workspace: true })).status).toBe(401)
  })

  test('no link leads out of it, or into it', async () => {
    const { headers } = await shop.funded(9000)
    const code = `import os
os.symlink('/etc/hostname', 'link')
os.symlink('/proc/self/environ', 'environ')
os.symlink('/', 'root')
os.mkfifo('pipe')
os.makedirs('deep/er')
open('deep/er/file', 'w').write('here')
os.symlink('deep', 'same')`
    const { body } = await run(code, headers, { permissive: true })
    expect(body).toMatchObject({ status: 'ok', workspace: { state: 'saved' } })
    expect((await list(headers)).files.map(({ path }) => path)).toEqual(['deep/er/file'])
    for (const path of ['link', 'environ', 'root/etc/passwd', 'same/er/file', 'deep', 'deep/er/../er/file'])
      expect((await read(path, headers)).status, path).toBe(404)
    expect((await read('deep/er/file', headers)).body).toMatchObject({ text: 'here' })
  })

  test('code that fails, or leaves too much, changes nothing; the status says so', async () => {
    const { headers } = await shop.funded(9000)
    await run("open('kept', 'w').write('1')", headers)
    const kept = await list(headers)
    const codes: [string, object][] = [
      [
        "open('kept', 'w').write('2'); raise SystemExit(1)",
        { status: 'error', workspace: { state: 'unchanged' } },
      ],
      [
        "open('kept', 'w').write('2')\nwhile True: pass",
        { status: 'timeout', workspace: { state: 'unchanged' } },
      ],
      [
        "open('big', 'wb').write(b'x' * 1_000_001)",
        { status: 'ok', workspace: { state: 'over_quota', files: 1 } },
      ],
      [
        "for n in range(300): open('f%d' % n, 'w').close()",
        { status: 'ok', workspace: { state: 'over_quota' } },
      ],
      ["open('big', 'wb').write(b'x' * (40 << 20))", { status: 'error', workspace: { state: 'unchanged' } }],
    ]
    for (const [code, expected] of codes) {
      const answer = await run(code, headers, { timeout_seconds: 2 })
      expect(answer.body, code).toMatchObject(expected)
      expect(await list(headers)).toEqual(kept)
    }
    expect((await read('kept', headers)).body).toMatchObject({ text: '1' })
  })

  test('of runs at once one has it, and the others are refused for nothing', async () => {
    const { headers } = await shop.funded(3000)
    const code = "import time; time.sleep(1.5); open('who', 'a').write('x')"
    const answers = await Promise.all([1, 2, 3].map(() => run(code, headers)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    for (const { status, body } of answers)
      if (status === 409) expect(body).toMatchObject({ reason: 'workspace_busy' })
    // What the one that ran used: the rest of its quote came back with its answer.
    const usage = answers.map(({ body }) => body.usage as Record<string, number> | undefined).find(Boolean)
    expect(usage).toMatchObject({ cap_sats: 700, returned_sats: 700 - (usage?.price_sats ?? 0) })
    expect(usage?.price_sats).toBeLessThan(50)
    expect(await balance(headers)).toBe(3000 - (usage?.price_sats ?? 0))
    expect((await run("open('who', 'a').write('y')", headers)).status).toBe(200)
    expect((await read('who', headers)).body).toMatchObject({ text: 'xy' })
  })

  test('a process that died leaves it taken for two minutes, as it was', async () => {
    const { headers, id } = await shop.funded(3000)
    await run("open('a', 'w').write('1')", headers)
    const lease = new Date(Date.now() + 60_000).toISOString()
    await workspacesIn(shop.store).update(id, row => ({ ...row, run: 'dead', lease }))
    expect((await run('print(1)', headers)).status).toBe(409)
    expect((await shop.post('/workspace/delete', {}, headers)).status).toBe(409)
    const past = new Date(Date.now() - 1).toISOString()
    await workspacesIn(shop.store).update(id, row => ({ ...row, lease: past }))
    expect((await run("print(open('a').read())", headers)).body).toMatchObject({ stdout: '1\n' })
  })

  test('a free first call may leave little', async () => {
    const { headers } = await shop.register()
    const { body } = await run("open('a', 'wb').write(b'x' * 100_001)", headers)
    expect(body).toMatchObject({ workspace: { state: 'over_quota', max_bytes: 100_000 } })
  })

  test('files are deleted one by one or all at once, and read in parts', async () => {
    const { headers } = await shop.funded(3000)
    await run("open('a', 'w').write('1' * 600_000); open('b', 'w').write('2')", headers)
    const first = (await read('a', headers)).body
    expect(first).toMatchObject({ bytes: 600_000, next_offset: 524_288 })
    const rest = (await shop.get('/workspace/file?path=a&offset=524288', headers)).body
    expect(String(first.text).length + String(rest.text).length).toBe(600_000)
    const remove = (more: object) => shop.post('/workspace/delete', more, headers)
    expect((await remove({ path: 'c' })).status).toBe(404)
    expect((await remove({ path: 'a' })).body).toEqual({ deleted: 1, files: 1, bytes: 1 })
    expect((await read('b', headers)).body).toMatchObject({ text: '2' })
    expect((await remove({})).body).toEqual({ deleted: 1, files: 0, bytes: 0 })
    expect(await list(headers)).toMatchObject({ files: [], bytes: 0 })
  })

  test('what nobody used for 30 days goes, and nothing of it stays on the disk', async () => {
    const folder = join(shop.dir, 'files')
    const files = openFiles(
      { folder, maxMb: 100, s3Region: '' },
      {
        fetch: () => Promise.reject(new Error('no network')),
        clock: { now: () => new Date() },
        store: shop.store,
      },
    )
    const signal = new AbortController().signal
    const sweep = (days: number) =>
      sweepWorkspaces.run({
        store: shop.store,
        clock: { now: () => new Date(Date.now() + days * 86_400_000) },
        files,
        signal,
      })
    await sweep(1)
    expect(await leftoversIn(shop.store).count()).toBe(0)
    const archives = (await workspacesIn(shop.store).find({ index: 'use', limit: 100 })).rows.filter(
      ({ archive }) => archive !== null,
    )
    expect(archives.length).toBeGreaterThan(3)
    const count = async () =>
      (await readdir(folder, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile()).length
    expect(await count()).toBe(archives.length)
    await sweep(31)
    await sweep(32)
    expect(await workspacesIn(shop.store).count()).toBe(0)
    expect(await count()).toBe(0)
  })
})
