import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { openContainer } from '../../../mcp/ports/sandbox/container.ts'
import { packFiles, unpackFiles } from '../../../mcp/ports/sandbox/files.ts'
import { openSandboxes } from '../../../mcp/ports/sandbox/open.ts'
import { engineScript, hasBubblewrap, packages, python, runIn } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'octagent-engine-'))
afterAll(() => rmSync(folder, { recursive: true }))

const engine = join(folder, 'engine')
writeFileSync(engine, engineScript(join(folder, 'log')))
chmodSync(engine, 0o755)

describe.skipIf(!hasBubblewrap)('a sandbox is looked for', () => {
  test('and found with bubblewrap first', async () => {
    const sandboxes = openSandboxes({ python, packages, concurrency: 2 })
    const { facts } = await sandboxes.get()
    expect(facts).toMatchObject({ runner: 'bubblewrap', modes: ['restrictive', 'permissive'] })
    expect(facts.python).toMatch(/^3\./)
    await sandboxes.close()
  })

  test('in an engine that was named, with all that it is told to hold back', async () => {
    const sandboxes = openSandboxes({
      python,
      packages,
      concurrency: 2,
      container: { engine, image: 'an-image', runtime: 'runsc' },
    })
    const sandbox = await sandboxes.get()
    expect(sandbox.facts.runner).toBe('container')
    expect(await runIn(sandbox, 'import sys; print(input(), 1 + 1)', { stdin: 'given\n' })).toMatchObject({
      status: 'ok',
      stdout: 'given 2\n',
    })
    expect(await runIn(sandbox, 'import socket', { mode: 'restrictive' })).toMatchObject({
      status: 'policy_violation',
    })
    const log = readFileSync(join(folder, 'log'), 'utf8')
    for (const flag of [
      '--network none',
      '--read-only',
      '--cap-drop ALL',
      'no-new-privileges',
      '--pids-limit',
      '--memory 512m --memory-swap 512m',
      '--runtime runsc',
      '--user 65534:65534',
    ])
      expect(log).toContain(flag)
    await expect
      .poll(() => readFileSync(join(folder, 'log'), 'utf8'))
      .toContain('rm --force octagent-sandbox-')
  })

  test.each([
    ['bubblewrap', {}],
    ['an engine', { container: { engine, image: 'an-image' } }],
  ])('with %s ends what nobody waits for any more, and has its place for the next', async (_, more) => {
    const sandboxes = openSandboxes({ python, packages, concurrency: 1, ...more })
    const shared = await sandboxes.get()
    const left = new AbortController()
    const ofCall = (client: string, { signal } = new AbortController()) =>
      shared.forCall({ asker: { client, paid: false }, signal })
    const endless = runIn(ofCall('192.0.2.1', left), 'while True: pass')
    endless.catch(() => undefined)
    const next = runIn(ofCall('198.51.100.1'), 'print(1)')
    // By then it computes.
    await pause(500)
    const leftAt = performance.now()
    left.abort()
    await expect(endless).rejects.toMatchObject({ code: 'timeout' })
    // Its own limit is 20 seconds.
    expect(performance.now() - leftAt).toBeLessThan(1000)
    expect(await next).toMatchObject({ status: 'ok', stdout: '1\n' })
    await sandboxes.close()
  })
})

const refusal = { code: 'unavailable', extra: { reason: 'execution_unavailable' } }

test('an engine that does not work is not replaced by something weaker', async () => {
  const container = { engine: join(folder, 'absent'), image: 'an-image' }
  expect(await openContainer(container)).toHaveProperty('reason')
  let now = 0
  const sandboxes = openSandboxes({ python, packages, concurrency: 1, container }, () => now)
  await expect(sandboxes.get()).rejects.toMatchObject(refusal)
  const first = sandboxes.get()
  expect(sandboxes.get()).toBe(first)
  await expect(first).rejects.toMatchObject(refusal)
  // Another search begins, and who asks meanwhile has the last answer at once.
  writeFileSync(container.engine, engineScript(join(folder, 'log')), { mode: 0o755 })
  now = 61_000
  expect(sandboxes.get()).toBe(first)
  if (!hasBubblewrap) return
  await expect
    .poll(() =>
      sandboxes.get().then(
        ({ facts }) => facts.runner,
        () => '',
      ),
    )
    .toBe('container')
})

test('no interpreter, no run', async () => {
  const sandboxes = openSandboxes({ python: '/usr/bin/absent', packages, concurrency: 1 })
  await expect(sandboxes.get()).rejects.toMatchObject(refusal)
})

describe('what comes out of a sandbox is not trusted', () => {
  const line = (head: unknown, body = '') => Buffer.from(`${JSON.stringify(head)}\n${body}`)

  test('files come back as they were packed', () => {
    const files = new Map([
      ['a', Buffer.from([0, 10, 91])],
      ['b/ü', Buffer.alloc(0)],
    ])
    expect(unpackFiles(packFiles(files))).toEqual(files)
    expect(unpackFiles(Buffer.alloc(0))).toEqual(new Map())
  })

  test.each([
    ['a way up', line(['../a', 0])],
    ['a way up in the middle', line(['a/../../b', 0])],
    ['an absolute path', line(['/etc/passwd', 0])],
    ['an empty path', line(['', 0])],
    ['a path of another kind', line([1, 0])],
    ['a zero byte', line(['a\0b', 0])],
    ['a long path', line(['a'.repeat(241), 0])],
    ['a length below zero', line(['a', -1])],
    ['a length that is no number', line(['a', '1'], 'x')],
    ['a broken length', line(['a', 0.5])],
    ['less than was said', line(['a', 5], 'x')],
    ['a file twice', Buffer.concat([line(['a', 0]), line(['a', 0])])],
    ['no line', Buffer.from('x')],
    ['no JSON', Buffer.from('x\n')],
    ['a line without end', Buffer.alloc(1 << 20, 'x')],
    ['too many files', Buffer.concat(Array.from({ length: 201 }, (_, n) => line([`f${n}`, 0])))],
  ])('%s is refused', (_, packed) => {
    expect(unpackFiles(packed)).toBe(undefined)
  })
})
