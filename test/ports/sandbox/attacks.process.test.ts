// Costs: Python with numpy, pandas and scipy in each runner.
import { describe, expect, test } from 'vitest'
import { openBubblewrap } from '../../../mcp/ports/sandbox/bubblewrap.ts'
import { openLandlock } from '../../../mcp/ports/sandbox/landlock.ts'
import type { Sandbox } from '../../../mcp/ports/sandbox/port.ts'
import { hasBubblewrap, packages, python, runIn } from './run.ts'

const options = { python, packages }

/** Each way in of Landlock, and bubblewrap. */
const runners = {
  bubblewrap: () => openBubblewrap(options),
  'Landlock in namespaces': () => openLandlock(options),
  'Landlock under another root': () => openLandlock(options, 1),
  'Landlock alone': () => openLandlock(options, 2),
}

const open = async (name: keyof typeof runners): Promise<Sandbox> => {
  const probe = await runners[name]()
  if ('reason' in probe) throw new Error(probe.reason)
  return probe.sandbox
}

/** Around the guard of imports, whose default arguments hold the original: what is left is what the kernel refuses. */
const bypass = `original = getattr(getattr(getattr(print, '__self__'), '__imp' + 'ort__'), '__defaults__')[4]
c = original('ctypes'); libc = c.CDLL(None, use_errno=True); os = original('os'); fcntl = original('fcntl')
def call(name, *arguments):
    c.set_errno(0)
    print(name, getattr(libc, name)(*arguments), c.get_errno())
`

const [sysPtrace, sysWrite, sysGetFd] = process.arch === 'x64' ? [101, 311, 438] : [117, 271, 438]

describe.skipIf(!hasBubblewrap)('restrictive code with a workspace under bubblewrap', () => {
  test('reaches neither the process that gives its files out nor anything that it may do', async () => {
    const sandbox = await open('bubblewrap')
    const { status, stdout, stderr, workspace } = await runIn(
      sandbox,
      `${bypass}
print([fd for fd in range(3, 256) if libc.fcntl(fd, 1) >= 0])
print([pid for pid in range(1, 9) if os.path.exists('/proc/%d' % pid)], os.path.exists('/proc/self'))
parent = os.getppid()
buffer = c.create_string_buffer(8)
class Vector(c.Structure): _fields_ = [('base', c.c_void_p), ('length', c.c_size_t)]
vector = Vector(c.addressof(buffer), 8)
call('syscall', ${sysPtrace}, 16, parent, 0, 0)
call('syscall', ${sysWrite}, parent, c.byref(vector), 1, c.byref(vector), 1, 0)
call('syscall', ${sysGetFd}, libc.syscall(434, parent, 0), 9, 0)
call('prctl', 3, 0, 0, 0, 0)
call('fork')
r = original('resource')
print([r.getrlimit(kind)[1] for kind in (r.RLIMIT_CORE, r.RLIMIT_NOFILE)], r.getrlimit(r.RLIMIT_AS)[1] < 2 ** 31)
os.kill(parent, 19)
open('/workspace/out', 'w').write('x')`,
      { mode: 'restrictive', workspace: new Map(), limits: { timeoutMs: 8_000 } },
    )
    expect({ stdout, stderr }).toEqual({
      stdout: `[]
[] False
syscall -1 38
syscall -1 38
syscall -1 38
prctl 0 0
fork -1 1
[0, 256] True
`,
      stderr: '',
    })
    // It may stop the one that waits for it, and so has nothing.
    expect({ status, workspace }).toEqual({ status: 'timeout', workspace: undefined })
  })
})

