import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { openBubblewrap } from '../../../mcp/ports/sandbox/bubblewrap.ts'
import { runs } from '../../stress.ts'
import { hasBubblewrap, packages, python, runIn } from './run.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const children = () =>
  readdirSync('/proc/self/task').flatMap(task =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )

/** Of the kinds that a run opens: pipes and sockets to it, and what it was given. */
const descriptors = () =>
  readdirSync('/proc/self/fd').filter(fd => {
    try {
      return /^(?:pipe|socket|\/)/.test(readlinkSync(`/proc/self/fd/${fd}`))
    } catch {
      return false
    }
  }).length

const mounts = () => readFileSync('/proc/self/mountinfo', 'utf8').split('\n').length

const groups = () =>
  ['', 'memory', 'pids', 'cpu']
    .map(name => `/sys/fs/cgroup/${name}`)
    .filter(existsSync)
    .flatMap(folder => readdirSync(folder))
    .filter(name => name.startsWith(`octagent-sandbox-${process.pid}-`)).length

/** What lies in memory that something still refers to. */
const usedBytes = async (): Promise<number> => {
  await pause(20)
  collect()
  collect()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + external + arrayBuffers
}

describe.skipIf(!hasBubblewrap)('a hundred sandboxes one after the other', () => {
  test('leave no process, file, mount or megabyte behind', async () => {
    const probe = await openBubblewrap({ python, packages })
    if ('reason' in probe) throw new Error(probe.reason)
    const { sandbox } = probe
    const workspace = new Map([['a', Buffer.from('given')]])
    const codes = [
      "print(open('/workspace/a').read())",
      "open('/tmp/file', 'wb').write(b'x' * 1_000_000)",
      'import os; os.fork(); print(1)',
      'raise SystemExit(1)',
      "import subprocess; subprocess.Popen(['sleep', '1000'])",
    ]
    const run = async (count: number) => {
      for (let nth = 0; nth < count; nth++)
        await runIn(sandbox, codes[nth % codes.length] ?? '', { workspace })
    }
    await run(20)
    const files = readdirSync(tmpdir()).filter(name => name.includes('sandbox')).length
    const before = {
      children: children().length,
      descriptors: descriptors(),
      mounts: mounts(),
      groups: groups(),
      files,
    }
    const memory = await usedBytes()
    await run(runs(100, 40))
    expect({
      children: children().length,
      descriptors: descriptors(),
      mounts: mounts(),
      groups: groups(),
      files: readdirSync(tmpdir()).filter(name => name.includes('sandbox')).length,
    }).toEqual(before)
    expect((await usedBytes()) - memory).toBeLessThan(1 << 20)
    await sandbox.close()
  }, 300_000)
})
