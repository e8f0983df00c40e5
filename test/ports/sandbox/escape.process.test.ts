import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openBubblewrap } from '../../../mcp/ports/sandbox/bubblewrap.ts'
import type { Sandbox } from '../../../mcp/ports/sandbox/port.ts'
import { hasBubblewrap, packages, python, runIn } from './run.ts'

const secret = 'HUNTER2-OF-THE-HOST'
const folder = mkdtempSync(join(tmpdir(), 'octagent-sandbox-'))
const web = createHttpServer((_, response) => response.end(secret))
const abstract = createServer(socket => socket.end(secret))

let sandbox: Sandbox
let port = 0

beforeAll(async () => {
  if (!hasBubblewrap) return
  process.env.OCTAGENT_SANDBOX_TEST = secret
  writeFileSync(join(folder, 'secret'), secret, { mode: 0o600 })
  await new Promise<void>(resolve => web.listen(0, '127.0.0.1', resolve))
  port = (web.address() as { port: number }).port
  await new Promise<void>(resolve => abstract.listen(`\0octagent-${process.pid}`, resolve))
  const probe = await openBubblewrap({ python, packages })
  if ('reason' in probe) throw new Error(probe.reason)
  sandbox = probe.sandbox
})
afterAll(() => {
  delete process.env.OCTAGENT_SANDBOX_TEST
  web.close()
  abstract.close()
  rmSync(folder, { recursive: true })
})

/** Tries each expression, and prints what it came to. */
const tries = (...expressions: string[]) =>
  `import os, socket, ctypes\n${expressions
    .map(
      expression => `try: print(${JSON.stringify(expression)}, 'DID', repr(${expression})[:200])
except BaseException as problem: print(${JSON.stringify(expression)}, 'NO', type(problem).__name__)`,
    )
    .join('\n')}`

const marked = () =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('OCTAGENT_MARK')
      } catch {
        return false
      }
    })