describe.skipIf(!hasBubblewrap).each(Object.keys(runners) as (keyof typeof runners)[])('under %s', name => {
  test('nothing of the kernel is left behind or reached: queues, semaphores, sockets, signals', async () => {
    const sandbox = await open(name)
    const { stdout } = await runIn(
      sandbox,
      `${bypass}
for queue in ('msgget', 'semget', 'shmget'):
    call(queue, 0, 1024, 0o1600)
call('mq_open', b'/octagent', 0o102, 0o600, None)
call('syscall', 319 if '${process.arch}' == 'x64' else 279, b'x', 0)
read, write = os.pipe()
# A signal of the kernel's own to any process of the same user.
call('fcntl', read, 8, 1)
call('fcntl', read, 10, 9)
call('socket', 1, 2, 0)
call('bind', 1, b'x', 1)
call('connect', 1, b'x', 1)
call('inotify_init1', 0)
call('fanotify_init', 0, 0)
call('setxattr', b'/usr/bin', b'user.x', b'1', 1, 0)
call('prctl', 0x59616d61, -1, 0, 0, 0)`,
      { mode: 'restrictive' },
    )
    const lines = stdout.trim().split('\n')
    expect(lines).toHaveLength(14)
    for (const line of lines) expect(line).toMatch(/^\w+ -1 (?:1|38|97)$/)
  })

  test('sees of the files of the machine what it must', async () => {
    const sandbox = await open(name)
    const { stdout } = await runIn(
      sandbox,
      `${bypass}
for path in ('/etc/passwd', '/proc/version', '/sys/kernel', '/var/lib', '/root', '/usr/local', '/usr/src', '${process.cwd()}'):
    try: os.stat(path); print('STAT', path)
    except OSError: pass
    try: os.listdir(path); print('LIST', path)
    except OSError: pass
    try: open(path).read(1); print('READ', path)
    except OSError: pass`,
      { mode: 'restrictive' },
    )
    // Under bubblewrap it is the way to the folder of packages, and holds nothing else.
    const seen =
      stdout.match(/.+/g)?.filter(line => name !== 'bubblewrap' || !line.endsWith(' /usr/local')) ?? []
    // Landlock hides what is in files; that they are there is hidden by another root.
    if (name !== 'Landlock alone') expect(seen).toEqual([])
    else expect(seen.filter(line => !line.startsWith('STAT'))).toEqual([])
  })

  test('numpy, pandas and scipy compute', async context => {
    const sandbox = await open(name)
    if (!sandbox.facts.modules.includes('scipy')) {
      console.warn('\n!!! numpy, pandas and scipy are not tried: octagent sandbox install puts them here\n')
      context.skip()
    }
    const { stdout, stderr } = await runIn(
      sandbox,
      `import numpy as np, pandas as pd, scipy.stats, scipy.optimize, scipy.linalg, scipy.sparse.linalg, scipy.integrate, scipy.spatial
print(np.linalg.svd(np.eye(200))[1].sum(), np.random.default_rng(1).normal(size=3).shape)
days = pd.DataFrame({'a': np.arange(100), 'b': pd.date_range('2030-01-01', periods=100, tz='Europe/Berlin')})
print(days.groupby(days.a % 7).a.sum().tolist(), len(days.resample('W', on='b').a.mean()))
print(scipy.optimize.minimize(lambda x: (x - 1) ** 2, 0).x.round(2), scipy.integrate.quad(np.sin, 0, np.pi)[0].__round__(6))
print(scipy.stats.norm.cdf(0), scipy.linalg.expm(np.zeros((2, 2)))[0, 0], scipy.spatial.KDTree(np.eye(3)).query([1, 0, 0])[1])
print(scipy.sparse.linalg.eigsh(scipy.sparse.eye(50), k=1)[0].round(3))`,
      { mode: 'restrictive', limits: { cpus: 2 } },
    )
    expect(stderr).toBe('')
    expect(stdout.split('\n')[0]).toBe('200.0 (3,)')
    expect(stdout.split('\n')).toHaveLength(6)
  })
})

test.skipIf(!hasBubblewrap)('two runs at once are two users of the machine', async () => {
  const sandbox = await open('Landlock alone')
  if (process.getuid?.() !== 0) return
  const code = `${bypass}\nimport time; time.sleep(0.5); print(os.getuid())`
  const users = await Promise.all(
    [1, 2].map(async () => (await runIn(sandbox, code, { mode: 'restrictive' })).stdout),
  )
  expect(new Set(users).size).toBe(2)
})
