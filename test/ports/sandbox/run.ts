import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { defaultFolder } from '../../../mcp/ports/sandbox/packages.ts'
import type { Sandbox, SandboxJob, SandboxLimits } from '../../../mcp/ports/sandbox/port.ts'

export const python = '/usr/bin/python3'

/** Where `octagent sandbox install` puts numpy, pandas and scipy. */
export const packages = process.env.SANDBOX_PACKAGES ?? defaultFolder

/** Whether the escape tests can run at all here. CI installs what they need; elsewhere they say so loudly. */
export const hasBubblewrap =
  existsSync(python) &&
  (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, 'bwrap')))

if (!hasBubblewrap)
  console.warn(
    '\n!!! THE ESCAPE TESTS OF THE SANDBOX ARE SKIPPED: they need bubblewrap (bwrap) and /usr/bin/python3\n',
  )

const limits: SandboxLimits = {
  timeoutMs: 20_000,
  memoryBytes: 512 << 20,
  cpus: 1,
  outputBytes: 65_536,
  diskBytes: 32 << 20,
  processes: 32,
}

type Changes = Partial<Omit<SandboxJob, 'limits' | 'code'>> & { limits?: Partial<SandboxLimits> }

/** Runs code and answers with text instead of bytes. */
export const runIn = async (sandbox: Sandbox, code: string, { limits: own, ...job }: Changes = {}) => {
  const mode = job.mode ?? 'permissive'
  const result = await sandbox.run({ stdin: '', ...job, mode, code, limits: { ...limits, ...own } })
  return {
    ...result,
    stdout: result.stdout.toString(),
    stderr: result.stderr.toString(),
    ms: result.endedAt.getTime() - result.startedAt.getTime(),
  }
}

/** An engine on this machine: it takes the arguments of docker, writes them down, and runs the program inside namespaces. */
export const engineScript = (log: string): string => `#!/bin/sh
echo "$@" >> ${log}
[ "$1" = rm ] && { pkill -9 -f "[n]ame=$3" ; exit 0; }
name=""
while [ "$1" != an-image ]; do [ "$1" = --name ] && name="$2"; shift; done
shift
exec bwrap --unshare-all --die-with-parent --ro-bind /usr /usr --symlink usr/lib /lib --symlink usr/lib64 /lib64 --symlink usr/bin /bin --proc /proc --dev /dev --tmpfs /tmp --setenv name "name=$name" -- "$@"
`
