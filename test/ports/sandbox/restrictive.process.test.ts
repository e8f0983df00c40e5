import { beforeAll, describe, expect, test } from 'vitest'
import { openBubblewrap } from '../../../mcp/ports/sandbox/bubblewrap.ts'
import { openLandlock } from '../../../mcp/ports/sandbox/landlock.ts'
import type { Sandbox } from '../../../mcp/ports/sandbox/port.ts'
import { hasBubblewrap, packages, python, runIn } from './run.ts'

const open = { bubblewrap: openBubblewrap, landlock: openLandlock }

describe.skipIf(!hasBubblewrap).each(['bubblewrap', 'landlock'] as const)(
  'restrictive code under %s',
  name => {
    let sandbox: Sandbox
    beforeAll(async () => {
      const probe = await open[name]({ python, packages })
      if ('reason' in probe) throw new Error(probe.reason)
      sandbox = probe.sandbox
    })
    const run = (code: string) => runIn(sandbox, code, { mode: 'restrictive' })

    test.each([
      ['import math; print(math.pi)', '3.14'],
      ['from datetime import date; print(date(2031, 1, 1))', '2031-01-01'],
      ['import json, re, statistics; print(statistics.mean([1, 2]))', '1.5'],
      ['from dataclasses import dataclass\n@dataclass\nclass A: x: int\nprint(A(1))', 'A(x=1)'],
      ['import sys; print(sys.stdin.read() == "")', 'True'],
    ])('runs what is on the list: %s', async (code, output) => {
      const { status, stdout, stderr } = await run(code)
      expect({ status, stderr }).toEqual({ status: 'ok', stderr: '' })
      expect(stdout).toContain(output)
    })

    test('runs numpy where it is installed', async () => {
      if (!sandbox.facts.modules.includes('numpy')) return
      const { status, stdout } = await run(
        'import numpy as np; print(np.random.default_rng(1).normal(size=3).shape)',
      )
      expect({ status, stdout }).toEqual({ status: 'ok', stdout: '(3,)\n' })
    })

    test.each([
      'import socket',
      'import os',
      'from subprocess import run',
      'print(__import__("os"))',
      'print(().__class__.__base__.__subclasses__())',
      'exec("import soc" + "ket")',
      'getattr(getattr(print, "__self__"), "__imp" + "ort__")("os").system("id")',
      'x = getattr(getattr((), "__cla" + "ss__"), "__ba" + "se__"); w = [c for c in getattr(x, "__subcla" + "sses__")() if c.__name__ == "_wrap_close"]; print(getattr(getattr(w[0], "__init__"), "__glo" + "bals__")["system"]("id")) if w else __import__("os")',
    ])('says what is not on the list: %s', async code => {
      const { status, stderr, stdout } = await run(code)
      expect(status).toBe('policy_violation')
      expect(stderr).toMatch(/^policy: /)
      expect(stdout).not.toContain('uid=')
    })

    test('starts nothing and reaches nothing even through libc', async () => {
      // Around the guard of imports: its default arguments hold the original.
      const { stdout } = await run(`builtin = getattr(print, '__self__')
original = getattr(getattr(builtin, '__imp' + 'ort__'), '__defaults__')[4]
c = original('ctypes'); libc = c.CDLL(None, use_errno=True)
for name, call in (('fork', lambda: libc.fork()), ('execl', lambda: libc.execl(b'/usr/bin/id', b'id', None)),
                   ('system', lambda: libc.system(b'id')), ('vfork', lambda: libc.syscall(58 if '${process.arch}' == 'x64' else 1071)),
                   ('socket', lambda: libc.socket(2, 1, 0)), ('unshare', lambda: libc.unshare(0x10000000))):
    print(name, call(), c.get_errno())
os = original('os')
for path in ('/etc/passwd', '/root', '/home', '${process.cwd()}/package.json'):
    try: open(path).close() if not os.path.isdir(path) else os.listdir(path); print('SEES', path)
    except OSError: pass
for path in ('/usr/x', '${process.cwd()}/x'):
    try: open(path, 'w'); print('WRITES', path)
    except OSError: pass`)
      const lines = stdout.trim().split('\n')
      expect(lines).toHaveLength(6)
      for (const line of lines) expect(line).toMatch(/^(?:system 32512|\w+ -1) (?:1|38|97)$/)
    })

    test('reaches no other process of the machine', async () => {
      const { stdout } = await run(`builtin = getattr(print, '__self__')
original = getattr(getattr(builtin, '__imp' + 'ort__'), '__defaults__')[4]
os, resource = original('os'), original('resource')
for name, call in (('kill', lambda: os.kill(${process.pid}, 0)), ('prlimit', lambda: resource.prlimit(${process.pid}, resource.RLIMIT_NOFILE)),
                   ('priority', lambda: os.setpriority(os.PRIO_PROCESS, ${process.pid}, 19)), ('affinity', lambda: os.sched_setaffinity(${process.pid}, {0}))):
    try: call(); print('DID', name)
    except OSError: print('no', name)`)
      expect(stdout).toBe('no kill\nno prlimit\nno priority\nno affinity\n')
    })
  },
)