describe.skipIf(!hasBubblewrap)('a sandbox of bubblewrap', () => {
  test('runs code, with its input, and keeps both streams apart', async () => {
    const { status, exitCode, stdout, stderr } = await runIn(
      sandbox,
      'import sys\nprint(input()[::-1])\nprint("x", file=sys.stderr)',
      { stdin: 'abc\n' },
    )
    expect({ status, exitCode, stdout, stderr }).toEqual({
      status: 'ok',
      exitCode: 0,
      stdout: 'cba\n',
      stderr: 'x\n',
    })
    expect(await runIn(sandbox, 'raise SystemExit(3)')).toMatchObject({ status: 'error', exitCode: 3 })
    const wrong = await runIn(sandbox, 'print(')
    expect(wrong).toMatchObject({ status: 'error', stdout: '' })
    expect(wrong.stderr).toContain('SyntaxError')
    expect(wrong.stderr).not.toContain('boot.py')
    const failed = await runIn(sandbox, 'def f(): return 1 / 0\nf()')
    expect(failed).toMatchObject({ status: 'error', exitCode: 1 })
    expect(failed.stderr).toMatch(/^Traceback .*\n {2}File "\/box\/main.py", line 2/)
    expect(failed.stderr).not.toContain('boot.py')
  })

  test('ends a bomb of processes, and one that grows by itself', async () => {
    const counted = await runIn(
      sandbox,
      'import os, time\nn = 0\ntry:\n    while True:\n        if os.fork() == 0: time.sleep(20)\n        n += 1\nexcept OSError: print(n)',
      { limits: { timeoutMs: 4_000 } },
    )
    expect(Number(counted.stdout || '0')).toBeLessThan(40)
    const grown = await runIn(
      sandbox,
      'import os\nwhile True:\n    try: os.fork()\n    except OSError: pass',
      { limits: { timeoutMs: 2_000 } },
    )
    expect(grown).toMatchObject({ status: 'timeout', signal: 'SIGKILL' })
  })

  test('ends a bomb of threads', async () => {
    const { stdout } = await runIn(
      sandbox,
      'import threading, time\nn = 0\ntry:\n    while True:\n        threading.Thread(target=time.sleep, args=(9,), daemon=True).start(); n += 1\nexcept RuntimeError: print(n, flush=True)\nimport os; os._exit(0)',
      { limits: { timeoutMs: 6_000 } },
    )
    expect(Number(stdout)).toBeLessThan(40)
  })

  test('holds memory of one process and of all of them together', async () => {
    const memoryBytes = 256 << 20
    const one = 'x = []\nwhile True: x.append(bytearray(10**7))'
    expect(await runIn(sandbox, one, { limits: { memoryBytes } })).toMatchObject({ status: 'memory_limit' })
    const many = `import os, time
for _ in range(12):
    if os.fork() == 0:
        held = bytearray(100 * 10**6)
        for at in range(0, len(held), 4096): held[at] = 1
        time.sleep(6); os._exit(0)
ended = [os.wait()[1] for _ in range(12)]
print('ENDED', sum(1 for status in ended if status == 0))`
    const { status, stdout } = await runIn(sandbox, many, { limits: { memoryBytes, timeoutMs: 15_000 } })
    // The kernel ends some of them, or the watcher all: twelve never fit.
    if (status === 'ok') expect(Number(/ENDED (\d+)/.exec(stdout)?.[1])).toBeLessThan(12)
    else expect(status).toBe('memory_limit')
  })

  test('has no memory outside of the limits: memfd, shared memory, files in memory', async () => {
    const { stdout } = await runIn(
      sandbox,
      `import os, ctypes
libc = ctypes.CDLL(None, use_errno=True)
try: os.memfd_create('x'); print('MEMFD')
except OSError: print('no memfd')
print('no shm' if libc.shmget(0, 1 << 20, 0o1600) < 0 else 'SHM')
for folder in ('/dev/shm', '/dev', '/tmp', '/box', '/proc/sys', '/'):
    written = 0
    try:
        for n in range(8):
            with open(folder + '/f%d' % n, 'wb') as file:
                for _ in range(10): written += file.write(b'x' * 10**6)
    except OSError: pass
    print(folder, written >> 20)`,
      { limits: { diskBytes: 16 << 20 } },
    )
    const [memfd, shm, ...folders] = stdout.trim().split('\n')
    expect([memfd, shm]).toEqual(['no memfd', 'no shm'])
    for (const line of folders) expect(Number(line.split(' ')[1]), line).toBeLessThanOrEqual(20)
    expect(folders.filter(line => Number(line.split(' ')[1]) > 0).map(line => line.split(' ')[0])).toEqual([
      '/dev/shm',
      '/tmp',
    ])
  })

  test.each(['stdout', 'stderr'])('cuts %s that never ends', async name => {
    const code = `import sys\nwhile True: sys.${name}.write('x' * 1000)`
    const result = await runIn(sandbox, code)
    expect(result.status).toBe('output_limit')
    expect(result[name as 'stdout']).toHaveLength(65_536)
  })

  test('ends code that ignores every signal, and what it started behind its back', async () => {
    const code = `import os, signal, time
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except Exception: pass
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execv('/usr/bin/sleep', ['OCTAGENT_MARK', '777'])
    os._exit(0)
time.sleep(100)`
    expect(await runIn(sandbox, code, { limits: { timeoutMs: 1_500 } })).toMatchObject({ status: 'timeout' })
    const daemon = `import os
if os.fork() == 0:
    os.setsid(); os.execv('/usr/bin/sleep', ['OCTAGENT_MARK', '778'])
print('bye')`
    expect(await runIn(sandbox, daemon)).toMatchObject({ status: 'ok', stdout: 'bye\n' })
    await expect.poll(marked).toEqual([])
  })

  test('shows neither files nor environment nor processes of the host', async () => {
    const { stdout } = await runIn(
      sandbox,
      `import os
for path in ('/etc/passwd', '/etc/shadow', '/root', '/home', '/var', '/sys', '${folder}', '${process.cwd()}', '/proc/1/root/etc/passwd', '/proc/kcore'):
    try: print('SEES', path, os.listdir(path) if os.path.isdir(path) else open(path, 'rb').read(1))
    except OSError: pass
print(sorted(os.environ))
print(os.path.exists('/proc'), os.getuid())`,
    )
    expect(stdout).not.toContain('SEES')
    expect(stdout).toContain('False 1000')
    expect(stdout).not.toContain('OCTAGENT')
  })

  test('has no network: not the host, not its abstract sockets, no raw ones', async () => {
    const { stdout } = await runIn(
      sandbox,
      tries(
        `socket.create_connection(('127.0.0.1', ${port}), 2).recv(20)`,
        `socket.create_connection(('192.0.2.1', 80), 2)`,
        `socket.socket(socket.AF_UNIX).connect('\\0octagent-${process.pid}')`,
        `socket.socket(socket.AF_PACKET, socket.SOCK_RAW)`,
        `socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)`,
        `socket.socket(38, socket.SOCK_SEQPACKET)`,
      ),
    )
    expect(stdout).not.toContain('DID')
    expect(stdout.match(/ NO /g)).toHaveLength(6)
  })

  test('writes nothing of the system, makes no devices, changes no user', async () => {
    const paths = ['/usr/x', '/box/x', '/x', '/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger', '/dev/x']
    const { stdout } = await runIn(
      sandbox,
      tries(
        ...paths.map(path => `open('${path}', 'w').write('1')`),
        `os.mknod('/tmp/n', 0o60600, os.makedev(8, 0))`,
        `os.chroot('/tmp')`,
        `os.setuid(0)`,
        `os.link('/usr/bin/su', '/tmp/su')`,
        `os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)`,
        `__import__('resource').setrlimit(__import__('resource').RLIMIT_NPROC, (-1, -1))`,
        `__import__('resource').setrlimit(__import__('resource').RLIMIT_AS, (-1, -1))`,
      ),
    )
    expect(stdout.match(/.* DID .*/g)).toBe(null)
  })

  test('refuses the system calls that lead out', async () => {
    const calls = {
      ptrace: '101, 0, 0, 0, 0',
      mount: '165, 0, 0, 0, 0, 0',
      unshare: '272, 0x10000000',
      bpf: '321, 0, 0, 0',
      io_uring_setup: '425, 1, 0',
      perf_event_open: '298, 0, 0, 0, 0, 0',
      userfaultfd: '323, 0',
      keyctl: '250, 0',
      clone3: '435, 0, 0',
      'clone of a user namespace': '56, 0x10000011, 0, 0, 0, 0',
      process_vm_readv: '310, 1, 0, 0, 0, 0, 0',
      'getpid by x32': '0x40000027',
      open_tree: '428, 0, 0, 0',
      socket: '41, 2, 1, 0',
      open_by_handle_at: '304, 0, 0, 0',
    }
    if (process.arch !== 'x64') return
    const code = `import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n${Object.entries(calls)
      .map(([name, args]) => `print(${JSON.stringify(name)}, libc.syscall(${args}), ctypes.get_errno())`)
      .join('\n')}`
    const { stdout } = await runIn(sandbox, code)
    const lines = stdout.trim().split('\n')
    expect(lines).toHaveLength(Object.keys(calls).length)
    for (const line of lines) expect(line).toMatch(/ -1 (?:1|38|97)$/)
  })

  test('brings files of a workspace in and out, but no links, devices or pipes', async () => {
    const result = await runIn(
      sandbox,
      `import os
print(open('in/a.txt').read())
os.symlink('${folder}/secret', 'link'); os.symlink('/', 'root'); os.mkfifo('fifo')
open('out.txt', 'w').write('fine'); os.chmod('out.txt', 0o4755)
os.makedirs('deep/er'); open('deep/er/b', 'wb').write(b'\\0\\n[')`,
      { workspace: new Map([['in/a.txt', Buffer.from('given')]]) },
    )
    expect(result).toMatchObject({ status: 'ok', stdout: 'given\n' })
    expect(
      Object.fromEntries([...(result.workspace ?? [])].map(([path, bytes]) => [path, String(bytes)])),
    ).toEqual({
      'in/a.txt': 'given',
      'out.txt': 'fine',
      'deep/er/b': '\0\n[',
    })
  })

  test('keeps a workspace only if code ended well, and within its quota', async () => {
    const workspace = new Map<string, Buffer>()
    const failed = await runIn(sandbox, `open('a', 'w').write('x'); raise SystemExit(1)`, { workspace })
    expect(failed).toMatchObject({ status: 'error', workspace: undefined })
    const full = await runIn(sandbox, `open('a', 'wb').write(b'x' * (17 << 20))`, { workspace })
    expect(full.status).toBe('error')
    const many = await runIn(sandbox, `for n in range(300): open('f%d' % n, 'w').close()`, { workspace })
    expect(many).toMatchObject({ status: 'ok', workspace: undefined })
    const restrictive = await runIn(sandbox, `print(open('/workspace/a').read())`, {
      mode: 'restrictive',
      workspace: new Map([['a', Buffer.from('seen')]]),
    })
    expect(restrictive).toMatchObject({ status: 'ok', stdout: 'seen\n' })
  })

  test('leaves no process, mount, file or group behind after many runs, also of those that were killed', async () => {
    // A place of its own: other tests have sandboxes and files at the same time.
    const place = mkdtempSync(join(tmpdir(), 'octagent-escape-'))
    chmodSync(place, 0o755)
    const outside = process.env.TMPDIR
    process.env.TMPDIR = place
    onTestFinished(() => {
      if (outside === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = outside
      rmSync(place, { recursive: true })
    })
    const mounts = () => readFileSync('/proc/self/mountinfo', 'utf8').split('\n').length
    const files = () => readdirSync(place).length
    const descriptors = () => readdirSync('/proc/self/fd').length
    const groups = () =>
      ['memory', 'pids', 'cpu', '']
        .map(controller => join('/sys/fs/cgroup', controller))
        .flatMap(folder => (existsSync(folder) ? readdirSync(folder) : []))
        .filter(name => name.startsWith(`octagent-sandbox-${process.pid}-`))
    await runIn(sandbox, 'print(1)')
    const before = { mounts: mounts(), files: files(), descriptors: descriptors() }
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        runIn(sandbox, n % 4 ? `print(${n})` : 'while True: pass', {
          limits: { timeoutMs: n % 4 ? 20_000 : 300 },
        }),
      ),
    )
    await expect
      .poll(() => ({ mounts: mounts(), files: files(), descriptors: descriptors() }))
      .toEqual(before)
    const left = execFileSync('ps', ['-eo', 'ppid,args'])
      .toString()
      .match(new RegExp(`^ *(?:1|${process.pid}) bwrap .*$`, 'gm'))
    expect(left).toBe(null)
    expect(groups()).toEqual([])
  })
})
